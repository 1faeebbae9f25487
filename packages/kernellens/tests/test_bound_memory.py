"""What a launch moves, and what a small traced one says of a large one: against figures worked out by hand."""

import numpy as np
import pytest

import kernellens
from kernellens import requests, times
from kernellens.times import memory, scaling

cuda = None  # set by conftest.py
F4, F8 = np.float32, np.float64


def stencil(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if 1 <= i < n - 1 and 1 <= j < m - 1:
        out[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - 4 * x[i, j]


def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def work(kernel, grid, block, *args, griddim=None, blocks=None):
    return times.work_of(kernellens.trace(kernel, grid, block, *args, blocks=blocks), griddim)


def test_neighbours_count_once():
    n = 64
    found = work(stencil, (4, 4), (16, 16), np.zeros((n, n), F4), np.zeros((n, n), F4))
    # Every element but the four corners is read; the corners lie in sectors of 8 that are read for others.
    assert found.read == n * n * 4
    # 62 rows are written, whole sectors of them.
    assert found.written == 62 * n * 4
    # Each block reads what its 16 rows and columns are, and a row above and below and a column beside where there is one:
    # 16 or 17 or 18 rows (less what the rim leaves out) of 2 sectors, and one sector more at a side that has a neighbour.
    per_block = found.reuse.by_block / 32 / 16
    assert 32 < per_block < 18 * 4


def test_read_and_written_in_place():
    found = work(add_one, 4, 64, np.zeros(250))
    # 250 × 8 bytes are 62.5 sectors.
    assert found.read == found.written == 63 * 32


def test_what_is_written_first_need_not_be_read():
    def through(x, out):
        i = cuda.grid(1)
        out[i] = x[i]
        out[i] = out[i] * 2.0

    found = work(through, 4, 64, np.zeros(256), np.zeros(256))
    assert found.read == found.written == 256 * 8


def test_a_table_that_all_read_counts_once_however_large_the_grid():
    def look_up(x, table, out):
        i = cuda.grid(1)
        out[i] = table[x[i] % 256]

    n = 64 * 256
    x = np.random.default_rng(1).integers(0, 256, n)
    small = work(look_up, 64, 256, x, np.zeros(256), np.zeros(n))
    large = work(look_up, 64, 256, x, np.zeros(256), np.zeros(n), griddim=64_000)
    assert small.read == n * 8 + 256 * 8
    # The table's 64 sectors are the first blocks'; the others differ a little in which they use, and the least counts.
    assert 0.92 * 1000 * n * 8 < large.read <= 1000 * n * 8 + 256 * 8


def test_strided_and_scattered_accesses_move_whole_sectors():
    def every_eighth(x, out):
        i = cuda.grid(1)
        out[i] = x[8 * i]

    found = work(every_eighth, 2, 64, np.zeros(1024, F4), np.zeros(128, F4))
    assert (found.read, found.written) == (128 * 32, 128 * 4)
    # A warp's load takes 32 sectors in 8 lines of 128 bytes; its store 4 in one.
    assert found.requests == 8 and found.wavefronts == 4 * (8 + 1)


def test_atomics_meet_at_an_address():
    def tally(x, counts):
        i = cuda.grid(1)
        cuda.atomic.add(counts, x[i], 1)

    x = np.zeros(512, np.int64)
    x[::32] = 1  # the first lane of each warp adds to another element
    found = work(tally, 4, 128, x, np.zeros(64, np.int64))
    assert found.atomics == 16  # a request for each warp
    assert found.contended == 16 and found.passes == 31 * 16
    large = work(tally, 4, 128, x, np.zeros(64, np.int64), griddim=4000)
    assert large.contended == 16_000
    bound = times.bound_of(large, "V100")
    assert bound.parts["atomics"] == pytest.approx(16_000 / 1.53e9 / 2)


def test_atomics_on_shared_memory_come_one_after_the_other():
    def tally(x, out):
        counts = cuda.shared.array(32, np.int32)
        i = cuda.threadIdx.x
        counts[i] = 0
        cuda.syncthreads()
        cuda.atomic.add(counts, x[i], 1)
        cuda.syncthreads()
        out[i] = counts[i]

    args = 1, 32, np.arange(32) % 4, np.zeros(32, np.int32)
    # A store and a load of 32 neighbouring words, a cycle each; eight lanes at each of four words, eight cycles for each lane.
    assert work(tally, *args).shared == 1 + 1 + 8 * 8
    alone = 1, 32, np.arange(32), np.zeros(32, np.int32)
    assert work(tally, *alone).shared == 1 + 1 + 1


def test_arrays_far_apart_in_memory_are_told_apart():
    """Sectors are numbered by addresses of this process, which may lie 2**47 bytes apart; with a warp's number beside them
    they do not fit into 64 bits."""
    first = np.array([1 << 20, 1 << 20, 0, 1 << 20], np.int64)
    second = np.array([1 << 46, 5, 5, 1 << 46], np.int64)
    one, other = requests.pairs(first, second)
    assert list(zip(one.tolist(), other.tolist(), strict=True)) == [(0, 5), (1 << 20, 5), (1 << 20, 1 << 46)]


def agree(ours, wanted, rel=0.01):
    for name in ("read", "written", "requests", "wavefronts", "instructions", "threads", "blocks", "rounds", "cycles"):
        assert getattr(ours, name) == pytest.approx(getattr(wanted, name), rel=rel), name
    for table in ("operations", "certain", "slots"):
        assert getattr(ours, table) == pytest.approx(getattr(wanted, table), rel=rel), table
    for name in ("by_block", "by_warp", "by_request", "stored", "block"):
        assert getattr(ours.reuse, name) == pytest.approx(getattr(wanted.reuse, name), rel=rel), name


@pytest.mark.large
@pytest.mark.parametrize("dtype", [np.int8, F4], ids=["int8", "float32"])
def test_a_traced_small_stencil_stands_for_a_larger_that_is_traced_too(dtype):
    def arrays(n):
        return np.zeros((n, n), dtype), np.zeros((n, n), dtype)

    small = work(stencil, (12, 12), (16, 16), *arrays(192), griddim=(40, 40))
    large = work(stencil, (40, 40), (16, 16), *arrays(640))
    agree(small, large)


def test_a_traced_512_stencil_stands_for_ten_thousand():
    n, m = 512, 10_000
    found = work(stencil, (32, 32), (16, 16), np.zeros((n, n), F4), np.zeros((n, n), F4), griddim=(625, 625))
    inside = (m - 2) ** 2
    assert found.threads == m * m and found.blocks == 625**2
    # All elements but the corners are read once; the rows but the first and last are written, 1 250 whole sectors each.
    assert found.read == pytest.approx(4 * m * m, rel=1e-3)
    assert found.written == pytest.approx(4 * m * (m - 2), rel=1e-3)
    # 3 additions, a subtraction and a multiplication for each element inside.  The 4 is an integer, and int64 with
    # float32 is float64 to Numba: so are the multiplication and the subtraction.
    assert found.operations["float32"] == pytest.approx(3 * inside, rel=1e-6)
    assert found.operations["float64"] == pytest.approx(2 * inside, rel=1e-6)
    assert found.certain["float64"] == pytest.approx(2 * inside, rel=1e-3)
    # Warps are 2 rows of 16: five loads and a store each, but for the warps of the first and last two rows.
    assert found.requests == pytest.approx(6 * m * m / 32, rel=2e-3)
    assert found.reuse.stored == pytest.approx(4 * m * (m - 2), rel=1e-3)


@pytest.mark.large
@pytest.mark.parametrize("dtype", [np.int8, F4], ids=["int8", "float32"])
def test_a_sample_of_blocks_stands_for_all(dtype):
    n = 640
    arrays = np.zeros((n, n), dtype), np.zeros((n, n), dtype)
    picked = scaling.sample((40, 40, 1))
    assert len(picked) == 100
    agree(
        work(stencil, (40, 40), (16, 16), *arrays, blocks=picked), work(stencil, (40, 40), (16, 16), *arrays), rel=0.04
    )


@pytest.mark.large
def test_what_is_too_large_to_trace_whole_is_sampled(monkeypatch):
    from kernellens import tracing

    n = 640
    arrays = np.zeros((n, n), F4), np.zeros((n, n), F4)
    whole = kernellens.bound(stencil, (40, 40), (16, 16), *arrays, gpu="T4")
    monkeypatch.setattr(tracing, "MOST", 1000)
    with pytest.raises(kernellens.TooLargeError):
        kernellens.trace(stencil, (40, 40), (16, 16), *arrays)
    sampled = kernellens.bound(stencil, (40, 40), (16, 16), *arrays, gpu="T4")
    assert sampled.seconds == pytest.approx(whole.seconds, rel=0.01)
    assert any("100 of 1600 blocks were traced" in note for note in sampled.work.notes)


@pytest.mark.large
def test_any_sample_overrates_nothing_that_is_read_whole():
    n = 640
    arrays = np.zeros((n, n), np.int8), np.zeros((n, n), np.int8)
    part, whole = (work(stencil, (40, 40), (16, 16), *arrays, blocks=blocks) for blocks in (64, None))
    assert part.read <= whole.read * 1.001 and part.written <= n * n * 1.001


def test_scattered_reads_of_a_sample_are_no_more_than_there_is():
    def gather(x, at, out):
        i = cuda.grid(1)
        out[i] = x[at[i]]

    n, k = 400 * 128, 1000
    at = np.random.default_rng(3).integers(0, k, n)
    args = np.zeros(k), at, np.zeros(n)
    whole, part = work(gather, 400, 128, *args), work(gather, 400, 128, *args, blocks=32)
    assert part.read <= whole.read * 1.02


def test_blocks_that_differ_are_not_overrated():
    """Of a sample whose blocks do more and less, the least stands for all in what is certain."""

    def rows(out):
        i = cuda.grid(1)
        total = float(i)
        for _ in range(cuda.blockIdx.x % 7):
            total = total * 1.5 + total
        out[i] = total

    n = 200
    sampled = work(rows, n, 64, np.zeros(64 * n), blocks=32)
    whole = work(rows, n, 64, np.zeros(64 * n))
    assert sampled.certain.get("float64", 0) <= whole.certain["float64"]


def test_kinds_of_blocks():
    """Of 5 × 4 blocks, 4 are corners, 6 + 4 at an edge, 6 inside; of 100 × 50 it is 4, 2 × 98 + 2 × 48, 98 × 48."""

    class Log:
        griddim, blocks = (5, 4, 1), np.arange(20)

    found = scaling.Scaling(Log, (100, 50, 1))
    assert sorted(count for count, _ in found.groups) == sorted([1, 1, 1, 1, 98, 98, 48, 48, 98 * 48])
    assert sorted(len(members) for _, members in found.groups) == sorted([1, 1, 1, 1, 3, 3, 2, 2, 6])
    assert found.weights.sum() == pytest.approx(5000)
    assert scaling.Scaling(Log).exact and scaling.Scaling(Log).weights.tolist() == [1] * 20


def test_a_grid_traced_with_one_block_stands_for_many():
    found = work(add_one, 1, 64, np.zeros(64), griddim=1000)
    assert found.read == found.written == 1000 * 64 * 8
    assert any("1 traced blocks stand for 1000" in note for note in found.notes)


def test_reads_of_another_block_are_kept_by_where_that_lies():
    log = kernellens.trace(stencil, (4, 4), (16, 16), np.zeros((64, 64), F4), np.zeros((64, 64), F4)).log
    again = memory.traffic(log).again
    # From the block before along x or y; a step back along x from the end of the row above where the halo's corners are.
    assert {(1, 0, 0), (0, 1, 0)} <= set(again)
    # Rows 16k - 1 and 16k are read on both sides of the three inner borders, 64 elements of 8 to a sector.  Of these 48,
    # the block at the left or right reads those at its border too, and last: 3 in each of the 6 rows.
    assert (again[0, 1, 0].sum(), again[-1, 1, 0].sum()) == (30, 18)
