"""Types of the CUDA runtime."""

from __future__ import annotations

from .._core.names import refuser

__getattr__ = refuser("cupy.cuda.common")
