"""Judge functions of Polars queries: they take a `LazyFrame` and return one; its rows are compared, and who can run it is asked.

The plan is collected with ``pl.GPUEngine(raise_on_fail=True)``: on a GPU it runs there, without one the real translator decides. A
query that is refused runs on the CPU engine, so that a wrong value is told before a fallback is.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

import pandas as pd

from .. import guard
from ..cases import Case
from ..devices import LazyModule, need_cupy
from ..facts import Account, Fact, Seen
from ..frames import FrameCase, RowsJudge, rows, to_pandas
from ..frames.values import is_table
from ..guard import article
from ..problem import Problem
from ..verdict import NONE_HERE, NotJudged, Refusal, attempted, refuse, with_printed

pl: Any = LazyModule("polars")


class QueryCase(FrameCase):
    """One set of arguments: tables of Arrow, which are given as lazy frames, and anything else, which is given as it is."""

    def device(self) -> tuple[Any, ...]:
        return tuple(pl.from_arrow(value).lazy() if is_table(value) else value for value in self.make())


@dataclass(frozen=True)
class Planned(Account):
    """What was seen of a query.

    Parameters
    ----------
    refused : str
        Why the GPU engine does not take it; empty where it does.
    collected : int
        How often something was collected while the query was written.
    by_python : int
        How many sources of its plan are Python functions, which run with the plan and may collect anything.
    columns : int
        How many columns its plan reads of all its sources.
    """

    refused: str = ""
    collected: int = 0
    by_python: int = 0
    columns: int = 0


def on_the_gpu(hint: str = "") -> Fact:
    """The GPU engine takes the whole query."""

    def look(account: Any, arguments: tuple[Any, ...]) -> str:
        if account.refused:
            return f"the GPU engine refuses the query, so all of it runs on the CPU: {account.refused}."
        return ""

    return Fact("the GPU engine takes the whole query", "fallback", look, hint)


def nothing_collected(hint: str = "") -> Fact:
    """The function runs nothing: it returns a query that is still to run."""

    def look(account: Any, arguments: tuple[Any, ...]) -> str:
        if account.by_python:
            return "its plan begins with a Python function (`PYTHON SCAN`), which makes the rows on the host."
        return "something was collected in the function already." if account.collected else ""

    return Fact("nothing is collected on the way", "eager", look, hint)


def reads_columns(most: int, hint: str = "") -> Fact:
    """The plan reads at most so many columns."""

    def look(account: Any, arguments: tuple[Any, ...]) -> str:
        if account.columns > most:
            return f"its plan reads {account.columns} columns; {most} are enough."
        return ""

    return Fact("", "reads", look, hint)


_READ = re.compile(r"PROJECT(?:\[.*?\])? (\d+|\*)/(\d+) COLUMNS")


def columns_read(plan: str) -> int:
    """How many columns a plan reads, over all its sources, as `explain` shows it."""
    return sum(int(every if some == "*" else some) for some, every in _READ.findall(plan))


@dataclass(frozen=True)
class QueryJudge(RowsJudge):
    """Judge a function that makes a query of a query. The parameters are those of `RowsJudge`; a fact's account is a `Planned`."""

    def arguments(self, case: Case) -> tuple[Any, ...]:
        return case.device()

    def calls(self, problem: Problem, answers: tuple[Any, ...], case: Case, listed: str) -> str:
        """How a learner runs an answer with a case."""
        return f"{problem.answers[0]}({listed}).collect()"

    def require(self, got: Any) -> None:
        """Refuse NaN: Polars tells it from null, and sorts it otherwise. The query was looked at already."""
        for name, count in rows(got).nans.items():
            if count:
                refuse(
                    "nulls",
                    f"column {name} has {count} NaN: that is the result of a computation such as 0 / 0. What nobody knows is null.",
                    advice="`mean` gives null where nothing is known; `fill_nan(None)` makes nulls of NaN.",
                )

    def _judge(self, problem: Problem, function: Any, case: Case, seen: Seen, *, first: bool) -> None:
        need_engine()
        with collecting() as ran:
            called = guard.call(function, *case.device(), limit=problem.time_limit)
        attempted(called.value, called.printed, first=first)
        with with_printed(called.printed):
            _require_query(called.value)
            table, refused = _run(problem, called.value)
            self.compare(problem, case, table)
            plan = called.value.explain()
            account = Planned(
                refused=refused, collected=len(ran), by_python=plan.count("PYTHON SCAN"), columns=columns_read(plan)
            )
            seen.look(account, case.host())
            if case.again is not None:
                self._again(problem, function, case, called.value)

    def _again(self, problem: Problem, function: Any, case: Case, first: Any) -> None:
        """Refuse a second query that is wrong, and a first one that it has changed."""
        other = case.second()
        again = guard.call(function, *other.device(), limit=problem.time_limit).value
        _require_query(again)
        self.compare(problem, other, _run(problem, again)[0])
        try:
            self.compare(problem, case, _run(problem, first)[0])
        except Refusal as refusal:
            refuse("reused", f"the first query was right, until the second call changed it: {refusal.why}")


