"""Elementwise functions on the device (see ``numba.cuda.vectorizers``)."""

from __future__ import annotations

from ._gufunc import GUFuncEngine, parse_signature
from ._names import refuser

__all__ = ["GUFuncEngine", "parse_signature"]
__getattr__ = refuser("numba.cuda.deviceufunc")
