"""Judge what a function reads, writes and holds in device memory, after its results were found right.

Bytes read and written are counted by the simulator, on a GPU in another process. What is held is heard from CuPy's own memory
hooks, on both alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import counting
from .bus import on_the_bus
from .cases import Case
from .devices import cp, pooled, to_host
from .differences import same
from .functions import FunctionJudge, Run, call
from .problem import Problem
from .traffic import spell
from .verdict import Refusal, refuse


@dataclass(frozen=True)
class Traffic:
    """For `FunctionJudge.after`: at most so many bytes of device memory traffic per element.

    Parameters
    ----------
    case : Case
        A large one; its first argument's elements are counted.
    allowed, limit : float
        Bytes per element: what passes, and what nobody can do with less than.
    means : str
        What the limit is, for the sentence: "each operand read once, the result written once".
    near : bool
        Whether a right answer is told how near to the limit it comes.
    """

    case: Case
    allowed: float
    limit: float
    means: str
    near: bool = False

    def __call__(self, problem: Problem, function: Any) -> str:
        on_the_bus(self.case, share=0.01)(problem, function)
        per_element, launches = self._moved(problem, function)
        if per_element > self.allowed + 0.5:
            refuse(
                "traffic",
                f"the result is right, but your code moves {per_element:.0f} bytes of device memory per element; at most "
                f"{self.allowed:g} are allowed, and the limit is {self.limit:g}: {self.means}.{launches}",
                case=self.case.name,
            )
        share = 100 * self.limit / max(per_element, self.limit)
        return f"How near to the limit: {share:.0f} % (the limit: {self.means})." if self.near else ""

    def _moved(self, problem: Problem, function: Any) -> tuple[float, str]:
        run = call(problem, function, self.case)
        size, moved = run.host[0].size, counting.of_run(run, function)
        big = [f"{name} {nbytes / size:.0f}" for name, nbytes in moved.launches if 2 * nbytes > size]
        return moved.device / size, f" Kernel by kernel: {', '.join(big)}." if big else ""


@dataclass(frozen=True)
class Held:
    """For `FunctionJudge.after`: at most so many bytes of device memory at once, the result included.

    Parameters
    ----------
    case : Case
        A large one.
    allowed : callable
        ``allowed(*host arguments)``: bytes.
    why : str
        What the sentence says after the two figures.
    """

    case: Case
    allowed: Callable[..., float]
    why: str

    def __call__(self, problem: Problem, function: Any) -> None:
        heard: list[int] = []

        def listening(*arguments: Any) -> Any:
            result, most = peak(function, *arguments)
            heard.append(most)
            return result

        run = call(problem, listening, self.case)
        problem.judge.compare_run(run)
        allowed = self.allowed(*run.host)
        if heard[0] > allowed:
            refuse(
                "held",
                f"the result is right, but {spell(heard[0])} of device memory were taken at the same time; "
                f"{spell(allowed)} are enough. {self.why}",
                case=self.case.name,
            )


def keeping_digits(rtol: float, atol: float = 0.0, known: str = "float32", advice: str = "") -> Callable[[Run], None]:
    """For `FunctionJudge.compare`: the judge's own comparison, but what is right in its first digits only has lost the
    others on the way, in a type such as `known`; `advice` is the hint that goes with it."""
    plain = FunctionJudge(cases=(), rtol=rtol, atol=atol)

    def compare(run: Run) -> None:
        try:
            plain.compare_run(run)
        except Refusal as refusal:
            if refusal.reason not in _PATTERNS or refusal.advice:
                raise
            got, expected = np.asarray(to_host(run.got), dtype=float), np.asarray(run.expected, dtype=float)
            if got.shape == expected.shape and same(np.isnan(got), np.isnan(expected), 0, 0):
                digits = -np.log10(np.nanmax(np.abs(got - expected) / np.maximum(np.abs(expected), 1e-9)))
                if _DIGITS[known][0] <= digits < _DIGITS[known][1]:
                    why = f"only the first {int(digits)} digits are right, about as many as {known} has."
                    refuse("dtype", why, advice=f"{advice} {_OTHERWISE}".strip())
            raise

    return compare


_DIGITS = {"float32": (5, 9), "float16": (2.3, 4.5)}
"""How many digits are right of what was computed in a type, from and to."""
_OTHERWISE = "If all is in the right type, look for a rounded constant, or for a small number that was added."

_PATTERNS = ("value", "offset", "factor", "order", "border")
"""Reasons for which numbers that are only a little off may be refused."""


def peak(function: Any, *arguments: Any) -> tuple[Any, int]:
    """Call a function; return its result and the most bytes of device memory that it had taken at the same time."""
    import gc

    gc.collect()  # what earlier calls left in cycles would be freed, and counted, in the middle of this one
    alive: dict[int, int] = {}
    most = 0

    class Hook(cp.cuda.MemoryHook):  # type: ignore[misc, name-defined]
        name = "hundredfold.learning.problems"

        def malloc_postprocess(self, **told: Any) -> None:
            nonlocal most
            alive[told["mem_ptr"]] = told["mem_size"]
            most = max(most, sum(alive.values()))

        def free_postprocess(self, **told: Any) -> None:
            alive.pop(told["mem_ptr"], None)  # what was taken before the call does not count

    with pooled(), Hook():
        result = function(*arguments)
    return result, most
