"""The compiler library NVVM: its errors, and that there is none."""

from __future__ import annotations

from gpusim.importing.names import refused_class

from .error import NvvmError, NvvmSupportError, NvvmWarning

NVVM = refused_class("numba.cuda.cudadrv.nvvm.NVVM", None, "Kernels are compiled for this CPU.")


def is_available() -> bool:
    """Whether kernels can be compiled: for this CPU they can."""
    return True


__all__ = ["NVVM", "NvvmError", "NvvmSupportError", "NvvmWarning", "is_available"]
