"""Judge functions of Dask dataframes: given tables in pieces, and judged by the plan, by its rows, and by its largest piece.

A case's tables are cut where it says, into partitions of cuDF whose indexes all begin at 0, as files give them.  The answer is
built (nothing may run meanwhile), computed in this process, and its rows are compared as in unit 08.  What it did is read from the
steps that ran: which tables each task was given, and which it made.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from .. import devices, graphs, guard, traffic
from ..case_judge import CaseJudge
from ..cases import Case
from ..facts import Fact, Seen
from ..frames import Rows, RowsJudge, alike, need_cudf, rows
from ..guard import article
from ..problem import Problem
from ..properties import Drawn, Property, Strategy
from ..verdict import NONE_HERE, NotJudged, Refusal, attempted, refuse, with_printed


@dataclass(frozen=True)
class Pieces(Case):
    """Tables that are given in pieces.

    Parameters
    ----------
    cuts : tuple of tuple of int
        For each table how many rows each of its partitions has; a table beyond the last is one partition.
    running : bool
        The index runs on through the whole table, as `from_pandas` gives it; else it begins at 0 in each partition, as files give it.
    """

    cuts: tuple[tuple[int, ...], ...] = ()
    running: bool = False

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
            split(value, next(tables, (len(value),)), running=self.running)
            if isinstance(value, pd.DataFrame)
            else value
            for value in self.host()
        )


def split(table: pd.DataFrame, lengths: Sequence[int], *, running: bool = False) -> Any:
    """A pandas table as a Dask dataframe of cuDF partitions of these lengths, each with an index of its own from 0, or one for all."""
    import cudf
    import dask.dataframe as dd

    if sum(lengths) != len(table):
        raise ValueError(f"{len(table)} rows cannot be cut into {tuple(lengths)}")
    table = table.reset_index(drop=True)
    stops = [sum(lengths[: at + 1]) for at in range(len(lengths))]
    parts = [table.iloc[stop - length : stop] for stop, length in zip(stops, lengths, strict=True)]
    parts = [cudf.from_pandas(part if running else part.reset_index(drop=True)) for part in parts]
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
class Step:
    """One task that ran: its key, the tables that it was given, each with the key of the task that made it, and those that it made."""

    key: Any
    taken: tuple[tuple[Any, Any], ...]
    made: tuple[Any, ...]


@dataclass(frozen=True)
class Looked:
    """What came of one case: the plan that the function made, what ran when it was computed, its partitions, and all rows.

    `to_host` counts the bytes that went to the host while it ran; None where nobody counts them, on a GPU.
    """

    case: Pieces
    plan: Any
    steps: list[Step]
    parts: list[Any]
    value: Any
    to_host: int | None = None
    to_device: int | None = None

    @property
    def largest(self) -> int:
        """Rows of the largest table that one task made."""
        return max((len(frame) for step in self.steps for frame in step.made), default=0)


@dataclass(frozen=True)
class LazyFrameJudge(CaseJudge):
    """Judge a function that makes a Dask dataframe of Dask dataframes.

    Parameters
    ----------
    ordered : bool
        Whether the rows must stand in the specification's order, partition after partition.
    nan : bool
        NaN may stand for null.
    planned : sequence of callables
        ``planned(plan)``: they refuse a plan before it runs.
    before : sequence of callables
        ``before(problem, looked)``: they refuse a result that is a known mistake's, which depends on where the table is cut.

    The others are those of `CaseJudge`. Facts are of the plan and of what ran, for every case whose rows are right; a fact's account
    is a `Looked`.
    """

    ordered: bool = False
    nan: bool = False
    planned: Sequence[Callable[[Any], None]] = ()
    before: Sequence[Callable[[Problem, Looked], None]] = ()

    def need(self) -> None:
        need_dask()

    def judge(self, problem: Problem, function: Any, case: Pieces, seen: Seen, *, first: bool) -> None:
        looked = look(problem, function, case, first=first)
        self.judge_rows(problem, looked)
        seen.look(looked, case.host())  # type: ignore[arg-type]
        if first:
            self._again(problem, function, case)
            self._running(problem, function, case)
            self._other(problem, function, case)

    def said(self, seen: Seen) -> str:
        return "; ".join(filter(None, ("nothing ran before it was asked for", super().said(seen))))

    def arguments(self, case: Pieces) -> tuple[Any, ...]:
        """What a case gives an answer."""
        return case.lazy()

    def calls(self, problem: Problem, answers: tuple[Any, ...], case: Pieces, names: str) -> str:
        """The line that calls an answer with a case, and computes what it makes."""
        return f"{problem.answers[0]}({names}).compute()"

    def judge_rows(self, problem: Problem, looked: Looked) -> None:
        """Refuse rows that are not the specification's; as a mistake of the cuts, where they are one."""
        try:
            RowsJudge((), ordered=self.ordered, nan=self.nan).compare(problem, looked.case, looked.value)
        except Refusal:
            for judge in self.before:
                judge(problem, looked)
            raise
        said, found = list(looked.plan.columns), list(looked.value.columns)
        if set(said) != set(found):
            refuse(
                "type",
                f"the rows are right, but the Dask dataframe says that it has the columns {', '.join(said)}; it has {', '.join(found)}.",
                advice="`meta=` tells Dask what a function returns, before it runs. Whoever uses the result relies on it.",
            )

    def _again(self, problem: Problem, function: Any, case: Pieces) -> None:
        """Refuse a plan that is right only the first time it is computed."""
        looked = look(problem, function, case, again=True)
        try:
            RowsJudge((), ordered=self.ordered, nan=self.nan).compare(problem, case, looked.value)
        except Refusal as refusal:
            refuse(
                "state",
                f"the result was right, until the plan was computed a second time: {refusal.why} Does a task read what another one has left "
                "in a variable? On a cluster they run in any order, in several processes.",
            )

    def _running(self, problem: Problem, function: Any, case: Pieces) -> None:
        """Refuse a plan that is right only where the index of each partition begins at 0."""
        looked = look(problem, function, replace(case, running=True))
        try:
            RowsJudge((), ordered=self.ordered, nan=self.nan).compare(problem, case, looked.value)
        except Refusal as refusal:
            refuse(
                "alignment",
                f"the result was right, until the index ran on through all partitions, as `dd.from_pandas` makes it: {refusal.why}",
                advice="A new column needs the index of its partition: `cudf.Series(…, index=part.index)`.",
            )

    def _other(self, problem: Problem, function: Any, case: Pieces) -> None:
        """Refuse an answer that takes other tables of the same shape for the first ones."""

        def make() -> tuple[Any, ...]:
            table, *others = case.make()
            return (table.iloc[[1, *range(1, len(table))]].reset_index(drop=True), *others)

        other = replace(case, make=make)
        looked = look(problem, function, other)
        try:
            RowsJudge((), ordered=self.ordered, nan=self.nan).compare(problem, other, looked.value)
        except Refusal as refusal:
            refuse(
                "kept",
                f"one table was right, and another of the same shape is not: {refusal.why}",
                advice="Plan anew at each call.",
            )


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """As in the lecture; shuffles by tasks, which need no cluster, so that all of it runs in this process."""
    import dask

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with dask.config.set({"dataframe.backend": "cudf", "dataframe.shuffle.method": "tasks"}):
            yield


