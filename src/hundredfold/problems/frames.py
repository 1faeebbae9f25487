"""Judge a function of dataframes: cuDF in and out, compared with a specification in pandas.

What a case gives is an Arrow table, where a null is a null; the function gets it as a cuDF DataFrame, the specification as a pandas one
of nullable types. Both results are brought back to Arrow and told apart in the words of what goes wrong with frames: rows in
another order, a key that stayed in the index, nulls that became zeros, values that stand beside another row's key.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from . import devices, guard, traffic
from .differences import explain, number
from .guard import article, require_callable
from .problem import Problem
from .untouched import missing
from .verdict import NotAttempted, NotJudged, Refusal, Verified, refuse

cudf = devices._Later("cudf")
_SPARE = 20_000  # bytes that may come to the host besides: scalars, sizes, labels


@dataclass(frozen=True)
class FrameCase:
    """One set of arguments.

    Parameters
    ----------
    name : str
        For the learner, after "with": ``"three carriers, one that never arrived"``.
    make : callable
        ``make() -> tuple``, the same at every call; each `pyarrow.Table` in it is given as a DataFrame.
    """

    name: str
    make: Callable[[], tuple[Any, ...]]

    def host(self) -> tuple[Any, ...]:
        """The arguments for the specification: pandas DataFrames of nullable types."""
        return tuple(to_pandas(value) if _is_table(value) else value for value in self.make())

    def device(self) -> tuple[Any, ...]:
        """The arguments for the learner's function."""
        return tuple(cudf.DataFrame.from_arrow(value) if _is_table(value) else value for value in self.make())


