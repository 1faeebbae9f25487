"""Compiling for a GPU: PTX of kernels from the real compiler, where it is installed; the rest is not simulated."""

from __future__ import annotations

from typing import Any

from numba.core import types

from gpusim.importing.errors import NotSimulatedError
from gpusim.importing.names import refused

from .api import get_current_device
from .decorators import jit

_NEAREST = "cuda.compile_ptx of a kernel, or @cuda.jit and inspect_types()"
_NOTE = "Kernels are compiled for this CPU, so there is no code for a GPU."
compile = refused("cuda.compile", _NEAREST, _NOTE)
compile_all = refused("cuda.compile_all", _NEAREST, _NOTE)
compile_for_current_device = refused("cuda.compile_for_current_device", _NEAREST, _NOTE)
compile_cuda = refused("numba.cuda.compiler.compile_cuda", _NEAREST, _NOTE)


def compile_ptx(
    pyfunc: Any,
    sig: Any,
    debug: bool | None = None,
    lineinfo: bool = False,
    device: bool = False,
    fastmath: bool = False,
    cc: tuple[int, int] | None = None,
    opt: bool | None = None,
    abi: str = "numba",
    abi_info: dict | None = None,
    forceinline: bool = False,
    launch_bounds: Any = None,
) -> tuple[str, Any]:
    """PTX of a kernel for the types of its arguments, and its return type, which is none.

    Raises
    ------
    NotSimulatedError
        For a device function, and where NVIDIA's compiler is not installed.
    """
    if device:
        raise NotSimulatedError("cuda.compile_ptx of a device function", "cuda.compile_ptx of a kernel that calls it")
    if abi != "numba":
        raise NotImplementedError("The C ABI is not supported for kernels")
    options = {"debug": debug, "lineinfo": lineinfo, "fastmath": fastmath, "opt": opt, "forceinline": forceinline}
    return jit(**options, launch_bounds=launch_bounds)(pyfunc).compile(sig).inspect_asm(cc), types.none


def compile_ptx_for_current_device(pyfunc: Any, sig: Any, *args: Any, **options: Any) -> tuple[str, Any]:
    """PTX of a kernel for the current device's compute capability."""
    return compile_ptx(pyfunc, sig, *args, cc=tuple(get_current_device().compute_capability), **options)
