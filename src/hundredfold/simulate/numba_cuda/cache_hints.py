"""Loads and stores with a cache hint: plain ones, as there is no such cache, once the engine knows them."""

from __future__ import annotations

from hundredfold.engine.kernels.intrinsics import TOP as _TOP

from ._names import refuser

_HINTS = ("ldca", "ldcg", "ldcs", "ldlu", "ldcv", "stcg", "stcs", "stwb", "stwt")
_members = {name: _TOP[name] for name in _HINTS if name in _TOP}
globals().update(_members)

__all__ = list(_members)
__getattr__ = refuser("numba.cuda.cache_hints")
