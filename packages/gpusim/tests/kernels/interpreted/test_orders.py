"""Threads in other orders: others may go on at every access, and what a kernel orders stays ordered."""

import numpy as np
import pytest

from gpusim.kernels.backends import numpy as interpreted
from gpusim.kernels.backends.numpy import orders
from gpusim.kernels.frontend.python import resolve

from .conftest import cuda, launch

ORDERS = orders.some(8)


def increments(counts):
    counts[0] += 1


def test_each_access_of_memory_begins_a_block():
    function = resolve.function(increments)
    types = interpreted.argument_types(function, (np.zeros(1, np.int64),))
    whole = interpreted.compile_kernel(function, types)
    parted = interpreted.compile_kernel(function, types, False, orders.cut)

    def accesses(program):
        ops = [[v.op for v in block.body if v.op in ("getitem", "setitem")] for block in program.graph.blocks]
        return [found for found in ops if found]

    assert accesses(whole) == [["getitem", "setitem"]]
    assert accesses(parted) == [["getitem"], ["setitem"]]
    assert [block.number for block in parted.graph.blocks] == list(range(len(parted.graph.blocks)))


def test_a_change_is_lost_where_warps_take_turns_and_kept_where_they_do_not():
    counts = {}
    for order in ORDERS:
        counts[order] = np.zeros(1, np.int64)
        launch(increments, 8, 32, counts[order], order=order)
    # One warp after another, each in step: eight warps add one each.
    assert counts[ORDERS[0]][0] == 8
    turns = orders.Order(seed=1, burst=1)
    assert counts[turns][0] < 8
    # Parts of warps, each by itself up to its end: up to three of each warp.
    assert 8 < counts[orders.Order(seed=7, burst=0, apart=True)][0] <= 24


def test_any_of_several_lanes_that_store_may_win():
    def stores(out):
        out[0] = cuda.grid(1)

    seen = set()
    for order in ORDERS:
        out = np.full(1, -1)
        launch(stores, 2, 32, out, order=order)
        seen.add(int(out[0]))
    assert len(seen) >= 4 and seen <= set(range(64))


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: f"seed {order.seed}")
def test_what_is_ordered_stays_so(order):
    def ordered(x, out, total, lock):
        tile = cuda.shared.array(64, np.int64)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        tile[t] = x[i]
        cuda.syncthreads()
        value = tile[63 - t]
        cuda.syncthreads()
        tile[t] = value
        cuda.syncwarp()
        out[i] = cuda.shfl_xor_sync(0xFFFFFFFF, tile[t], 1)
        if t == 0:
            while cuda.atomic.cas(lock, 0, 0, 1) != 0:
                pass
            total[0] += 1
            cuda.threadfence()
            cuda.atomic.exch(lock, 0, 0)

    x, out, total = np.arange(256), np.zeros(256, np.int64), np.zeros(1, np.int64)
    launch(ordered, 4, 64, x, out, total, np.zeros(1, np.int64), order=order)
    backwards = x.reshape(4, 64)[:, ::-1].ravel()
    assert out.tolist() == backwards.reshape(-1, 2)[:, ::-1].ravel().tolist()
    assert total[0] == 4


def test_the_whole_grid_waits_in_any_order():
    def twice(x, out):
        i = cuda.grid(1)
        x[i] += 1
        cuda.cg.this_grid().sync()
        out[i] = x[(i + 32) % 128]

    for order in ORDERS[:5]:
        x, out = np.arange(128), np.zeros(128, np.int64)
        launch(twice, 4, 32, x, out, order=order)
        assert out.tolist() == [(i + 32) % 128 + 1 for i in range(128)]
