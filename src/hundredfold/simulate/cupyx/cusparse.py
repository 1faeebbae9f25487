"""What of cuSPARSE is behind the stand-in's sparse matrices; its functions themselves are refused by name."""

from __future__ import annotations

_THERE = set("spmv spmm spgemm spsm csrgeam2 csr2cscEx2 denseToSparse sparseToDense csrilu02".split())


def check_availability(name: str) -> bool:
    """Whether a function of the library is there."""
    return name in _THERE
