"""The driver room of numba.cuda."""

from __future__ import annotations

from .._names import refuser
from . import devicearray, devices, driver, error, libs, nvrtc, nvvm, runtime

__all__ = ["devicearray", "devices", "driver", "error", "libs", "nvrtc", "nvvm", "runtime"]
__getattr__ = refuser("numba.cuda.cudadrv")
