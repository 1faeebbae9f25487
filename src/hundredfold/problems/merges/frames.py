"""Judge functions of tables: called with cuDF's tables, and compared by their rows with what pandas makes of the same."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from .. import devices, guard, traffic
from ..cases import Case
from ..guard import article, require_callable
from ..problem import Problem, Wrong
from ..untouched import missing
from ..verdict import NotAttempted, NotJudged, Refusal, Verified, refuse
from .rows import Rows, alike, explain, rows, same_column


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
        _columns(found, expected, list(got.index.names))
        found = Rows(found.values[list(expected.values.columns)], found.kinds)
        _kinds(found, expected)
        if not alike(found.sorted(), expected.sorted()):
            recognise(problem, case, found.sorted(), expected.sorted())
            explain(found, expected, self.ordered)
        elif self.ordered and not alike(found.values, expected.values):
            recognise(problem, case, found.values, expected.values, ordered=True)
            if self.by and same_column(found.values[self.by], expected.values[self.by]).all():
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


def _columns(got: Rows, expected: Rows, index: list[Any]) -> None:
    have, want = list(got.values.columns), list(expected.values.columns)
    lacking = [name for name in want if name not in have]
    extra = [name for name in have if name not in want]
    if lacking or extra:
        said = f"its columns are {', '.join(map(str, have)) or 'none'}; they should be {', '.join(want)}."
        inside = [name for name in lacking if name in index]
        if inside:
            said += f" {inside[0]} is in the index: `reset_index()` makes a column of it, or `groupby(..., as_index=False)`."
        if any(str(name).endswith(("_x", "_y")) for name in extra):
            said += " A column with _x or _y was in both tables and no key: take along what you need, under a name of its own."
        refuse("labels", said)


def _kinds(got: Rows, expected: Rows) -> None:
    for name, want in expected.kinds.items():
        if got.kinds[name] != want and len(got.values) and not got.values[name].isna().all():
            said = f"column {name} is {_a(got.kinds[name])}; it should be {_a(want)}."
            if (got.kinds[name], want) == ("time with a zone", "time"):
                said = f"column {name} is a time with a zone; it should be a time without one: `.dt.tz_localize(None)`."
            refuse("dtype", said)


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
