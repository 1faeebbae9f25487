"""DLPack: ``cudf.from_dlpack``."""

from __future__ import annotations

from typing import Any


def from_dlpack(pycapsule_obj: Any) -> Any:
    """Return a tensor of one dimension as a Series, of two as a DataFrame.

    Raises
    ------
    ValueError
        For more dimensions.
    """
    import cudf
    import cupy

    array = cupy.from_dlpack(pycapsule_obj)
    if array.ndim > 2:
        raise ValueError("DLPack only supports 1 or 2 dimensions")
    return cudf.Series(array) if array.ndim == 1 else cudf.DataFrame(array)
