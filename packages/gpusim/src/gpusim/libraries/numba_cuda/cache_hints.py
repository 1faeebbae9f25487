"""Loads and stores with a cache hint: plain ones here, as the hint changes no result."""

from __future__ import annotations

from typing import Any

from .decorators import jit


def _load(array: Any, i: Any) -> Any:
    return array[i]


def _store(array: Any, i: Any, value: Any) -> None:
    array[i] = value


ldca, ldcg, ldcs, ldlu, ldcv = (jit(_load, device=True) for _ in range(5))
stcg, stcs, stwb, stwt = (jit(_store, device=True) for _ in range(4))

__all__ = ["ldca", "ldcg", "ldcs", "ldcv", "ldlu", "stcg", "stcs", "stwb", "stwt"]
