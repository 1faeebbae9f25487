"""``fast-kernels.tree``: the sum of each block's 256 numbers by a tree in shared memory; barriers and the last block."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case, normal
from ..functions import Run
from ..kernels.judging import KernelJudge, Launch
from ..kernels.shares import per_block, shares
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, other_data, sizes, tiny
from ..verdict import refuse
from .looking import accesses, all_come

BLOCK = 256
DEPTH = 8
"""Steps of the tree: 256 = 2⁸."""


def block_sums(x: np.ndarray) -> np.ndarray:
    """The specification: for x (n,) float64 the sum of each 256 numbers, the last of as many as are left;
    (⌈n / 256⌉,) float64, at least one."""
    return np.array([x[start : start + BLOCK].sum() for start in range(0, max(x.size, 1), BLOCK)])


def _launch(x: np.ndarray) -> Launch:
    return (max(-(-x.size // BLOCK), 1),), (BLOCK,)


def _narrow(x: np.ndarray) -> np.ndarray:
    return block_sums(x.astype(np.float32).astype(np.float64))


def _halves(x: np.ndarray) -> np.ndarray:
    return np.array([x[start : start + BLOCK // 2].sum() for start in range(0, max(x.size, 1), BLOCK)])


_LAST = Property(
    (
        Strategy("infinity in the last place", change=lambda rng, args: (np.append(args[0][:-1], np.inf),)),
        Strategy("NaN in the last place", change=lambda rng, args: (np.append(args[0][:-1], np.nan),)),
    ),
    "A thread that has no number adds 0.0, and nothing that it works out of another's number: 0 times infinity is NaN.",
)


def as_a_tree(seen: Any, run: Run) -> None:
    """Refuse a sum that one thread makes alone, or that waits for one place all the time."""
    for name, count in accesses(seen).items():
        if count["reads_by_one"] > 2 * DEPTH + 4:
            refuse(
                "serial",
                f"the result is right, but one thread reads `{name}` {count['reads_by_one']} times: in a tree none adds more than "
                f"{DEPTH} times.",
            )
        if count["atomics"] > 2 * seen.blocks:
            refuse(
                "atomics",
                f"the result is right, by {count['atomics']} atomic additions in {seen.blocks} blocks: those to one place go one "
                "after the other.",
            )


def _turns(n: int) -> np.ndarray:
    """Whole numbers that float32 does not hold; each pair comes to 1."""
    return np.resize([2.0**24 + 1, -(2.0**24)], n)


TREE = Problem(
    id="fast-kernels.tree",
    title="Repair a tree that cannot wait",
    kind="repair",
    answers=("block_sums",),
    specification=block_sums,
    lines=12,
    judge=KernelJudge(
        cases=(
            Case("512 whole numbers that float32 does not hold", lambda: (_turns(512),)),
            Case("1000 numbers", lambda: (normal(1000, seed=1),)),
            Case("one number", lambda: (np.array([-3.5]),)),
            Case("no numbers", lambda: (np.empty(0),)),
            Case("a NaN in the second block of three", lambda: (np.where(np.arange(577) == 300, np.nan, 1.0),)),
        ),
        drawn=Drawn(
            lambda rng, n: (rng.standard_normal(n) - 4,),
            771,
            sizes(255, 256, 257, words="{} numbers"),
            _LAST,
            tiny(1e-20, rtol=1e-9, atol=0.0),
            other_data(),
        ),
        rtol=1e-9,
        atol=1e-9,
        out=lambda x: np.empty(max(-(-x.size // BLOCK), 1)),
        launch=_launch,
        races="shared",
        looks=(all_come, as_a_tree),
        facts=(
            per_block("each block sums up its own numbers", 1, hint="Block b has its own 256 numbers and its own sum."),
            shares(
                "all threads take part",
                reads=lambda x: (2,),
                hint="Each of the 256 threads takes a number of its own; then half as many add, and half of those.",
            ),
        ),
        verified="no thread reads what another has not finished, each barrier is passed by all",
    ),
    hints=(
        "Which threads have written the numbers that `part[t] += part[t + step]` reads? Have they all finished?",
        "`cuda.syncthreads()` once after the numbers are in, and once after each step, where *all* threads come by: not inside "
        "`if t < step`.",
        "The last block has more threads than numbers. A thread without a number puts 0.0 into its place, and goes on.",
    ),
    advice={
        "bounds": "Not every thread of the last block has a number; yet each has to come to the barriers.",
        "barrier": "Which threads come by this barrier? It is meant for all of the block.",
        "uninitialised": "What lies in the place of a thread that has no number of its own?",
        "serial": "Halve the number of threads that add, step by step.",
        "atomics": "Atomic additions to one place wait for each other; a tree takes 8 steps.",
    },
    mistakes={
        "half": Mistake(
            "remainder",
            "only the first 128 numbers of each block are in its sum.",
            _halves,
            hint="256 numbers: how many threads add in the first step?",
        ),
        "float32": Mistake(
            "dtype",
            "on the way the numbers are float32, which has 24 binary digits; x has 53.",
            _narrow,
            hint="Which type has each place that a number passes through?",
        ),
    },
)
