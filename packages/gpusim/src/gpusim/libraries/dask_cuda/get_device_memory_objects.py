"""The device memory that an object holds."""

from __future__ import annotations

from typing import Any

from dask.sizeof import sizeof
from dask.utils import Dispatch

dispatch = Dispatch(name="get_device_memory_objects")


class DeviceMemoryId:
    """The identity and size in bytes of a piece of device memory; holds no reference to it."""

    def __init__(self, obj: object) -> None:
        self.id = id(obj)
        self.nbytes = sizeof(obj)

    def __hash__(self) -> int:
        return self.id

    def __eq__(self, o: object) -> bool:
        return self.id == hash(o)


def get_device_memory_ids(obj: Any) -> set[DeviceMemoryId]:
    """The pieces of device memory in an object, lists and dictionaries included."""
    return {DeviceMemoryId(found) for found in dispatch(obj)}


@dispatch.register(object)
def _(obj: Any) -> list[Any]:
    return [obj] if hasattr(obj, "__cuda_array_interface__") else []


@dispatch.register((list, tuple, set, frozenset))
def _(seq: Any) -> list[Any]:
    return [found for item in seq for found in dispatch(item)]


@dispatch.register(dict)
def _(mapping: dict) -> list[Any]:
    return [found for item in mapping.values() for found in dispatch(item)]


@dispatch.register_lazy("cupy")
def _() -> None:
    import cupy

    # Views of one array share its memory.
    dispatch.register(cupy.ndarray, lambda array: [array if array.base is None else array.base])


@dispatch.register_lazy("cudf")
def _() -> None:
    import cudf

    for kind in (cudf.DataFrame, cudf.Series, cudf.Index):
        dispatch.register(kind, lambda frame: [frame])
