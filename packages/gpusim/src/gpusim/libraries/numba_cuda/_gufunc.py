"""Calling a function of inner arrays (a generalized ufunc) on arrays of host and device."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from . import api
from ._ufunc import as_device
from .cudadrv.devicearray import DeviceNDArray


def parse_signature(sig: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Read a layout such as ``"(m,n),(n)->(m)"``; returns the names of the inner axes of inputs and outputs.

    Raises
    ------
    ValueError
        If it is none.
    NameError
        If an output has an axis that no input has.
    """
    text = "".join(sig.split())
    group = r"\((?:[A-Za-z_]\w*(?:,[A-Za-z_]\w*)*,?)?\)"
    if not re.fullmatch(rf"{group}(,{group})*->({group}(,{group})*)?", text):
        raise ValueError(f'bad token in signature "{sig}"')
    inputs, outputs = (
        [tuple(filter(None, each.strip("()").split(","))) for each in re.findall(group, side)]
        for side in text.split("->")
    )
    unknown = {name for names in outputs for name in names} - {name for names in inputs for name in names}
    if unknown:
        raise NameError(f"undefined output symbols: {','.join(sorted(unknown))}")
    return inputs, outputs


class GUFuncSchedule:
    """How a generalized ufunc loops over its arguments.

    Attributes
    ----------
    ishapes, oshapes : list of tuple
        Inner shapes of inputs and outputs.
    loopdims : tuple of int
    loopn : int
        The product of `loopdims`.
    pinned : list of bool
        Which inputs are the same in every turn.
    output_shapes : list of tuple
    """

    def __init__(self, ishapes: list, oshapes: list, loopdims: tuple[int, ...], pinned: list[bool]):
        self.ishapes, self.oshapes, self.loopdims, self.pinned = ishapes, oshapes, loopdims, pinned
        self.loopn = math.prod(loopdims)
        self.output_shapes = [loopdims + shape for shape in oshapes]


class GUFuncEngine:
    """The layout of a generalized ufunc."""

    @classmethod
    def from_signature(cls, signature: str) -> GUFuncEngine:
        """Read a layout."""
        return cls(*parse_signature(signature))

    def __init__(self, inputsig: list, outputsig: list):
        self.sin, self.sout = inputsig, outputsig
        self.nin, self.nout = len(inputsig), len(outputsig)

    def schedule(self, shapes: list[tuple[int, ...]]) -> GUFuncSchedule:
        """Find the loop for inputs of some shapes.

        Raises
        ------
        ValueError
            If they do not fit the layout or each other.
        """
        if len(shapes) != self.nin:
            raise TypeError("invalid number of input argument")
        known: dict[str, int] = {}
        outer, inner = [], []
        for number, (shape, symbols) in enumerate(zip(shapes, self.sin, strict=True), start=1):
            if len(shape) < len(symbols):
                raise ValueError(f"arg #{number}: insufficient inner dimension")
            at = len(shape) - len(symbols)
            for axis, (length, symbol) in enumerate(zip(shape[at:], symbols, strict=True), start=at):
                if known.setdefault(symbol, length) != length:
                    raise ValueError(f"arg #{number}: shape[{axis}] mismatch argument")
            outer.append(tuple(shape[:at]))
            inner.append(tuple(shape[at:]))
        loop = max(outer, key=math.prod) if outer else ()
        for number, dims in enumerate(outer, start=1):
            if dims not in (loop, (1,), ()):
                raise ValueError(f"arg #{number}: outer dimension mismatch")
        outputs = [tuple(known[name] for name in names) for names in self.sout]
        return GUFuncSchedule(inner, outputs, loop, [dims != loop for dims in outer])


