"""Atomics of every kind, and what is built on them: compaction, queues, locks, tickets, graph searches."""

import numpy as np
from numba import cuda, float64, int32

from ..registry import Case, along, line, register


@cuda.jit
def keep_positive(x, out, count):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        place = cuda.atomic.add(count, 0, 1)
        out[place] = x[i]


def _kept(x, out, count):
    kept = x[x > 0]
    out[: kept.size] = kept
    return {1: out, 2: np.array([kept.size])}


def _sorted_values(values):
    """The order in which an atomic counter hands out places is open."""
    return [np.sort(value) if k == 1 else value for k, value in enumerate(values)]


register(
    "compaction_atomic",
    keep_positive,
    line(lambda rng, n: (rng.normal(size=n), np.zeros(n), np.zeros(1, "i4"))),
    _kept,
    canonical=_sorted_values,
)


@cuda.jit
def compact_in_order(x, out, count):
    """One block, in order: every thread learns its place from a scan."""
    flags = cuda.shared.array(128, int32)
    t = cuda.threadIdx.x
    done = 0
    for start in range(0, x.size, 128):
        i = start + t
        keep = 1 if i < x.size and x[i] % 3 == 0 else 0
        flags[t] = keep
        cuda.syncthreads()
        offset = 1
        while offset < 128:
            add = flags[t - offset] if t >= offset else 0
            cuda.syncthreads()
            flags[t] += add
            cuda.syncthreads()
            offset *= 2
        if keep:
            out[done + flags[t] - 1] = x[i]
        done += flags[127]
        cuda.syncthreads()
    if t == 0:
        count[0] = done


def _multiples(x, out, count):
    kept = x[x % 3 == 0]
    out[: kept.size] = kept
    return {1: out, 2: np.array([kept.size])}


def _one_block(rng):
    for n in (0, 1, 128, 1009):
        yield Case(f"n={n}", 1, 128, (rng.integers(-99, 99, n), np.zeros(n, "i8"), np.zeros(1, "i8")))


register("compaction_ordered", compact_in_order, _one_block, _multiples)


@cuda.jit
def every_atomic(x, integers, old):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(integers, 0, x[i])
        cuda.atomic.sub(integers, 1, x[i])
        cuda.atomic.and_(integers, 2, x[i])
        cuda.atomic.or_(integers, 3, x[i])
        cuda.atomic.xor(integers, 4, x[i])
        cuda.atomic.max(integers, 5, x[i])
        cuda.atomic.min(integers, 6, x[i])
        cuda.atomic.inc(integers, 7, 9)
        cuda.atomic.dec(integers, 8, 9)
        old[i] = cuda.atomic.exch(integers, 9, i)


def _words(rng, n):
    integers = rng.integers(0, 2**31, 10, dtype="u4")
    integers[7:9] = 4
    return rng.integers(0, 2**32, n, dtype="u4"), integers, np.zeros(n, "u4")


def _all_atomics(x, integers, old):
    v = integers.astype(object)
    y = [int(value) for value in x]
    for value in y:
        v[2] &= value
        v[3] |= value
        v[4] ^= value
        v[7] = 0 if v[7] >= 9 else v[7] + 1
        v[8] = 9 if v[8] == 0 or v[8] > 9 else v[8] - 1
    v[0] = (v[0] + sum(y)) % 2**32
    v[1] = (v[1] - sum(y)) % 2**32
    v[5], v[6] = max([v[5], *y]), min([v[6], *y])
    # What exchange leaves and returns depends on the order: together they are the first value and all that were put.
    together = np.append(v[9], np.arange(x.size)).astype("u4")
    return {1: np.append(v[:9], together[-1:]).astype("u4"), 2: together[:-1]}


def _exchanged(values):
    x, integers, old = values
    together = np.sort(np.append(old, integers[9]))
    return [x, np.append(integers[:9], together[-1:]), together[:-1]]


register("every_atomic_uint32", every_atomic, line(_words, sizes=(1, 31, 256, 500)), _all_atomics, canonical=_exchanged)


@cuda.jit
def atomic_slots(x, sums, index):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for j in range(x.shape[1]):
            cuda.atomic.add(sums, (index[i], j), x[i, j])
            cuda.atomic.max(sums, (index[i], x.shape[1]), x[i, j])


def _groups(rng, n):
    return rng.integers(-9, 9, (n, 3)).astype("f8"), np.zeros((5, 4)), rng.integers(-5, 5, n)


def _grouped(x, sums, index):
    np.add.at(sums[:, :3], index, x)
    np.maximum.at(sums[:, 3], index, x.max(1))
    return {1: sums}


register("atomics_two_dimensional", atomic_slots, line(_groups, sizes=(1, 31, 500)), _grouped)


@cuda.jit
def add_under_lock(lock, total, most):
    if cuda.threadIdx.x == 0:
        while cuda.atomic.compare_and_swap(lock, 0, 1) != 0:
            pass
        cuda.threadfence()
        total[0] = total[0] + cuda.blockIdx.x
        most[0] = max(most[0], cuda.blockIdx.x)
        cuda.threadfence()
        cuda.atomic.exch(lock, 0, 0)


