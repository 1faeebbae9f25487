"""SciPy's functions on device arrays."""

from __future__ import annotations

import importlib
from typing import Any

from cupy._core import launch

from gpusim.importing.names import refuser

_scipy_available = True
_MODULES = "fft fftpack interpolate linalg ndimage signal sparse spatial special stats".split()


def get_array_module(*args: Any) -> Any:
    """This package if any argument is a device array or a sparse matrix on the device, else SciPy."""
    import cupyx.scipy
    import scipy

    there = any(isinstance(a, launch.array_class) or hasattr(a, "_part_names") for a in args)
    return cupyx.scipy if there else scipy


_refuse = refuser("cupyx.scipy")


def __getattr__(name: str) -> Any:
    # imported when they are asked for, as in CuPy: SciPy's parts take their time
    return importlib.import_module(f"cupyx.scipy.{name}") if name in _MODULES else _refuse(name)
