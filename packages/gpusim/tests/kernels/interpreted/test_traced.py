"""Every access is written down: who, what, where, between which barriers."""

import numpy as np

from gpusim.kernels.backends import numpy as interpreted
from gpusim.kernels.frontend.python import resolve
from gpusim.kernels.sanitizer import log as logs

from .conftest import cuda, launch


def traced(kernel, grid, block, *args, blocks=None, **options):
    recorder = logs.Recorder(grid, block, blocks)
    launch(kernel, grid, block, *args, log=recorder, blocks=blocks, **options)
    return recorder.log()


def test_a_stencil():
    def kernel(x, out):
        i = cuda.grid(1)
        if 0 < i < x.size - 1:
            out[i] = x[i - 1] + x[i + 1]

    x, out = np.arange(100.0), np.zeros(100)
    log = traced(kernel, 4, 32, x, out)
    records = log.records
    assert len(records) == 98 * 3
    names = [log.sites[s].array for s in records["site"]]
    assert names.count("x") == 196 and names.count("out") == 98
    kinds = np.array([log.sites[s].kind for s in records["site"]])
    writes = records[kinds == "write"]
    np.testing.assert_array_equal(np.sort(writes["element"]), np.arange(1, 99))
    np.testing.assert_array_equal(writes["element"], writes["thread"])
    np.testing.assert_array_equal(log.values.view("f8"), out[writes["element"]])
    assert {log.sites[s].line for s in records["site"]} == {4}
    assert [(a.name, a.space, a.shape) for a in log.arrays] in (
        [("x", "global", (100,)), ("out", "global", (100,))],
        [("out", "global", (100,)), ("x", "global", (100,))],
    )


def test_intervals_of_barriers_shared_local_and_atomics():
    def kernel(x):
        kept = cuda.shared.array((2, 8), np.int16)
        mine = cuda.local.array(3, np.float32)
        t = cuda.threadIdx.x
        kept[1, t] = t
        cuda.syncthreads()
        mine[2] = kept[1, 7 - t]
        cuda.syncthreads()
        cuda.syncwarp()
        cuda.atomic.add(x, -1, int(mine[2]) + 1)

    x = np.zeros(5, "i8")
    log = traced(kernel, 3, 8, x, blocks=np.array([1, 2]))
    assert x[4] == 72
    arrays = {a.name: k for k, a in enumerate(log.arrays)}
    kept, mine, global_ = (log.records[log.records["array"] == arrays[n]] for n in ("kept", "mine", "x"))
    assert [log.arrays[arrays[n]].space for n in ("kept", "mine", "x")] == ["shared", "local", "global"]
    np.testing.assert_array_equal(kept["element"][:16], 8 + np.arange(16) % 8)
    np.testing.assert_array_equal(kept["element"][16:], 15 - np.arange(16) % 8)
    np.testing.assert_array_equal(kept["interval"], np.repeat([0, 1], 16))
    np.testing.assert_array_equal(kept["thread"][:16], np.arange(16))
    assert (mine["element"] == 2).all() and len(mine) == 32
    np.testing.assert_array_equal(global_["thread"], np.arange(16))
    assert (global_["element"] == 4).all() and (global_["interval"] == 2).all() and (global_["warp"] == 1).all()
    assert (global_["flags"] == logs.NEGATIVE | logs.NEGATIVE_AXIS).all(), "negative, along the first axis"
    assert log.sites[global_["site"][0]].operation == "add"


def test_elements_of_views_and_fields_are_those_of_the_array_passed():
    def kernel(a, records):
        i = cuda.grid(1)
        a[i, 1] = 1
        records[i].y = a[0, 0]

    whole = np.zeros((6, 8))
    records = np.zeros(3, [("x", "f4"), ("y", "f8")])
    log = traced(kernel, 1, 3, whole[::2, ::-2], records)
    arrays = {a.name: k for k, a in enumerate(log.arrays)}
    writes = log.records[log.records["array"] == arrays["a"]]
    writes = writes[[log.sites[s].kind == "write" for s in writes["site"]]]
    shown = log.arrays[arrays["a"]]
    assert [shown.index_of(e) for e in writes["element"]] == [(0, 1), (1, 1), (2, 1)]
    np.testing.assert_array_equal(log.records[log.records["array"] == arrays["records"]]["element"], [0, 1, 2])


def test_threads_that_part_at_a_barrier():
    def kernel(x):
        if cuda.threadIdx.x < 3:
            x[0] = 1
            cuda.syncthreads()
        else:
            cuda.syncthreads()

    log = traced(kernel, 2, 5, np.zeros(1))
    assert [(a.thread, log.syncs[a.sync].line) for a in log.arrivals] == [(t, 4 if t % 5 < 3 else 6) for t in range(10)]


def test_no_arrival_is_noted_where_all_meet():
    def kernel(x):
        if cuda.grid(1) % 2:
            x[1] = 1
        cuda.syncthreads()

    assert not traced(kernel, 2, 40, np.zeros(2)).arrivals


TABLE = np.arange(4.0)


def test_a_second_launch_has_a_log_of_its_own():
    def kernel(first, x):
        x[cuda.grid(1)] = first[0] + TABLE[1]

    made = Once(kernel)
    for args in ((np.zeros(1), np.zeros(2)), (np.zeros(1), np.zeros(2))):
        recorder = logs.Recorder(1, 2)
        interpreted.run(made.resolved, (1, 1, 1), (2, 1, 1), args, log=recorder)
        log = recorder.log()
        assert sorted(log.arrays[n].space for n in set(log.records["array"])) == ["const", "global", "global"]


class Once:
    """A kernel that is resolved once, as one that is launched again."""

    def __init__(self, kernel):
        self.resolved = resolve.function(kernel)
