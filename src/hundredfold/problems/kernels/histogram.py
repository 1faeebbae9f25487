"""``kernels.histogram``: threads that overwrite each other's counts, to be repaired with atomic additions."""

from __future__ import annotations

import numpy as np

from .. import devices
from ..cases import Case
from ..differences import explain
from ..functions import Run
from ..problem import Problem, Wrong
from ..verdict import refuse
from .judging import KernelJudge, Launch
from .later import later

cuda = None  # set by `later`
BINS = 256
GRID: Launch = ((4,), (64,))
"""Fewer threads than values: the kernel needs a loop."""


def histogram(v: np.ndarray) -> np.ndarray:
    """The specification: how often each of the values 0 to 255 stands in v (n,) uint8; (256,) int32."""
    return np.bincount(v, minlength=BINS).astype(np.int32)


def values(n: int, seed: int = 0) -> np.ndarray:
    """Random uint8, small ones more often."""
    return (np.random.default_rng(seed).random(n) ** 2 * BINS).astype(np.uint8)


def _compare(run: Run) -> None:
    got = np.asarray(devices.to_host(run.got))
    total, size = int(got.sum()), run.host[0].size
    if total < size:
        refuse(
            "remainder",
            f"{size - total} of {size} values {'was' if size - total == 1 else 'were'} not counted. The launch has 256 "
            "threads, whatever the number of values.",
        )
    if total > size:
        refuse("overlap", f"{total} were counted and there are {size} values: some were counted by several threads.")
    explain(got, run.expected)


# Written as a learner would.


@later
def _atomic(v, counts):
    for i in range(cuda.grid(1), v.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, v[i], 1)


@later
def _atomic_while(v, counts):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while i < v.shape[0]:
        cuda.atomic.add(counts, (v[i],), 1)
        i += cuda.blockDim.x * cuda.gridDim.x


@later
def _shared(v, counts):
    mine = cuda.shared.array(256, np.int32)
    for k in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        mine[k] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), v.size, cuda.gridsize(1)):
        cuda.atomic.add(mine, v[i], 1)
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        cuda.atomic.add(counts, k, mine[k])


@later
def _starter(v, counts):
    for i in range(cuda.grid(1), v.size, cuda.gridsize(1)):
        counts[v[i]] += 1


@later
def _read_back(v, counts):
    for i in range(cuda.grid(1), v.size, cuda.gridsize(1)):
        counts[v[i]] = cuda.atomic.add(counts, v[i], 1) + 1


@later
def _one_each(v, counts):
    i = cuda.grid(1)
    if i < v.size:
        cuda.atomic.add(counts, v[i], 1)


@later
def _stride_of_a_block(v, counts):
    for i in range(cuda.grid(1), v.size, cuda.blockDim.x):
        cuda.atomic.add(counts, v[i], 1)


@later
def _no_end(v, counts):
    each = v.size // cuda.gridsize(1) + 1
    start = cuda.grid(1) * each
    for i in range(start, start + each):
        cuda.atomic.add(counts, v[i], 1)


@later
def _exchanged(v, counts):
    for i in range(cuda.grid(1), v.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, i % 256, 1)


@later
def _not_cleared(v, counts):
    mine = cuda.shared.array(256, np.int32)
    for i in range(cuda.grid(1), v.size, cuda.gridsize(1)):
        cuda.atomic.add(mine, v[i], 1)
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        cuda.atomic.add(counts, k, mine[k])


@later
def _one_thread(v, counts):
    if cuda.grid(1) == 0:
        for i in range(v.size):
            counts[v[i]] += 1


def _serial(seen, run) -> None:
    """Refuse a kernel in which one thread reads far more values than its share."""
    size, threads = run.host[0].size, GRID[0][0] * GRID[1][0]
    most = seen.reads["v"].most if "v" in seen.reads else 0
    if size > threads and most > 8 * -(-size // threads):
        refuse(
            "serial",
            f"the result is right, but one thread reads {most} of the {size} values. There are {threads} threads.",
        )


HISTOGRAM = Problem(
    id="kernels.histogram",
    title="Repair counts that threads overwrite",
    kind="repair",
    answers=("histogram",),
    specification=histogram,
    lines=2,
    judge=KernelJudge(
        cases=(
            Case("5000 values", lambda: (values(5000),)),
            Case("1009 values", lambda: (values(1009, seed=1),)),
            Case("a single value", lambda: (np.array([255], np.uint8),)),
            Case("no values", lambda: (np.empty(0, np.uint8),)),
            Case("always the same value", lambda: (np.full(2000, 7, np.uint8),)),
        ),
        unlisted=(Case("other 5000 values", lambda: (values(5000, seed=2),)),),
        out=lambda v: np.zeros(BINS, np.int32),
        starts=True,
        launch=lambda v: GRID,
        compare=_compare,
        looks=(_serial,),
        verified="no two threads touch a count but by atomic additions, and all threads have work",
    ),
    hints=(
        "`counts[v[i]] += 1` reads a count, adds 1 and writes it back. What if another thread reads it in between?",
        "`cuda.atomic.add(array, index, value)` does the three as one.",
        "`cuda.atomic.add(counts, v[i], 1)` in place of the addition, and nothing else.",
    ),
    wrong={
        "race": Wrong(
            _starter, "race", hint="Three steps stand in that line. What if another thread's fall between them?"
        ),
        "read back": Wrong(_read_back, "race", hint="The atomic addition writes the count itself; do not assign it."),
        "remainder": Wrong(_one_each, "remainder", hint="`for i in range(cuda.grid(1), v.size, cuda.gridsize(1))`."),
        "overlap": Wrong(
            _stride_of_a_block, "overlap", hint="The step is all threads of the launch: `cuda.gridsize(1)`."
        ),
        "bounds": Wrong(_no_end, "bounds", hint="The last threads' part ends where the values end."),
        "value": Wrong(_exchanged, "value", hint="The index of the count is the value, `v[i]`."),
        "uninitialised": Wrong(
            _not_cleared, "uninitialised", hint="Shared memory begins with leftovers: set it to 0, then `syncthreads`."
        ),
        "serial": Wrong(_one_thread, "serial", hint="Keep the loop that shares the values among all threads."),
    },
    right={"atomic": _atomic, "a while loop": _atomic_while, "counts of each block": _shared},
)
