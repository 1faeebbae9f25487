"""Barriers, shuffles, votes, grids that synchronise, locks."""

import numpy as np
import pytest

from gpusim.kernels.faults import DeadlockError, EndlessError

from .conftest import cuda, launch

FULL = 0xFFFFFFFF


def test_block_reduction_with_early_returns_and_uniform_loop():
    def kernel(x, out):
        kept = cuda.shared.array(128, np.float64)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        kept[t] = x[i] if i < x.size else 0.0
        if t >= 64 and t % 2:
            kept[t - 1] += kept[t]
            kept[t] = 0
            return  # a lane that has ended holds nobody
        cuda.syncthreads()
        step = 64
        while step > 0:
            if t < step:
                kept[t] += kept[t + step]
            cuda.syncthreads()
            step //= 2
        if t == 0:
            out[cuda.blockIdx.x] = kept[0]

    x = np.arange(1000.0)
    out = np.zeros(8)
    launch(kernel, 8, 128, x, out)
    np.testing.assert_array_equal(out, [x[k : k + 128].sum() for k in range(0, 1000, 128)])


def test_barriers_in_both_branches():
    def kernel(out):
        kept = cuda.shared.array(64, np.int32)
        t = cuda.threadIdx.x
        if t < 20:
            kept[t] = t
            cuda.syncthreads()
        else:
            kept[t] = 2 * t
            cuda.syncthreads()
        out[cuda.grid(1)] = kept[63 - t]

    out = np.zeros(192, "i4")
    launch(kernel, 3, 64, out)
    t = 63 - np.arange(192) % 64
    np.testing.assert_array_equal(out, np.where(t < 20, t, 2 * t))


def test_barriers_inside_device_functions_and_loops_of_different_blocks():
    def exchange(kept, t, value):
        kept[t] = value
        cuda.syncthreads()
        got = kept[31 - t]
        cuda.syncthreads()
        return got

    exchange = cuda.device(exchange)

    def kernel(out):
        kept = cuda.shared.array(32, np.int32)
        t, value = cuda.threadIdx.x, cuda.grid(1)
        for _ in range(cuda.blockIdx.x):  # not the same in every block
            value = exchange(kept, t, value) + 1
        out[cuda.grid(1)] = value

    out = np.zeros(32 * 5, "i4")
    launch(kernel, 5, 32, out)
    value = np.arange(160).reshape(5, 32)
    for block in range(5):
        for _ in range(block):
            value[block] = value[block][::-1] + 1
    np.testing.assert_array_equal(out, value.ravel())


def test_barriers_that_count():
    def kernel(x, count, every, some):
        b, i = cuda.blockIdx.x, cuda.grid(1)
        if cuda.threadIdx.x == 5:
            return
        count[i] = cuda.syncthreads_count(int(x[i] > b))
        every[i] = cuda.syncthreads_and(int(x[i] > 1))
        some[i] = cuda.syncthreads_or(int(x[i] > 90 + b))

    x = np.random.default_rng(0).integers(0, 100, 40 * 6)
    count, every, some = np.zeros((3, 240), "i4")
    launch(kernel, 6, 40, x, count, every, some)
    for b in range(6):
        block = slice(40 * b, 40 * b + 40)
        present = np.delete(x[block], 5)
        mine = np.arange(40) != 5
        np.testing.assert_array_equal(count[block], (present > b).sum() * mine)
        np.testing.assert_array_equal(every[block], (present > 1).all() * mine)
        np.testing.assert_array_equal(some[block], (present > 90 + b).any() * mine)