def _locked(rng):
    for blocks in (1, 5, 33):
        yield Case(f"{blocks} blocks", blocks, 32, (np.zeros(1, "i4"), np.zeros(1, "i8"), np.zeros(1, "i8")))


register(
    "mutex",
    add_under_lock,
    lambda rng: (Case(c.label, c.grid, c.block, (*c.args, c.grid)) for c in _locked(rng)),
    lambda lock, total, most, blocks: {1: np.array([blocks * (blocks - 1) // 2]), 2: np.array([blocks - 1])},
    launch=lambda cuda, case, arguments: add_under_lock[case.grid, case.block](*arguments[:3]),
)


@cuda.jit
def float_max_by_cas(x, bits):
    i = cuda.grid(1)
    if i < x.size:
        old = bits[0]
        while old < x[i]:
            seen = cuda.atomic.cas(bits, 0, old, x[i])
            if seen == old:
                break
            old = seen


register(
    "compare_and_swap_loop",
    float_max_by_cas,
    line(lambda rng, n: (rng.integers(0, 10**9, n), np.array([-1]))),
    lambda x, bits: {1: np.array([x.max(initial=-1)])},
)


@cuda.jit
def breadth_first_level(indptr, neighbours, level, depth, changed):
    node = cuda.grid(1)
    if node < level.size and level[node] == depth:
        for k in range(indptr[node], indptr[node + 1]):
            if cuda.atomic.cas(level, neighbours[k], -1, depth + 1) == -1:
                changed[0] = True


def _search_launch(cuda, case, arguments):
    indptr, neighbours, level, changed = arguments
    depth = 0
    while True:
        changed[0] = False
        breadth_first_level[case.grid, case.block](indptr, neighbours, level, depth, changed)
        if not changed.copy_to_host()[0]:
            break
        depth += 1


def _graphs(rng):
    for n in (1, 40, 300):
        degree = rng.integers(0, 4, n)
        indptr = np.zeros(n + 1, "i4")
        indptr[1:] = np.cumsum(degree)
        level = np.full(n, -1, "i4")
        level[0] = 0
        yield Case(
            f"{n} nodes", along(n, 64), 64, (indptr, rng.integers(0, n, indptr[-1], "i4"), level, np.zeros(1, "?"))
        )


def _levels(indptr, neighbours, level, changed):
    front, depth = [0], 0
    while front:
        depth += 1
        new = {int(v) for node in front for v in neighbours[indptr[node] : indptr[node + 1]] if level[v] < 0}
        for node in new:
            level[node] = depth
        front = sorted(new)
    return {2: level, 3: np.zeros(1, "?")}


# Blocks mark nodes that others look at in the same launch, which level-synchronous searches allow themselves: who sees the
# new level has nothing to do at it. And all write the same True.
register("breadth_first_search", breadth_first_level, _graphs, _levels, launch=_search_launch, traced="race")


@cuda.jit
def union_edges(edges, parent):
    e = cuda.grid(1)
    if e < edges.shape[0]:
        a = edges[e, 0]
        b = edges[e, 1]
        while a != b:
            if a < b:
                a, b = b, a
            old = cuda.atomic.min(parent, a, b)
            if old == a or old == b:
                break
            a = old


@cuda.jit
def flatten_roots(parent):
    i = cuda.grid(1)
    if i < parent.size:
        root = parent[i]
        while root != parent[root]:
            root = parent[root]
        parent[i] = root


def _components_launch(cuda, case, arguments):
    edges, parent = arguments
    union_edges[case.grid, case.block](edges, parent)
    flatten_roots[1, 64](parent)


def _components(edges, parent):
    changed = True
    while changed:
        before = parent.copy()
        np.minimum.at(parent, edges[:, 0], parent[edges[:, 1]])
        np.minimum.at(parent, edges[:, 1], parent[edges[:, 0]])
        changed = not np.array_equal(before, parent)
    return {1: parent}


register(
    "connected_components",
    union_edges,
    line(lambda rng, n: (rng.integers(0, 60, (n, 2)), np.arange(60)), sizes=(1, 30, 64)),
    _components,
    launch=_components_launch,
    traced="race",  # flattening reads roots that others are replacing by the same roots
)


@cuda.jit
def shared_queue(x, out, count):
    queue = cuda.shared.array(64, float64)
    size = cuda.shared.array(1, int32)
    base = cuda.shared.array(1, int32)
    if cuda.threadIdx.x == 0:
        size[0] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size and x[i] > 0.5:
        queue[cuda.atomic.add(size, 0, 1)] = x[i]
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        base[0] = cuda.atomic.add(count, 0, size[0])
    cuda.syncthreads()
    if cuda.threadIdx.x < size[0]:
        out[base[0] + cuda.threadIdx.x] = queue[cuda.threadIdx.x]


def _queued(x, out, count):
    kept = x[x > 0.5]
    out[: kept.size] = kept
    return {1: out, 2: np.array([kept.size])}


register(
    "block_queue",
    shared_queue,
    line(lambda rng, n: (rng.random(n), np.zeros(n), np.zeros(1, "i4")), sizes=(1, 63, 200), block=64),
    _queued,
    canonical=_sorted_values,
)
