"""Real kernels, broken in one place and fixed: what is wrong is found, with its line, and nothing else is."""

import types

import numpy as np
import pytest

from gpusim.kernels import Kernel, faults
from gpusim.kernels.frontend import intrinsics
from gpusim.kernels.sanitizer import findings

cuda = types.ModuleType("cuda")
vars(cuda).update(intrinsics.TOP)
grid, gridsize = cuda.grid, cuda.gridsize
syncthreads, cg = cuda.syncthreads, cuda.cg
T = 8
THREADS = 64

pytestmark = pytest.mark.usefixtures("backend")


def found(function, griddim, blockdim, *args):
    log, fault = Kernel(function).trace(griddim, blockdim, args)
    if fault is not None:
        return [findings.of_fault(fault)]
    return findings.examine(log)


def at(function, text):
    """The line of a function's source that holds a text."""
    lines = Kernel(function).function().source.splitlines()
    (number,) = [k for k, line in enumerate(lines, 1) if text in line]
    return number


def blur(x, out):
    i = grid(1)
    if i < x.size:
        out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3


def blur_inside(x, out):
    i = grid(1)
    if 0 < i < x.size - 1:
        out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3


def test_a_blur_that_reads_beyond_the_end():
    x = np.arange(1000.0)
    (finding,) = found(blur, 16, 64, x, np.zeros(1000))
    assert (finding.kind, finding.array, finding.index, finding.line) == (
        "out-of-bounds",
        "x",
        (1000,),
        at(blur, "out[i]"),
    )
    assert finding.threads == (((999 % 64, 0, 0), (999 // 64, 0, 0)),)
    assert not found(blur_inside, 16, 64, x, np.zeros(1000))


def blur_from_the_left(x, out):
    i = grid(1)
    if i < x.size - 1:
        out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3


def test_a_blur_that_reads_the_last_element_for_the_first():
    (finding,) = found(blur_from_the_left, 16, 64, np.arange(1000.0), np.zeros(1000))
    assert (finding.kind, finding.severity, finding.index) == ("negative-index", "warning", (-1,))
    assert "x[999]" in finding.sentence and finding.line == at(blur_from_the_left, "out[i]")


def matmul(a, b, c):
    sa = cuda.shared.array((T, T), np.float32)
    sb = cuda.shared.array((T, T), np.float32)
    x, y = grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for k in range(a.shape[1] // T):
        sa[ty, tx] = a[y, k * T + tx]
        sb[ty, tx] = b[k * T + ty, x]
        syncthreads()
        for j in range(T):
            total += sa[ty, j] * sb[j, tx]
        syncthreads()
    c[y, x] = total


def matmul_without_the_first_barrier(a, b, c):
    sa = cuda.shared.array((T, T), np.float32)
    sb = cuda.shared.array((T, T), np.float32)
    x, y = grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for k in range(a.shape[1] // T):
        sa[ty, tx] = a[y, k * T + tx]
        sb[ty, tx] = b[k * T + ty, x]
        for j in range(T):
            total += sa[ty, j] * sb[j, tx]
        syncthreads()
    c[y, x] = total


def matmul_without_the_second_barrier(a, b, c):
    sa = cuda.shared.array((T, T), np.float32)
    sb = cuda.shared.array((T, T), np.float32)
    x, y = grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for k in range(a.shape[1] // T):
        sa[ty, tx] = a[y, k * T + tx]
        sb[ty, tx] = b[k * T + ty, x]
        syncthreads()
        for j in range(T):
            total += sa[ty, j] * sb[j, tx]
    c[y, x] = total


def matmul_guarded(a, b, c):
    """Any size: what lies beyond the edge is zero, and is not stored."""
    sa = cuda.shared.array((T, T), np.float32)
    sb = cuda.shared.array((T, T), np.float32)
    x, y = grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for k in range((a.shape[1] + T - 1) // T):
        sa[ty, tx] = 0
        sb[ty, tx] = 0
        if y < a.shape[0] and k * T + tx < a.shape[1]:
            sa[ty, tx] = a[y, k * T + tx]
        if k * T + ty < b.shape[0] and x < b.shape[1]:
            sb[ty, tx] = b[k * T + ty, x]
        syncthreads()
        for j in range(T):
            total += sa[ty, j] * sb[j, tx]
        syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


def matmul_rows_guarded(a, b, c):
    """Rows and columns beyond the edge are not loaded; their threads compute, and store nothing."""
    sa = cuda.shared.array((T, T), np.float32)
    sb = cuda.shared.array((T, T), np.float32)
    x, y = grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for k in range(a.shape[1] // T):
        if y < a.shape[0]:
            sa[ty, tx] = a[y, k * T + tx]
        if x < b.shape[1]:
            sb[ty, tx] = b[k * T + ty, x]
        syncthreads()
        for j in range(T):
            total += sa[ty, j] * sb[j, tx]
        syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


def matmul_unfilled(a, b, c):
    """The last tile along k is only partly loaded, and all of it is summed."""
    sa = cuda.shared.array((T, T), np.float32)
    sb = cuda.shared.array((T, T), np.float32)
    x, y = grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for k in range((a.shape[1] + T - 1) // T):
        if k * T + tx < a.shape[1]:
            sa[ty, tx] = a[y, k * T + tx]
        if k * T + ty < b.shape[0]:
            sb[ty, tx] = b[k * T + ty, x]
        syncthreads()
        for j in range(T):
            total += sa[ty, j] * sb[j, tx]
        syncthreads()
    c[y, x] = total


def product(m=16, k=24, n=16):
    return np.ones((m, k), "f4"), np.ones((k, n), "f4"), np.zeros((m, n), "f4")


def test_a_matmul_with_both_barriers():
    assert not found(matmul, (2, 2), (T, T), *product())


@pytest.mark.parametrize(
    ("broken", "where"),
    [
        (matmul_without_the_first_barrier, "between line 8 and line 11"),
        (matmul_without_the_second_barrier, "at the end of the loop, after line 12"),
    ],
)
def test_a_matmul_that_lacks_a_barrier(broken, where):
    made = found(broken, (2, 2), (T, T), *product())
    assert {f.kind for f in made} == {"race"} and {f.array for f in made} == {"sa", "sb"}
    for finding in made:
        assert finding.line == at(broken, f"{finding.array}[ty, tx] =") and finding.other_line == at(broken, "total +=")
    assert where in made[0].sentence


@pytest.mark.large(smoke=1)
@pytest.mark.parametrize(("right", "shape"), [(matmul_guarded, (13, 21, 11)), (matmul_rows_guarded, (13, 24, 11))])
def test_a_matmul_of_any_size(right, shape):
    assert not found(right, (2, 2), (T, T), *product(*shape))


def test_a_matmul_whose_last_tile_is_not_filled():
    # All of the tile was written by the tile before: from the second on, only the values are wrong.
    made = found(matmul_unfilled, (2, 2), (T, T), *product(16, 5, 16))
    assert {f.kind for f in made} == {"uninitialised-shared"} and {f.array for f in made} == {"sa", "sb"}
    assert {f.line for f in made} == {at(matmul_unfilled, "total +=")}


def histogram(x, counts):
    i = grid(1)
    if i < x.size:
        counts[x[i]] += 1


def histogram_atomic(x, counts):
    i = grid(1)
    if i < x.size:
        cuda.atomic.add(counts, x[i], 1)


def histogram_in_shared(x, counts):
    mine = cuda.shared.array(16, np.int32)
    t = cuda.threadIdx.x
    if t < 16:
        mine[t] = 0
    syncthreads()
    for i in range(grid(1), x.size, gridsize(1)):
        cuda.atomic.add(mine, x[i], 1)
    syncthreads()
    if t < 16:
        cuda.atomic.add(counts, t, mine[t])


def histogram_in_shared_not_zeroed(x, counts):
    mine = cuda.shared.array(16, np.int32)
    t = cuda.threadIdx.x
    for i in range(grid(1), x.size, gridsize(1)):
        cuda.atomic.add(mine, x[i], 1)
    syncthreads()
    if t < 16:
        cuda.atomic.add(counts, t, mine[t])


def histogram_in_shared_unsynchronised(x, counts):
    mine = cuda.shared.array(16, np.int32)
    t = cuda.threadIdx.x
    if t < 16:
        mine[t] = 0
    for i in range(grid(1), x.size, gridsize(1)):
        cuda.atomic.add(mine, x[i], 1)
    syncthreads()
    if t < 16:
        cuda.atomic.add(counts, t, mine[t])


@pytest.mark.large
def test_histograms():
    x = np.random.default_rng(3).integers(0, 16, 1000)

    def made(kernel):
        return found(kernel, 4, 64, x, np.zeros(16, "i4"))

    (finding,) = made(histogram)
    assert (finding.kind, finding.severity, finding.array) == ("race", "error", "counts")
    assert finding.line == at(histogram, "+= 1") and "cuda.atomic.add(counts" in finding.sentence
    assert not made(histogram_atomic) and not made(histogram_in_shared)
    assert {(f.kind, f.array) for f in made(histogram_in_shared_not_zeroed)} == {("uninitialised-shared", "mine")}
    (finding,) = made(histogram_in_shared_unsynchronised)
    assert (finding.kind, {finding.line, finding.other_line}) == (
        "race",
        {at(histogram_in_shared_unsynchronised, "= 0"), at(histogram_in_shared_unsynchronised, "cuda.atomic.add(mine")},
    )


def smooth_in_place(x):
    i = grid(1)
    if 0 < i < x.size - 1:
        x[i] = (x[i - 1] + x[i + 1]) / 2


def smooth(x, out):
    i = grid(1)
    if 0 < i < x.size - 1:
        out[i] = (x[i - 1] + x[i + 1]) / 2


def smooth_in_place_with_a_grid_sync(x):
    i = grid(1)
    g = cg.this_grid()
    value = x[i]
    if 0 < i < x.size - 1:
        value = (x[i - 1] + x[i + 1]) / 2
    g.sync()
    x[i] = value


@pytest.mark.large
def test_stencils_in_place():
    x = np.arange(256.0)
    (finding,) = found(smooth_in_place, 4, 64, x)
    assert (finding.kind, finding.severity, finding.line) == ("race", "error", at(smooth_in_place, "x[i] ="))
    assert "second array" in finding.sentence
    (finding,) = found(smooth, 4, 64, x, x)  # the same, called with one array twice
    assert finding.kind == "race"
    assert not found(smooth, 4, 64, x, x.copy())
    assert not found(smooth_in_place_with_a_grid_sync, 4, 64, x)


def reduction(x, out):
    part = cuda.shared.array(THREADS, np.float64)
    t = cuda.threadIdx.x
    i = grid(1)
    part[t] = x[i] if i < x.size else 0.0
    syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, part[0])


def reduction_unfilled(x, out):
    part = cuda.shared.array(THREADS, np.float64)
    t = cuda.threadIdx.x
    i = grid(1)
    if i < x.size:
        part[t] = x[i]
    syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, part[0])


def reduction_by_warps_in_step(x, out):
    """The last steps without a barrier, as was usual before Volta."""
    part = cuda.shared.array(THREADS, np.float64)
    t = cuda.threadIdx.x
    part[t] = x[grid(1)]
    syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        if step > 32:
            syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, part[0])


def reduction_by_warps(x, out):
    part = cuda.shared.array(THREADS, np.float64)
    t = cuda.threadIdx.x
    part[t] = x[grid(1)]
    syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncwarp()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, part[0])


@pytest.mark.large
def test_reductions():
    def made(kernel, n):
        return found(kernel, 3, THREADS, np.ones(n), np.zeros(1))

    assert not made(reduction, 192) and not made(reduction, 150)
    assert not made(reduction_unfilled, 192)
    (finding,) = made(reduction_unfilled, 150)
    assert (finding.kind, finding.severity) == ("uninitialised-shared", "error")
    assert finding.line == at(reduction_unfilled, "part[t] +=") and finding.threads[0].block == (2, 0, 0)
    (finding,) = made(reduction_by_warps_in_step, 192)
    assert finding.kind == "race" and finding.line == at(reduction_by_warps_in_step, "part[t] +=")
    assert not made(reduction_by_warps, 192)


def first_above(x, limit, done):
    i = grid(1)
    if i < x.size and x[i] > limit:
        done[0] = 1


def test_a_flag_that_all_set_alike():
    (finding,) = found(first_above, 4, 64, np.arange(256.0), 10.0, np.zeros(1))
    assert (finding.kind, finding.severity, finding.array) == ("race", "warning", "done")


def sum_by_the_last_block(x, partial, count, out):
    part = cuda.shared.array(THREADS, np.float64)
    last = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    part[t] = x[grid(1)]
    syncthreads()
    if t == 0:
        total = 0.0
        for k in range(THREADS):
            total += part[k]
        partial[cuda.blockIdx.x] = total
        cuda.threadfence()
        last[0] = cuda.atomic.add(count, 0, 1) == cuda.gridDim.x - 1
    syncthreads()
    if last[0] and t == 0:
        for k in range(cuda.gridDim.x):
            out[0] += partial[k]


def sum_by_the_last_block_without_a_fence(x, partial, count, out):
    part = cuda.shared.array(THREADS, np.float64)
    last = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    part[t] = x[grid(1)]
    syncthreads()
    if t == 0:
        total = 0.0
        for k in range(THREADS):
            total += part[k]
        partial[cuda.blockIdx.x] = total
        last[0] = cuda.atomic.add(count, 0, 1) == cuda.gridDim.x - 1
    syncthreads()
    if last[0] and t == 0:
        for k in range(cuda.gridDim.x):
            out[0] += partial[k]


@pytest.mark.large("severity")
@pytest.mark.parametrize(
    ("kernel", "severity"), [(sum_by_the_last_block, "warning"), (sum_by_the_last_block_without_a_fence, "error")]
)
def test_the_last_block_adds_up(kernel, severity):
    out = np.zeros(1)
    (finding,) = found(kernel, 4, THREADS, np.ones(256), np.zeros(4), np.zeros(1, "i4"), out)
    assert (finding.kind, finding.severity, finding.array) == ("race", severity, "partial") and out[0] == 256


def add_by_compare_and_swap(total, x):
    i = grid(1)
    seen = total[0]
    while True:
        old = cuda.atomic.compare_and_swap(total, seen, seen + x[i])
        if old == seen:
            break
        seen = old


def test_a_plain_read_that_a_compare_and_swap_checks():
    total = np.zeros(1, "i8")
    (finding,) = found(add_by_compare_and_swap, 2, 64, total, np.ones(128, "i8"))
    assert (finding.kind, finding.severity) == ("race", "warning") and total[0] == 128


def divergent(x):
    t = cuda.threadIdx.x
    if t < 32:
        x[t] = 1
        syncthreads()  # one
    else:
        syncthreads()  # other
        x[t] = 2


def ended(x):
    t = cuda.threadIdx.x
    if t >= 32:
        return
    x[t] = 1
    syncthreads()


def test_a_block_that_parts_at_a_barrier():
    (finding,) = found(divergent, 1, THREADS, np.zeros(64))
    assert (finding.kind, finding.severity) == ("barrier-divergence", "error")
    assert (finding.line, finding.other_line) == (at(divergent, "# one"), at(divergent, "# other"))
    assert [thread.thread[0] // 32 for thread in finding.threads] == [0, 1]
    assert not found(ended, 1, THREADS, np.zeros(64))


def reverse(x):
    tile = cuda.shared.array(THREADS, np.float64)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    syncthreads()
    x[t] = tile[THREADS - 1 - t]


def test_a_block_that_reverses_in_place():
    x = np.arange(64.0)
    assert not found(reverse, 1, THREADS, x)
    assert x[0] == 63


def test_the_first_launch_raises_what_is_found():
    kernel, x = Kernel(histogram), np.zeros(1000, "i8")
    with pytest.raises(faults.TraceError) as caught:
        kernel.launch(4, 64, (x, np.zeros(16, "i4")), trace="first")
    assert caught.value.findings[0].kind == "race" and "counts[0]" in str(caught.value)
