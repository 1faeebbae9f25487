"""`lens.schedules`: a racy kernel gives different answers, a right one the same, and it is said what that means."""

import numba
import numpy as np
import pytest

import kernellens
from gpusim.kernels.backends.numpy.orders import some
from gpusim.kernels.faults import KernelError

cuda = None  # set by conftest.py


def histogram(x, counts):
    counts[x[cuda.grid(1)]] += 1


def atomic_histogram(x, counts):
    cuda.atomic.add(counts, x[cuda.grid(1)], 1)


def reduction(x, out, barrier):
    tile = cuda.shared.array(128, numba.float32)
    t = cuda.threadIdx.x
    tile[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    s = 64
    while s > 0:
        if t < s:
            tile[t] += tile[t + s]
        if barrier:
            cuda.syncthreads()
        s //= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


def last_warp(x, out, step):
    """The end of a reduction as older courses have it: within one warp, and with nothing that orders its lanes."""
    tile = cuda.shared.array(32, numba.float32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncwarp()
    s = 16
    while s > 0:
        if t < s:
            tile[t] += tile[t + s]
        if step:
            cuda.syncwarp()
        s //= 2
    if t == 0:
        out[0] = tile[0]


def of_neighbours(x, out):
    """A block takes what the block before it has written, if it has."""
    b = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        out[b] = 1.0 if b == 0 else out[b - 1] + 1.0


def last_wins(out):
    out[0] = cuda.grid(1)


def total(x, out):
    cuda.atomic.add(out, 0, x[cuda.grid(1)])


def compacted(x, out, n):
    i = cuda.grid(1)
    if x[i] > 0:
        out[cuda.atomic.add(n, 0, 1)] = x[i]


def locked(out, mutex):
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
            pass
        out[0] += 1
        cuda.threadfence()
        cuda.atomic.exch(mutex, 0, 0)


def reversed_block(x, out):
    tile = cuda.shared.array(64, numba.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = x[i]
    cuda.syncthreads()
    out[i] = tile[63 - t]


def shuffled_sum(x, out):
    value = x[cuda.grid(1)]
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
    if cuda.threadIdx.x % 32 == 0:
        cuda.atomic.add(out, 0, value)


def past_the_end(x, out):
    out[cuda.grid(1)] = x[cuda.grid(1) + 1]


X = np.arange(256) % 4


@pytest.mark.large(smoke=2)
@pytest.mark.parametrize(
    "kernel, launch, args",
    [
        (histogram, (4, 64), (X, np.zeros(4, np.int32))),
        (reduction, (2, 128), (np.arange(256, dtype=np.float32), np.zeros(2, np.float32), False)),
        (last_warp, (1, 32), (np.arange(32, dtype=np.float32), np.zeros(1, np.float32), False)),
        (of_neighbours, (8, 32), (np.zeros(8), np.zeros(8))),
        (last_wins, (4, 64), (np.zeros(1, np.int64),)),
    ],
)
def test_a_race_gives_different_answers(kernel, launch, args):
    found = kernellens.schedules(kernel, *launch, *args)
    assert not found.agree and len(found.answers) >= 2 and found.tried == 8
    assert [d.how for d in found.differences] == ["values"]
    assert found.races and {race.kind for race in found.races} == {"race"}
    assert sum(answer.orders for answer in found.answers) == 8
    assert "A GPU may give any of them" in str(found)
    assert not args[-1 if isinstance(args[-1], np.ndarray) else 1].any()  # what the user has is left alone


@pytest.mark.large
@pytest.mark.parametrize(
    "kernel, launch, args, expected",
    [
        (atomic_histogram, (4, 64), (X, np.zeros(4, np.int32)), (1, [64] * 4)),
        (reduction, (2, 128), (np.arange(256, dtype=np.float32), np.zeros(2, np.float32), True), (1, [8128, 24512])),
        (last_warp, (1, 32), (np.arange(32, dtype=np.float32), np.zeros(1, np.float32), True), (1, [496])),
        (locked, (8, 32), (np.zeros(1), np.zeros(1, np.int32)), (0, [8])),
        (reversed_block, (2, 64), (np.arange(128.0), np.zeros(128)), (1, [*range(63, -1, -1), *range(127, 63, -1)])),
        (shuffled_sum, (2, 64), (np.arange(128), np.zeros(1, np.int64)), (1, [8128])),
    ],
)
def test_a_right_kernel_gives_the_same_in_every_order(kernel, launch, args, expected):
    found = kernellens.schedules(kernel, *launch, *args, seeds=9)
    assert found.agree and found.tried == 9 and found.differences == []
    position, values = expected
    assert found.answers[0].results[position].tolist() == values
    assert "That is no proof" in str(found)


def test_a_sum_that_rounds_otherwise_is_no_other_answer():
    x = (np.random.default_rng(2).random(512) * 1e3).astype(np.float32)
    found = kernellens.schedules(total, 4, 128, x, np.zeros(1, np.float32))
    assert [d.how for d in found.differences] == ["rounding"]
    assert "last digits" in str(found) and "A GPU may give any" not in str(found)


def test_the_same_values_in_another_order_are_said_to_be():
    x = np.where(np.arange(256) % 3 == 0, np.arange(256), -1)
    found = kernellens.schedules(compacted, 4, 64, x, np.zeros(256, np.int64), np.zeros(1, np.int64))
    assert [(d.name, d.how) for d in found.differences] == [("out", "order")]
    assert "the same values in other places" in str(found)


def test_the_same_seeds_give_the_same_orders():
    first, again = (kernellens.schedules(histogram, 4, 64, X, np.zeros(4, np.int32)) for _ in range(2))
    assert [a.order for a in first.answers] == [a.order for a in again.answers]
    for one, other in zip(first.answers, again.answers, strict=True):
        assert np.array_equal(one.results[1], other.results[1])


def test_the_first_order_is_the_plainest_and_the_others_differ_in_kind():
    orders = some(8)
    assert (orders[0].blocks, orders[0].burst, orders[0].shuffled) == (1, 0, False)
    assert len({order.sentence for order in orders}) == 8
    assert {order.apart for order in orders} == {True, False}


def test_two_answers_stand_side_by_side():
    found = kernellens.schedules(histogram, 4, 64, X, np.zeros(4, np.int32))
    left, right = (answer.results[1] for answer in found.answers[:2])
    lines = str(found).splitlines()
    head = next(k for k, line in enumerate(lines) if "order 0" in line and line.startswith("   "))
    name, one, other = lines[head + 1].split()
    assert name == "counts[0]" and int(one) == left[0] and int(other) != int(one)
    assert right[0] in {answer.results[1][0] for answer in found.answers}
    figure = found.figure()
    assert "differs in 4 elements, first at (0,)" in figure.alt
    assert len(str(figure.data()["item"])) < 60_000


def test_all_orders_may_stop_with_the_same_error():
    found = kernellens.schedules(past_the_end, 1, 32, np.zeros(32), np.zeros(32))
    assert found.agree and found.answers[0].fault is not None
    assert "x[32] does not exist" in str(found)


def test_what_cannot_be_tried_is_said():
    with pytest.raises(ValueError, match="at least two orders"):
        kernellens.schedules(last_wins, 1, 32, np.zeros(1), seeds=1)
    with pytest.raises(ValueError, match="run a smaller launch"):
        kernellens.schedules(last_wins, 1 << 10, 1 << 10, np.zeros(1))
    with pytest.raises(TypeError, match="takes 1 argument "):
        kernellens.schedules(last_wins, 1, 32)
    with pytest.raises(KernelError, match="1024"):
        kernellens.schedules(last_wins, 1, 2048, np.zeros(1))
