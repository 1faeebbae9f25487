"""Judge kernels: the lens looks at every access of each case, then all cases are launched on the device in use.

What the lens finds is told without what fixes it: to find that out is what the learner came for. The hints end in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

import kernellens

from .. import devices, guard, traffic
from ..cases import Case
from ..facts import Seen
from ..functions import FunctionJudge, Run
from ..guard import article
from ..problem import Problem
from ..properties import all_cases
from ..untouched import empty
from ..verdict import NotAttempted, Refusal, Verified, accept, in_case, refuse
from .shares import of_kernel

Launch = tuple[tuple[int, ...], tuple[int, ...]]
"""Blocks of the grid and threads of a block."""

_RESULTS = {"value", "border", "nan", "order", "shifted", "factor", "offset", "sign", "transposed"}
_FINDINGS = {
    "out-of-bounds": "bounds",
    "race": "race",
    "uncompilable": "typing",
    "barrier-divergence": "barrier",
    "uninitialised-shared": "uninitialised",
    "uninitialised-local": "uninitialised",
    "launch": "launch-limit",
}
"""What the lens finds, as a reason; what is not here is `exception`."""
_FIRST = {
    "barrier": "a barrier must be reached by all threads of the block, and yours stands where some do not come by. "
}
"""What a learner has to know to understand the lens, said before its words."""
_RACES = {
    "shared": "Threads of a block hand numbers to each other in `{array}`. Who reads a place, or writes it anew, must wait until the "
    "other thread has finished: which `cuda.syncthreads()` makes it wait?",
    "global": "No barrier puts the threads of all blocks in an order. Each element of `{array}` that is written needs one thread of its "
    "own.",
}
"""Hints for a race, by the memory that it is in."""
_READS_FIRST = (
    "the result depends on what lay in the last array before the launch, which may be anything: nobody has set it to 0."
)
_MOST = 2**31 - 1
"""Blocks along x, the axis that takes most of them."""
_LEFT, _OTHER = 85, 23
"""What lies in the last argument before the kernel is traced, and traced again: what shows both times was not written."""


@dataclass(frozen=True)
class KernelJudge(FunctionJudge):
    """Judge a kernel that writes into its last argument.

    The case makes the arguments but the last; `out` makes that one. A kernel is traced for each case: what the lens finds
    is refused first, in the lens's words, then what it wrote is compared. When all cases are right they are launched on the
    device in use. (Each way compiles; so a wrong answer mostly hears its reason after one.)

    Parameters
    ----------
    out : callable
        ``out(*host) -> numpy.ndarray``: the last argument. Unless `starts` is true it is filled with leftovers, so that an
        element that no thread writes is noticed.
    launch : callable
        ``launch(*host) -> (blocks, threads)``, of at least one block. Not used where the learner gives it, as the second answer.
    starts : bool
        `out` is used as it is made: a kernel that adds to it may rely on that.
    looks : sequence of callables
        ``look(trace, run)``: further looks at each trace that is free of errors and right; they refuse, or return.
    unwritten : callable, optional
        ``unwritten(missing, run)`` says more of elements that nobody wrote (a mask of them); it refuses or returns.
    advise : callable
        ``advise(finding, *host) -> str``: the hint that belongs to what the lens found; empty for that of its reason.
    races : {"global", "shared"}
        The memory that the problem's own hint for a race is about. A race in the other one gets a hint of its own.
    """

    result: str = "host"
    out: Callable[..., np.ndarray] = lambda x, *_: np.empty_like(x)
    launch: Callable[..., Launch] | None = None
    starts: bool = False
    looks: Sequence[Callable[[Any, Run], None]] = ()
    unwritten: Callable[[np.ndarray, Run], None] | None = None
    advise: Callable[..., str] = lambda finding, *_: ""
    races: str = "global"

    def __post_init__(self) -> None:
        if self.drawn is not None and any(case.again for case in self.drawn.cases(0)):
            raise ValueError("a kernel has no second call: it writes where it is told, in each of its launches")

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        devices.need_cupy()
        kernel = answers[0]
        require_kernel(kernel, problem.answers[0])
        if empty(kernel):
            raise NotAttempted("the kernel does nothing yet")
        launch = self._given if self.launch else given_launch(problem, answers[1])
        seen, cases = Seen(self.facts), all_cases(self)
        for case in cases:
            if case.traced:
                with in_case(case.name, case.hint):
                    self._traced(seen, problem, kernel, launch, case)
        for case in cases:
            with in_case(case.name, case.hint):
                self._launched(problem, kernel, launch, case)
        return accept(self, problem, (kernel, launch), seen.said(self.verified))

    def _given(self, *host: Any) -> Launch:
        blocks, threads = self.launch(*host)
        if np.min(blocks) < 1:
            raise ValueError(
                f"`launch` of the problem gives {blocks} blocks: there is at least one, for no numbers, too"
            )
        return blocks, threads

    def _traced(self, facts: Seen, problem: Problem, kernel: Any, launch: Callable[..., Launch], case: Case) -> None:
        """Refuse what the lens finds in a case, and a wrong result."""
        host = case.host()
        blocks, threads = launch(*host)

        def traced(leftover: int) -> Any:
            # On the device already, so that a view has its strides: a launch does not take a host array with gaps.
            out = devices.to_device(self._out(host, leftover))
            return trace(problem, kernel, blocks, threads, *case.device(), out)

        seen = traced(_LEFT)
        _sound(seen, lambda finding: self.advise(finding, *host) or self._elsewhere(seen, finding))
        *arguments, got = seen.results
        run = Run(problem, case, host, got, problem.expected(*case.host()), traffic.Traffic(), "", tuple(arguments))
        try:
            self._kept(run)
            # Drawn cases are launched with other leftovers later: where one is right, that is enough.
            if not self.starts and (case in self.cases or not self._is_right(run)):
                other = traced(_OTHER).results[-1]
                missing = (got == _LEFT) & (other == _OTHER)
                self._written(missing, run)
                if not np.array_equal(got, other, equal_nan=got.dtype.kind == "f"):
                    refuse(
                        "uninitialised", _READS_FIRST, advice="Work the number out in a variable, and write it once."
                    )
            self.compare_run(run)
        except Refusal as refusal:
            wrapped = next((each for each in seen.errors if each.kind == "negative-index"), None)
            if wrapped is not None and refusal.reason in _RESULTS and not refusal.advice:
                refuse("wrapped", f"{refusal.why} The lens: {wrapped.diagnosis}")
            raise
        for look in self.looks:
            look(seen, run)
        if self.facts:
            facts.look(of_kernel(seen), host)

    def _launched(self, problem: Problem, kernel: Any, launch: Callable[..., Launch], case: Case) -> None:
        """Refuse a wrong result of the same launch where the learner's code runs: on a GPU where there is one."""
        host = case.host()
        blocks, threads = launch(*host)
        arguments = self.arguments(case)
        guard.call(lambda: kernel[blocks, threads](*arguments), limit=problem.time_limit)
        got = np.asarray(devices.to_host(arguments[-1]))
        self.compare_run(Run(problem, case, host, got, problem.expected(*case.host()), traffic.Traffic(), ""))

    def arguments(self, case: Case) -> tuple[Any, ...]:
        """What a case gives a kernel: the last argument is empty, as the launch finds it."""
        return (*case.device(), devices.to_device(self._out(case.host(), _OTHER)))

    def calls(self, problem: Problem, answers: tuple[Any, ...], case: Case, names: str) -> str:
        """The lines that launch an answer with a case."""
        blocks, threads = (self.launch or given_launch(problem, answers[1]))(*case.host())
        return f"{problem.answers[0]}[{blocks}, {threads}]({names})\nprint({names.rpartition(', ')[2]})"

    def _out(self, host: tuple[Any, ...], leftover: int) -> np.ndarray:
        out = self.out(*host)
        if not self.starts:
            out.fill(leftover)
        return out

    def _is_right(self, run: Run) -> bool:
        try:
            self.compare_run(run)
        except Refusal:
            return False
        return True

    def _written(self, missing: np.ndarray, run: Run) -> None:
        if not missing.any():
            return
        if self.unwritten is not None:
            self.unwritten(missing, run)
        where = ", ".join(str(int(i)) for i in np.argwhere(missing)[0])
        refuse(
            "remainder",
            f"{int(missing.sum())} of {missing.size} elements are written by no thread; the first is [{where}].",
        )

    def _elsewhere(self, seen: Any, finding: Any) -> str:
        """The hint to what was found in a memory that the problem's hint for this reason is not about; empty where it is."""
        space = next((each.space for each in seen.log.arrays if each.name == finding.array), "") if seen.log else ""
        if finding.kind == "race" and space != self.races and space in _RACES:
            return _RACES[space].format(array=finding.array)
        if finding.kind == "uninitialised-shared" and self.races == "global":
            return f"Which thread writes this place of `{finding.array}`, and what should it be where there is nothing to put in?"
        if finding.kind == "out-of-bounds" and space in ("shared", "local"):
            return f"How many places has `{finding.array}`, and which index is the largest that is used with it?"
        return ""

    @staticmethod
    def _kept(run: Run) -> None:
        for before, after in zip(run.host, run.arguments, strict=True):
            if isinstance(before, np.ndarray) and not np.array_equal(before, after, equal_nan=before.dtype.kind == "f"):
                refuse("aliasing", "the kernel writes into an array that it is given to read.")