def look(
    problem: Problem, function: Any, case: Pieces, *, first: bool = False, again: bool = False, fused: bool = True
) -> Looked:
    """Call the function with a case's tables, and compute what it makes.

    `again`: what comes of it the second time. `fused`: as Dask would run it; what a fused task takes on its way is
    not seen, and a column of a piece counts as a table if they are not.
    """
    import cudf

    with _settings():
        called, built = graphs.build(function, *case.lazy(), limit=problem.time_limit)
        attempted(called.value, called.printed, first=first)
        with with_printed(called.printed):
            _is_plan(called.value)
            graphs.require_unrun(built)
            for judge in problem.judge.planned:  # type: ignore[attr-defined]
                judge(called.value)
            # Each partition by itself: nothing is put together that the plan leaves apart.
            plan = called.value
            pieces = guard.call(
                lambda: plan.optimize(fuse=fused).to_delayed(optimize_graph=False), limit=problem.time_limit, wait=False
            ).value
            with traffic.watch() as moved, _steps() as steps:
                if again:
                    graphs.compute(pieces, limit=problem.time_limit, sized=False)
                parts, _ = graphs.compute(pieces, limit=problem.time_limit, sized=False)
            for part in parts:
                _is_piece(part)
    over_bus = (moved.to_host, moved.to_device) if devices.simulated() else (None, None)
    return Looked(case, called.value, steps, parts, cudf.concat(parts) if len(parts) > 1 else parts[0], *over_bus)


