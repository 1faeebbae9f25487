"""The flow of a judge of tables: each case is given, the function called, what came back compared; and the rows of joins."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gpusim.device import unordered

from .. import counting, devices, guard, traffic
from ..case_judge import CaseJudge
from ..cases import Case
from ..facts import Account, Fact, Seen, crossings, of_call
from ..functions import OVERWRITTEN
from ..problem import Mistake, Problem, quietly
from ..properties import Property, Strategy, cases_before, is_drawn
from ..verdict import Refusal, attempted, refuse, with_printed
from .rowwise import Rows, alike, explain, rows, same_column
from .values import is_table, need_cudf, require_columns, require_kind, to_device, to_host


@dataclass(frozen=True)
class FrameCase(Case):
    """One set of arguments: tables of Arrow or pandas, and anything else, which is given as it is."""

    def host(self) -> tuple[Any, ...]:
        """The arguments for the specification, in pandas."""
        return tuple(self._viewed(to_host(value)) if is_table(value) else value for value in self.make())

    def device(self) -> tuple[Any, ...]:
        """The arguments with each table on the device; a `view` takes some of its rows there, with their index."""
        return tuple(self._viewed(to_device(value)) if is_table(value) else value for value in self.make())

    def _viewed(self, table: Any) -> Any:
        return table if self.view is None else self.view(table)


def given(case: Case) -> tuple[Any, ...]:
    """The arguments of a case with its tables as cuDF's."""
    return case.device() if isinstance(case, FrameCase) else tuple(to_device(value) for value in case.host())


def other_index(*, hint: str = "", **settings: Any) -> Property:
    """Every other row of the tables, from the last to the first, with the index that they had: it counts nothing."""
    view = {"view": lambda table: table.iloc[::-2], **settings}
    return Property((Strategy("every other row of a larger table", settings=view),), hint)


SENTINELS = (0, -1, -99, -999, -1000, -9999, 99, 999, 1000, 9999, 999_999, -999_999, 10**6, -(10**6), 10**9, -(10**9))
TEXT_SENTINELS = (
    "",
    " ",
    "?",
    "-",
    "0",
    "-1",
    "None",
    "none",
    "nan",
    "NaN",
    "null",
    "NULL",
    "NA",
    "N/A",
    "<NA>",
    "unknown",
    "missing",
)
"""What is often put in place of a null."""


