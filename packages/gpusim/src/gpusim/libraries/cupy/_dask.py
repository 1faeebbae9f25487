"""How the simulated library's arrays travel between Dask's processes.

`distributed` imports this module as ``distributed.protocol.cupy`` when it first meets an array of CuPy (its own module of
that name wants RMM and raw device pointers).  As with CuPy over TCP, an array goes through the host: a transfer down where it
is sent, one up where it arrives, and both are counted.
"""

from __future__ import annotations

import cupy
from distributed.protocol.numpy import deserialize_numpy_ndarray, serialize_numpy_ndarray
from distributed.protocol.serialize import dask_deserialize, dask_serialize


@dask_serialize.register(cupy.ndarray)
def serialize(array: cupy.ndarray) -> tuple[dict, list]:
    """Return the header and the frames of an array; its order in memory is kept, what a view leaves out is not sent."""
    return serialize_numpy_ndarray(array.get(order="A"))


@dask_deserialize.register(cupy.ndarray)
def deserialize(header: dict, frames: list) -> cupy.ndarray:
    """Return the array on the current device."""
    return cupy.array(deserialize_numpy_ndarray(header, frames), order="K")
