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


def to_dlpack(cudf_obj: Any) -> Any:
    """Return the columns as a DLPack capsule: one dimension for a Series, two, by columns, for a DataFrame.

    Raises
    ------
    NotImplementedError
        For data that is no number.
    """
    import cudf

    columns = [cudf_obj[name] for name in cudf_obj.columns] if isinstance(cudf_obj, cudf.DataFrame) else [cudf_obj]
    if any(getattr(column.dtype, "kind", "O") not in "iufb" for column in columns):
        raise NotImplementedError("non-numeric data is not yet supported")
    return cudf_obj.to_cupy().__dlpack__()
