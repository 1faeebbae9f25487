"""``kernels.guard``: an elementwise kernel that writes past the end of its array, to be repaired."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case, normal
from ..problem import Mistake, Problem
from ..properties import Drawn, constants, infinities, other_data, sizes, tiny
from .judging import KernelJudge, Launch, beyond
from .shares import shares

THREADS = 128
FEW = 4
"""Numbers that one thread may do: with all threads at work it is one."""


def brighten(x: np.ndarray, gain: float) -> np.ndarray:
    """The specification: x (n,) float32 times gain, at most 1; (n,) float32."""
    return np.minimum(x * np.float32(gain), np.float32(1))


def _launch(x: np.ndarray, gain: float) -> Launch:
    return (max(-(-x.size // THREADS), 1),), (THREADS,)


def _without_a_number(finding: Any, x: np.ndarray, *_: Any) -> str:
    """The advice for a race if one of the threads has no number: its index was clamped, or wrapped."""
    if finding.kind == "race" and beyond(finding, x.shape, (THREADS,)):
        return "A thread without a number is to do nothing, in place of doing another's."
    return ""


def _unlimited(x: np.ndarray, gain: float) -> np.ndarray:
    return x * np.float32(gain)


GUARD = Problem(
    id="kernels.guard",
    title="Repair a kernel that does too much",
    kind="repair",
    answers=("brighten",),
    specification=brighten,
    lines=2,
    judge=KernelJudge(
        cases=(
            Case("1000 numbers", lambda: (normal(1000, dtype="float32"), 1.5)),
            Case("1009 numbers, and a gain below 0", lambda: (normal(1009, seed=1, dtype="float32"), -1.5)),
            Case("256 numbers, two full blocks", lambda: (normal(256, seed=2, dtype="float32"), 2.0)),
            Case("a single number", lambda: (np.array([0.25], np.float32), 2.0)),
            Case("no numbers", lambda: (np.empty(0, np.float32), 2.0)),
            Case(
                "every third of a longer array", lambda: (normal(900, seed=3, dtype="float32"), 1.5), lambda a: a[::3]
            ),
        ),
        drawn=Drawn(
            lambda rng, n: (rng.standard_normal(n).astype(np.float32), round(rng.uniform(0.5, 3), 2)),
            1000,
            sizes(127, 129, 2003, words="{} numbers"),
            other_data(),
            constants(),
            tiny(1e-30),
            infinities(),
        ),
        rtol=1e-6,
        launch=_launch,
        advise=_without_a_number,
        facts=(
            shares(
                "the numbers are shared among the threads",
                reads=lambda x, gain: (FEW,),
                hint="The launch has a thread for each number: let each do its own.",
            ),
        ),
        verified="nothing out of bounds is touched, no two threads write the same element, x is unchanged",
    ),
    hints=(
        "1000 numbers in blocks of 128: 8 blocks, 1024 threads. What do the last 24 do?",
        "`cuda.grid(1)` is the thread's number in the whole launch. Ask whether x has an element of this number.",
        "`if i < x.size:` and the line below it moved to the right.",
    ),
    advice={
        "bounds": "The last block has more threads than there are numbers left. (If there is a guard: `<=` lets one too many in.)",
        "remainder": "Each of the x.size elements is written, whatever its number and its value: which of them is left out?",
        "race": "Each thread needs an element of its own: `cuda.grid(1)` counts through all blocks.",
        "aliasing": "Write into `out` only.",
        "typing": "A kernel returns nothing: `out[i] = …`.",
        "callable": "`@cuda.jit` on the line above `def`.",
    },
    mistakes={
        "value": Mistake("value", "numbers above 1 are to become 1.", _unlimited, hint="`min(x[i] * gain, 1.0)`."),
    },
)
