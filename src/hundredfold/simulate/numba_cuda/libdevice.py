"""CUDA's library of device functions, for kernels: those that the engine knows."""

from __future__ import annotations

from hundredfold.engine.kernels.intrinsics import TOP as _TOP

from ._names import refuser

_members = (
    {name: getattr(_TOP["libdevice"], name) for name in _TOP["libdevice"]._members} if "libdevice" in _TOP else {}
)
globals().update(_members)

__all__ = list(_members)
__getattr__ = refuser("numba.cuda.libdevice")