def sentinels(*columns: str) -> Property:
    """These columns, in whichever pandas table has them, with values that are often put in place of nulls; nulls stay.

    A text becomes the same one wherever it comes, so keys still match, and what came once comes once. Numbers are dealt anew.
    """

    def change(rng: np.random.Generator, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        changed = list(arguments)
        for column in columns:
            having = [at for at, table in enumerate(changed) if is_table(table) and column in table.columns]
            known = [set(changed[at][column].dropna()) for at in having]
            # Texts that all of the tables have come first: a null must meet them.
            names = sorted(set().union(*known), key=lambda name: (-sum(name in each for each in known), str(name)))
            for at in having:
                values = changed[at][column]
                if pd.api.types.is_numeric_dtype(values.dtype):
                    new = np.resize(rng.permutation(SENTINELS), len(values))
                    values = values.mask(values.notna(), pd.Series(new, values.index)).astype(values.dtype)
                else:
                    values = values.replace(dict(zip(names, TEXT_SENTINELS, strict=False)))
                changed[at] = changed[at].assign(**{column: values})
        return tuple(changed)

    return Property(
        (Strategy("values that may look like nulls, such as 0 or an empty text", change=change),),
        hint="Any value may be a real one, also 0, -1 or an empty text: none of them can stand for a null.",
    )


def rows_stay(says: str = "no rows went to the host", *, by: str = "", hint: str = "") -> Fact:
    """At most 1 kB to the host: labels of groups and single numbers, no rows of the tables.

    Where the groups are the values of the column `by` of the first table, 64 bytes for each of them, if that is more: its name and
    some numbers.
    """

    def look(account: Account, arguments: tuple[Any, ...]) -> str | None:
        groups = arguments[0][by].nunique() if by else 0
        return crossings(says, to_host=max(1024, 64 * groups), to_device=None).look(account, arguments)

    return Fact(says, "transfer", look, hint)


def account_of(moved: traffic.Traffic) -> Account:
    """The account of a call; on a GPU, where nobody watches what cuDF sends over the bus, one that tells nothing of it."""
    return of_call(moved) if devices.simulated() else Account()


@dataclass(frozen=True)
class TableJudge(CaseJudge):
    """Judge a function of tables by cases; how a result is compared is the subclass's.

    Parameters
    ----------
    keeps : bool
        The arguments must be unchanged after the call.

    The others are those of `CaseJudge`.
    """

    keeps: bool = True

    def need(self) -> None:
        need_cudf()

    def rest(self, problem: Problem, function: Any, seen: Seen, cases: Sequence[Case]) -> None:
        counting.rest(seen, problem, function, cases)

    def judge(self, problem: Problem, function: Any, case: Case, seen: Seen, *, first: bool) -> None:
        # Groups and the rows of a join have no order. One that is the same at each call hides what relies on that; one that is
        # not hides what relies on two tables being aligned, and sorted by it.
        with unordered.varying() if is_drawn(case) else contextlib.nullcontext():
            self._judge(problem, function, case, seen, first=first)

    def arguments(self, case: Case) -> tuple[Any, ...]:
        """What a case gives an answer."""
        return given(case)

    def _judge(self, problem: Problem, function: Any, case: Case, seen: Seen, *, first: bool) -> None:
        arguments = given(case)
        called, moved = call(problem, function, arguments)
        attempted(called.value, called.printed, first=first)
        with with_printed(called.printed):
            self.compare(problem, case, called.value)
            if self.keeps:
                unchanged(case, arguments)
            seen.look(account_of(moved), case.host())
            if case.again is not None:
                self._again(problem, function, case, called.value)

    def _again(self, problem: Problem, function: Any, case: Case, first: Any) -> None:
        """Refuse a second call that is wrong, and a first result that it has changed."""
        other, arguments = case.second(), given(case.second())
        called, _ = call(problem, function, arguments)
        self.compare(problem, other, called.value)
        try:
            self.compare(problem, case, first)
        except Refusal as refusal:
            refuse("reused", f"the first call's result was right, until the second call wrote over it: {refusal.why}")
        if not _overwrite(arguments, given(case)):
            return
        called, _ = call(problem, function, arguments)
        try:
            self.compare(problem, case, called.value)
        except Refusal as refusal:
            refuse("kept", f"{OVERWRITTEN}: {refusal.why}")

    def compare(self, problem: Problem, case: Case, got: Any) -> None:
        """Refuse a result that is not the specification's, saying why."""
        raise NotImplementedError


def _overwrite(arguments: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Put the columns of other tables into the tables among some arguments; return whether all have as many rows."""
    tables = [(table, other) for table, other in zip(arguments, others, strict=True) if hasattr(other, "columns")]
    if not tables or any(
        len(table) != len(other) or list(table.columns) != list(other.columns) for table, other in tables
    ):
        return False
    for table, other in tables:
        for name in other.columns:
            table[name] = other[name]
    return True


def call(problem: Problem, function: Any, arguments: tuple[Any, ...]) -> tuple[guard.Called, traffic.Traffic]:
    """Call the function, guarded and watched."""
    with traffic.watch() as moved:
        called = guard.call(function, *arguments, limit=problem.time_limit)
    return called, moved


def unchanged(case: Case, arguments: tuple[Any, ...]) -> None:
    """Refuse if the call changed one of its tables."""
    tables = [value for value in case.host() if is_table(value)]
    for place, (before, after) in enumerate(zip(case.host(), arguments, strict=True), start=1):
        if is_table(before):
            was, now = rows(before), rows(after)
            if (
                list(was.values.columns) != list(now.values.columns)
                or was.kinds != now.kinds
                or not alike(now.values, was.values)
            ):
                which = "its argument" if len(tables) == 1 else f"table {place}"
                refuse(
                    "aliasing",
                    f"the result is right, but {which} was changed by the call: whoever still needs it finds another one now. "
                    "`assign` and `rename` make a new table.",
                )


@dataclass(frozen=True)
class RowsJudge(TableJudge):
    """Judge a function of tables by the rows that it gives, whatever the types of their numbers.

    Parameters
    ----------
    ordered : bool
        Whether the rows must stand in the specification's order. Where not, any order is right.
    by : str
        The column that leads this order: where it is right and the rows are not, equals were told apart wrongly.
    nan : bool
        NaN may stand for null.

    The others are those of `TableJudge`.
    """

    ordered: bool = False
    by: str = ""
    nan: bool = True

    def require(self, got: Any) -> None:
        """Refuse what is no table of the kind that was asked for."""
        require_kind(got)

    def compare(self, problem: Problem, case: Case, got: Any) -> None:
        """Refuse a result that is not the specification's, saying why."""
        assert problem.specification is not None
        expected = specified(problem.specification, case)
        self.require(got)
        require_columns(got, list(expected.values.columns), ordered=False)
        found = rows(got)
        found = Rows(found.values[list(expected.values.columns)], found.kinds, found.nans)
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
                "the rows are right, but they stand in another order than the one that was asked for. By which columns, and in "
                "which direction? Merging and grouping promise no order: sort after them.",
            )
        for name, count in found.nans.items():
            if count and not self.nan:
                refuse(
                    "nulls",
                    f"column {name} has {count} NaN where it should have null{'' if count == 1 else 's'}: NaN is the result of a "
                    "computation without one, null is what nobody knows.",
                    advice=f"`table['{name}'].nans_to_nulls()` makes nulls of them. `fillna(nan)`, `astype` and Dask's `where` make NaN.",
                )


def _kinds(got: Rows, expected: Rows) -> None:
    for name, want in expected.kinds.items():
        if got.kinds[name] != want and len(got.values) and not got.values[name].isna().all():
            said = f"column {name} is {_a(got.kinds[name])}; it should be {_a(want)}."
            if (got.kinds[name], want) == ("time with a zone", "time"):
                said = f"column {name} is a time with a zone; it should be a time without one: `.dt.tz_localize(None)`."
            refuse("dtype", said)


def _a(kind: str) -> str:
    return {"text": "text", "other": "of another kind"}.get(kind, f"a {kind}")


@functools.lru_cache(maxsize=64)
def specified(specification: Callable[..., Any], case: Case) -> Rows:
    """What the specification gives for a case."""
    return rows(quietly(specification, *case.host()))


def recognise(problem: Problem, case: Case, ours: pd.DataFrame, right: pd.DataFrame, *, ordered: bool = False) -> None:
    """Refuse a result that is the one of a known mistake, with that mistake's reason."""

    def is_theirs(mistaken: Rows) -> bool:
        theirs = mistaken.values if ordered else mistaken.sorted()
        return alike(ours, theirs) and not alike(theirs, right)

    def excluded(mistake: Mistake) -> bool:
        """Whether it gets a case wrong that the answer has passed."""
        for passed in cases_before(problem.judge, case):
            wrong, due = _mistaken(mistake, passed, columns), specified(problem.specification, passed)
            if wrong is not None and not alike(wrong.sorted(), due.sorted()):
                return True
        return False

    columns = tuple(right.columns)
    problem.recognise(lambda mistake: _mistaken(mistake, case, columns), is_theirs, excluded)


@functools.lru_cache(maxsize=512)
def _mistaken(mistake: Mistake, case: Case, columns: tuple[str, ...]) -> Rows | None:
    given = mistake.computes(*case.host())
    if given is None:
        return None
    theirs = rows(given)
    if set(theirs.values.columns) != set(columns):
        return None
    return Rows(theirs.values[list(columns)], theirs.kinds)
