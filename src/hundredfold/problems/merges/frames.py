"""Judge functions of tables: called with cuDF's tables, and compared by their rows with what pandas makes of the same."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from .. import devices, guard, traffic
from ..cases import Case
from ..differences import number
from ..guard import article, require_callable
from ..problem import Problem, Wrong
from ..untouched import missing
from ..verdict import NotAttempted, NotJudged, Refusal, Verified, refuse

_NULL = "\0null"  # stands for a missing text: no table of ours has it


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
    """A pandas table as cuDF's, nulls as nulls; anything else as it is."""
    return need_cudf().from_pandas(value) if isinstance(value, pd.DataFrame) else value


@dataclass(frozen=True)
class Rows:
    """A table reduced to what is compared.

    Attributes
    ----------
    values : pandas.DataFrame
        Numbers, and times in microseconds, as float64 with NaN for null; text as object. The index says nothing.
    kinds : dict of str to str
        Of each column "number", "text", "time", "time with a zone", "duration", or "other".
    """

    values: pd.DataFrame
    kinds: dict[str, str]

    def sorted(self) -> pd.DataFrame:
        """The rows in the order of their values, so that two tables with the same rows agree."""
        return self.values.sort_values(list(self.values.columns), kind="stable", ignore_index=True)


def rows(frame: Any) -> Rows:
    """What is compared of a table of pandas or cuDF; NaN counts as null."""
    if isinstance(frame, pd.DataFrame):
        table = pa.Table.from_pandas(frame, preserve_index=False)
    else:
        table = frame.to_arrow(preserve_index=False)
    values, kinds = {}, {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        values[name], kinds[name] = _plain(column.combine_chunks())
    columns = {name: pd.Series(value, dtype=value.dtype) for name, value in values.items()}  # text stays object
    return Rows(pd.DataFrame(columns, index=range(table.num_rows)), kinds)


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
    return all(_same_column(a[name], b[name], rtol).all() for name in b.columns)


def _same_column(a: pd.Series, b: pd.Series, rtol: float) -> np.ndarray:
    if a.dtype == object or b.dtype == object:
        return a.to_numpy(dtype=object) == b.to_numpy(dtype=object)
    return np.isclose(a.to_numpy(), b.to_numpy(), rtol=rtol, atol=1e-12, equal_nan=True)


@dataclass(frozen=True)
class FrameJudge:
    """Judge a function of tables by cases.

    Parameters
    ----------
    cases : sequence of Case
        Their tables are pandas'; the function gets cuDF's.
    ordered : bool
        Whether the rows must stand in the specification's order. Where not, any order is right.
    by : str
        The column that leads this order: where it is right and the rows are not, equals were told apart wrongly.
    after : sequence of callables
        ``after(problem, function) -> str`` or None, when all cases are right: they refuse, or say how near the limit is.
    verified : str
        What else was verified, for the verdict.
    """

    cases: Sequence[Case]
    ordered: bool = False
    by: str = ""
    after: Sequence[Callable[[Problem, Any], str | None]] = field(default_factory=tuple)
    verified: str = ""

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        require_callable(answers[0], problem.answers[0])
        need_cudf()
        for place, case in enumerate(self.cases):
            try:
                self._judge(problem, answers[0], case, first=place == 0)
            except Refusal as refusal:
                refusal.case = refusal.case or case.name
                raise
        near = [said for judge in self.after if (said := judge(problem, answers[0]))]
        what = f"{len(self.cases)} cases ({'; '.join(case.name for case in self.cases)})"
        return Verified(f"{what}{self.verified and '; ' + self.verified}.", " ".join(near))

    def _judge(self, problem: Problem, function: Any, case: Case, *, first: bool) -> None:
        arguments = tuple(to_device(value) for value in case.host())
        called, _ = call(problem, function, arguments)
        if first and missing(called.value):
            if called.printed:
                refuse("type", "it prints, but returns nothing.", printed=called.printed)
            raise NotAttempted("it returns nothing yet (if you have written it: is a `return` missing?)")
        try:
            self.compare(problem, case, called.value)
            unchanged(case, arguments)
        except Refusal as refusal:
            refusal.printed = refusal.printed or called.printed
            raise

    def compare(self, problem: Problem, case: Case, got: Any) -> None:
        """Refuse a result that is not the specification's, saying why."""
        assert problem.specification is not None
        expected = specified(problem.specification, case)
        _is_table(got)
        found = rows(got)
        _columns(found, expected)
        found = Rows(found.values[list(expected.values.columns)], found.kinds)
        _kinds(found, expected)
        if not alike(found.sorted(), expected.sorted()):
            recognise(problem, case, found.sorted(), expected.sorted())
            _explain(found, expected, self.ordered)
        elif self.ordered and not alike(found.values, expected.values):
            recognise(problem, case, found.values, expected.values, ordered=True)
            if self.by and _same_column(found.values[self.by], expected.values[self.by], 1e-9).all():
                refuse(
                    "ties",
                    f"the rows are in order of {self.by}, but where that is equal they are not in the order asked for.",
                )
            refuse(
                "order",
                "the rows are right, but they stand in another order than the one that was asked for. Merging and "
                "grouping promise none: sort after it.",
            )


def call(problem: Problem, function: Any, arguments: tuple[Any, ...]) -> tuple[guard.Called, traffic.Traffic]:
    """Call the function, guarded and watched."""
    with traffic.watch() as moved:
        called = guard.call(function, *arguments, limit=problem.time_limit)
    return called, moved


def unchanged(case: Case, arguments: tuple[Any, ...]) -> None:
    """Refuse if the call changed one of its tables."""
    for place, (before, after) in enumerate(zip(case.host(), arguments, strict=True), start=1):
        if isinstance(before, pd.DataFrame):
            was, now = rows(before), rows(after)
            if list(was.values.columns) != list(now.values.columns) or not alike(now.values, was.values):
                refuse(
                    "aliasing",
                    f"the result is right, but table {place} was changed by the call: whoever still needs it finds another "
                    "one now. `assign` and `rename` make a new table.",
                )


def _is_table(got: Any) -> None:
    if got is None:
        refuse("type", "it returns None here: is a `return` missing on one of its ways out?")
    if isinstance(got, (pd.DataFrame, pd.Series)):
        refuse("host", f"the result is on the host: {article(got)}. It should be a cuDF DataFrame, on the device.")
    if not isinstance(got, need_cudf().DataFrame):
        refuse("type", f"the result should be a cuDF DataFrame; it is {_named(got)}.")


def _named(got: Any) -> str:
    kind = type(got)
    return f"a cuDF {kind.__name__}" if kind.__module__.partition(".")[0] == "cudf" else article(got)


def _columns(got: Rows, expected: Rows) -> None:
    have, want = list(got.values.columns), list(expected.values.columns)
    lacking = [name for name in want if name not in have]
    extra = [name for name in have if name not in want]
    if lacking or extra:
        said = f"its columns are {', '.join(map(str, have)) or 'none'}; they should be {', '.join(want)}."
        if any(str(name).endswith(("_x", "_y")) for name in extra):
            said += " A column with _x or _y was in both tables and no key: take along what you need, under a name of its own."
        refuse("labels", said)


def _kinds(got: Rows, expected: Rows) -> None:
    for name, want in expected.kinds.items():
        if got.kinds[name] != want and len(got.values) and not got.values[name].isna().all():
            refuse("dtype", f"column {name} is {_a(got.kinds[name])}; it should be {_a(want)}.")


def _a(kind: str) -> str:
    return {"text": "text", "other": "of another kind"}.get(kind, f"a {kind}")


@functools.cache
def specified(specification: Callable[..., Any], case: Case) -> Rows:
    """What the specification gives for a case."""
    return rows(specification(*case.host()))


def recognise(problem: Problem, case: Case, ours: pd.DataFrame, right: pd.DataFrame, *, ordered: bool = False) -> None:
    """Refuse a result that is the one of a known mistake, with that mistake's reason."""
    for wrong in problem.wrong.values():
        mistaken = _mistaken(wrong, case, tuple(right.columns))
        if mistaken is None:
            continue
        theirs = mistaken.values if ordered else mistaken.sorted()
        if alike(ours, theirs) and not alike(theirs, right):
            refuse(wrong.reason, wrong.why, advice=wrong.hint)


@functools.cache
def _mistaken(wrong: Wrong, case: Case, columns: tuple[str, ...]) -> Rows | None:
    if wrong.gives is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            theirs = rows(wrong.gives(*case.host()))
        except (ValueError, TypeError, KeyError, IndexError):  # this mistake fails on this case
            return None
    if set(theirs.values.columns) != set(columns):
        return None
    return Rows(theirs.values[list(columns)], theirs.kinds)


def _explain(got: Rows, expected: Rows, ordered: bool) -> None:
    ours, theirs = got.values, expected.values
    if len(ours) < len(theirs):
        refuse("lost", f"it has {_rows(ours)}; there should be {len(theirs)}. Which of them have no match?")
    if len(ours) > len(theirs):
        refuse("multiplied", f"it has {_rows(ours)}; there should be {len(theirs)}. Which key comes more than once?")
    if not ordered:
        ours, theirs = got.sorted(), expected.sorted()
    for name in theirs.columns:
        nulls, due = _is_null(ours[name]), _is_null(theirs[name])
        if nulls.sum() != due.sum():
            refuse("nulls", f"column {name} has {_some(nulls.sum())}; there should be {due.sum()}.")
    for name in theirs.columns:
        wrong = ~_same_column(ours[name], theirs[name], 1e-9)
        if wrong.any():
            place = int(np.argmax(wrong))
            a, b = (_said(table[name].iloc[place], expected.kinds[name]) for table in (ours, theirs))
            where = f"row {place}" if ordered else f"row {place}, when the rows are sorted"
            refuse(
                "value",
                f"{int(wrong.sum())} of {len(wrong)} values of {name} are wrong: in {where} {a}; expected was {b}.",
            )


def _rows(table: pd.DataFrame) -> str:
    return f"{len(table)} row{'' if len(table) == 1 else 's'}"


def _some(count: int) -> str:
    return f"{count} null{'' if count == 1 else 's'}" if count else "no nulls"


def _is_null(column: pd.Series) -> np.ndarray:
    return column.to_numpy() == _NULL if column.dtype == object else column.isna().to_numpy()


def _said(value: Any, kind: str) -> str:
    if value == _NULL or (isinstance(value, float) and np.isnan(value)):
        return "null"
    if kind.startswith("time"):
        return str(pd.Timestamp(int(value), unit="us"))
    return repr(value) if isinstance(value, str) else number(float(value))