@pytest.mark.parametrize("threads", [32, 50, 96])
def test_shuffles(threads):
    def kernel(x, a, b, c, d):
        i = cuda.grid(1)
        a[i] = cuda.shfl_sync(FULL, x[i], (cuda.laneid * 3) % 16)
        b[i] = cuda.shfl_up_sync(FULL, x[i], 2)
        c[i] = cuda.shfl_down_sync(FULL, x[i], 5)
        d[i] = cuda.shfl_xor_sync(FULL, x[i], 1)

    n = 3 * threads
    x = np.random.default_rng(0).normal(size=n)
    got = np.zeros((4, n))
    launch(kernel, 3, threads, x, *got)
    t = np.arange(n) % threads
    first, lane, size = np.arange(n) - t % 32, t % 32, np.minimum(32, threads - t // 32 * 32)

    def at(source):
        source = np.where((source >= 0) & (source < size), source, lane)
        return x[first + source]

    for mine, source in zip(got, ((lane * 3) % 16, lane - 2, lane + 5, lane ^ 1), strict=True):
        np.testing.assert_array_equal(mine, at(source))


def test_warp_sum_where_some_lanes_have_ended():
    def kernel(x, out):
        i = cuda.grid(1)
        if i >= x.size:
            return
        v = x[i]
        d = 16
        while d:
            v += cuda.shfl_xor_sync(FULL, v, d)
            d >>= 1
        if cuda.laneid == 0:
            out[i // 32] = v

    x, out = np.arange(96, dtype="i4"), np.zeros(3, "i4")
    launch(kernel, 2, 64, x, out)
    np.testing.assert_array_equal(out, x.reshape(3, 32).sum(1))


def test_votes_and_matches():
    def kernel(x, ballot, every, some, equal, match, alike, agreed, active, below):
        i = cuda.grid(1)
        mask = 0xFFFF if cuda.laneid < 16 else 0xFFFF0000
        ballot[i] = cuda.ballot_sync(mask, x[i] > 2)
        every[i] = cuda.all_sync(mask, x[i] > 0)
        some[i] = cuda.any_sync(mask, x[i] > 4)
        equal[i] = cuda.eq_sync(mask, x[i] > 1)
        match[i] = cuda.match_any_sync(mask, x[i])
        alike[i], agreed[i] = cuda.match_all_sync(mask, x[i] // 3)
        if i % 3 == 0:
            active[i] = cuda.activemask()
        below[i] = cuda.lanemask_lt()

    n = 64
    x = np.random.default_rng(3).integers(0, 6, n).astype("i4")
    x[16:32] = 4
    got = [np.zeros(n, t) for t in "i4 ? ? ? i4 i4 ? u4 u4".split()]
    launch(kernel, 1, n, x, *got)
    for i in range(n):
        first, lane = i // 32 * 32, i % 32
        mine = range(16) if lane < 16 else range(16, 32)
        there = {j: x[first + j] for j in mine}

        def mask(lanes):
            return sum(1 << j for j in lanes)

        same = len({v // 3 for v in there.values()}) == 1
        expected = [
            mask(j for j, v in there.items() if v > 2),
            all(v > 0 for v in there.values()),
            any(v > 4 for v in there.values()),
            len({v > 1 for v in there.values()}) == 1,
            mask(j for j, v in there.items() if v == x[i]),
            mask(mine) if same else 0,
            same,
            mask(j for j in range(32) if (first + j) % 3 == 0) if i % 3 == 0 else 0,
            (1 << lane) - 1,
        ]
        for array, value in zip(got, expected, strict=True):
            assert int(array[i]) & FULL == int(value) & FULL


def test_shuffles_in_both_branches_meet():
    def kernel(x, out):
        i = cuda.grid(1)
        if i % 2:
            v = cuda.shfl_xor_sync(FULL, x[i], 1)
        else:
            v = cuda.shfl_xor_sync(FULL, x[i] * 10, 1)
        out[i] = v

    x, out = np.arange(64), np.zeros(64, "i8")
    launch(kernel, 1, 64, x, out)
    np.testing.assert_array_equal(out, np.where(x % 2, (x ^ 1) * 10, x ^ 1))


def test_grid_sync():
    def kernel(a, b, steps):
        grid = cuda.cg.this_grid()
        i = cuda.grid(1)
        for _ in range(steps):
            if i < a.size:
                b[i] = a[i - 1] + a[(i + 1) % a.size]
            grid.sync()
            if i < a.size:
                a[i] = b[i] % 1000
            grid.sync()

    a = np.arange(5000)
    expected = a.copy()
    launch(kernel, 80, 64, a, np.zeros_like(a), 7)
    for _ in range(7):
        expected = (np.roll(expected, 1) + np.roll(expected, -1)) % 1000
    np.testing.assert_array_equal(a, expected)


def test_a_lock_that_a_whole_warp_wants():
    def kernel(lock, total, order):
        i = cuda.grid(1)
        while cuda.atomic.cas(lock, 0, 0, 1) != 0:
            pass
        order[total[0]] = i
        total[0] += 1
        cuda.threadfence()
        cuda.atomic.exch(lock, 0, 0)

    lock, total, order = np.zeros(1, "i4"), np.zeros(1, "i8"), np.full(192, -1)
    launch(kernel, 3, 64, lock, total, order)
    assert total[0] == 192 and lock[0] == 0
    np.testing.assert_array_equal(np.sort(order), np.arange(192))


def test_a_lock_taken_inside_the_loop():
    def kernel(lock, total):
        done, tries = False, 0
        while not done:
            tries += 1
            if cuda.atomic.cas(lock, 0, 0, 1) == 0:
                total[0] = total[0] + 1
                cuda.atomic.exch(lock, 0, 0)
                done = True

    lock, total = np.zeros(1, "i4"), np.zeros(1, "i8")
    launch(kernel, 2, 40, lock, total)
    assert total[0] == 80


def test_blocks_that_wait_for_the_block_before_them():
    def kernel(flags, partial, x):
        b, t = cuda.blockIdx.x, cuda.threadIdx.x
        kept = cuda.shared.array(1, np.int64)
        if t == 0:
            while b > 0 and cuda.atomic.add(flags, b - 1, 0) == 0:
                pass
            kept[0] = partial[b - 1] if b > 0 else 0
            partial[b] = kept[0] + b
            cuda.threadfence()
            cuda.atomic.exch(flags, b, 1)
        cuda.syncthreads()
        x[cuda.grid(1)] += kept[0]

    blocks = 100
    flags, partial, x = np.zeros(blocks, "i4"), np.zeros(blocks, "i8"), np.zeros(blocks * 8, "i8")
    launch(kernel, blocks, 8, flags, partial, x)
    b = np.repeat(np.arange(blocks), 8)
    np.testing.assert_array_equal(x, b * (b - 1) // 2)


def test_a_block_that_waits_for_a_later_one():
    def kernel(flag, out):
        b = cuda.blockIdx.x
        if b == 0:
            while flag[0] == 0:
                pass
        elif b == cuda.gridDim.x - 1:
            flag[0] = 7
        out[b] = flag[0]

    flag, out = np.zeros(1, "i4"), np.zeros(500, "i4")
    launch(kernel, 500, 1024, flag, out)  # more than run together
    assert out[0] == 7


def test_an_endless_loop_is_told():
    def kernel(x):
        i = cuda.grid(1)
        while x[i] >= 0:
            x[i] += 1

    def waits(flag):
        if cuda.grid(1) == 3:
            while flag[0] == 0:
                pass

    for endless, line in ((kernel, 3), (waits, 3)):
        with pytest.raises(EndlessError) as told:
            launch(endless, 1, 5, np.zeros(5, "i8"))
        assert told.value.line == line and told.value.seconds == 1


def test_lanes_that_wait_for_ever_are_told():
    def kernel(out):
        if cuda.threadIdx.x < 16:
            cuda.syncwarp(FULL)
        else:
            cuda.syncthreads()
        out[0] = 1

    with pytest.raises(DeadlockError) as told:
        launch(kernel, 1, 32, np.zeros(1))
    assert told.value.line == 3


def test_a_stop_is_heard():
    def kernel(x):
        for _ in range(10**9):
            x[0] += 1

    class Stop(Exception):
        pass

    def stop():
        raise Stop

    with pytest.raises(Stop):
        launch(kernel, 1, 1, np.zeros(1), should_stop=stop)
