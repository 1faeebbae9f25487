"""What the threads of a warp tell each other: shuffles, votes, matches, masks. Numba's simulator has none of it."""

import numpy as np
from numba import cuda, float32, int32

from ..registry import along, line, register

NONE = "has no warp intrinsics"
SIZES = (1, 31, 33, 200)


def _lanes(x, fill=0, width=32):
    rows = along(x.size, width)
    return np.pad(x, (0, rows * width - x.size), constant_values=fill).reshape(rows, width)


def _flat(rows, n):
    return np.ascontiguousarray(rows).reshape(-1)[:n]


@cuda.jit
def votes(x, every, some, equal, ballot):
    i = cuda.grid(1)
    positive = i < x.size and x[i] > 0
    a = cuda.all_sync(0xFFFFFFFF, positive)
    s = cuda.any_sync(0xFFFFFFFF, positive)
    e = cuda.eq_sync(0xFFFFFFFF, positive)
    b = cuda.ballot_sync(0xFFFFFFFF, positive)
    if i < x.size:
        every[i] = a
        some[i] = s
        equal[i] = e
        ballot[i] = b


def _signs(rng, n):
    x = rng.integers(-1, 2, n)
    x[: min(n, 32)] = 1
    return x, np.zeros(n, "?"), np.zeros(n, "?"), np.zeros(n, "?"), np.zeros(n, "u4")


def _voted(x, *_):
    rows = _lanes(x) > 0
    every, some = rows.all(1), rows.any(1)
    ballot = (rows * (1 << np.arange(32))).sum(1)
    return {k: np.repeat(v, 32)[: x.size] for k, v in enumerate((every, some, every | ~some, ballot), 1)}


register("warp_votes", votes, line(_signs, sizes=SIZES, block=64), _voted, simulator=NONE)


@cuda.jit
def compact_by_ballot(x, out, count):
    i = cuda.grid(1)
    keep = i < x.size and x[i] % 2 == 0
    ballot = cuda.ballot_sync(0xFFFFFFFF, keep)
    before = cuda.popc(ballot & cuda.lanemask_lt())
    base = 0
    if cuda.laneid == 0:
        base = cuda.atomic.add(count, 0, cuda.popc(ballot))
    base = cuda.shfl_sync(0xFFFFFFFF, base, 0)
    if keep:
        out[base + before] = x[i]


def _even(x, out, count):
    kept = x[x % 2 == 0]
    out[: kept.size] = kept
    return {1: out, 2: np.array([kept.size])}


def _sorted_values(values):
    return [np.sort(value) if k == 1 else value for k, value in enumerate(values)]


register(
    "warp_compaction",
    compact_by_ballot,
    line(lambda rng, n: (rng.integers(1, 99, n), np.zeros(n, "i8"), np.zeros(1, "i8")), sizes=SIZES, block=64),
    _even,
    canonical=_sorted_values,
    simulator=NONE,
)


@cuda.jit
def matches(x, peers, unanimous):
    i = cuda.grid(1)
    value = int32(x[i]) if i < x.size else int32(-1)
    mask = cuda.match_any_sync(0xFFFFFFFF, value)
    _, same = cuda.match_all_sync(0xFFFFFFFF, value)
    if i < x.size:
        peers[i] = mask
        unanimous[i] = same


def _matched(x, peers, unanimous):
    rows = _lanes(x, -1)
    equal = rows[:, :, None] == rows[:, None, :]
    masks = (equal * (1 << np.arange(32, dtype="u8"))).sum(2)
    return {1: _flat(masks, x.size), 2: np.repeat(equal.all((1, 2)), 32)[: x.size]}


def _colours(rng, n):
    x = rng.integers(0, 5, n, dtype="i4")
    x[: min(n, 32)] = 3
    return x, np.zeros(n, "u4"), np.zeros(n, "?")


register("warp_matches", matches, line(_colours, sizes=SIZES, block=64), _matched, simulator=NONE)


@cuda.jit
def rotate_lanes(x, out):
    i = cuda.grid(1)
    value = x[i] if i < x.size else 0
    value = cuda.shfl_sync(0xFFFFFFFF, value, (cuda.laneid + 5) % 32)
    if i < x.size:
        out[i] = value


register(
    "shuffle_rotation",
    rotate_lanes,
    line(lambda rng, n: (rng.integers(-(2**60), 2**60, n), np.zeros(n, "i8")), sizes=SIZES, block=96),
    lambda x, out: {1: _flat(np.roll(_lanes(x), -5, 1), x.size)},
    simulator=NONE,
)


@cuda.jit
def float_shuffles(x, up, down, across):
    i = cuda.grid(1)
    value = x[i] if i < x.size else float32(-1)
    u = cuda.shfl_up_sync(0xFFFFFFFF, value, 3)
    d = cuda.shfl_down_sync(0xFFFFFFFF, value, 7)
    a = cuda.shfl_xor_sync(0xFFFFFFFF, value, 21)
    if i < x.size:
        up[i] = u
        down[i] = d
        across[i] = a


def _shifted(x, *_):
    rows, lane = _lanes(x, -1), np.arange(32)
    # Lanes that would reach outside of the warp keep their own value.
    up = rows[:, np.where(lane >= 3, lane - 3, lane)]
    down = rows[:, np.where(lane < 25, lane + 7, lane)]
    return {1: _flat(up, x.size), 2: _flat(down, x.size), 3: _flat(rows[:, lane ^ 21], x.size)}


register(
    "shuffle_directions",
    float_shuffles,
    line(lambda rng, n: (rng.normal(size=n).astype("f4"), *np.zeros((3, n), "f4")), sizes=SIZES, block=64),
    _shifted,
    simulator=NONE,
)


