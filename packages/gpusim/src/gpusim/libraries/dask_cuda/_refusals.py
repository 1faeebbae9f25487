"""What needs UCX, refused."""

from __future__ import annotations

from gpusim.importing.errors import NotSimulatedError

_NOTE = "UCX moves device memory over NVLink or InfiniBand: a simulated bandwidth would be no bandwidth."


def ucx(what: str) -> NotSimulatedError:
    """Return the error for something that asks for UCX."""
    return NotSimulatedError(what, "dask_cuda.LocalCUDACluster(protocol='tcp')", _NOTE)
