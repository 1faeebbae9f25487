"""Tables reduced to what is compared, of pandas or cuDF: rows, nulls, kinds; and how two of them differ, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..differences import number, pair
from ..verdict import refuse

_NULL = "\0null"  # stands for a missing text: no table of ours has it


@dataclass(frozen=True)
class Rows:
    """A table reduced to what is compared.

    Attributes
    ----------
    values : pandas.DataFrame
        Numbers, and times in microseconds, as float64 with NaN for null; text as object. The index says nothing.
    kinds : dict of str to str
        Of each column "number", "text", "time", "time with a zone", "duration", or "other".
    nans : dict of str to int
        How many values of a column are NaN, and no null; a pandas float column does not tell them apart.
    """

    values: pd.DataFrame
    kinds: dict[str, str]
    nans: dict[str, int] = field(default_factory=dict)

    def sorted(self) -> pd.DataFrame:
        """The rows in the order of their values, so that two tables with the same rows agree."""
        return self.values.sort_values(list(self.values.columns), kind="stable", ignore_index=True)


def rows(frame: Any) -> Rows:
    """What is compared of a table of pandas, Arrow or cuDF; NaN counts as null."""
    if isinstance(frame, pa.Table):
        table = frame
    elif isinstance(frame, pd.DataFrame):
        table = pa.Table.from_pandas(frame, preserve_index=False)
    else:
        table = frame.to_arrow(preserve_index=False)
    values, kinds, nans = {}, {}, {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        values[name], kinds[name] = _plain(column.combine_chunks())
        if pa.types.is_floating(column.type):
            nans[name] = int(np.isnan(values[name]).sum()) - column.null_count
    columns = {name: pd.Series(value, dtype=value.dtype) for name, value in values.items()}  # text stays object
    return Rows(pd.DataFrame(columns, index=range(table.num_rows)), kinds, nans)


def _plain(column: pa.Array) -> tuple[Any, str]:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _plain(column.dictionary_decode())
    if pa.types.is_timestamp(kind):
        zone = " with a zone" if kind.tz else ""
        return _floats(column.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.int64())), f"time{zone}"
    if pa.types.is_duration(kind):
        return _floats(column.cast(pa.duration("us"), safe=False).cast(pa.int64())), "duration"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return _floats(column), "number"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return np.array(pc.fill_null(column, _NULL).to_pylist(), dtype=object), "text"
    return np.array([str(value) for value in column.to_pylist()], dtype=object), "other"


def _floats(column: pa.Array) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in column.to_pylist()], dtype=np.float64)


def alike(a: pd.DataFrame, b: pd.DataFrame, rtol: float = 1e-9) -> bool:
    """Whether two tables of `Rows` agree, row by row."""
    if a.shape != b.shape or set(a.columns) != set(b.columns):
        return False
    return all(same_column(a[name], b[name], rtol).all() for name in b.columns)


def same_column(a: pd.Series, b: pd.Series, rtol: float = 1e-9) -> np.ndarray:
    """Which values of two columns of `Rows` are the same."""
    if a.dtype == object or b.dtype == object:
        return a.to_numpy(dtype=object) == b.to_numpy(dtype=object)
    return np.isclose(a.to_numpy(), b.to_numpy(), rtol=rtol, atol=1e-12, equal_nan=True)


def explain(got: Rows, expected: Rows, ordered: bool) -> None:
    """Refuse a result that is no known mistake's: rows lost or multiplied, nulls, or the first wrong value.

    Raises
    ------
    Refusal
        With the reason ``"lost"``, ``"multiplied"``, ``"nulls"`` or ``"value"``; none where the tables agree.
    """
    ours, theirs = got.values, expected.values
    if len(ours) < len(theirs):
        refuse(
            "lost",
            f"it has {_rows(ours)}; there should be {len(theirs)}. What have the missing ones in common?",
            diagnosed=False,
        )
    if len(ours) > len(theirs):
        refuse(
            "multiplied",
            f"it has {_rows(ours)}; there should be {len(theirs)}. Which of them should not be there?",
            diagnosed=False,
        )
    if not ordered:
        ours, theirs = got.sorted(), expected.sorted()
    for name in theirs.columns:
        nulls, due = _is_null(ours[name]), _is_null(theirs[name])
        if nulls.sum() != due.sum():
            refuse("nulls", f"column {name} has {_some(nulls.sum())}; there should be {due.sum()}.", diagnosed=False)
    for name in theirs.columns:
        wrong = ~same_column(ours[name], theirs[name])
        if wrong.any():
            place = int(np.argmax(wrong))
            a, b = _both(*(table[name].iloc[place] for table in (ours, theirs)), expected.kinds[name])
            where = f"row {place}" if ordered else f"row {place} of the sorted rows"
            refuse(
                "value",
                f"{int(wrong.sum())} of {len(wrong)} values of {name} are wrong. In {where} it is {a}; expected was {b}.",
                diagnosed=False,
            )


def _rows(table: pd.DataFrame) -> str:
    return f"{len(table)} row{'' if len(table) == 1 else 's'}"


def _some(count: int) -> str:
    return f"{count} null{'' if count == 1 else 's'}" if count else "no nulls"


def _is_null(column: pd.Series) -> np.ndarray:
    return column.to_numpy() == _NULL if column.dtype == object else column.isna().to_numpy()


def _both(got: Any, expected: Any, kind: str) -> tuple[str, str]:
    """Two values that differ, in words that do, too."""
    if kind == "number" and not np.isnan([got, expected]).any():
        return pair(got, expected)
    return _said(got, kind), _said(expected, kind)


def _said(value: Any, kind: str) -> str:
    if value == _NULL or (isinstance(value, float) and np.isnan(value)):
        return "null"
    if kind.startswith("time"):
        return str(pd.Timestamp(int(value), unit="us"))
    return repr(value) if isinstance(value, str) else number(float(value))
