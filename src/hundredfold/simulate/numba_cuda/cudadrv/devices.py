"""Devices and contexts (see ``numba.cuda._context``)."""

from .._context import get_context, gpus, require_context, reset
from .._names import refuser

__all__ = ["get_context", "gpus", "require_context", "reset"]
__getattr__ = refuser("numba.cuda.cudadrv.devices")
