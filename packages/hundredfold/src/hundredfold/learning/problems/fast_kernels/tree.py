"""``fast-kernels.tree``: the sum of each block's 256 numbers by a tree in shared memory; barriers and the last block."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case, normal
from ..functions import Run
from ..kernels.judging import KernelJudge, Launch
from ..kernels.later import later
from ..kernels.shares import per_block, shares
from ..problem import Problem, Wrong
from ..properties import Drawn, Property, Strategy, other_data, sizes, tiny
from ..verdict import refuse
from .looking import accesses

cuda = None  # set by `later`
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


# Written as a learner would.


@later
def _sequential(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _interleaved(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    if i < x.size:
        part[t] = x[i]
    else:
        part[t] = 0
    step = 1
    while step < cuda.blockDim.x:
        cuda.syncthreads()
        if t % (2 * step) == 0:
            part[t] += part[t + step]
        step *= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _shuffled(x, sums):
    """Within a warp by registers, then the eight warps' sums by the first warp."""
    of_warp = cuda.shared.array(8, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    mine = x[i] if i < x.size else 0.0
    for step in (16, 8, 4, 2, 1):
        mine += cuda.shfl_down_sync(0xFFFFFFFF, mine, step)
    if t % 32 == 0:
        of_warp[t // 32] = mine
    cuda.syncthreads()
    if t == 0:
        mine = 0.0
        for k in range(8):
            mine += of_warp[k]
        sums[cuda.blockIdx.x] = mine


@later
def _unguarded(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _no_barriers(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _barrier_for_some(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
            cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _not_cleared(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < x.size:
        part[t] = x[i]
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _from_64(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 64
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _in_float32(x, sums):
    part = cuda.shared.array(256, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _one_adds(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    if t == 0:
        total = 0.0
        for k in range(256):
            total += part[k]
        sums[cuda.blockIdx.x] = total


@later
def _one_warp(x, sums):
    """32 threads add eight numbers each, and then those of the warp; seven warps have nothing to do."""
    t = cuda.threadIdx.x
    if t < 32:
        mine = 0.0
        for k in range(t, 256, 32):
            i = cuda.blockIdx.x * 256 + k
            if i < x.size:
                mine += x[i]
        for step in (16, 8, 4, 2, 1):
            mine += cuda.shfl_down_sync(0xFFFFFFFF, mine, step)
        if t == 0:
            sums[cuda.blockIdx.x] = mine


@later
def _by_atomics(x, sums):
    total = cuda.shared.array(1, np.float64)
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        total[0] = 0
    cuda.syncthreads()
    if i < x.size:
        cuda.atomic.add(total, 0, x[i])
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        sums[cuda.blockIdx.x] = total[0]


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
        looks=(as_a_tree,),
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
    wrong={
        "unguarded": Wrong(
            _unguarded,
            "bounds",
            hint="Not every thread of the last block has a number; yet each has to come to the barriers.",
        ),
        "no barriers": Wrong(_no_barriers, "race"),
        "barrier for some": Wrong(
            _barrier_for_some,
            "barrier",
            hint="Which threads come by this barrier? It is meant for all of the block.",
        ),
        "not cleared": Wrong(
            _not_cleared,
            "uninitialised",
            hint="What lies in the place of a thread that has no number of its own?",
        ),
        "half": Wrong(
            _from_64,
            "remainder",
            gives=_halves,
            why="only the first 128 numbers of each block are in its sum.",
            hint="256 numbers: how many threads add in the first step?",
        ),
        "float32": Wrong(
            _in_float32,
            "dtype",
            gives=_narrow,
            why="on the way the numbers are float32, which has 24 binary digits; x has 53.",
            hint="Which type has each place that a number passes through?",
        ),
        "one adds": Wrong(_one_adds, "serial", hint="Halve the number of threads that add, step by step."),
        "one warp": Wrong(_one_warp, "serial"),
        "atomics": Wrong(
            _by_atomics, "atomics", hint="Atomic additions to one place wait for each other; a tree takes 8 steps."
        ),
    },
    right={"sequential": _sequential, "interleaved": _interleaved, "shuffled": _shuffled},
)
