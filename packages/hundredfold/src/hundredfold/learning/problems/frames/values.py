"""Tables on their way to the learner and back: of Arrow or pandas to cuDF, and of cuDF to what is compared."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pandas as pd

from .. import devices
from ..guard import article
from ..verdict import NONE_HERE, NotJudged, refuse

cudf = devices.LazyModule("cudf")


def need_cudf() -> Any:
    """cuDF, real or simulated; where there is none, `NotJudged` says which line brings it."""
    devices.need_cupy()
    try:
        return importlib.import_module("cudf")
    except ImportError:
        raise NotJudged(
            "there is no cuDF here: run the first cell, `%load_ext hundredfold`, then this one; on a GPU, install cuDF."
        ) from None


def to_device(value: Any) -> Any:
    """A table of Arrow or pandas as cuDF's, nulls as nulls; anything else as it is."""
    if isinstance(value, pd.DataFrame):
        return need_cudf().from_pandas(value)
    return need_cudf().DataFrame.from_arrow(value) if is_arrow(value) else value


def to_host(value: Any) -> Any:
    """An Arrow table as a pandas DataFrame of nullable types, for a specification; anything else as it is."""
    return to_pandas(value) if is_arrow(value) else value


def is_arrow(value: Any) -> bool:
    """True for a table of Arrow's."""
    return type(value).__module__.startswith("pyarrow") and hasattr(value, "column_names")


def is_table(value: Any) -> bool:
    """True for a table as a case gives it: of Arrow or pandas."""
    return isinstance(value, pd.DataFrame) or is_arrow(value)


def flat(value: Any) -> pd.DataFrame:
    """A result, of pandas or cuDF, as a pandas DataFrame of nullable types without its index; a series as one column."""
    if isinstance(value, (pd.Series, pd.DataFrame)):
        import pyarrow as pa

        frame = value.to_frame("value") if isinstance(value, pd.Series) else value
        return to_pandas(pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None))
    frame = value.to_frame("value") if isinstance(value, cudf.Series) else value
    return to_pandas(frame.to_arrow(preserve_index=False))


def to_pandas(table: Any) -> pd.DataFrame:
    """An Arrow table as a pandas DataFrame of nullable types: a null stays one, NaN stays NaN."""
    import pyarrow as pa

    columns = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            columns[name] = pd.array(column.to_pylist(), dtype="string")
        elif pa.types.is_floating(column.type) or pa.types.is_integer(column.type) or pa.types.is_boolean(column.type):
            null = np.asarray(column.is_null())
            kind = column.type.to_pandas_dtype()
            values = np.asarray(column.fill_null(False if kind is np.bool_ else 0)).astype(kind)
            masked = {"f": pd.arrays.FloatingArray, "b": pd.arrays.BooleanArray}.get(
                values.dtype.kind, pd.arrays.IntegerArray
            )
            columns[name] = masked(values, null.copy())
        else:
            columns[name] = column.to_pandas().array
    return pd.DataFrame(columns)


def require_kind(got: Any, wanted: str = "frame") -> None:
    """Refuse what is not a cuDF DataFrame, or Series if that is wanted, saying what it is and where."""
    asked = "DataFrame" if wanted == "frame" else "Series"
    if got is None:
        refuse("type", NONE_HERE)
    if isinstance(got, getattr(cudf, asked)):
        return
    library = type(got).__module__.partition(".")[0]
    if isinstance(got, (pd.DataFrame, pd.Series, np.ndarray)) or library in ("pyarrow", "polars"):
        refuse("host", f"the result is on the host: {article(got)}. It should stay on the device, as a cuDF {asked}.")
    named = f"a cuDF {type(got).__name__}" if library == "cudf" else article(got)
    refuse("type", f"the result should be a cuDF {asked}; it is {named}.")


def require_columns(got: Any, right: list[str], *, ordered: bool) -> None:
    """Refuse a frame whose columns are not these; where `ordered`, in this order."""
    have = list(got.columns)
    lacking, extra = ([name for name in some if name not in other] for some, other in ((right, have), (have, right)))
    asked = f"its columns are {', '.join(map(str, have)) or 'none'}; they should be {', '.join(right)}."
    if lacking or extra:
        inside = [name for name in lacking if name in got.index.names]
        if inside:
            asked += f" {inside[0]} is in the index: `reset_index()` makes a column of it, or `groupby(..., as_index=False)`."
        if any(str(name).endswith(("_x", "_y")) for name in extra):
            asked += " A column with _x or _y was in both tables and no key: take along what you need, under a name of its own."
        refuse("labels", asked)
    if ordered and have != right:
        refuse("labels", f"the columns are in another order: {asked}")