@cuda.jit
def masks(out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i, 0] = cuda.laneid
        out[i, 1] = cuda.lanemask_lt()
        out[i, 2] = cuda.warpsize


def _lane_facts(out):
    lane = np.arange(len(out)) % 32
    return {0: np.stack([lane, (1 << lane) - 1, np.full(len(out), 32)], 1)}


register(
    "lane_facts",
    masks,
    line(lambda rng, n: (np.zeros((n, 3), "i8"),), sizes=SIZES, block=64),
    _lane_facts,
    simulator=NONE,
)


@cuda.jit
def active_lanes(out):
    i = cuda.grid(1)
    whole = cuda.activemask()
    out[i] = cuda.popc(whole)


register(
    "active_mask",
    active_lanes,
    line(lambda rng, n: (np.zeros(n, "i4"),), sizes=(32, 96, 128), block=32),
    lambda out: {0: np.full(out.size, 32)},
    simulator=NONE,
)


@cuda.jit
def half_warps(x, out):
    """The two halves of a warp each take their own road, with a mask that names them."""
    i = cuda.grid(1)
    value = x[i]
    if cuda.laneid < 16:
        for step in (8, 4, 2, 1):
            value += cuda.shfl_xor_sync(0x0000FFFF, value, step)
    else:
        for step in (8, 4, 2, 1):
            value = max(value, cuda.shfl_xor_sync(0xFFFF0000, value, step))
    out[i] = value


def _halves(x, out):
    rows = x.reshape(-1, 2, 16)
    return {1: np.repeat(np.stack([rows[:, 0].sum(1), rows[:, 1].max(1)], 1), 16)}


register(
    "divergent_half_warps",
    half_warps,
    line(lambda rng, n: (rng.integers(-99, 99, n), np.zeros(n, "i8")), sizes=(32, 192), block=32),
    _halves,
    simulator=NONE,
)


@cuda.jit
def exchange_through_shared(x, out):
    """No barrier of the block: lanes of a warp exchange through shared memory and wait for each other only."""
    mine = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    mine[t] = x[i] if i < x.size else 0
    cuda.syncwarp()
    other = mine[t ^ 1]
    cuda.syncwarp()
    mine[t] = other * 2
    cuda.syncwarp()
    if i < x.size:
        out[i] = mine[t ^ 2]


register(
    "syncwarp_exchange",
    exchange_through_shared,
    line(lambda rng, n: (rng.integers(0, 99, n, dtype="i4"), np.zeros(n, "i4")), sizes=SIZES, block=64),
    lambda x, out: {1: _flat(_lanes(x)[:, np.arange(32) ^ 3] * 2, x.size)},
    simulator=NONE,
)


@cuda.jit
def warp_bitonic(x):
    i = cuda.grid(1)
    lane = cuda.laneid
    value = x[i] if i < x.size else int32(2147483647)
    size = 2
    while size <= 32:
        step = size // 2
        while step > 0:
            other = cuda.shfl_xor_sync(0xFFFFFFFF, value, step)
            smaller = ((lane & step) == 0) == ((lane & size) == 0)
            value = min(value, other) if smaller else max(value, other)
            step //= 2
        size *= 2
    if i < x.size:
        x[i] = value


register(
    "warp_bitonic_sort",
    warp_bitonic,
    line(lambda rng, n: (rng.integers(-999, 999, n, dtype="i4"),), sizes=SIZES, block=64),
    lambda x: {0: _flat(np.sort(_lanes(x, 2**31 - 1), 1), x.size)},
    simulator=NONE,
)


@cuda.jit
def bits(x, wide, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i, 0] = cuda.popc(x[i])
        out[i, 1] = cuda.clz(x[i])
        out[i, 2] = cuda.brev(x[i])
        out[i, 3] = cuda.ffs(x[i])
        out[i, 4] = cuda.popc(wide[i])
        out[i, 5] = cuda.clz(wide[i])
        out[i, 6] = cuda.ffs(wide[i])


def _bit_facts(x, wide, out):
    def facts(value, width):
        text = format(int(value), f"0{width}b")
        return text.count("1"), width - len(text.lstrip("0")), int(text[::-1], 2), (text[::-1].find("1") + 1)

    for k in range(x.size):
        out[k, :4] = facts(x[k], 32)
        many, leading, _, first = facts(wide[k], 64)
        out[k, 4:] = many, leading, first
    return {2: out}


def _words(rng, n):
    x, wide = rng.integers(0, 2**32, n, dtype="u4"), rng.integers(0, 2**64, n, dtype="u8")
    x[::5], wide[::7] = 0, 2**63
    return x, wide, np.zeros((n, 7), "i8")


register(
    "bit_counting",
    bits,
    line(_words, sizes=(1, 31, 200)),
    _bit_facts,
    simulator="finds the first set bit of the low 32 bits only",
)


@cuda.jit
def selected(x, y, out, roots):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = cuda.selp(x[i] > y[i], cuda.fma(x[i], y[i], 1.0), y[i])
        roots[i] = cuda.cbrt(x[i])


# a fused multiply-add rounds once, and a cube root is libm's
register(
    "fma_selp_cbrt",
    selected,
    line(lambda rng, n: (*rng.normal(size=(2, n)), np.zeros(n), np.zeros(n))),
    lambda x, y, *_: {2: np.where(x > y, x * y + 1, y), 3: np.cbrt(x)},
    rtol=1e-14,
    atol=1e-15,
    same_bits=False,
    simulator="takes a cube root as a power: NaN below zero",
)
