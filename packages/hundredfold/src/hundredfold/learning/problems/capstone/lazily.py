"""Judge a function that takes a Dask array of device chunks and returns a lazy one: what it computes, and what it would cost.

A case is built (nothing may run meanwhile), computed in this thread, and compared; then its graph is held to limits: no chunk, on the way or
at the end, above what a worker can hold; no chunk on the host; no more tasks for each chunk than allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import devices, graphs, guard
from ..cases import Case
from ..differences import explain, same
from ..graphs import KEPT
from ..guard import require_callable
from ..problem import Problem
from ..traffic import Traffic, spell, watch
from ..verdict import Refusal, Verified, attempted, in_case, refuse


@dataclass(frozen=True)
class Chunked:
    """A Dask array to be, for a `Case`: its numbers on the host, and how they are cut.

    Parameters
    ----------
    numbers : numpy.ndarray
    chunks : tuple
        As Dask takes them.
    """

    numbers: np.ndarray
    chunks: tuple[Any, ...]

    def lazy(self, made: list[tuple[Any, Any]] | None = None) -> Any:
        """The Dask array, each chunk of which is made on the device when it runs; `made` takes each, after its place."""
        import dask.array as da

        cupy = devices.need_cupy()
        numbers = self.numbers

        def part(block_info: Any = None) -> Any:
            place = tuple(slice(*ends) for ends in block_info[None]["array-location"])
            chunk = cupy.asarray(numbers[place])
            if made is not None:
                made.append((place, chunk))
            return chunk

        chunks = da.core.normalize_chunks(self.chunks, numbers.shape, dtype=numbers.dtype)
        meta = cupy.empty((0,) * numbers.ndim, numbers.dtype)
        return da.map_blocks(part, chunks=chunks, dtype=numbers.dtype, meta=meta, name=f"given-{id(numbers):x}")


_WRITTEN = (
    "the result is right, but a task changes a chunk that it was given: whoever else needs this chunk finds other numbers in it. "
    "`copy()` makes one of your own."
)


@dataclass(frozen=True)
class LazyJudge:
    """Judge a function of a Dask array (its last argument) and of arrays on the device.

    Parameters
    ----------
    cases : sequence of Case
        Their last argument is a `Chunked`.
    unlisted : sequence of Case
        Judged after them, and not named in the verdict.
    chunk : callable
        ``chunk(*host) -> float``: bytes that the largest result of one task may have.
    given : float
        How many times that much one task may get from others.
    tasks : float
        How many tasks may run for each chunk that is given, at most.
    rtol, atol : float
    seams : callable, optional
        ``seams(got, expected, chunked)``: a further look at wrong values; it refuses or returns.
    near : callable
        ``near(ran, given) -> str``: what is said of how near the limit is.
    whole : callable, optional
        ``whole(chunked) -> Chunked``: the same numbers cut so that nothing is apart that belongs together. An answer that is right
        with these alone, and fails or is wrong as they come, is refused with `apart`.
    apart : tuple of str
        Why, and the advice.
    verified : str
    dtype : bool
        The dtype must be the specification's.
    """

    cases: Sequence[Case]
    chunk: Callable[..., float]
    tasks: float
    near: Callable[[graphs.Ran, Any], str]
    unlisted: Sequence[Case] = ()
    given: float = 8.0
    rtol: float = 1e-6
    atol: float = 1e-6
    seams: Callable[[np.ndarray, np.ndarray, Chunked], None] | None = None
    whole: Callable[[Chunked], Chunked] | None = None
    apart: tuple[str, str] = ("", "")
    verified: str = ""
    dtype: bool = False

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        function = answers[0]
        require_callable(function, problem.answers[0])
        devices.need_cupy()
        said = ""
        for place, case in enumerate((*self.cases, *self.unlisted)):
            with in_case(case.name, case.hint):
                near = self._judge(problem, function, case, first=place == 0)
                if place == 0:
                    self._other(problem, function, case)
                said = near if case in self.cases else said
        what = f"{len(self.cases)} cases ({'; '.join(case.name for case in self.cases)})"
        return Verified(f"{what}{self.verified and '; ' + self.verified}.", said)

    def _other(self, problem: Problem, function: Any, case: Case) -> None:
        """Refuse an answer that takes another array of the same shape for the first one."""

        def make() -> tuple[Any, ...]:
            *others, chunked = case.make()
            return (*others, Chunked(np.ascontiguousarray(chunked.numbers[::-1]), chunked.chunks))

        try:
            self._judge(problem, function, replace(case, make=make), first=False)
        except Refusal as refusal:
            refuse("kept", f"{KEPT}: {refusal.why}", advice="Plan anew at each call.")

    def _judge(self, problem: Problem, function: Any, case: Case, *, first: bool) -> str:
        *others, chunked = host = case.host()
        made: list[tuple[Any, Any]] = []
        given = chunked.lazy(made)
        arguments = [devices.to_device(each) for each in others]
        called, ran = graphs.build(function, *arguments, given, limit=problem.time_limit)
        attempted(called.value, called.printed, first=first)
        answer = called.value
        graphs.require_lazy(answer)
        graphs.require_unrun(ran)
        expected = problem.expected(*others, chunked.numbers)
        try:
            with watch() as moved:
                got, ran = graphs.compute(answer, limit=problem.time_limit)
        except Refusal as failed:
            if failed.reason == "exception":
                self._apart(problem, function, host, expected)
            raise
        self._compare(problem, function, host, got, expected)
        if self.dtype:
            graphs.require_dtype(answer, got)
        for place, chunk in made:
            if not np.array_equal(devices.to_host(chunk), chunked.numbers[place], equal_nan=True):
                refuse("aliasing", _WRITTEN)
        # Once more, step by step: what a fused task makes on its way is not seen.
        _, steps = graphs.compute(answer, limit=problem.time_limit, optimize=False)
        self._costs(host, steps)
        _stayed(host, moved, ran)
        self._count(ran, given)
        return self.near(ran, given)

    def _apart(self, problem: Problem, function: Any, host: tuple[Any, ...], expected: np.ndarray) -> None:
        """Refuse an answer that would be right if what belongs together came in one chunk."""
        *others, chunked = host
        if self.whole is None or (whole := self.whole(chunked)).chunks == chunked.chunks:
            return
        guard.settle(problem.time_limit)  # what failed may have more of its kind behind it
        try:
            called, _ = graphs.build(function, *map(devices.to_device, others), whole.lazy(), limit=problem.time_limit)
            got, _ = graphs.compute(called.value, limit=problem.time_limit)
        except Refusal:
            return
        if same(np.asarray(devices.to_host(got)), expected, self.rtol, self.atol):
            why, advice = self.apart
            refuse("seam", why, advice=advice)

    def _compare(self, problem: Problem, function: Any, host: tuple[Any, ...], got: Any, expected: np.ndarray) -> None:
        on_device = devices.is_device(got)
        ours = np.asarray(devices.to_host(got))
        if not same(ours, expected, self.rtol, self.atol):
            problem.recognise(
                lambda mistake: mistake.computes(*host),
                lambda theirs: (
                    same(ours, theirs, self.rtol, self.atol) and not same(expected, theirs, self.rtol, self.atol)
                ),
            )
            self._apart(problem, function, host, expected)
        if ours.shape != expected.shape:
            refuse("shape", f"the result's shape is {ours.shape}; it should be {expected.shape}.")
        if self.dtype and ours.dtype != expected.dtype:
            refuse("dtype", f"the result's dtype is {ours.dtype}; it should be {expected.dtype}.")
        if self.seams is not None and not same(ours, expected, self.rtol, self.atol):
            self.seams(ours, expected, host[-1])
        explain(ours, expected, rtol=self.rtol, atol=self.atol)
        if not on_device:
            refuse(
                "host",
                "the result is right, but its chunks are on the host: leave them on the device until somebody asks for numbers.",
            )

    def _costs(self, host: tuple[Any, ...], ran: graphs.Ran) -> None:
        fetched = ran.on_host(more_than=1)
        if fetched:
            refuse(
                "transfer",
                f"the result is right, but {len(fetched)} of {len(ran.tasks)} tasks return arrays on the host, such as {fetched[0].name}: "
                "the chunks lie on the device, let them.",
            )
        allowed = self.chunk(*host)
        if ran.largest > allowed:
            worst = max(ran.tasks, key=lambda task: task.nbytes)
            refuse(
                "held",
                f"the result is right, but the task {worst.name} makes {spell(worst.nbytes)} at once; a worker of this size holds chunks of at "
                f"most {spell(allowed)}. What need not be together, leave apart.",
            )
        if ran.most_given > self.given * allowed:
            worst = max(ran.tasks, key=lambda task: task.given)
            refuse(
                "held",
                f"the result is right, but the task {worst.name} is given {spell(worst.given)} at once; a worker of this size holds chunks "
                f"of at most {spell(allowed)}. What need not be together, leave apart.",
            )

    def _count(self, ran: graphs.Ran, given: Any) -> None:
        most = self.tasks * given.npartitions
        if len(ran.tasks) > most:
            refuse(
                "tasks",
                f"the result is right, but {len(ran.tasks)} tasks run for {given.npartitions} chunks; at most {most:.0f} are allowed. Each "
                "costs the scheduler its time, whatever is in it.",
            )


def _stayed(host: tuple[Any, ...], moved: Traffic, ran: graphs.Ran) -> None:
    """Refuse chunks that go to the host *within* a task, where what the task returns does not show it.

    Each task may fetch the small arguments, and a number.
    """
    *others, chunked = host
    allowed = len(ran.tasks) * (16 + sum(each.nbytes for each in others if isinstance(each, np.ndarray)))
    if moved.to_host > allowed and 4 * moved.to_host > chunked.numbers.nbytes:
        refuse(
            "transfer",
            f"the result is right, but while it was computed {spell(moved.to_host)} went from the device to the host; all chunks together "
            f"have {spell(chunked.numbers.nbytes)}. The chunks lie on the device, let them.",
        )
