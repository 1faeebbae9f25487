"""cuDF objects on their way between Dask's processes: through the host, a transfer down and one up.

`distributed` imports this module when it first meets such an object.
"""

from __future__ import annotations

import pickle
from typing import Any

import cudf
from distributed.protocol.cuda import cuda_deserialize, cuda_serialize
from distributed.protocol.serialize import dask_deserialize, dask_serialize

KINDS = (cudf.DataFrame, cudf.Series, cudf.Index)


@cuda_serialize.register(KINDS)
@dask_serialize.register(KINDS)
def serialize(obj: Any) -> tuple[dict, list]:
    """Return the header and the frames of an object."""
    buffers: list[pickle.PickleBuffer] = []
    frames = [pickle.dumps(obj, protocol=5, buffer_callback=buffers.append)]
    return {"lengths": None}, [*frames, *(buffer.raw() for buffer in buffers)]


@cuda_deserialize.register(KINDS)
@dask_deserialize.register(KINDS)
def deserialize(header: dict, frames: list) -> Any:
    """Return the object, on the current device."""
    head, *buffers = frames
    return pickle.loads(bytes(head), buffers=[bytearray(buffer) for buffer in buffers])
