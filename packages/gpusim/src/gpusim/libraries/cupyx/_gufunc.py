"""Generalised universal functions: a function of cores, looped over the axes in front."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np
from cupy._core import launch
from cupy._core.checks import raise_if_invalid_cast

_ARGUMENT = r"\((?:\w+\??(?:,\w+\??)*)?\)"


def parse(signature: Any) -> tuple[list, list]:
    """The core axes of inputs and outputs: lists of lists of names."""
    if not isinstance(signature, str):
        raise TypeError("Signature is not a string")
    if signature == "":
        raise ValueError("Signature cannot be empty")
    text = signature.replace(" ", "")
    if not re.fullmatch(f"{_ARGUMENT}(?:,{_ARGUMENT})*->{_ARGUMENT}(?:,{_ARGUMENT})*", text):
        raise ValueError(f"Not a valid gufunc signature: {text}")
    sides = []
    for side in text.split("->"):
        sides.append([[n for n in group[1:-1].split(",") if n] for group in re.findall(_ARGUMENT, side)])
    return sides[0], sides[1]


class GeneralizedUFunc:
    """A function of device arrays' cores as a function of arrays with any axes in front.

    Parameters
    ----------
    func : callable
        Of the cores, each with the axes of ``signature``.
    signature : str
        As ``"(m,n),(n)->(m)"``.
    supports_batched, supports_out : bool
        Whether ``func`` takes axes in front itself, and ``out=``.
    signatures : list of str or tuple, optional
        Types ``"dd->d"``, each alone or with its function; the first that fits decides.
    """

    def __init__(
        self, func: Callable, signature: str, *, name: str | None = None, doc: str | None = None,
        supports_batched: bool = False, supports_out: bool = False, signatures: Any = None,
        try_fastcall_func: Any = None,
    ) -> None:  # fmt: skip
        self._func, self._signature, self._fast = func, signature, try_fastcall_func
        self.__name__ = func.__name__ if name is None else name
        self.__doc__ = func.__doc__ if doc is None else doc
        self._batched, self._with_out = supports_batched, supports_out
        self._ins, self._outs = parse(signature)
        self._types = []
        for entry in signatures or ():
            text, function = entry if isinstance(entry, tuple) else (entry, func)
            parts = text.replace(" ", "").split("->")
            if len(parts) != 2:
                raise ValueError(f"signature {text} for dtypes is invalid")
            if len(parts[0]) != len(self._ins) or len(parts[1]) != len(self._outs):
                raise ValueError(
                    f"signature {text} for dtypes is invalid number of inputs is not consistent with general signature"
                )
            self._types.append((*parts, function))

    def _loop(self, args: list, dtype: Any, casting: str, signature: Any) -> tuple[list, Any, Callable]:
        """The arguments in the loop's types, the result's dtype and the function."""
        if len(self._outs) != 1:
            raise NotImplementedError("Multiple output gufuncs not supported")
        found = None
        if signature is not None:
            found = self._by_signature(signature)
        elif dtype is not None:
            found = next((t for t in self._types if all(np.dtype(c) == dtype for c in t[1])), None)
        else:
            for entry in self._types:
                if all(np.can_cast(a.dtype, c, casting) for a, c in zip(args, entry[0], strict=True)):
                    found = entry
                    break
        if found is None:
            result = np.result_type(*(a.dtype for a in args)) if dtype is None else np.dtype(dtype)
            return args, result, self._func
        for i, (a, c) in enumerate(zip(args, found[0], strict=True)):
            raise_if_invalid_cast(a.dtype, np.dtype(c), casting, f"ufunc {self.__name__} input {i}")
        cast = [a.astype(c, copy=False) for a, c in zip(args, found[0], strict=True)]
        return cast, np.dtype(found[1][0]), found[2]

    def _by_signature(self, signature: Any) -> tuple:
        nin, nout = len(self._ins), len(self._outs)
        if isinstance(signature, tuple):
            if len(signature) == 1:
                raise TypeError(
                    "The use of a length 1 tuple for the ufunc `signature` is not allowed. Use `dtype` or  fill the "
                    "tuple with `None`s."
                )
            if len(signature) != nin + nout:
                raise TypeError(f"A type-tuple must be specified of length 1 or 3 for ufunc {self.__name__}")
            chars = [np.dtype(t).char for t in signature]
            signature = "".join(chars[:nin]) + "->" + "".join(chars[nin:])
        for entry in self._types:
            whole = f"{entry[0]}->{entry[1]}"
            if whole == signature or (len(signature) == 1 and set(entry[1]) == {signature}):
                return entry
        raise TypeError(f"No loop matching the specified signature and casting was found for ufunc {self.__name__}")

    def _places(self, axes: Any, axis: Any, keepdims: bool) -> list:
        """The core axes of each operand, or None for the last ones."""
        cores = [*self._ins, *self._outs]
        if axes is not None and axis is not None:
            raise ValueError("Only one of `axis` or `axes` keyword arguments should be given")
        if axes and not isinstance(axes, list):
            raise ValueError("`axes` has to be of type list")
        if keepdims:
            if len({len(c) for c in self._ins}) > 1:
                raise ValueError("`keepdims` requires all inputs to have the same number of core dimensions")
            if any(self._outs):
                raise ValueError("`keepdims` can only be used for scalar outputs")
        if axis is not None:
            if not isinstance(axis, int):
                raise ValueError("`axis` argument has to be an integer value")
            if len({n for core in cores for n in core}) != 1:
                raise ValueError("`axis` can be used only, if there is a single shared core dimension")
            return [
                (axis,) if core else (axis,) if keepdims and i >= len(self._ins) else () for i, core in enumerate(cores)
            ]
        if axes is None:
            return [None] * len(cores)
        places = [(a,) if isinstance(a, int) else tuple(a) for a in axes]
        if len(places) == len(self._ins):
            if any(self._outs):
                raise ValueError("`axes` entries for outputs can only be omitted if none of them has core axes.")
            places += [None] * len(self._outs)
        elif len(places) != len(cores):
            raise ValueError("The number of `axes` entries is not equal to the number of input and output arguments.")
        return places

    def __call__(
        self, *args: Any, axes: Any = None, axis: Any = None, keepdims: bool = False, casting: str = "same_kind",
        dtype: Any = None, signature: Any = None, order: str = "K", out: Any = None,
    ) -> Any:  # fmt: skip
        if self._fast is not None:
            made = self._fast(
                *args, out=out, axes=axes, axis=axis, keepdims=keepdims, casting=casting, dtype=dtype,
                signature=signature, order=order,
            )  # fmt: skip
            if made is not NotImplemented:
                return made
        if len(args) != len(self._ins):
            raise ValueError(
                f"According to `signature`, `func` requires {len(self._ins)} arguments, but {len(args)} given"
            )
        args, kind, function = self._loop(list(args), dtype, casting, signature)
        if order.upper() not in ("C", "K", "A", "F"):
            raise RuntimeError(f"Unknown order {order}")
        out = out[0] if isinstance(out, tuple) else out
        if out is not None and not isinstance(out, launch.array_class):
            raise TypeError("`out` must be a tuple or `cupy.ndarray`")
        places = self._places(axes, axis, keepdims)
        sizes: dict[str, int] = {}
        moved, fronts = [], []
        for i, (a, core, place) in enumerate(zip(args, self._ins, places, strict=False)):
            if a.ndim < len(core):
                raise ValueError(f"Argument {i} has too few dimensions.")
            a = self._moved(i, a, core, place)
            for name, n in zip(core, a.shape[a.ndim - len(core) :], strict=True):
                if sizes.setdefault(name, n) != n:
                    raise ValueError(
                        f"Input operand {i} has mismatch in its core dimension {name} with signature "
                        f"{self._signature} ({sizes[name]} != {n})"
                    )
            moved.append(a)
            fronts.append(a.shape[: a.ndim - len(core)])
        front = np.broadcast_shapes(*fronts)
        moved = [
            cupy.broadcast_to(a, front + a.shape[a.ndim - len(c) :]) for a, c in zip(moved, self._ins, strict=True)
        ]
        core = [sizes.get(n, 1) for n in self._outs[0]]
        kept = [1] * len(self._ins[0]) if keepdims else []
        shape = (*front, *core, *kept)
        ends = tuple(range(len(shape) - len(core) - len(kept), len(shape)))
        place = places[-1] if places[-1] is not None else ends
        if out is None:
            fortran = order.upper() == "F" or (order.upper() == "A" and all(a.flags.fnc for a in args))
            axes_back = np.moveaxis(np.empty(shape, np.int8), ends, place).shape if ends else shape
            out = cupy.empty(axes_back, dtype=kind, order="F" if fortran else "C")
        else:
            raise_if_invalid_cast(kind, out.dtype, casting, "out dtype")
        view = cupy.moveaxis(out, place, ends) if ends else out
        if view.shape != shape:
            raise ValueError(f"Output operand 0 has invalid shape {out.shape} expected {shape}")
        view = view[(..., *(0 for _ in kept))] if kept else view
        self._apply(function, front, moved, view)
        return out

    def _moved(self, i: int, a: Any, core: list, place: Any) -> Any:
        if place is None:
            return a
        if len(place) != len(core):
            raise np.exceptions.AxisError(
                f"Number of axes passed for argument {i} does not match the the number of core dimensions."
            )
        return cupy.moveaxis(a, place, tuple(range(a.ndim - len(core), a.ndim))) if place else a

    def _apply(self, function: Callable, front: tuple, args: list, out: Any) -> None:
        if self._batched or not front:
            if self._with_out:
                function(*args, out=out)
            else:
                out[...] = function(*args)
            return
        for index in np.ndindex(*front):
            self._apply(function, (), [a[index] for a in args], out[(*index, ...)])