def need_engine() -> None:
    """Where there is no GPU engine, `NotJudged` says what brings it."""
    need_cupy()
    if importlib.util.find_spec("cudf_polars") is None:
        raise NotJudged("there is no cudf_polars here: README.md says how the course is installed.")


@contextlib.contextmanager
def collecting() -> Iterator[list[None]]:
    """Note each query that is run in the block, whatever runs it; steps of frames that are no queries are not noted."""
    ran: list[None] = []
    with contextlib.ExitStack() as stack:
        for place, name in _runners():
            stack.enter_context(mock.patch.object(place, name, _noted(name, getattr(place, name), ran)))
        yield ran


def _runners() -> list[tuple[Any, str]]:
    """What runs a query: methods of one and functions of several that collect it, write it to a file or take its times."""
    found = [
        (place, name)
        for place in (pl.LazyFrame, importlib.import_module("polars"))
        for name in dir(place)
        if name.startswith(("collect", "sink", "_collect"))
    ]
    found += [(pl.LazyFrame, "profile"), (pl.LazyFrame, "fetch"), (pl.LazyFrame, "remote")]
    return [(place, name) for place, name in found if name != "collect_schema"]  # reads a footer, and no row


def _noted(name: str, run: Any, ran: list[None]) -> Any:
    @functools.wraps(run)
    def noted(*args: Any, **kwargs: Any) -> Any:
        # What Polars runs for `describe`, a slice or SQL that is eager. A frame that is no query runs its steps so, too, and says how.
        if name != "_collect_eager" or "optimizations" not in kwargs:
            ran.append(None)
        return run(*args, **kwargs)

    return noted


def _require_query(got: Any) -> None:
    if got is None:
        refuse("type", NONE_HERE)
    if isinstance(got, pl.DataFrame):
        refuse("eager", "it returns a DataFrame, so the query ran already. Return the query, a LazyFrame.")
    if not isinstance(got, pl.LazyFrame):
        refuse("type", f"the result should be a query, a LazyFrame of Polars; it is {article(got)}.")


def _run(problem: Problem, query: Any) -> tuple[pd.DataFrame, str]:
    """The rows of a query, and why the GPU engine refuses it; empty where it does not."""
    refused = ""
    try:
        table = query.collect(engine=pl.GPUEngine(raise_on_fail=True))
    except Exception as error:
        # A query that is wrong fails here, too, and says so. What the GPU engine alone refuses does not.
        table = guard.call(lambda: query.collect(), limit=problem.time_limit).value
        if "NotSimulated" in str(error):
            refuse("not-simulated", str(error).partition("\n")[0])
        refused = why_refused(error)
    dates = [name for name, kind in table.schema.items() if kind == pl.Date]
    return to_pandas(table.with_columns(pl.col(dates).cast(pl.Datetime("us"))).to_arrow()), refused


def why_refused(error: Exception) -> str:
    """The reasons in an error of the GPU engine, in one line."""
    text = str(error).partition("The errors were:")[2] or str(error)
    # The text ends in the errors once more, as Python writes a list.
    lines = text.replace("\\n", "\n").rpartition(", [")[0] or text
    found = dict.fromkeys(line.strip(" -'\"") for line in lines.splitlines() if line.strip(" -'\""))
    causes = [
        line for line in found if "ErrorExpr" not in line
    ]  # that is what stands for an expression which was refused
    return "; ".join(causes or found)
