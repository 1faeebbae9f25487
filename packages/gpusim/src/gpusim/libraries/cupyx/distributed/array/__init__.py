"""Arrays spread over several GPUs: refused by name."""

from __future__ import annotations

from typing import Any

from gpusim.importing.errors import NotSimulatedAttribute
from gpusim.importing.names import refused_class

DistributedArray = refused_class("cupyx.distributed.array.DistributedArray", "dask.array of cupy arrays")
_REFUSED = set("MAX MIN Mode PROD REPLICA SUM distributed_array make_2d_index_map matmul".split())


def __getattr__(name: str) -> Any:
    if name in _REFUSED:
        raise NotSimulatedAttribute(f"cupyx.distributed.array.{name}", "dask.array of cupy arrays")
    raise AttributeError(f"module 'cupyx.distributed.array' has no attribute {name!r}")
