"""What of cuSPARSE is behind the stand-in's sparse matrices; its functions themselves are refused by name."""

from __future__ import annotations

from typing import Any

from hundredfold.simulate.errors import NotSimulatedAttribute

_THERE = set("spmv spmm spgemm spsm csrgeam2 csr2cscEx2 denseToSparse sparseToDense csrilu02".split())
_REFUSED = _THERE | set(
    "SpMatDescriptor DnVecDescriptor DnMatDescriptor MatDescriptor csrsort cscsort coosort coo2csr coo2csc csr2coo csr2csc "
    "csc2csr csc2coo csr2dense csc2dense csrmm csrmm2 csrmv csrgemm csrgemm2 csrgeam csrsm2 gtsv2".split()
)


def check_availability(name: str) -> bool:
    """Whether a function of the library is there."""
    return name in _THERE


def __getattr__(name: str) -> Any:
    if name in _REFUSED:
        raise NotSimulatedAttribute(f"cupyx.cusparse.{name}", "the methods of cupyx.scipy.sparse.csr_matrix")
    raise AttributeError(f"module 'cupyx.cusparse' has no attribute {name!r}")