@dataclass(frozen=True)
class FrameJudge:
    """Judge a function of dataframes by cases.

    Parameters
    ----------
    cases, unlisted : sequence of FrameCase
        As for `FunctionJudge`: the unlisted ones are against answers that only fit the others.
    result : {"frame", "series"}
        What must come back. A series is judged by its values, in the order of its rows.
    keys : tuple of str
        For a frame: the columns that tell its rows apart.
    ordered : bool
        The rows must stand in the specification's order.
    rtol, atol : float
        A number is right within ``atol + rtol * |expected|``.
    keeps : bool
        The arguments must be unchanged after the call.
    stays : bool
        The rows must not go to the host on the way.
    after : sequence of callables
        ``after(problem, function) -> str`` or None: judges that run when all cases are right.
    verified : str
        What else was verified, for the verdict.
    """

    cases: Sequence[FrameCase]
    unlisted: Sequence[FrameCase] = ()
    result: str = "frame"
    keys: tuple[str, ...] = ()
    ordered: bool = True
    rtol: float = 1e-9
    atol: float = 1e-12
    keeps: bool = True
    stays: bool = True
    after: Sequence[Callable[[Problem, Any], str | None]] = field(default_factory=tuple)
    verified: str = ""

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        function = answers[0]
        require_callable(function, problem.answers[0])
        need_cudf()
        for position, case in enumerate([*self.cases, *self.unlisted]):
            try:
                self._judge(problem, function, case, first=position == 0)
            except Refusal as refusal:
                refusal.case = refusal.case or case.name
                raise
        near = [said for judge in self.after if (said := judge(problem, function))]
        what = f"{len(self.cases)} cases ({'; '.join(case.name for case in self.cases)})"
        return Verified(f"{what}{self.verified and '; ' + self.verified}.", " ".join(near))

    def _judge(self, problem: Problem, function: Any, case: FrameCase, *, first: bool) -> None:
        host, arguments = case.host(), case.device()
        expected = _specified(problem.specification, host)
        with traffic.watch() as moved:
            called = guard.call(function, *arguments, limit=problem.time_limit)
        if first and missing(called.value):
            raise NotAttempted("it returns nothing yet (if you have written it: is a `return` missing?)")
        try:
            self.compare(problem, case, called.value, expected)
            if self.keeps:
                _unchanged(case, arguments)
            if self.stays:
                _stayed(moved, expected)
        except Refusal as refusal:
            refusal.printed = refusal.printed or called.printed
            raise

    def compare(self, problem: Problem, case: FrameCase, got: Any, expected: Any) -> None:
        """Refuse what a call returned if it is not what was asked for."""
        if got is None:
            refuse("type", "it returns None here: is a `return` missing on one of its ways out?")
        right = flat(expected)
        found = self._found(got, right)
        if found.equals(right):  # every value, null and type
            return
        _recognise(problem, case, found, right)
        if len(found) != len(right):
            _rows(found, right, self.keys)
        if self.keys and self.result == "frame":
            found = self._in_order(found, right)
        self._values(found, right)

    def _values(self, found: pd.DataFrame, right: pd.DataFrame) -> None:
        for name in right.columns:
            if self.keys and name not in self.keys:
                self._paired(found[name], right[name], name)
            said = name if self.result == "frame" else "the result"
            same_column(found[name], right[name], said, self.rtol, self.atol)

    def _paired(self, found: pd.Series, right: pd.Series, name: str) -> None:
        """Refuse a column that has all the right numbers, each beside another row's key."""
        if not all(pd.api.types.is_numeric_dtype(column.dtype) for column in (found, right)):
            return
        x, y = (column.to_numpy(dtype="float64", na_value=np.nan) for column in (found, right))
        one = {"rtol": self.rtol, "atol": self.atol, "equal_nan": True}
        if len(x) > 1 and np.isclose(np.sort(x), np.sort(y), **one).all() and not np.isclose(x, y, **one).all():
            at = int(np.flatnonzero(~np.isclose(x, y, **one))[0])
            refuse(
                "paired",
                f"{name} has all the right numbers, but beside other rows: row {at} has {_value(found.iloc[at])}, which "
                f"belongs elsewhere; it should be {_value(right.iloc[at])}.",
            )

    def _found(self, got: Any, right: pd.DataFrame) -> pd.DataFrame:
        wanted = cudf.DataFrame if self.result == "frame" else cudf.Series
        if not isinstance(got, wanted):
            _kind(got, self.result)
        if self.result == "series":
            return flat(got)
        if list(got.columns) != list(right.columns):
            _columns(list(got.columns), list(got.index.names), list(right.columns))
        return flat(got)

    def _in_order(self, found: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        """The rows found in the specification's order; refused if they should have been in it, or are other rows."""
        keys = list(self.keys)
        theirs, ours = (frame[keys].astype(object).where(frame[keys].notna(), None) for frame in (found, right))
        if theirs.equals(ours):
            return found
        a, b = (sorted(map(repr, frame.itertuples(index=False, name=None))) for frame in (theirs, ours))
        if a != b:
            strange = next((row for row in a if row not in set(b)), a[0])
            refuse(
                "value",
                f"the rows are others than those asked for: {strange.strip('(),')} in {', '.join(keys)} is none.",
            )
        by = sorted(range(len(ours)), key=lambda i: repr(tuple(ours.iloc[i])))
        places = sorted(range(len(theirs)), key=lambda i: repr(tuple(theirs.iloc[i])))
        if self.ordered:
            rows = found.iloc[[place for _, place in sorted(zip(by, places, strict=True))]].reset_index(drop=True)
            self._values(rows, right)
            at = int(np.flatnonzero((theirs != ours).any(axis=1))[0])
            refuse("order", f"each row is right, but they stand in another order: row {at} is {_row(found, at)}, asked for "
                   f"is {_row(right, at)}. A groupby in cuDF gives its groups in no order; sort what is to be sorted.")  # fmt: skip
        return found.iloc[[place for _, place in sorted(zip(by, places, strict=True))]].reset_index(drop=True)


def need_cudf() -> None:
    """Where there is no cuDF, `NotJudged` says which line brings it."""
    try:
        import cudf  # noqa: F401
    except ImportError:
        raise NotJudged(
            "there is no cuDF here yet: run the first cell, `%load_ext hundredfold`, then this one."
        ) from None


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


def _is_table(value: Any) -> bool:
    return type(value).__module__.startswith("pyarrow") and hasattr(value, "column_names")


def _specified(specification: Any, host: tuple[Any, ...]) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return specification(*host)


def _kind(got: Any, wanted: str) -> None:
    asked = "DataFrame" if wanted == "frame" else "Series"
    if isinstance(got, (pd.DataFrame, pd.Series)) and type(got).__module__.startswith("pandas"):
        refuse("host", f"the result is on the host: {article(got)}. It should stay on the device, as a cuDF {asked}.")
    if isinstance(got, (cudf.DataFrame, cudf.Series)):
        refuse("type", f"the result is a cuDF {type(got).__name__}; a {asked} was asked for.")
    if isinstance(got, np.ndarray) or type(got).__module__.partition(".")[0] in ("pyarrow", "polars"):
        refuse("host", f"the result is on the host: {article(got)}. A cuDF {asked} was asked for.")
    refuse("type", f"the result should be a cuDF {asked}; it is {article(got)}.")


def _columns(got: list, index: list, right: list) -> None:
    asked = f"the columns {', '.join(map(str, right))}"
    if got and set(right) - set(got) and set(right) - set(got) <= set(index):
        which = ", ".join(sorted(set(right) - set(got)))
        refuse("labels", f"{which} is in the index; asked for are {asked}. `reset_index()` makes a column of it.")
    if sorted(map(str, got)) == sorted(right):
        refuse("labels", f"the columns are in another order: {', '.join(map(str, got))}; asked for are {asked}.")
    refuse("labels", f"its columns are {', '.join(map(str, got)) or 'none'}; asked for are {asked}.")


def _rows(found: pd.DataFrame, right: pd.DataFrame, keys: tuple[str, ...]) -> None:
    said = f"the result has {len(found)} row{'' if len(found) == 1 else 's'}; it should have {len(right)}."
    if len(found) < len(right) and keys:
        have = set(map(repr, found[list(keys)].itertuples(index=False, name=None)))
        lost = next(
            (i for i, row in enumerate(right[list(keys)].itertuples(index=False, name=None)) if repr(row) not in have),
            None,
        )
        if lost is not None:
            row = right.iloc[lost]
            said += f" {', '.join(f'{key} {row[key]}' for key in keys)} is missing"
            if right.drop(columns=list(keys)).iloc[lost].isna().any():
                refuse(
                    "dropped", f"{said}: rows with a null were thrown away, and with them everything that was known."
                )
            said += "."
    refuse("shape", said)


def _row(frame: pd.DataFrame, place: int) -> str:
    return ", ".join(f"{name} {_value(frame[name].iloc[place])}" for name in frame.columns[:2])


def _value(value: Any) -> str:
    return "null" if value is pd.NA or value is None or value is pd.NaT else number(value) if not isinstance(value, (str, pd.Timestamp)) else str(value)  # fmt: skip


def same_column(found: pd.Series, right: pd.Series, name: str, rtol: float, atol: float) -> None:
    """Refuse a column that is not the one asked for, saying how it differs; its rows are in the same order."""
    a, b = found.isna().to_numpy(), right.isna().to_numpy()
    if (a != b).any():
        at = int(np.flatnonzero(a != b)[0])
        if b[at]:
            refuse(
                "nulls", f"{name} is {_value(found.iloc[at])} in row {at}, where nothing is known: it should be null."
            )
        refuse("nulls", f"{name} is null in row {at}; it should be {_value(right.iloc[at])}.")
    kinds = found.dtype, right.dtype
    numbers = [pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind) for kind in kinds]
    if all(numbers):
        x, y = (column[~b].to_numpy(dtype="float64") for column in (found, right))
        floats = [pd.api.types.is_float_dtype(kind) for kind in kinds]
        try:
            explain(x, y, rtol=rtol, atol=atol)
        except Refusal as refusal:
            raise Refusal(refusal.reason, f"{name}: {refusal.why}", advice=refusal.advice) from None
        if floats[0] != floats[1]:
            refuse("dtype", f"{name} is of dtype {str(kinds[0]).lower()}; it should be {str(kinds[1]).lower()}.")
        return
    if kinds[0] != kinds[1]:
        refuse("dtype", f"{name} is of dtype {str(kinds[0]).lower()}; it should be {str(kinds[1]).lower()}.")
    wrong = np.flatnonzero((found[~b].astype(object).to_numpy() != right[~b].astype(object).to_numpy()).astype(bool))
    if wrong.size:
        at = int(wrong[0])
        refuse(
            "value", f"{name} is {_value(found[~b].iloc[at])} in row {at}; it should be {_value(right[~b].iloc[at])}."
        )


