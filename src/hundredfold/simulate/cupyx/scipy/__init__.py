"""SciPy's functions on device arrays."""

from __future__ import annotations

from typing import Any

from cupy._core.names import refuser

from . import special


def get_array_module(*args: Any) -> Any:
    """This package if any argument is a device array, else SciPy."""
    import cupy
    import cupyx.scipy
    import scipy

    return cupyx.scipy if any(isinstance(a, cupy.ndarray) for a in args) else scipy


__all__ = ["get_array_module", "special"]
__getattr__ = refuser("cupyx.scipy")
