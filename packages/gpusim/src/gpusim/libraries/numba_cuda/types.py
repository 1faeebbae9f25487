"""Numba's types, which are the real ones, and the few that only kernels have."""

from __future__ import annotations

from typing import Any

from numba.core import types as _core
from numba.core.types import *  # noqa: F403

from gpusim.importing.names import refuser


class Dim3(_core.Type):
    """The type of ``threadIdx`` and its like: three int32."""

    def __init__(self) -> None:
        super().__init__(name="Dim3")


class GridGroup(_core.Type):
    """The type of a cooperative group of all blocks."""

    def __init__(self) -> None:
        super().__init__(name="GridGroup")


dim3, grid_group = Dim3(), GridGroup()
CUDADispatcher = _core.Dispatcher
f2 = _core.float16
_refuse = refuser("numba.cuda.types")


def __getattr__(name: str) -> Any:
    return getattr(_core, name) if hasattr(_core, name) else _refuse(name)
