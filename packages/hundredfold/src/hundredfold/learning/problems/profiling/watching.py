"""What a problem asks of the timeline of a call: of its account, which on a GPU another process takes in simulation.

The timeline is made for an H200 and without the host's own time, so it follows from what the call launches, copies and waits for,
and is the same on every machine.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import kernellens
from gpusim.hardware import gpus

from .. import counting
from ..cases import Case
from ..devices import cp, simulated
from ..functions import call
from ..problem import Problem
from ..verdict import refuse

if TYPE_CHECKING:
    from kernellens import Timeline

GPU = "H200"
Look = Callable[[Any, tuple[Any, ...]], tuple[str, ...] | str | None]


class Pinned(Case):
    """Its arrays stay on the host when the function is called, in pinned memory."""

    def device(self) -> tuple[Any, ...]:
        return tuple(pinned(value) if isinstance(value, np.ndarray) else value for value in self.host())


def pinned(x: np.ndarray) -> np.ndarray:
    """A copy of an array in pinned memory."""
    if not x.size:
        return x.copy()
    made = np.frombuffer(cp.cuda.alloc_pinned_memory(x.nbytes), x.dtype, x.size).reshape(x.shape)
    made[...] = x
    return made


@dataclass(frozen=True)
class OnTimeline:
    """For `FunctionJudge.after`: what the timeline of a second call must look like.

    Parameters
    ----------
    case : Case
    look : callable
        ``look(timeline, host arguments)``: a reason and what was seen, where an answer is refused, and the advice if it has one of its
        own; else what is said of how near to the limit it is, or None.
    hint : str
        The advice, where the reason has none.
    first : callable, optional
        The same for the timeline of the first call, which finds a pool without memory.
    """

    case: Case
    look: Look
    hint: str = ""
    first: Look | None = None

    def __call__(self, problem: Problem, function: Any) -> str | None:
        if not simulated():
            return counting.judged(self, problem, function)
        # Another allocator (cuML sets RMM's), or what other arrays left of their blocks, would serve a loop that gives its memory back.
        before = cp.cuda.get_allocator()
        cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)
        held = _rest_of_the_pool()
        try:
            return self._watched(problem, function)
        finally:
            held.clear()
            cp.cuda.set_allocator(before)

    def _watched(self, problem: Problem, function: Any) -> str | None:
        # The first call compiles, and takes memory that the next one finds in the pool.
        self._look(problem, function, self.first or (lambda timeline, arguments: None))
        gc.collect()  # the first call's result, of which no more is wanted, is to be in the pool again
        return self._look(problem, function, self.look)

    def _look(self, problem: Problem, function: Any, look: Look) -> str | None:
        seen: list[Timeline] = []

        def listening(*arguments: Any) -> Any:
            result = []
            seen.append(kernellens.timeline(lambda: result.append(function(*arguments)), gpu=GPU).without_host())
            return result[0]

        run = call(problem, listening, self.case)
        problem.judge.compare_run(run)
        found = look(seen[0], run.host)
        if isinstance(found, tuple):
            reason, why, *advice = found
            refuse(reason, f"the result is right, but {why}", advice="".join(advice) or self.hint, case=self.case.name)
        return found


def _rest_of_the_pool() -> list[Any]:
    """Take all that the pool has free, so that the next array needs memory of the driver."""
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    held: list[Any] = []
    size = min(pool.free_bytes(), 1 << 28)
    while size >= 512 and pool.free_bytes():
        before = pool.total_bytes()
        try:
            memory = pool.malloc(size)
        except cp.cuda.memory.OutOfMemoryError:
            size //= 2
            continue
        if pool.total_bytes() == before:
            held.append(memory)
        else:  # no free block was large enough
            del memory
            pool.free_all_blocks()
            size //= 2
    return held


def waits_before_the_end(timeline: Timeline) -> int:
    """How often the host waits and then gives the device more work."""
    last = max((entry.end for entry in timeline.entries if entry.row == "host" and entry.kind == "launch"), default=0.0)
    work = [entry for entry in timeline.waits if entry.end < last]
    return len(work)


_KEEP = (
    "The pool hands a freed array's memory to the next array of the stream that it was made in, whatever other streams still do with it. "
    "Keep a reference to the array until the other stream is done with it. Or copy and compute each block in one stream. "
    "Or let the stream that copies wait for an event that the other one records behind its work."
)


def sent(timeline: Timeline) -> tuple[float, float]:
    """Seconds of the copies to the device, and those that they would take from pinned memory."""
    copies = [entry for entry in timeline.copies if entry.way == "h2d"]
    return sum(entry.seconds for entry in copies), sum(entry.nbytes for entry in copies) / gpus.find(GPU).link


NOTHING_SENT = (
    "a second call with the same blocks sends nothing to the device. It uses what the first call kept.",
    "Each call sends its blocks and computes with them.",
)


def joined(timeline: Timeline) -> tuple[str, ...] | None:
    """A refusal, if work of a stream or a copy to the host is waited for by nobody, or what a stream uses is not ordered."""
    if timeline.unordered:
        return "unordered", f"{timeline.unordered[0]}. On a GPU the second may run first."
    if timeline.reused:
        return (
            "freed-early",
            f"{timeline.reused[0]}. On a GPU the new numbers may come before the old ones were used.",
            _KEEP,
        )
    if timeline.unjoined:
        return (
            "unjoined",
            f"nobody waits for {timeline.unjoined[0]} before the function returns. On a GPU the caller may read what is not there yet.",
        )
    arrived = max((entry.end for entry in timeline.copies if entry.way == "d2h"), default=0.0)
    if arrived and not any(entry.end >= arrived for entry in timeline.waits):
        return (
            "unjoined",
            "nobody waits for the copy to the host before the function returns. On a GPU the caller may read what is not there yet.",
        )
    return None