class CUDAGeneralizedUFunc:
    """A function of inner arrays on the device; host arrays are copied there, and the results back.

    Attributes
    ----------
    kernelmap : dict
        Input dtypes → (output dtypes, kernel).
    """

    def __init__(self, kernelmap: dict, engine: GUFuncEngine, pyfunc: Any):
        self.kernelmap, self.engine = kernelmap, engine
        self.__name__, self.__doc__ = pyfunc.__name__, pyfunc.__doc__
        self.max_blocksize = 2**30

    def __call__(self, *args: Any, **kws: Any) -> Any:
        """Call on arrays.

        Parameters
        ----------
        *args : array_like
            The inputs, then optionally the outputs.
        out : array, optional
        stream : Stream, optional
        """
        nin, nout, stream = self.engine.nin, self.engine.nout, kws.get("stream", 0)
        out = kws.get("out")
        if out is None and len(args) not in (nin, nin + nout):
            raise TypeError(
                f"This gufunc accepts {_arguments(nin)} (when providing input only) or {_arguments(nin + nout)} (when "
                f"providing input and output). Got {_arguments(len(args))}."
            )
        if out is not None and len(args) > nin:
            raise ValueError("cannot specify argument 'out' as both positional and keyword")
        given = list(args[nin:]) if len(args) > nin else list(out) if isinstance(out, tuple) else [out] * nout
        given = [as_device(o) if api.is_cuda_array(o) else o for o in given]
        to_host = not any(map(api.is_cuda_array, (*args, *given)))
        inputs = [as_device(a) if api.is_cuda_array(a) else np.asarray(a) for a in args[:nin]]
        schedule = self.engine.schedule([a.shape for a in inputs])
        inner, outer_shapes, loop, n = schedule.ishapes, schedule.oshapes, schedule.loopdims, schedule.loopn
        kinds = self._kinds(tuple(a.dtype for a in inputs))
        for a, kind in zip(inputs, kinds, strict=True):
            if a.dtype != kind and api.is_cuda_array(a):
                raise TypeError(f"compatible signature is possible by casting but {type(a)} does not support .astype()")
        outdtypes, kernel = self.kernelmap[kinds]
        assert n > 0, "zero looping dimension"
        for shape, o in zip(outer_shapes, given, strict=True):
            if o is not None and o.shape != loop + shape:
                raise ValueError("output shape mismatch")
        outputs = [
            api.device_array(loop + shape, kind, stream=stream) if o is None or not api.is_cuda_array(o) else o
            for shape, kind, o in zip(outer_shapes, outdtypes, given, strict=True)
        ]
        parameters = [
            _spread(a if api.is_cuda_array(a) else api.to_device(_cast(a, kind), stream), n, shape)
            for a, kind, shape in zip(inputs, kinds, inner, strict=True)
        ]
        parameters += [o.reshape(n, *shape) for o, shape in zip(outputs, outer_shapes, strict=True)]
        kernel.forall(n, stream=stream)(*parameters)
        if to_host:
            outputs = [o.copy_to_host(host, stream=stream) for o, host in zip(outputs, given, strict=True)]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _kinds(self, dtypes: tuple) -> tuple:
        if dtypes in self.kernelmap:
            return dtypes
        for kinds in self.kernelmap:
            # The declared type must fit the given one, not the other way about: so numba-cuda has it.
            if all(map(np.can_cast, kinds, dtypes)):
                return kinds
        declared = "; ".join(", ".join(map(str, kinds)) for kinds in self.kernelmap)
        raise TypeError(f"no matching signature for {', '.join(map(str, dtypes))}; declared: {declared}")


def _cast(array: np.ndarray, kind: np.dtype) -> np.ndarray:
    """A host array of a dtype; one in several pieces stays so, unless it is cast, and cannot be copied to the device."""
    if array.dtype == kind and not (array.flags.c_contiguous or array.flags.f_contiguous):
        return array
    return np.ascontiguousarray(array, dtype=kind) if array.ndim else array.astype(kind)


def _spread(array: Any, n: int, inner: tuple[int, ...]) -> Any:
    """An input as an array of ``n`` inner arrays, one and the same where there is only one."""
    if not inner and array.size == 1:
        return DeviceNDArray((n,), (0,), array.dtype, gpu_data=array.gpu_data)
    shape = (n, *inner)
    if array.shape == shape:
        return array
    if len(array.shape) < len(shape):
        return DeviceNDArray(shape, (0, *array.strides), array.dtype, gpu_data=array.gpu_data)
    if array.size == math.prod(inner) and n > 1:
        return DeviceNDArray(shape, (0, *array.strides[-len(inner) :]), array.dtype, gpu_data=array.gpu_data)
    return array.reshape(*shape)


def _arguments(n: int) -> str:
    return f"{n} positional argument{'s' * (n != 1)}"