def trace(problem: Problem, kernel: Any, blocks: tuple, threads: tuple, *arguments: Any) -> Any:
    """`lens.trace`, guarded: what the learner's kernel raises becomes a refusal."""
    wanted, given = len(arguments), kernel.py_func.__code__.co_argcount
    if wanted != given:
        refuse("exception", f"the kernel should take {wanted} arguments and takes {given}.")
    return guard.call(
        lambda: kernellens.trace(kernel, blocks, threads, *arguments), limit=problem.time_limit, wait=False
    ).value


def _sound(seen: Any, advise: Callable[[Any], str]) -> None:
    """Refuse what the lens calls an error, in its words; and a race in which all write the same, which it only warns of:
    in these problems each element has one thread."""
    # A barrier that some threads pass by comes first: races and values follow from it. The lens only warns, as Volta goes on.
    for finding in sorted(seen.errors, key=lambda each: each.kind != "barrier-divergence"):
        if finding.severity == "error" or finding.kind in ("race", "barrier-divergence"):
            said = ". ".join(part.strip().rstrip(".") for part in finding.diagnosis.splitlines())
            # Right in itself; but who writes another's element mostly leaves out its own.
            said = said.replace(", so the result is right", " here, but each element should have one thread")
            # The lens has one kind for a launch that is refused and for one that never ends.
            reason = "timeout" if "does not end" in said else _FINDINGS.get(finding.kind, "exception")
            refuse(reason, f"{_FIRST.get(reason, '')}the lens: {said}.", advice=advise(finding))


