"""Which objects cuDF spills by itself: in simulation none, whatever its option says, so that the worker's data spills them."""

from __future__ import annotations

from typing import Any

from dask.utils import Dispatch

is_spillable_object = Dispatch(name="is_spillable_object")


@is_spillable_object.register((list, tuple, set, frozenset))
def _(seq: Any) -> bool:
    return any(is_spillable_object(item) for item in seq)


@is_spillable_object.register(dict)
def _(mapping: dict) -> bool:
    return any(is_spillable_object(item) for item in mapping.items())


@is_spillable_object.register(object)
def _(o: Any) -> bool:
    return False


def cudf_spilling_status() -> bool | None:
    """Whether cuDF's own spilling is on, None if it has none or cannot be imported."""
    try:
        import cudf

        return bool(cudf.get_option("spill"))
    except (ImportError, AttributeError, KeyError, NotImplementedError):
        return None
