"""The run-time compiler NVRTC: its errors, and that there is none."""

from __future__ import annotations

from .._names import refused_class, refuser
from .error import NvrtcCompilationError, NvrtcError, NvrtcSupportError

NVRTC = refused_class("numba.cuda.cudadrv.nvrtc.NVRTC", None, "CUDA C++ is not simulated.")

__all__ = ["NVRTC", "NvrtcCompilationError", "NvrtcError", "NvrtcSupportError"]
__getattr__ = refuser("numba.cuda.cudadrv.nvrtc")
