"""Judge functions of Dask dataframes: given tables in pieces, and judged by the plan, by its rows, and by its largest piece.

A case's tables are cut where it says, into partitions of cuDF whose indexes all begin at 0, as files give them.  The answer is
built (nothing may run meanwhile), computed in this process, and its rows are compared as in unit 08.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from .. import graphs
from ..cases import Case
from ..frames import Rows, RowsJudge, alike, need_cudf, rows
from ..guard import article, require_callable
from ..problem import Problem
from ..untouched import missing
from ..verdict import NotAttempted, NotJudged, Refusal, Verified, refuse


@dataclass(frozen=True)
class Pieces(Case):
    """Tables that are given in pieces.

    Parameters
    ----------
    cuts : tuple of tuple of int
        For each table how many rows each of its partitions has; a table beyond the last is one partition.
    """

    cuts: tuple[tuple[int, ...], ...] = ()

    def pieces(self, which: int = 0) -> list[pd.DataFrame]:
        """The partitions of one of the tables, in pandas."""
        table, lengths = self.host()[which], self.cuts[which]
        return [
            table.iloc[sum(lengths[:at]) : sum(lengths[: at + 1])].reset_index(drop=True) for at in range(len(lengths))
        ]

    def lazy(self) -> tuple[Any, ...]:
        """The arguments with each table as a Dask dataframe of cuDF partitions."""
        need_dask()
        tables = iter(self.cuts)
        return tuple(
            split(value, next(tables, (len(value),))) if isinstance(value, pd.DataFrame) else value
            for value in self.host()
        )


def split(table: pd.DataFrame, lengths: Sequence[int]) -> Any:
    """A pandas table as a Dask dataframe of cuDF partitions of these lengths, each with an index of its own from 0."""
    import cudf
    import dask.dataframe as dd

    if sum(lengths) != len(table):
        raise ValueError(f"{len(table)} rows cannot be cut into {tuple(lengths)}")
    stops = [sum(lengths[: at + 1]) for at in range(len(lengths))]
    parts = [
        cudf.from_pandas(table.iloc[stop - length : stop].reset_index(drop=True))
        for stop, length in zip(stops, lengths, strict=True)
    ]
    return dd.from_map(_same, parts, meta=cudf.from_pandas(table.iloc[:0]), label="table")


def _same(part: Any) -> Any:
    return part


def need_dask() -> None:
    """Where there is no cuDF or no Dask, `NotJudged` says which line brings it."""
    need_cudf()
    try:
        import dask_cudf  # noqa: F401
    except ImportError:
        raise NotJudged(
            "there is no dask_cudf here: install Dask and dask-cudf, or run `%load_ext hundredfold`."
        ) from None


@dataclass(frozen=True)
class Looked:
    """What came of one case: the plan that the function made, what ran when it was computed, its partitions, and all rows."""

    case: Pieces
    plan: Any
    ran: graphs.Ran
    parts: list[Any]
    value: Any

    @property
    def largest(self) -> int:
        """Rows of the largest table that one task made."""
        return max((task.device for task in self.ran.tasks), default=0)


@dataclass(frozen=True)
class LazyFrameJudge:
    """Judge a function that makes a Dask dataframe of Dask dataframes.

    Parameters
    ----------
    cases : sequence of Pieces
    ordered : bool
        Whether the rows must stand in the specification's order, partition after partition.
    before : sequence of callables
        ``before(problem, looked)``: they refuse a result that is a known mistake's, which depends on where the table is cut.
    each : sequence of callables
        ``each(problem, looked)``: judges of the plan and of what ran, for every case whose rows are right; they refuse.
    after : sequence of callables
        ``after(problem, function) -> str`` or None, when all cases are right.
    verified : str
        What else was verified, for the verdict.
    """

    cases: Sequence[Pieces]
    ordered: bool = False
    before: Sequence[Callable[[Problem, Looked], None]] = ()
    each: Sequence[Callable[[Problem, Looked], None]] = ()
    after: Sequence[Callable[[Problem, Any], str | None]] = field(default_factory=tuple)
    verified: str = ""

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        function = answers[0]
        require_callable(function, problem.answers[0])
        need_dask()
        for place, case in enumerate(self.cases):
            try:
                looked = look(problem, function, case, first=place == 0)
                for judge in self.before:
                    judge(problem, looked)
                RowsJudge((), ordered=self.ordered).compare(problem, case, looked.value)
                for judge in self.each:
                    judge(problem, looked)
            except Refusal as refusal:
                refusal.case = refusal.case or case.name
                raise
        near = [said for judge in self.after if (said := judge(problem, function))]
        what = f"{len(self.cases)} cases ({'; '.join(case.name for case in self.cases)})"
        return Verified(
            f"{what}; nothing ran before it was asked for{self.verified and '; ' + self.verified}.", " ".join(near)
        )


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """As in the lecture; shuffles by tasks, which need no cluster, so that all of it runs in this process."""
    import dask

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with dask.config.set({"dataframe.backend": "cudf", "dataframe.shuffle.method": "tasks"}):
            yield


def look(problem: Problem, function: Any, case: Pieces, *, first: bool = False) -> Looked:
    """Call the function with a case's tables, and compute what it makes."""
    with _settings():
        called, built = graphs.build(function, *case.lazy(), limit=problem.time_limit)
        if first and missing(called.value):
            if called.printed:
                refuse("type", "it prints, but returns nothing.", printed=called.printed)
            raise NotAttempted("it returns nothing yet (if you have written it: is a `return` missing?)")
        try:
            _is_plan(called.value)
            graphs.require_unrun(built)
            # Each partition by itself: nothing is put together that the plan leaves apart.
            parts, ran = graphs.compute(called.value.to_delayed(), limit=problem.time_limit)
        except Refusal as refusal:
            refusal.printed = refusal.printed or called.printed
            raise
    import cudf

    return Looked(case, called.value, ran, parts, cudf.concat(parts) if len(parts) > 1 else parts[0])


