"""Warps that do not act together, values that shuffles pass on, records in variables, negative indices by axis; both ways of running."""

import numba
import numpy as np
import pytest

import kernellens

cuda = None  # set by conftest.py
PAIR = np.dtype([("x", "f8"), ("n", "i2")], align=True)


@pytest.fixture(params=["compiled", "interpreted"], autouse=True)
def way(request, monkeypatch):
    from kernellens import tracing

    monkeypatch.setenv("GPUSIM_KERNELS", request.param)
    tracing._kernel.cache_clear()  # a kernel is compiled once, or not at all
    yield
    tracing._kernel.cache_clear()


def only(kernel, blockdim, *args, griddim=1):
    (finding,) = kernellens.trace(kernel, griddim, blockdim, *args).errors
    return finding


def absent(out):
    i = cuda.threadIdx.x
    if i < 20:
        out[i] = cuda.shfl_down_sync(0xFFFFFFFF, i, 4)


def named(out):
    i = cuda.threadIdx.x
    if i < 20:
        out[i] = cuda.shfl_down_sync(0x000FFFFF, i, 4)


def test_a_lane_that_is_asked_and_not_there():
    finding = only(absent, 32, np.zeros(32, np.int32))
    assert (finding.kind, finding.severity, finding.line) == ("barrier-divergence", "error", 4)
    assert finding.threads == (((16, 0, 0), (0, 0, 0)),)  # 16 + 4 is the first that went another way
    assert "lane 20" in finding.sentence
    # A mask that names only those who come: lanes 16 to 19 read from outside of it.
    finding = only(named, 32, np.zeros(32, np.int32))
    assert (finding.kind, finding.severity, finding.line) == ("barrier-divergence", "error", 4)
    assert finding.threads == (((16, 0, 0), (0, 0, 0)),) and "lane 20" in finding.sentence


def half(x, out, done):
    i = cuda.threadIdx.x
    if i < 16:
        value = x[i]
        for offset in (8, 4, 2, 1):
            value += cuda.shfl_down_sync(0xFFFF, value, offset)
        if i == 0:
            out[0] = value
        done[i] = 1


def test_a_half_warp_that_adds_up_and_stores_something_else_is_warned_of():
    """Lanes 1 to 15 add what is undefined; nobody uses their sums, whatever they store afterwards."""
    finding = only(half, 32, np.ones(32, np.int32), np.zeros(1, np.int32), np.zeros(32, np.int32))
    assert (finding.severity, finding.line) == ("warning", 6)


def test_lanes_that_the_block_does_not_have():
    assert "lane 20" in only(absent, 20, np.zeros(32, np.int32)).sentence


def masks(out):
    i = cuda.threadIdx.x
    if i < 16:
        out[i] = cuda.shfl_xor_sync(0xFFFFFFFF, i, 1)
    else:
        out[i] = cuda.shfl_xor_sync(0xFFFF0000, i, 1)


def test_masks_that_differ():
    finding = only(masks, 32, np.zeros(32, np.int32))
    assert (finding.kind, finding.severity, finding.line) == ("barrier-divergence", "error", 4)
    assert "lane 16" in finding.sentence  # the first that the mask names and that went another way


def passed_on(out):
    tile = cuda.shared.array(32, numba.float32)
    i = cuda.threadIdx.x
    if i < 16:
        tile[i] = 1
    cuda.syncthreads()
    value = tile[i]
    value += cuda.shfl_down_sync(0xFFFFFFFF, value, 16)
    if i == 0:
        out[0] = value


def test_a_value_that_nobody_set_and_a_shuffle_passes_on():
    finding = only(passed_on, 32, np.zeros(1, np.float32))
    assert (finding.kind, finding.line, finding.index) == ("uninitialised-shared", 7, (16,))


def record(pairs, out):
    i = cuda.grid(1)
    pair = pairs[i]
    out[i] = pair.x
    pair.n += 1


def test_the_fields_of_a_record_in_a_variable_are_logged():
    trace = kernellens.trace(record, 1, 32, np.zeros(32, PAIR), np.zeros(32))
    assert trace.errors == []
    assert trace.reads["pairs"] == (64, 2) and trace.writes["pairs"] == (32, 1)
    # 16 bytes a record: 32 lanes ask for 256 bytes of x, or 64 of n, and move 512.
    assert [(t.line, t.kind, t.sectors, t.asked) for t in trace.traffic if t.arrays == ("pairs",)] == [
        (4, "read", 16, 256),
        (5, "read", 16, 64),
        (5, "write", 16, 64),
    ]