def alike(found: pd.DataFrame, other: pd.DataFrame) -> bool:
    """True if two flat results have the same columns and, row by row, the same values and nulls."""
    if list(found.columns) != list(other.columns) or len(found) != len(other):
        return False
    try:
        for name in found.columns:
            same_column(found[name], other[name], name, 1e-9, 1e-12)
    except Refusal:
        return False
    return True


def _recognise(problem: Problem, case: FrameCase, found: pd.DataFrame, right: pd.DataFrame) -> None:
    """Refuse a result that is the one of a known mistake, with that mistake's reason."""
    for wrong in problem.wrong.values():
        if wrong.gives is None:
            continue
        theirs = flat(_specified(wrong.gives, case.host()))
        if alike(found, theirs) and not alike(right, theirs):
            refuse(wrong.reason, wrong.why, advice=wrong.hint)


def _unchanged(case: FrameCase, arguments: tuple[Any, ...]) -> None:
    for before, after in zip(case.make(), arguments, strict=True):
        if not _is_table(before):
            continue
        now = after.to_arrow(preserve_index=False)
        if now.column_names != before.column_names or not to_pandas(now).equals(to_pandas(before)):
            refuse(
                "aliasing",
                "the result is right, but its argument was changed by the call: whoever still needs the table finds "
                "another one.",
            )


def _stayed(moved: traffic.Traffic, expected: Any) -> None:
    allowed = int(flat(expected).memory_usage(index=False, deep=True).sum()) + _SPARE
    if moved.to_host > allowed:
        refuse(
            "transfer",
            f"the result is right, but {traffic.spell(moved.to_host)} went from the device to the host on the way. A GPU "
            "works on what lies in its own memory.",
        )