@contextlib.contextmanager
def _steps() -> Iterator[list[Step]]:
    """Record which tables each task is given and which it makes; only the scheduler in this process tells."""
    from dask.callbacks import Callback

    steps: list[Step] = []
    given: dict[Any, tuple[tuple[Any, Any], ...]] = {}

    def begins(key: Any, graph: Any, state: Any) -> None:
        needed = state["dependencies"].get(key, ())
        given[key] = tuple((each, frame) for each in needed for frame in _frames(state["cache"].get(each)))

    def ended(key: Any, result: Any, graph: Any, state: Any, worker: Any) -> None:
        steps.append(Step(key, given.pop(key, ()), tuple(_frames(result))))

    with Callback(pretask=begins, posttask=ended):
        yield steps


def _frames(value: Any) -> Iterator[Any]:
    """The tables and columns of cuDF in what a task returns, which may be a list or dict of them."""
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _frames(each)
    elif isinstance(value, dict):
        yield from _frames(list(value.values()))
    elif type(value).__module__.startswith("cudf") and hasattr(value, "iloc"):
        yield value


def _is_piece(part: Any) -> None:
    """Refuse a partition that is not what the plan says."""
    import cudf

    if isinstance(part, (pd.DataFrame, pd.Series)):
        refuse(
            "host",
            "the partitions of the result are pandas', though the plan says cuDF. They should stay on the device.",
        )
    if not isinstance(part, cudf.DataFrame):
        refuse("type", f"a partition of the result should be a cuDF DataFrame; it is {article(part)}.")


def _is_plan(value: Any) -> None:
    import cudf

    if value is None:
        refuse("type", NONE_HERE)
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


def rows_stay(says: str = "no rows went to the host") -> Fact:
    """At most 1 kB to the host while the plan runs: single numbers and labels."""

    def look(looked: Any, arguments: tuple[Any, ...]) -> str | None:
        if looked.to_host is None:
            return None
        if looked.to_host > 1024:
            return f"{traffic.spell(looked.to_host)} went from the device to the host while it ran. The rows of a piece should stay on its device."
        return ""

    return Fact(says, "transfer", look)


def cut(words: str, *cuts: tuple[int, ...], change: Any = None) -> Strategy:
    """Tables that are cut into partitions of these lengths; the ordinary arguments' size is how many rows each has."""
    return Strategy(words, tuple(map(sum, cuts)), change, settings={"cuts": cuts})


def in_pieces(arguments: Callable[..., Any], *properties: Property, cuts: tuple[tuple[int, ...], ...]) -> Drawn:
    """Tables at random, cut as it is said here or by a property's strategy."""
    return Drawn(
        arguments,
        tuple(map(sum, cuts)),
        *properties,
        case=lambda name, make, cuts=cuts, **more: Pieces(name, make, cuts=cuts, **more),
    )


def gives(looked: Looked, expected: pd.DataFrame, *, ordered: bool = False) -> bool:
    """Whether a result is this one, which pandas made."""
    ours, theirs = rows(looked.value), rows(expected)
    if set(ours.values.columns) != set(theirs.values.columns):
        return False
    ours = Rows(ours.values[list(theirs.values.columns)], ours.kinds)
    return alike(ours.values, theirs.values) if ordered else alike(ours.sorted(), theirs.sorted())
