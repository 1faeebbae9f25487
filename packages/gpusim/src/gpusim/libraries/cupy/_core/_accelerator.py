"""Which of NVIDIA's libraries CuPy may hand work to: remembered, and without effect on results here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

ACCELERATOR_CUB, ACCELERATOR_CUTENSOR, ACCELERATOR_CUTENSORNET = 1, 2, 3
_NUMBERS = {"cub": 1, "cutensor": 2, "cutensornet": 3}
_chosen: dict[str, list[int]] = {}


def _number(accelerator: Any) -> int:
    if isinstance(accelerator, int):
        return accelerator
    if accelerator not in _NUMBERS:
        raise ValueError(f"Unknown accelerator: {accelerator}")
    return _NUMBERS[accelerator]


def set_elementwise_accelerators(accelerators: Sequence[Any]) -> None:
    """Remember accelerators for elementwise kernels."""
    _chosen["elementwise"] = [_number(a) for a in accelerators]


def set_reduction_accelerators(accelerators: Sequence[Any]) -> None:
    """Remember accelerators for reductions."""
    _chosen["reduction"] = [_number(a) for a in accelerators]


def set_routine_accelerators(accelerators: Sequence[Any]) -> None:
    """Remember accelerators for scans, sorts and the like."""
    _chosen["routine"] = [_number(a) for a in accelerators]


def get_elementwise_accelerators() -> list[int]:
    """Accelerators for elementwise kernels."""
    return _chosen["elementwise"]


def get_reduction_accelerators() -> list[int]:
    """Accelerators for reductions."""
    return _chosen["reduction"]


def get_routine_accelerators() -> list[int]:
    """Accelerators for scans, sorts and the like."""
    return _chosen["routine"]


for _set in (set_elementwise_accelerators, set_reduction_accelerators, set_routine_accelerators):
    _set([name for name in os.environ.get("CUPY_ACCELERATORS", "cub").split(",") if name])