def require_kernel(answer: Any, name: str) -> None:
    """Refuse what cannot be launched on a grid."""
    if hasattr(answer, "py_func") and hasattr(type(answer), "__getitem__"):
        return
    if isinstance(answer, FunctionType):
        refuse("callable", f"{name} is a plain Python function: put `@cuda.jit` above it.")
    refuse(
        "callable", f"a kernel was expected and {article(answer)} was given. Give check the kernel itself, `{name}`."
    )


def given_launch(problem: Problem, answer: Any) -> Callable[..., Launch]:
    """The learner's own ``launch(rows, columns) -> (blocks, threads)``, as a function of the arguments of a case."""
    guard.require_callable(answer, problem.answers[1])

    def launch(x: np.ndarray, *_: Any) -> Launch:
        got = guard.call(answer, *x.shape, limit=5.0, wait=False).value
        try:
            blocks, threads = (tuple(n for n in np.atleast_1d(part).tolist()) for part in got)
        except (TypeError, ValueError):
            refuse("type", f"{problem.answers[1]} should return (blocks, threads), two tuples; it is {article(got)}.")
        odd = [n for n in (*blocks, *threads) if isinstance(n, bool) or not isinstance(n, int)]
        if odd:
            advice = "`/` gives a fraction; `-(-n // 32)` is n / 32 rounded up."
            refuse("type", f"blocks and threads are whole numbers; {odd[0]!r} is not.", advice=advice)
        if max((*blocks, *threads), default=0) > _MOST:
            refuse("launch-limit", f"no GPU launches {max(*blocks, *threads):.3g} blocks or threads along one axis.")
        return blocks, threads

    return launch


def beyond(finding: Any, shape: tuple[int, ...], threads: tuple[int, ...]) -> bool:
    """Whether one of a finding's threads has no element in an array of this shape; x counts along its last axis."""
    return any(
        block * wide + thread >= size
        for each in finding.threads
        for thread, block, wide, size in zip(each.thread, each.block, threads, reversed(shape), strict=False)
    )


def cover(columns: int, rows: int = 1, threads: tuple[int, int] = (32, 8)) -> Launch:
    """As many blocks as cover so many columns along x and rows along y; at least one."""
    return (max(-(-columns // threads[0]), 1), max(-(-rows // threads[1]), 1)), threads
