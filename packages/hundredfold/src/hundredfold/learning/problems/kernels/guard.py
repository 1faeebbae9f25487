"""``kernels.guard``: an elementwise kernel that writes past the end of its array, to be repaired."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case, normal
from ..problem import Problem, Wrong
from ..properties import Drawn, constants, infinities, other_data, sizes, tiny
from .judging import KernelJudge, Launch, beyond
from .later import later
from .shares import shares

cuda = None  # set by `later`
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


# Written as a learner would.


@later
def _guarded(x, gain, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = min(x[i] * gain, 1.0)


@later
def _strided(x, gain, out):
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        out[i] = min(x[i] * gain, 1.0)


@later
def _starter(x, gain, out):
    i = cuda.grid(1)
    out[i] = min(x[i] * gain, 1.0)


@later
def _one_too_many(x, gain, out):
    i = cuda.grid(1)
    if i <= x.size:
        out[i] = min(x[i] * gain, 1.0)


@later
def _one_too_few(x, gain, out):
    i = cuda.grid(1)
    if i < x.size - 1:
        out[i] = min(x[i] * gain, 1.0)


@later
def _own_block_only(x, gain, out):
    i = cuda.threadIdx.x
    if i < x.size:
        out[i] = min(x[i] * gain, 1.0)


@later
def _all_by_each(x, gain, out):
    for i in range(x.size):
        out[i] = min(x[i] * gain, 1.0)


@later
def _one_block(x, gain, out):
    if cuda.blockIdx.x == 0:
        for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
            out[i] = min(x[i] * gain, 1.0)


@later
def _in_place(x, gain, out):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = min(x[i] * gain, 1.0)
        out[i] = x[i]


@later
def _by_blocks(x, gain, out):
    i = cuda.blockIdx.x * cuda.gridDim.x + cuda.threadIdx.x
    if i < x.size:
        out[i] = min(x[i] * gain, 1.0)


@later
def _not_limited(x, gain, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * gain


@later
def _returns(x, gain, out):
    i = cuda.grid(1)
    if i < x.size:
        return min(x[i] * gain, 1.0)


def _plain(x, gain, out):
    for i in range(x.size):
        out[i] = min(x[i] * gain, 1.0)


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
            Case("1009 numbers, a prime", lambda: (normal(1009, seed=1, dtype="float32"), 0.5)),
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
    wrong={
        "bounds": Wrong(
            _starter,
            "bounds",
            hint="The last block has more threads than there are numbers left. (If there is a guard: `<=` lets one too many in.)",
        ),
        "one too many": Wrong(_one_too_many, "bounds"),
        "one too few": Wrong(
            _one_too_few,
            "remainder",
            hint="Each of the x.size elements is written, whatever its number and its value: which of them is left out?",
        ),
        "own block": Wrong(
            _own_block_only,
            "race",
            hint="Each thread needs an element of its own: `cuda.grid(1)` counts through all blocks.",
        ),
        "all by each": Wrong(_all_by_each, "race"),
        "in place": Wrong(_in_place, "aliasing", hint="Write into `out` only."),
        "by blocks": Wrong(_by_blocks, "race"),
        "value": Wrong(
            _not_limited, "value", _unlimited, "numbers above 1 are to become 1.", "`min(x[i] * gain, 1.0)`."
        ),
        "one block": Wrong(_one_block, "serial"),
        "returns": Wrong(_returns, "typing", hint="A kernel returns nothing: `out[i] = …`."),
        "plain": Wrong(_plain, "callable", hint="`@cuda.jit` on the line above `def`."),
    },
    right={"guarded": _guarded, "strided": _strided},
)
