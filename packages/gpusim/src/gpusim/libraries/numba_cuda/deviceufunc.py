"""Elementwise functions on the device (see ``numba.cuda.vectorizers``)."""

from __future__ import annotations

from ._gufunc import GUFuncEngine, GUFuncSchedule, parse_signature
from ._names import refuser

__all__ = ["GUFuncEngine", "GUFuncSchedule", "parse_signature"]
__getattr__ = refuser("numba.cuda.deviceufunc")
