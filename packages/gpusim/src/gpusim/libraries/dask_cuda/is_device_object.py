"""Which objects lie in device memory."""

from __future__ import annotations

from typing import Any

from dask.utils import Dispatch

is_device_object = Dispatch(name="is_device_object")


@is_device_object.register(object)
def _(o: Any) -> bool:
    return hasattr(o, "__cuda_array_interface__")


@is_device_object.register((list, tuple, set, frozenset))
def _(seq: Any) -> bool:
    return any(is_device_object(item) for item in seq)


@is_device_object.register(dict)
def _(mapping: dict) -> bool:
    return any(is_device_object(item) for item in mapping.items())


@is_device_object.register_lazy("cudf")
def _() -> None:
    import cudf

    for kind in (cudf.DataFrame, cudf.Series, cudf.Index):
        is_device_object.register(kind, lambda o: True)
