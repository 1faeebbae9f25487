"""``@vectorize(target="cuda")`` and ``@guvectorize(target="cuda")``.

Numba's own decorators import `CUDAVectorize` and `CUDAGUFuncVectorize` from this module when they meet that target.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

import numpy as np
from numba.core import sigutils, types
from numba.np.ufunc.ufuncbuilder import _BaseUFuncBuilder, parse_identity

from . import _generated
from ._gufunc import CUDAGeneralizedUFunc, GUFuncEngine, parse_signature
from ._ufunc import CUDAUFuncDispatcher
from .decorators import jit


def _dtype(kind: Any) -> np.dtype:
    return np.dtype(str(kind.dtype if isinstance(kind, types.EnumMember) else kind))


def _return_type(function: Any, kinds: tuple) -> Any:
    """What Numba finds a function to return, where a signature does not say."""
    import numba

    compiled = numba.njit(function)
    compiled.compile(kinds)
    return compiled.overloads[kinds].signature.return_type


class CUDAVectorize(_BaseUFuncBuilder):
    """Builds an elementwise function, one kernel per signature."""

    def __init__(self, func: Any, identity: Any = None, cache: bool = False, targetoptions: Any = None):
        if cache:
            raise TypeError("caching is not supported")
        for option in targetoptions or {}:
            if option != "nopython":
                raise KeyError(f"Unrecognized options. cuda vectorize target does not support option: '{option}'")
            warnings.warn("nopython kwarg for cuda target is redundant", RuntimeWarning, stacklevel=4)
        self.py_func = func
        self.identity = parse_identity(identity)
        self.kernelmap: OrderedDict = OrderedDict()

    @property
    def pyfunc(self) -> Any:
        """The Python function."""
        return self.py_func

    def add(self, sig: Any = None) -> None:
        """Add a signature."""
        kinds, restype = sigutils.normalize_signature(sig)
        kinds = tuple(kinds)
        restype = _return_type(self.py_func, kinds) if restype is None else restype
        core = jit(restype(*kinds), device=True)(self.py_func)
        arguments = [f"a{i}" for i in range(len(kinds))]
        name = f"vectorized_{_generated.identifier(self.py_func.__name__)}"
        source = (
            f"def {name}({', '.join(arguments)}, out):\n"
            "    i = _grid(1)\n"
            "    if i < out.shape[0]:\n"
            f"        out[i] = _core({', '.join(f'{a}[i]' for a in arguments)})\n"
        )
        kernel = jit(_generated.function(name, source, {"_core": core}))
        self.kernelmap[tuple(map(_dtype, kinds))] = _dtype(restype), kernel

    def disable_compile(self) -> None:
        """No more signatures follow."""

    def build_ufunc(self) -> CUDAUFuncDispatcher:
        """The function on arrays."""
        if not self.kernelmap:
            raise TypeError(
                "@vectorize(target='cuda') needs signatures, as in @vectorize(['float32(float32)'], target='cuda')"
            )
        return CUDAUFuncDispatcher(self.kernelmap, self.py_func)


class CUDAGUFuncVectorize(_BaseUFuncBuilder):
    """Builds a function on inner arrays, one kernel per signature."""

    def __init__(
        self,
        func: Any,
        sig: str,
        identity: Any = None,
        cache: bool = False,
        targetoptions: Any = None,
        writable_args: tuple = (),
        is_dynamic: bool = False,
    ):
        if cache:
            raise TypeError("caching is not supported")
        if writable_args:
            raise TypeError("writable_args are not supported")
        options = dict(targetoptions or {})
        if not options.pop("nopython", True):
            raise TypeError("nopython flag must be True")
        options.pop("is_dynamic", None)
        if options:
            raise TypeError(f"The following target options are not supported: {', '.join(map(repr, options))}")
        self.py_func = func
        self.identity = parse_identity(identity)
        self.signature = sig
        self.inputsig, self.outputsig = parse_signature(sig)
        self.kernelmap: OrderedDict = OrderedDict()

    @property
    def pyfunc(self) -> Any:
        """The Python function."""
        return self.py_func

    def add(self, sig: Any = None) -> None:
        """Add a signature."""
        kinds, restype = sigutils.normalize_signature(sig)
        if restype not in (types.none, None):
            raise TypeError(
                f"guvectorized functions cannot return values: signature {sig} specifies {restype} return type"
            )
        inner = [len(symbols) for symbols in (*self.inputsig, *self.outputsig)]
        if len(kinds) != len(inner):
            raise TypeError(f"signature {sig} has {len(kinds)} arguments, and {self.signature} has {len(inner)}")
        for kind, ndim in zip(kinds, inner, strict=True):
            if ndim and not isinstance(kind, types.Array):
                raise ValueError("gufunc signature mismatch: ndim>0 for scalar")
        core = jit(device=True)(self.py_func)
        arguments = [f"a{i}" for i in range(len(inner))]
        least = ", ".join(f"{a}.shape[0]" for a in arguments)
        items = ", ".join(map(_item, arguments, inner, kinds))
        name = f"gufunc_{_generated.identifier(self.py_func.__name__)}"
        source = (
            f"def {name}({', '.join(arguments)}):\n    i = _grid(1)\n    if i < min({least}):\n        _core({items})\n"
        )
        kernel = jit(_generated.function(name, source, {"_core": core}))
        dtypes = [_dtype(kind.dtype if isinstance(kind, types.Array) else kind) for kind in kinds]
        nin = len(self.inputsig)
        self.kernelmap[tuple(dtypes[:nin])] = tuple(dtypes[nin:]), kernel

    def disable_compile(self) -> None:
        """No more signatures follow."""

    def build_ufunc(self) -> CUDAGeneralizedUFunc:
        """The function on arrays."""
        if not self.kernelmap:
            raise TypeError("@guvectorize(target='cuda') needs signatures: it takes a list of them and a layout")
        return CUDAGeneralizedUFunc(self.kernelmap, GUFuncEngine(self.inputsig, self.outputsig), self.py_func)


def _item(argument: str, ndim: int, kind: Any) -> str:
    if ndim:
        return f"{argument}[{', '.join(['i', *[':'] * ndim])}]"
    # A scalar of the layout that the signature declares as an array: one of one element.
    return f"{argument}[i:i + 1]" if isinstance(kind, types.Array) else f"{argument}[i]"
