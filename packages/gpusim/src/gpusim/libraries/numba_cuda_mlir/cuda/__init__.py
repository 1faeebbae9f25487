"""``numba_cuda_mlir.cuda``: the names of the simulated ``numba.cuda``, with the decorator and the omissions of numba-cuda-mlir 0.6.

[numba_cuda_mlir/decorators.py, numba_cuda_mlir/cuda/__init__.py]
"""

# ruff: noqa: F401  (the names are this module's, listed in __all__ at the end)

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba import carray, farray
from numba import cuda as _cuda
from numba.core import types as _types
from numba.cuda import *  # noqa: F403
from numba.cuda.cudadrv.devicearray import DeviceNDArray

from gpusim.importing.errors import NotSimulatedError

HAS_NUMBA = False
shared_array, local_array = _cuda.shared.array, _cuda.local.array

_KEPT = {
    *("debug", "device", "extensions", "fastmath", "forceinline", "inline", "launch_bounds", "lineinfo", "link"),
    *("lto", "max_registers", "opt", "shared_memory_carveout", "cache"),
}
"""Options that the simulated ``numba.cuda.jit`` takes, too."""
_COMPILER = {
    *("_dbg_optnone", "_nrt", "abi", "abi_info", "capi", "cc", "chip", "experimental_ast_transforms", "features"),
    *("no_cpython_wrapper", "nopython", "print_after_all", "print_before_all", "profile_jit", "ptxas_options"),
}
"""Options of the compiler, which change no result."""
_DUMPS = {f"dump{what}" for what in ("", "_ast", "_ast_after_all", "_cubin", "_llvmir", "_mlir", "_numba_ir", "_ptx")}
_OWN = {"annotations_as_signatures", "fast_math", "help", "opt_level", "signature"}


def jit(func_or_sig: Any = None, **options: Any) -> Any:
    """Make a kernel or a device function of a Python function, as ``numba.cuda.jit`` does.

    Parameters
    ----------
    func_or_sig : function, or signature or list of signatures, optional
        Without signatures, annotations that are types of Numba are the signature, if all parameters have one.
    annotations_as_signatures : bool
        False to take no notice of annotations.
    opt_level : int
        0 to 3; with ``debug=True`` it has to be 0.
    **options
        Those of ``numba.cuda.jit``, and those of the compiler, which change no result here.

    Raises
    ------
    ValueError
        For an option that there is not, and for options that exclude each other.
    TypeError
        If a signature is both given and annotated.
    """
    unknown = sorted(set(options) - _KEPT - _COMPILER - _DUMPS - _OWN)
    if unknown:
        raise ValueError(f"Got invalid options: {', '.join(unknown)}.")
    shown = sorted(name for name in {"help", *_DUMPS} if options.get(name))
    if shown:
        raise NotSimulatedError(f"what the compiler prints ({shown[0]}=)")
    if "opt" in options and "opt_level" in options:
        raise ValueError("Cannot specify both opt and opt_level at the same time.")
    level = options.get("opt_level", 3 if options.get("opt") in (None, True) else 0)
    if level not in range(4):
        raise ValueError(f"opt_level: Expected opt_level to be between 0 and 3, got {level}")
    if options.get("debug") and level:
        raise ValueError(
            "debug=True requires opt_level=0 (ptxas does not support optimized debugging). Set opt_level=0 or opt=False."
        )
    kept = {name: value for name, value in options.items() if name in _KEPT} | {"opt": bool(level)}
    if options.get("fast_math") is not None:
        kept["fastmath"] = options["fast_math"]
    given = None if func_or_sig is None or inspect.isfunction(func_or_sig) else func_or_sig
    annotated = options.get("annotations_as_signatures", True)

    def decorate(function: Any) -> Any:
        signature = _annotations(function) if annotated else None
        if signature is None:
            return _cuda.jit(given, **kept)(function) if given is not None else _cuda.jit(function, **kept)
        if given is not None:
            raise TypeError(
                f"Conflicting signature sources for '{function.__name__}': both an explicit signature and type annotations are "
                "provided. Remove one of them, or set annotations_as_signatures=False to ignore annotations."
            )
        return _cuda.jit(signature, **kept)(function)

    return decorate if given is not None or func_or_sig is None else decorate(func_or_sig)


def _annotations(function: Callable) -> Any:
    """The signature that annotations make, or None where a parameter has none that is a type of Numba."""
    found = inspect.signature(function)
    kinds = [parameter.annotation for parameter in found.parameters.values()]
    if not kinds or not all(isinstance(kind, _types.Type) for kind in kinds):
        return None
    result = found.return_annotation
    return _types.void(*kinds) if not isinstance(result, _types.Type) else result(*kinds)


def vectorize(*args: Any, **kwargs: Any) -> Any:
    """Refused as numba-cuda-mlir 0.6 refuses it."""
    raise NotImplementedError("vectorize is not implemented")


__all__ = sorted(
    {*_cuda.__all__, "DeviceNDArray", "HAS_NUMBA", "carray", "farray", "local_array", "shared_array", "vectorize"}
)