def _is_plan(value: Any) -> None:
    import cudf

    if value is None:
        refuse("type", "it returns None here: is a `return` missing on one of its ways out?")
    if isinstance(value, (cudf.DataFrame, cudf.Series, pd.DataFrame, pd.Series)):
        kind = "cuDF" if type(value).__module__.startswith("cudf") else "pandas"
        refuse(
            "eager",
            f"the result is a table of {kind}, computed already. Asked for is a Dask dataframe: whoever wants the rows says "
            "`compute`.",
        )
    if not graphs.lazy(value) or not hasattr(value, "_meta"):
        refuse("type", f"the result should be a Dask dataframe; it is {article(value)}.")
    if graphs.kind(value) == "pandas":
        refuse("host", "the partitions of the result are pandas'. They should stay on the device, as cuDF's.")
    if not isinstance(value._meta, cudf.DataFrame):
        refuse("type", f"the result should be a Dask dataframe; it is a Dask {type(value).__name__}.")


def no_larger(share: float, why: str) -> Callable[[Problem, Looked], None]:
    """A judge for `LazyFrameJudge.each`: no task may make a table of more than `share` of all rows, unless a piece is so large."""

    def judge(problem: Problem, looked: Looked) -> None:
        rows = sum(map(sum, looked.case.cuts))
        if looked.largest > max(share * rows, *map(max, looked.case.cuts)):
            refuse("materialised", f"one task made a table of {looked.largest} rows, of {rows} that there are. {why}")

    return judge


def gives(looked: Looked, expected: pd.DataFrame, *, ordered: bool = False) -> bool:
    """Whether a result is this one, which pandas made."""
    ours, theirs = rows(looked.value), rows(expected)
    if set(ours.values.columns) != set(theirs.values.columns):
        return False
    ours = Rows(ours.values[list(theirs.values.columns)], ours.kinds)
    return alike(ours.values, theirs.values) if ordered else alike(ours.sorted(), theirs.sorted())
