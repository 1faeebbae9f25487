"""What of cuSPARSE is behind the simulated library's sparse matrices; its functions are refused by name, but for the sorts."""

from __future__ import annotations

from typing import Any

_THERE = set("spmv spmm spgemm spsm csrgeam2 csr2cscEx2 denseToSparse sparseToDense csrilu02 csrsort cscsort".split())


def check_availability(name: str) -> bool:
    """Whether a function of the library is there."""
    return name in _THERE


def csrsort(x: Any) -> None:
    """Sort the column indices of a CSR matrix within its rows, in place."""
    x.sort_indices()


def cscsort(x: Any) -> None:
    """Sort the row indices of a CSC matrix within its columns, in place."""
    x.sort_indices()
