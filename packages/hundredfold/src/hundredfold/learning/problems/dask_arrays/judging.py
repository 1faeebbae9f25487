"""Judge a function that takes a lazy array and returns one: what it made, when, in which pieces and on which side."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import devices, graphs
from ..case_judge import CaseJudge
from ..differences import explain, same
from ..facts import Seen, of_graph
from ..graphs import KEPT
from ..problem import Mistake, Problem
from ..properties import cases_before
from ..verdict import Refusal, attempted, refuse, with_printed


@dataclass(frozen=True)
class Lazy:
    """A case: a host array, cut into chunks.

    Parameters
    ----------
    name : str
        For the learner, after "with".
    make : callable
        ``make() -> numpy.ndarray``, the same at every call.
    chunks : tuple
        As Dask takes them.
    device : bool
        Whether the chunks are CuPy's.
    sized : bool
        Whether the chunks are large enough for the sizes of what tasks make to mean something.
    hint : str
        As for `Case`.
    """

    name: str
    make: Callable[[], np.ndarray]
    chunks: Any
    device: bool = True
    sized: bool = False
    rtol: float = 1e-9
    atol: float = 1e-12
    hint: str = ""

    def collection(self) -> Any:
        """The argument: a Dask array."""
        import dask.array as da

        host = self.make()
        return da.from_array(devices.to_device(host) if self.device else host, chunks=self.chunks)


@dataclass(frozen=True)
class LazyJudge(CaseJudge):
    """Judge a function of a Dask array that returns a Dask array.

    Parameters
    ----------
    places : callable, optional
        ``places(wrong, x)``: refuses a result by where its wrong elements lie; `wrong` is an array of bool, `x` the
        argument.
    same_chunks : bool
        The result must have the chunks of the argument.
    largest : float
        In cases that are `sized`, how many times as large as the largest chunk of the argument a task's result may be.
    given : float
        The same of what one task may get from others (nine chunks for the margins of a smoothing); 0 for no limit.

    The others are those of `CaseJudge`.
    """

    places: Callable[[np.ndarray, Any], None] | None = None
    same_chunks: bool = False
    largest: float = 2.0
    given: float = 16.0

    def judge(self, problem: Problem, function: Any, case: Lazy, seen: Seen, *, first: bool) -> None:
        self._judge(problem, function, case, seen, first=first)
        if first:
            self._other(problem, function, case)

    def _other(self, problem: Problem, function: Any, case: Lazy) -> None:
        """Refuse an answer that takes another array of the same shape for the first one."""
        other = replace(case, make=lambda: np.ascontiguousarray(case.make()[::-1]))
        try:
            self._judge(problem, function, other, Seen(self.facts), first=False)
        except Refusal as refusal:
            refuse("kept", f"{KEPT}: {refusal.why}", advice="Plan anew at each call.")

    def arguments(self, case: Lazy) -> tuple[Any, ...]:
        """What a case gives an answer."""
        return (case.collection(),)

    def calls(self, problem: Problem, answers: tuple[Any, ...], case: Lazy, names: str) -> str:
        """The line that calls an answer with a case, and computes what it makes."""
        return f"{problem.answers[0]}({names}).compute()"

    def _judge(self, problem: Problem, function: Any, case: Lazy, seen: Seen, *, first: bool) -> None:
        x = case.collection()
        called, ran = graphs.build(function, x, limit=problem.time_limit)
        attempted(called.value, called.printed, first=first)
        with with_printed(called.printed):
            graphs.require_lazy(called.value)
            graphs.require_unrun(ran)
            self._result(problem, case, x, called.value, seen)

    def _result(self, problem: Problem, case: Lazy, x: Any, result: Any, seen: Seen) -> None:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = np.asarray(problem.specification(case.make()))
            value, ran = graphs.compute(result, limit=problem.time_limit, optimize=False, compare=True)
        _require_unwritten(case, x, ran)  # before the values: which of them are wrong depends on the order of the tasks
        if case.device:
            stay_on_device(ran, value, x)
        elif devices.is_device(value):
            refuse(
                "device",
                "the chunks that came were NumPy's; those of the result are CuPy's. Leave them where they are.",
            )
        got = np.asarray(devices.to_host(value))
        self._values(problem, case, x, got, expected)
        if got.dtype != expected.dtype:
            refuse("dtype", f"the result's dtype is {got.dtype}; it should be {expected.dtype}.")
        graphs.require_dtype(result, got)
        if tuple(result.shape) != got.shape:
            refuse(
                "shape",
                f"the chunks have the right values, but the Dask array says that its shape is {tuple(result.shape)}; it is "
                f"{got.shape}. `map_blocks` has to be told by `chunks=` when a function changes shapes.",
            )
        self._chunks(case, x, result, ran)
        seen.look(of_graph(ran), (x,))

    def _values(self, problem: Problem, case: Lazy, x: Any, got: np.ndarray, expected: np.ndarray) -> None:
        if same(got, expected, case.rtol, case.atol):
            return
        rtol = max(case.rtol, 1e-6)
        problem.recognise(
            lambda mistake: mistake.computes(case.make(), x.chunks),
            lambda theirs: same(got, theirs, rtol, 1e-12) and not same(expected, theirs, rtol, 1e-12),
            lambda mistake: any(_gets_wrong(problem, mistake, passed) for passed in cases_before(self, case)),
        )
        if got.shape != expected.shape:
            refuse("shape", f"the result's shape is {got.shape}; it should be {expected.shape}.")
        if self.places is not None:
            self.places(~np.isclose(got, expected, rtol=case.rtol, atol=case.atol, equal_nan=True), x)
        explain(got, expected, rtol=case.rtol, atol=case.atol)

    def _chunks(self, case: Lazy, x: Any, result: Any, ran: graphs.Ran) -> None:
        allowed = self.largest * graphs.largest_chunk(x)
        if case.sized and self.given and ran.most_given > self.given * graphs.largest_chunk(x):
            task = max(ran.tasks, key=lambda task: task.given)
            refuse(
                "chunk",
                f"the result is right, but a task (`{task.name}`) gets {task.given / graphs.largest_chunk(x):.0f} times as much as "
                "a chunk of the argument has, all in one place. Where a chunk fills half of a GPU, that is the end.",
            )
        if case.sized and ran.largest > allowed:
            task = max(ran.tasks, key=lambda task: task.nbytes)
            refuse(
                "chunk",
                f"the result is right, but a task (`{task.name}`) makes {task.nbytes / graphs.largest_chunk(x):.0f} times as "
                "much as a chunk of the argument has. Where a chunk fills half of a GPU, that is the end. All of it should be "
                "done chunk by chunk.",
            )
        if self.same_chunks and result.chunks != x.chunks:
            refuse(
                "chunk", f"the result's chunks are {result.chunks}; those of the argument, {x.chunks}, should be kept."
            )


def _require_unwritten(case: Lazy, x: Any, ran: graphs.Ran) -> None:
    """Refuse a task that wrote into what it was given."""
    chunks, _ = graphs.compute(x)
    if not np.array_equal(devices.to_host(chunks), case.make(), equal_nan=True):
        refuse(
            "aliasing",
            "a chunk that came was written over. Dask may hand the same chunk to another task, or again when the plan is computed once "
            "more: write into an array of your own.",
        )
    if ran.writers:
        refuse(
            "aliasing",
            f"a task (`{ran.writers[0]}`) writes into an array that another task has made. Dask may hand the same array to a third one: "
            "write into an array of your own.",
        )


def _gets_wrong(problem: Problem, mistake: Mistake, case: Lazy) -> bool:
    """Whether a mistake gets a case wrong, by more than the case lets pass."""
    theirs = mistake.computes(case.make(), case.collection().chunks)
    return theirs is not None and not same(
        problem.expected(case.make()), theirs, max(case.rtol, 1e-6), max(case.atol, 1e-12)
    )


def stay_on_device(ran: graphs.Ran, value: Any, x: Any) -> None:
    """Refuse what left the device on the way, or at the end; a chunk's worth of numbers, or more than one."""
    left = ran.on_host(more_than=1)
    if left and devices.is_device(value):
        refuse(
            "transfer",
            f"the result is on the device, but on the way chunks were on the host: `{left[0].name}` returns NumPy arrays. "
            "Each crosses the bus twice.",
        )
    if left or not devices.is_device(value):
        name = f": `{left[0].name}` returns NumPy arrays" if left else ""
        refuse("host", f"the chunks that came were on the device; those of the result are on the host{name}.")