def crossed(pairs):
    i = cuda.threadIdx.x
    mine, other = pairs[i], pairs[(i + 1) % 32]
    mine.n = other.n


def apart(pairs):
    i = cuda.threadIdx.x
    mine, other = pairs[i], pairs[(i + 1) % 32]
    mine.n = int(other.x)


def test_one_field_races_and_two_do_not():
    finding = only(crossed, 32, np.zeros(32, PAIR))
    assert (finding.kind, finding.severity, finding.line) == ("race", "error", 4)
    assert kernellens.trace(apart, 1, 32, np.zeros(32, PAIR)).errors == []


def around(x, out):
    i, j = cuda.grid(2)
    out[i, j] = x[i, j - 1]


def test_a_negative_index_is_told_with_its_axis_and_its_thread():
    finding = only(around, (4, 8), np.zeros((4, 8)), np.zeros((4, 8)))
    assert (finding.kind, finding.severity, finding.line) == ("negative-index", "warning", 3)
    assert finding.index == (0, -1) and finding.threads == (((0, 0, 0), (0, 0, 0)),)
    assert finding.elements == 4 and "asks for x[0, -1] and reads x[0, 7]" in finding.sentence


def asked(x):
    cuda.cg.this_grid()
    x[cuda.grid(1)] = 1


def test_a_grid_that_is_asked_for_and_not_waited_for():
    assert kernellens.trace(asked, 2, 32, np.zeros(64)).errors == []


def parting(x):
    tile = cuda.shared.array(64, numba.int32)
    i = cuda.threadIdx.x
    tile[i] = i
    if i < 32:
        cuda.syncthreads()
    x[i] = tile[63 - i]
    cuda.syncthreads()


def test_the_parting_comes_before_what_follows_from_it():
    found = kernellens.trace(parting, 1, 64, np.zeros(64)).errors
    assert (found[0].kind, found[0].line, found[0].other_line) == ("barrier-divergence", 6, 8)


def add(x, out):
    i = cuda.grid(1)
    if i < x.size - 1:
        out[i] = x[i + 1]


def test_a_host_array_given_twice_is_copied_twice():
    x = np.arange(64.0)
    assert kernellens.trace(add, 1, 64, x, x).errors == []
    device = cuda.to_device(x)
    assert only(add, 64, device, device).kind == "race"


@pytest.mark.parametrize(
    "fields, extra",
    [
        # A record of 24 bytes moves in three pieces of 8, half a warp at a time: lanes are 6 words apart, and 16 of them
        # begin in 16 different even banks.
        ([("a", "f8"), ("b", "f8"), ("c", "f8")], 0),
        # Of 32 bytes, in four pieces: 8 words apart, 16 lanes meet in 4 pairs of banks, 4 in each: 3 cycles more, for each of two halves
        # and four pieces.
        ([("a", "f8"), ("b", "f8"), ("c", "f8"), ("d", "f8")], 3 * 2 * 4),
    ],
)
def test_bank_conflicts_of_records_that_are_copied_whole(fields, extra):
    kind = numba.from_dtype(np.dtype(fields))

    def copy(x):
        tile = cuda.shared.array(32, kind)
        i = cuda.threadIdx.x
        tile[i] = x[i]

    trace = kernellens.trace(copy, 1, 32, np.zeros(32, np.dtype(fields)))
    assert trace.bank_conflicts == extra
    size = np.dtype(fields).itemsize
    assert trace.reads["x"] == (32, 1) and trace.traffic[0].sectors == size  # 32 lanes × size bytes / 32


def test_bank_conflicts_of_a_field():
    kind = numba.from_dtype(np.dtype("f4,f4,f4,f4"))

    def column(out):
        tile = cuda.shared.array(32, kind)
        i = cuda.threadIdx.x
        tile[i].f1 = 1
        out[i] = tile[i].f1

    # 16 bytes apart: 32 lanes meet in 8 of the 32 banks, 4 in each; once written, once read.
    assert kernellens.trace(column, 1, 32, np.zeros(32, np.float32)).bank_conflicts == 2 * 3
