"""A whole grid that waits for itself, barriers in odd places, and shared memory in several pieces."""

import numpy as np
from numba import cuda, float32, float64, int32, int64

from ..registry import Case, along, line, register


@cuda.jit
def diffuse(a, b, steps):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    now = a
    then = b
    for _ in range(steps):
        if i < now.size:
            left = now[max(i - 1, 0)]
            right = now[min(i + 1, now.size - 1)]
            then[i] = (left + 2 * now[i] + right) / 4
        grid.sync()
        now, then = then, now


def _diffused(a, b, steps):
    for _ in range(steps):
        wide = np.pad(a, 1, mode="edge")
        a, b = (wide[:-2] + 2 * a + wide[2:]) / 4, a
    return {0: a, 1: b} if steps % 2 == 0 else {0: b, 1: a}


register(
    "grid_sync_diffusion",
    diffuse,
    line(lambda rng, n: (rng.integers(0, 2**20, n).astype("f8"), np.zeros(n), 6), sizes=(1, 31, 300), block=64),
    _diffused,
    simulator="runs its blocks one after another, so the grid cannot wait for itself",
)


@cuda.jit
def grid_sum(x, partial, out):
    shared = cuda.shared.array(64, int64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    s = 32
    while s > 0:
        if t < s:
            shared[t] += shared[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = shared[0]
    cuda.cg.this_grid().sync()
    if i == 0:
        total = 0
        for k in range(partial.size):
            total += partial[k]
        out[0] = total


register(
    "grid_sync_sum",
    grid_sum,
    line(
        lambda rng, n: (rng.integers(0, 99, n), np.zeros(along(n, 64), "i8"), np.zeros(1, "i8")),
        sizes=(1, 64, 500),
        block=64,
    ),
    lambda x, partial, out: {1: np.add.reduceat(x, np.arange(0, x.size, 64)), 2: x.sum(keepdims=True)},
    simulator="runs its blocks one after another, so the grid cannot wait for itself",
)


@cuda.jit
def two_views(x, out):
    numbers = cuda.shared.array(0, float32)
    half = numbers[: cuda.blockDim.x]
    other = numbers[cuda.blockDim.x :]
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    half[t] = x[i] if i < x.size else 0
    other[cuda.blockDim.x - 1 - t] = half[t] * 2
    cuda.syncthreads()
    if i < x.size:
        out[i] = half[cuda.blockDim.x - 1 - t] + other[t]


def _dynamic(rng):
    for n, block in ((1, 1), (40, 8), (100, 33)):
        x = rng.integers(-99, 99, n).astype("f4")
        yield Case(f"n={n} block={block}", along(n, block), block, (x, np.zeros(n, "f4"), block), 8 * block)


def _mirrored(x, out, block):
    rows = np.pad(x, (0, -x.size % block)).reshape(-1, block)[:, ::-1]
    return {1: (3 * rows).reshape(-1)[: x.size]}


register(
    "dynamic_shared_slices",
    two_views,
    _dynamic,
    _mirrored,
    launch=lambda cuda, case, arguments: two_views[case.grid, case.block, 0, case.shared](*arguments[:2]),
)


@cuda.jit
def early_leavers(x, out):
    """Threads that have returned are not waited for."""
    shared = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    shared[t] = t
    cuda.syncthreads()
    if t >= x.size:
        return
    shared[t] += x[t]
    cuda.syncthreads()
    out[t] = shared[x.size - 1 - t]


def _one_block(rng):
    for n in (1, 32, 50, 64):
        yield Case(f"n={n}", 1, 64, (rng.integers(0, 99, n, "i4"), np.zeros(n, "i4")))


register("barrier_after_return", early_leavers, _one_block, lambda x, out: {1: (x + np.arange(x.size))[::-1]})


@cuda.jit(device=True)
def block_total(value, scratch):
    t = cuda.threadIdx.x
    scratch[t] = value
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if t < s:
            scratch[t] += scratch[t + s]
        cuda.syncthreads()
        s //= 2
    total = scratch[0]
    cuda.syncthreads()
    return total


@cuda.jit
def standardise(x, out):
    scratch = cuda.shared.array(64, float64)
    t = cuda.threadIdx.x
    row = x[cuda.blockIdx.x]
    mean = block_total(row[t], scratch) / 64
    spread = block_total((row[t] - mean) ** 2, scratch) / 64
    out[cuda.blockIdx.x, t] = (row[t] - mean) / spread**0.5


def _tables(rng):
    for n in (1, 7):
        yield Case(f"{n} rows", n, 64, (rng.normal(2, 3, (n, 64)), np.zeros((n, 64))))


# another order of summation
register(
    "barrier_in_device_function",
    standardise,
    _tables,
    lambda x, out: {1: (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)},
    rtol=1e-11,
    atol=1e-12,
)


@cuda.jit
def pipeline(x, rounds, out):
    """A barrier in a loop whose number of turns is known at run time only, and is the same for a block."""
    buffer = cuda.shared.array((2, 32), int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    buffer[0, t] = x[i]
    cuda.syncthreads()
    for turn in range(rounds[cuda.blockIdx.x]):
        now = turn % 2
        buffer[1 - now, t] = buffer[now, (t + 1) % 32] + 1
        cuda.syncthreads()
    out[i] = buffer[rounds[cuda.blockIdx.x] % 2, t]


def _rounds(rng):
    for blocks in (1, 4):
        n = 32 * blocks
        yield Case(
            f"{blocks} blocks",
            blocks,
            32,
            (rng.integers(0, 99, n, "i4"), rng.integers(0, 40, blocks), np.zeros(n, "i4")),
        )


def _rotated(x, rounds, out):
    rows = [np.roll(row, -int(k)) + k for row, k in zip(x.reshape(-1, 32), rounds, strict=True)]
    return {2: np.concatenate(rows)}


register("barrier_in_variable_loop", pipeline, _rounds, _rotated)


@cuda.jit
def vote_until_done(x, turns):
    """The classic relaxation: the block stops when no thread changed anything."""
    value = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    value[t] = x[cuda.grid(1)]
    count = 0
    cuda.syncthreads()
    while True:
        new = value[t]
        if t > 0:
            new = max(new, value[t - 1] - 1)
        changed = 1 if new != value[t] else 0
        cuda.syncthreads()
        value[t] = new
        count += 1
        if not cuda.syncthreads_or(changed):
            break
    x[cuda.grid(1)] = value[t]
    if t == 0:
        turns[cuda.blockIdx.x] = count


def _relaxed(x, turns):
    rows = x.reshape(-1, 32)
    for b, row in enumerate(rows):
        changed = True
        while changed:
            new = row.copy()
            new[1:] = np.maximum(new[1:], row[:-1] - 1)
            changed = bool((new != row).any())
            row[:] = new
            turns[b] += 1
    return {0: rows.reshape(-1), 1: turns}


def _spikes(rng):
    for blocks in (1, 5):
        yield Case(f"{blocks} blocks", blocks, 32, (rng.integers(0, 25, 32 * blocks, "i4"), np.zeros(blocks, "i4")))


register("barrier_vote_loop", vote_until_done, _spikes, _relaxed)
