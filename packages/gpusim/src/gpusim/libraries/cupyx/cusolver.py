"""What of cuSOLVER is behind the simulated library's linear algebra; its functions themselves are refused by name."""

from __future__ import annotations

from typing import Any

from gpusim.importing.errors import NotSimulatedAttribute

_THERE = set("gesvdj gesvdjBatched gesvda potrfBatched potrsBatched syevj syevjBatched csrlsvqr gesv gels".split())
_REFUSED = set("csrlsvqr gels gesv gesvda gesvdj syevj syevjBatched".split())


def check_availability(name: str) -> bool:
    """Whether a function of the library is there."""
    return name in _THERE


def __getattr__(name: str) -> Any:
    if name in _REFUSED:
        raise NotSimulatedAttribute(f"cupyx.cusolver.{name}", "cupy.linalg, cupyx.lapack and cupyx.scipy.sparse.linalg")
    raise AttributeError(f"module 'cupyx.cusolver' has no attribute {name!r}")
