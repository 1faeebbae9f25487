"""Unit 06: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be
accepted. They are kernels as learners write them; `later` stands for ``@cuda.jit``, since these tests choose the device.
Interpreted kernels need no compiler, which takes a second or two for each; the known right answers, and the wrong ones
of `test_known_answers`, are compiled.
"""

from types import SimpleNamespace

import answers
import numpy as np
import pytest
from answers.fast_kernels import advance as known_advance
from answers.fast_kernels import matmul as known_matmul
from answers.later import cuda, later
from answers.second import Answers

from hundredfold.learning import problems
from hundredfold.learning.problems.fast_kernels import PROBLEMS, advance, looking, matmul, tiles, transpose, tree, worth
from hundredfold.learning.problems.verdict import Refusal

SECOND = Answers("fast-kernels")
wrong, right = SECOND.wrong, SECOND.right


# ---- fast-kernels.tree ----


@wrong("tree", "bounds")
@later
def asks_the_block(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    if cuda.blockIdx.x * 256 < x.size:
        part[t] = x[cuda.blockIdx.x * 256 + t]
    else:
        part[t] = 0
    cuda.syncthreads()
    for step in (128, 64, 32, 16, 8, 4, 2, 1):
        if t < step:
            part[t] = part[t] + part[t + step]
        cuda.syncthreads()
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@wrong("tree", "race")
@later
def one_barrier_for_all_steps(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    for step in (128, 64, 32, 16, 8, 4, 2, 1):
        if t < step:
            part[t] += part[t + step]
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@wrong("tree", "barrier")
@later
def stops_when_done(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 128
    while step > 0 and t < 2 * step:  # the others have nothing left to do
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@wrong("tree", "uninitialised")
@later
def clears_only_the_first_half(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    if t < 128:
        part[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size:
        part[t] = x[i]
    cuda.syncthreads()
    for step in (128, 64, 32, 16, 8, 4, 2, 1):
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@wrong("tree", "remainder")
@later
def begins_with_64_by_shuffles(x, sums):
    part = cuda.shared.array(128, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if t < 128:
        part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 64
    while step:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step >>= 1
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@wrong("tree", "dtype")
@later
def rounds_on_the_way_in(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = 0
    if i < x.size:
        part[t] = np.float32(x[i])
    for step in (128, 64, 32, 16, 8, 4, 2, 1):
        cuda.syncthreads()
        if t < step:
            part[t] += part[t + step]
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@wrong("tree", "serial")
@later
def the_first_reads_all(x, sums):
    if cuda.threadIdx.x == 0:
        start = cuda.blockIdx.x * cuda.blockDim.x
        total = 0.0
        for i in range(start, min(start + cuda.blockDim.x, x.size)):
            total += x[i]
        sums[cuda.blockIdx.x] = total


@wrong("tree", "atomics")
@later
def atomics_at_the_result(x, sums):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        sums[cuda.blockIdx.x] = 0
    cuda.syncthreads()
    if i < x.size:
        cuda.atomic.add(sums, cuda.blockIdx.x, x[i])


@right("tree")
@later
def neighbours_first(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    step = 1
    while step < 256:
        cuda.syncthreads()
        at = 2 * step * t
        if at < 256:
            part[at] += part[at + step]
        step = 2 * step
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@right("tree")
@later
def in_two_stores(x, sums):
    """Each step reads one row and writes the other."""
    part = cuda.shared.array((2, 256), np.float64)
    t = cuda.threadIdx.x
    part[0, t] = 0
    if cuda.grid(1) < x.size:
        part[0, t] = x[cuda.grid(1)]
    cuda.syncthreads()
    now = 0
    for step in (128, 64, 32, 16, 8, 4, 2, 1):
        if t < step:
            part[1 - now, t] = part[now, t] + part[now, t + step]
        now = 1 - now
        cuda.syncthreads()
    if t == 0:
        sums[cuda.blockIdx.x] = part[now, 0]


# ---- fast-kernels.transpose ----


@wrong("transpose", "coalescing")
@later
def reads_down_a_column(x, out):
    """The result is written in order, and the reads pay for it."""
    column = cuda.blockIdx.y * 32 + cuda.threadIdx.x
    for k in range(4):
        row = cuda.blockIdx.x * 32 + 8 * k + cuda.threadIdx.y
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = x[column, row]


@wrong("transpose", "banks")
@later
def turned_on_the_way_in(x, out):
    tile = cuda.shared.array((32, 34), np.float32)  # two columns too many: two ways remain
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[tx, r] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < x.shape[1] and top + tx < x.shape[0]:
            out[left + r, top + tx] = tile[r, tx]


@wrong("transpose", "race")
@later
def waits_for_the_warp_only(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncwarp()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


@wrong("transpose", "order")
@later
def each_thread_keeps_its_own(x, out):
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = cuda.blockIdx.y * 32, cuda.blockIdx.x * 32
    for r in range(ty, 32, 8):
        mine = np.float32(0)
        if row + r < x.shape[0] and column + tx < x.shape[1]:
            mine = x[row + r, column + tx]
        if column + r < out.shape[0] and row + tx < out.shape[1]:
            out[column + r, row + tx] = mine


@wrong("transpose", "remainder")
@later
def full_tiles_only(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    full = left + 32 <= x.shape[1] and top + 32 <= x.shape[0]
    for r in range(ty, 32, 8):
        if full:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if full:
            out[left + r, top + tx] = tile[tx, r]


@wrong("transpose", "uninitialised")
@later
def comes_out_whole_and_goes_in_in_part(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    if top + ty < x.shape[0] and left + tx < x.shape[1]:
        tile[ty, tx] = x[top + ty, left + tx]
    cuda.syncthreads()
    for k in range(4):
        if left + ty + 8 * k < out.shape[0] and top + tx < out.shape[1]:
            out[left + ty + 8 * k, top + tx] = tile[tx, ty + 8 * k]


@wrong("transpose", "bounds")
@later
def guarded_on_one_side(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    j = cuda.grid(1)
    for r in range(ty, 32, 8):
        i = cuda.blockIdx.y * 32 + r
        tile[r, tx] = x[i, j] if i < x.shape[0] and j < x.shape[1] else 0
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        out[cuda.blockIdx.x * 32 + r, cuda.blockIdx.y * 32 + tx] = tile[tx, r]


@wrong("transpose", "barrier")
@later
def all_in_one_branch(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    if top + ty < x.shape[0] and left + tx < x.shape[1]:
        for r in range(ty, min(32, x.shape[0] - top), 8):
            tile[r, tx] = x[top + r, left + tx]
        cuda.syncthreads()
        for r in range(ty, 32, 8):
            if left + r < out.shape[0] and top + tx < out.shape[1]:
                out[left + r, top + tx] = tile[tx, r]


@wrong("transpose", "integer")
@later
def rounds_towards_zero(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = int(x[top + r, left + tx])
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


@right("transpose")
@later
def turned_in_with_33(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    j, top = cuda.grid(1), cuda.blockIdx.y * 32
    for r in range(ty, min(32, x.shape[0] - top), 8):
        if j < x.shape[1]:
            tile[tx, r] = x[top + r, j]
    cuda.syncthreads()
    column = top + tx
    for r in range(ty, 32, 8):
        row = cuda.blockIdx.x * 32 + r
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = tile[r, tx]


@right("transpose")
@later
def xor_of_the_columns(x, out):
    tile = cuda.shared.array((32, 32), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx ^ r] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < x.shape[1] and top + tx < x.shape[0]:
            out[left + r, top + tx] = tile[tx, r ^ tx]


# ---- fast-kernels.matmul ----


@wrong("matmul", "coalescing")
@later
def each_fetches_its_own_of_a(a, b, out):
    """Into the tile as it will be multiplied, so that the threads of a warp go down a column."""
    tiles = cuda.shared.array((2, 16, 17), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = 0.0
    for start in range(0, b.shape[0], 16):
        tiles[0, ty, tx] = tiles[1, ty, tx] = 0
        if start + tx < a.shape[0] and i < a.shape[1]:
            tiles[0, ty, tx] = a[start + tx, i]
        if start + ty < b.shape[0] and j < b.shape[1]:
            tiles[1, ty, tx] = b[start + ty, j]
        cuda.syncthreads()
        for k in range(16):
            total += tiles[0, ty, k] * tiles[1, k, tx]
        cuda.syncthreads()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


@wrong("matmul", "transposed")
@later
def tile_not_turned(a, b, out):
    """Fetched side by side, and multiplied as if a were not to be turned."""
    left = cuda.shared.array((16, 16), np.float32)
    right = cuda.shared.array((16, 16), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column = cuda.blockIdx.y * 16 + tx
    total = 0.0
    for start in range(0, a.shape[0], 16):
        left[ty, tx] = a[start + ty, column] if start + ty < a.shape[0] and column < a.shape[1] else 0
        right[ty, tx] = b[start + ty, j] if start + ty < b.shape[0] and j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(16):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


@wrong("matmul", "traffic")
@later
def only_a_in_a_tile(a, b, out):
    left = cuda.shared.array((16, 16), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx
    total = 0.0
    for start in range(0, a.shape[0], 16):
        left[ty, tx] = a[start + ty, row] if start + ty < a.shape[0] and row < a.shape[1] else 0
        cuda.syncthreads()
        if j < b.shape[1]:
            for k in range(min(16, a.shape[0] - start)):
                total += left[k, ty] * b[start + k, j]
        cuda.syncthreads()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


@wrong("matmul", "race")
@later
def waits_only_after(a, b, out):
    both = cuda.shared.array((2, 16, 16), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx
    total = np.float32(0)
    for start in range(0, a.shape[0], 16):
        both[0, ty, tx] = a[start + ty, row] if start + ty < a.shape[0] and row < a.shape[1] else 0
        both[1, ty, tx] = b[start + ty, j] if start + ty < b.shape[0] and j < b.shape[1] else 0
        for k in range(16):
            total += both[0, k, ty] * both[1, k, tx]
        cuda.syncthreads()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


@wrong("matmul", "barrier")
@later
def rows_that_exist(a, b, out):
    left = cuda.shared.array((16, 16), np.float32)
    right = cuda.shared.array((16, 16), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx
    total = np.float32(0)
    start = 0
    while i < a.shape[1] and start < a.shape[0]:
        left[ty, tx] = a[start + ty, row] if start + ty < a.shape[0] and row < a.shape[1] else 0
        right[ty, tx] = b[start + ty, j] if start + ty < b.shape[0] and j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(16):
            total += left[k, ty] * right[k, tx]
        cuda.syncthreads()
        start += 16
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


@wrong("matmul", "uninitialised")
@later
def cleared_once(a, b, out):
    left = cuda.shared.array((16, 16), np.float32)
    right = cuda.shared.array((16, 16), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx
    left[ty, tx] = right[ty, tx] = 0  # and not again for the last tile
    total = np.float32(0)
    for start in range(0, a.shape[0], 16):
        if start + ty < a.shape[0] and row < a.shape[1]:
            left[ty, tx] = a[start + ty, row]
        if j < b.shape[1] and start + ty < b.shape[0]:
            right[ty, tx] = b[start + ty, j]
        cuda.syncthreads()
        for k in range(16):
            total += left[k, ty] * right[k, tx]
        cuda.syncthreads()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


@wrong("matmul", "remainder")
@later
def while_a_whole_tile_fits(a, b, out):
    left = cuda.shared.array((16, 16), np.float32)
    right = cuda.shared.array((16, 16), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx
    total = 0.0
    start = 0
    while start + 16 <= a.shape[0]:
        left[ty, tx] = a[start + ty, row] if row < a.shape[1] else 0
        right[ty, tx] = b[start + ty, j] if j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(16):
            total += left[k, ty] * right[k, tx]
        cuda.syncthreads()
        start += 16
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


@wrong("matmul", "bounds")
@later
def rows_guarded_alone(a, b, out):
    left = cuda.shared.array((16, 16), np.float32)
    right = cuda.shared.array((16, 16), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx
    total = np.float32(0)
    for start in range(0, a.shape[0], 16):
        left[ty, tx] = a[start + ty, row] if row < a.shape[1] else 0
        right[ty, tx] = b[start + ty, j] if j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(16):
            total += left[k, ty] * right[k, tx]
        cuda.syncthreads()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


@wrong("matmul", "once")
@later
def writes_each_tile_over_the_last(a, b, out):
    left = cuda.shared.array((16, 16), np.float32)
    right = cuda.shared.array((16, 16), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx
    inside = i < out.shape[0] and j < out.shape[1]
    if inside:
        out[i, j] = 0
    for t in range((a.shape[0] + 15) // 16):
        total = np.float32(0)
        left[ty, tx] = a[t * 16 + ty, row] if t * 16 + ty < a.shape[0] and row < a.shape[1] else 0
        right[ty, tx] = b[t * 16 + ty, j] if t * 16 + ty < b.shape[0] and j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(16):
            total += left[k, ty] * right[k, tx]
        if inside:
            out[i, j] = total
        cuda.syncthreads()


@wrong("matmul", "banks")
@later
def both_tiles_turned_in_sixteen_columns(a, b, out):
    tiles = cuda.shared.array((2, 16, 16), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx
    inner, n = a.shape
    total = 0.0
    for start in range(0, inner, 16):
        y = start + ty
        tiles[0, tx, ty] = a[y, row] if row < n and y < inner else 0
        tiles[1, tx, ty] = b[y, j] if y < inner and j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(16):
            total += tiles[0, ty, k] * tiles[1, tx, k]
        cuda.syncthreads()
    if i < n and j < b.shape[1]:
        out[i, j] = total


@right("matmul")
@later
def both_tiles_turned(a, b, out):
    left = cuda.shared.array((16, 17), np.float32)
    right = cuda.shared.array((16, 17), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx
    inner, n = a.shape
    total = 0.0
    for start in range(0, inner, 16):
        left[tx, ty] = 0
        right[tx, ty] = 0
        if row < n and start + ty < inner:
            left[tx, ty] = a[start + ty, row]
        if start + ty < inner and j < b.shape[1]:
            right[tx, ty] = b[start + ty, j]
        cuda.syncthreads()
        for k in range(16):
            total += left[ty, k] * right[tx, k]
        cuda.syncthreads()
    if i < n and j < b.shape[1]:
        out[i, j] = total


@right("matmul")
@later
def next_tile_in_another_store(a, b, out):
    """Two stores in turn: one barrier for each pair of tiles is enough."""
    left = cuda.shared.array((2, 16, 16), np.float32)
    right = cuda.shared.array((2, 16, 16), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx
    total = np.float32(0)
    for t in range((a.shape[0] + 15) // 16):
        y, s = t * 16 + ty, t % 2
        left[s, ty, tx] = a[y, row] if y < a.shape[0] and row < a.shape[1] else 0
        right[s, ty, tx] = b[y, j] if y < b.shape[0] and j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(16):
            total += left[s, k, ty] * right[s, k, tx]
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


# ---- fast-kernels.advance ----


def broad(rows, columns):
    return ((columns + 63) // 64, (rows + 3) // 4), (64, 4)


def as_ever(rows, columns):
    return ((columns + 31) // 32, (rows + 7) // 8), (32, 8)


def without_the_last_row(rows, columns):
    return ((columns + 63) // 64, max(rows // 4, 1)), (64, 4)


def at_most_99_blocks_down(rows, columns):
    return ((columns + 63) // 64, min((rows + 3) // 4, 99)), (64, 4)


def too_high(rows, columns):
    return ((columns + 63) // 64, (rows + 31) // 32), (64, 32)


def in_words(rows, columns):
    return "64 blocks", "64 threads"


@later
def first_those_with_a_cell(u, out):
    """The first step in shared memory; a thread right of the plate ends before the others wait."""
    once = cuda.shared.array((6, 66), np.float32)
    n, m = u.shape
    left = cuda.blockIdx.x * 64 - 1
    if left + 1 + cuda.threadIdx.x >= m:
        return
    there = min(m - left - 1, 64)
    for r in range(cuda.threadIdx.y, 6, 4):
        for c in range(cuda.threadIdx.x, there + 2, there):
            i, j = cuda.blockIdx.y * 4 - 1 + r, left + c
            if 0 < i < n - 1 and 0 < j < m - 1:
                once[r, c] = np.float32(0.25) * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
            elif 0 <= i < n and 0 <= j < m:
                once[r, c] = u[i, j]
    cuda.syncthreads()
    r, c = cuda.threadIdx.y + 1, cuda.threadIdx.x + 1
    i, j = cuda.blockIdx.y * 4 - 1 + r, left + c
    if i < n:
        value = once[r, c]
        if 0 < i < n - 1 and 0 < j < m - 1:
            value = np.float32(0.25) * (once[r - 1, c] + once[r + 1, c] + once[r, c - 1] + once[r, c + 1])
        out[i, j] = value


@later
def thirteen_cells(u, out):
    """Both steps in one sum: each cell two steps away counts as often as there are ways to it."""
    j, i = cuda.grid(2)
    n, m = u.shape
    if i >= n or j >= m:
        return
    value = u[i, j]
    if 0 < i < n - 1 and 0 < j < m - 1:
        value = np.float32(0)
        for k, h in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if k == 0 or k == n - 1 or h == 0 or h == m - 1:
                value += np.float32(4) * u[k, h]
            else:
                value += u[k - 1, h] + u[k + 1, h] + u[k, h - 1] + u[k, h + 1]
        value = value / np.float32(16)
    out[i, j] = value


def a_block_for_256_columns(rows, columns):
    return (-(-columns // 256), 1), (32, 8)


@later
def down_the_columns(u, out):
    """A block goes down 256 columns, eight times 32 of them after one another."""
    tile = cuda.shared.array((12, 36), np.float32)
    once = cuda.shared.array((12, 36), np.float32)
    n, m = u.shape
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    for part in range(8):
        left = cuda.blockIdx.x * 256 + part * 32 - 2
        for top in range(-2, n - 2, 8):
            cuda.syncthreads()
            for r in range(ty, 12, 8):
                for c in range(tx, 36, 32):
                    tile[r, c] = u[top + r, left + c] if 0 <= top + r < n and 0 <= left + c < m else 0
            cuda.syncthreads()
            for r in range(ty + 1, 11, 8):
                for c in range(tx + 1, 35, 32):
                    once[r, c] = tile[r, c]
                    if 0 < top + r < n - 1 and 0 < left + c < m - 1:
                        once[r, c] = (tile[r - 1, c] + tile[r + 1, c] + tile[r, c - 1] + tile[r, c + 1]) / np.float32(4)
            cuda.syncthreads()
            r, c = ty + 2, tx + 2
            if top + r < n and left + c < m:
                value = once[r, c]
                if 0 < top + r < n - 1 and 0 < left + c < m - 1:
                    value = (once[r - 1, c] + once[r + 1, c] + once[r, c - 1] + once[r, c + 1]) / np.float32(4)
                out[top + r, left + c] = value


@later
def one_step_in_a_tile(u, out):
    tile = cuda.shared.array((6, 66), np.float32)
    n, m = u.shape
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 64 - 1, cuda.blockIdx.y * 4 - 1
    for r in range(ty, 6, 4):
        for c in range(tx, 66, 64):
            tile[r, c] = u[top + r, left + c] if 0 <= top + r < n and 0 <= left + c < m else 0
    cuda.syncthreads()
    i, j = top + 1 + ty, left + 1 + tx
    if i < n and j < m:
        value = tile[ty + 1, tx + 1]
        if 0 < i < n - 1 and 0 < j < m - 1:
            value = (tile[ty, tx + 1] + tile[ty + 2, tx + 1] + tile[ty + 1, tx] + tile[ty + 1, tx + 2]) / np.float32(4)
        out[i, j] = value


@later
def both_steps_in_one_tile(u, out):
    """The first step is written over what others still read."""
    tile = cuda.shared.array((8, 68), np.float32)
    n, m = u.shape
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 64 - 2, cuda.blockIdx.y * 4 - 2
    for r in range(ty, 8, 4):
        for c in range(tx, 68, 64):
            tile[r, c] = u[top + r, left + c] if 0 <= top + r < n and 0 <= left + c < m else 0
    for _ in range(2):
        cuda.syncthreads()
        for r in range(ty + 1, 7, 4):
            for c in range(tx + 1, 67, 64):
                if 0 < top + r < n - 1 and 0 < left + c < m - 1:
                    tile[r, c] = (tile[r - 1, c] + tile[r + 1, c] + tile[r, c - 1] + tile[r, c + 1]) / np.float32(4)
    cuda.syncthreads()
    i, j = top + 2 + ty, left + 2 + tx
    if i < n and j < m:
        out[i, j] = tile[ty + 2, tx + 2]


@later
def rim_beyond_the_plate_forgotten(u, out):
    """Cells beyond the block are fetched only where the plate goes on, and read everywhere."""
    tile = cuda.shared.array((8, 68), np.float32)
    once = cuda.shared.array((8, 68), np.float32)
    n, m = u.shape
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 64 - 2, cuda.blockIdx.y * 4 - 2
    for r in range(ty, 8, 4):
        for c in range(tx, 68, 64):
            if 0 <= top + r < n and 0 <= left + c < m:
                tile[r, c] = u[top + r, left + c]
    cuda.syncthreads()
    for r in range(ty + 1, 7, 4):
        for c in range(tx + 1, 67, 64):
            mean = (tile[r - 1, c] + tile[r + 1, c] + tile[r, c - 1] + tile[r, c + 1]) / np.float32(4)
            once[r, c] = mean if 0 < top + r < n - 1 and 0 < left + c < m - 1 else tile[r, c]
    cuda.syncthreads()
    r, c = ty + 2, tx + 2
    if top + r < n and left + c < m:
        mean = (once[r - 1, c] + once[r + 1, c] + once[r, c - 1] + once[r, c + 1]) / np.float32(4)
        out[top + r, left + c] = mean if 0 < top + r < n - 1 and 0 < left + c < m - 1 else tile[r, c]


@later
def inside_only(u, out):
    tile = cuda.shared.array((8, 68), np.float32)
    once = cuda.shared.array((8, 68), np.float32)
    n, m = u.shape
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 64 - 2, cuda.blockIdx.y * 4 - 2
    for r in range(ty, 8, 4):
        for c in range(tx, 68, 64):
            tile[r, c] = u[top + r, left + c] if 0 <= top + r < n and 0 <= left + c < m else 0
    cuda.syncthreads()
    for r in range(ty + 1, 7, 4):
        for c in range(tx + 1, 67, 64):
            once[r, c] = tile[r, c]
            if 0 < top + r < n - 1 and 0 < left + c < m - 1:
                once[r, c] = (tile[r - 1, c] + tile[r + 1, c] + tile[r, c - 1] + tile[r, c + 1]) / np.float32(4)
    cuda.syncthreads()
    i, j = top + 2 + ty, left + 2 + tx
    if 0 < i < n - 1 and 0 < j < m - 1:
        out[i, j] = (
            once[ty + 1, tx + 2] + once[ty + 3, tx + 2] + once[ty + 2, tx + 1] + once[ty + 2, tx + 3]
        ) / np.float32(4)


@later
def fetches_beyond_the_plate(u, out):
    tile = cuda.shared.array((8, 68), np.float32)
    n, m = u.shape
    left, top = cuda.blockIdx.x * 64 - 2, cuda.blockIdx.y * 4 - 2
    for r in range(cuda.threadIdx.y, 8, 4):
        for c in range(cuda.threadIdx.x, 68, 64):
            tile[r, c] = u[max(top + r, 0), max(left + c, 0)]
    cuda.syncthreads()
    j, i = cuda.grid(2)
    if i < n and j < m:
        out[i, j] = tile[cuda.threadIdx.y + 2, cuda.threadIdx.x + 2]


@later
def five_tiles_in_one(u, out):
    """Right: 64 × 4 threads, a tile of 68 × 8 and one of 66 × 6."""
    tile = cuda.shared.array((8, 68), np.float32)
    once = cuda.shared.array((6, 66), np.float32)
    n, m = u.shape
    t = cuda.threadIdx.y * 64 + cuda.threadIdx.x
    left, top = cuda.blockIdx.x * 64 - 2, cuda.blockIdx.y * 4 - 2
    for k in range(t, 8 * 68, 256):
        i, j = min(max(top + k // 68, 0), n - 1), min(max(left + k % 68, 0), m - 1)
        tile[k // 68, k % 68] = u[i, j]
    cuda.syncthreads()
    for k in range(t, 6 * 66, 256):
        r, c = k // 66 + 1, k % 66 + 1
        if top + r <= 0 or top + r >= n - 1 or left + c <= 0 or left + c >= m - 1:
            once[r - 1, c - 1] = tile[r, c]
        else:
            once[r - 1, c - 1] = (tile[r - 1, c] + tile[r + 1, c] + tile[r, c - 1] + tile[r, c + 1]) / np.float32(4)
    cuda.syncthreads()
    j, i = cuda.grid(2)
    r, c = cuda.threadIdx.y + 1, cuda.threadIdx.x + 1
    if i < n and j < m:
        if i == 0 or j == 0 or i == n - 1 or j == m - 1:
            out[i, j] = tile[r + 1, c + 1]
        else:
            out[i, j] = (once[r - 1, c] + once[r + 1, c] + once[r, c - 1] + once[r, c + 1]) / np.float32(4)


@later
def rows_kept_in_registers(u, out):
    """Right: a thread takes a column of the tile's and reads each of its cells once from global memory."""
    tile = cuda.shared.array((8, 68), np.float32)
    once = cuda.shared.array((8, 68), np.float32)
    n, m = u.shape
    left, top = cuda.blockIdx.x * 64 - 2, cuda.blockIdx.y * 4 - 2
    for r in range(cuda.threadIdx.y, 8, 4):
        for c in range(cuda.threadIdx.x, 68, 64):
            inside = 0 <= top + r < n and 0 <= left + c < m
            tile[r, c] = u[top + r, left + c] if inside else 0
            once[r, c] = 0
    cuda.syncthreads()
    for r in range(cuda.threadIdx.y + 1, 7, 4):
        for c in range(cuda.threadIdx.x + 1, 67, 64):
            up, here, down = tile[r - 1, c], tile[r, c], tile[r + 1, c]
            moves = 0 < top + r < n - 1 and 0 < left + c < m - 1
            once[r, c] = np.float32(0.25) * (up + down + tile[r, c - 1] + tile[r, c + 1]) if moves else here
    cuda.syncthreads()
    r, c = cuda.threadIdx.y + 2, cuda.threadIdx.x + 2
    if top + r < n and left + c < m:
        moves = 0 < top + r < n - 1 and 0 < left + c < m - 1
        mean = np.float32(0.25) * (once[r - 1, c] + once[r + 1, c] + once[r, c - 1] + once[r, c + 1])
        out[top + r, left + c] = mean if moves else once[r, c]


for reason, answer in {
    "traffic": (thirteen_cells, as_ever),
    "serial": (down_the_columns, a_block_for_256_columns),
    "once": (one_step_in_a_tile, broad),
    "race": (both_steps_in_one_tile, broad),
    "uninitialised": (rim_beyond_the_plate_forgotten, broad),
    "remainder": (inside_only, broad),
    "bounds": (fetches_beyond_the_plate, broad),
    "type": (five_tiles_in_one, in_words),
    "callable": (five_tiles_in_one, (64, 4)),
    "value": (five_tiles_in_one, at_most_99_blocks_down),
    "launch-limit": (five_tiles_in_one, too_high),
    "barrier": (first_those_with_a_cell, broad),
}.items():
    wrong("advance", reason)(answer)
wrong("advance", "remainder")((five_tiles_in_one, without_the_last_row))
right("advance")((five_tiles_in_one, broad))
right("advance")((rows_kept_in_registers, broad))


@wrong("transpose", "serial")
@later
def half_of_the_warps(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32 if ty < 4 else 0, 4):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32 if ty < 4 else 0, 4):
        if left + r < x.shape[1] and top + tx < x.shape[0]:
            out[left + r, top + tx] = tile[tx, r]


@wrong("matmul", "value")
@later
def whole_numbers_in_the_tiles(a, b, out):
    left = cuda.shared.array((16, 16), np.int32)
    right = cuda.shared.array((16, 16), np.int32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx
    total = np.float32(0)
    for start in range(0, a.shape[0], 16):
        left[ty, tx] = a[start + ty, row] if start + ty < a.shape[0] and row < a.shape[1] else 0
        right[ty, tx] = b[start + ty, j] if start + ty < b.shape[0] and j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(16):
            total += left[k, ty] * right[k, tx]
        cuda.syncthreads()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


# ---- all of them ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests("interpreted")


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    for _, _, reason in PREDICTIONS:
        SECOND.also("tiles", reason)
    SECOND.also(
        "worth",
        *(job.reason for job in worth.JOBS.values()),
        "always-cpu",
        "always-gpu",
        "always-kernel",
        "type",
        "labels",
    )
    assert not SECOND.absent()


# ---- the numbers ----

PREDICTIONS = [
    (0, 1, "banks"),
    (1, 1, "shifted"),
    (1, 16, "count"),
    (2, 256, "border"),
    (2, 297, "border"),
    (2, 1280, "reads"),
    (3, 8 * 4096**3, "traffic"),
    (3, 4 * 4096**3 / 16, "reads"),
    (3, 2 * 4096**3 / 16, "item-size"),
    (3, 2 * 4 * 4096**2, "once"),
    (3, 34.4, "unit"),
    (4, 8, "occupancy"),
    (4, 6.4, "rounding"),
    (4, 7, "value"),
]


@pytest.mark.parametrize(("position", "value", "reason"), PREDICTIONS)
def test_a_mistake_in_a_prediction_is_recognised(position, value, reason):
    right = [32, 2, 340, 34_359_738_368, 6]
    answers = [*right[:position], value, *right[position + 1 :]]
    assert problems.judge("fast-kernels.tiles", *answers).reason == reason
    assert problems.judge("fast-kernels.tiles", *right).right


@pytest.mark.parametrize(
    ("position", "value", "word"), [(0, 5, "bank"), (2, 297, "row"), (3, 2 * 4096**3, "pairs"), (4, 7, "stores")]
)
def test_the_hint_is_about_the_number_that_is_wrong(position, value, word):
    answers = [32, 2, 340, 34_359_738_368, 6]
    answers[position] = value
    assert word in problems.judge("fast-kernels.tiles", *answers).advice


def test_the_predictions_are_what_the_lens_counts(interpreted):
    """Banks, occupancy and the bytes of a tiled product, by the lens instead of by the reckoning."""
    import kernellens

    @later
    def down_the_columns(out):
        straight = cuda.shared.array((32, 32), np.float32)
        padded = cuda.shared.array((32, 34), np.float32)
        t = cuda.threadIdx.x
        for k in range(32):
            straight[k, t] = padded[k, t] = k
        cuda.syncthreads()
        out[t] = straight[t, 5] + padded[t, 5]

    seen = kernellens.trace(down_the_columns.ready(), 1, 32, np.zeros(32, np.float32))
    assert sorted(each.worst for each in seen.conflicts)[-2:] == [tiles.PADDED, tiles.STRAIGHT]

    fits = kernellens.occupancy(tiles.REGISTERS, tiles.SHARED, tiles.THREADS, cc=(7, 0))
    assert (fits.blocks_per_sm, fits.binds) == (tiles.BLOCKS, "registers")

    n = 64
    a = np.ones((n, n), np.float32)
    seen = kernellens.trace(known_matmul._tiled.ready(), (n // 16, n // 16), (16, 16), a, a.copy(), np.empty_like(a))
    assert sum(count.total for count in seen.reads.values() if count.most == n // 16) == 2 * n**3 // tiles.SIDE


# ---- the decisions ----


def test_the_jobs_are_decided_by_what_the_exercise_says():
    """By hand: 2 · 4096³ operations at 12 and 1.5 TFLOP/s; 400 MB at 900 GB/s; 10 000 launches of 10 µs; 13 passes and 2."""
    assert worth.JOBS["product"].times["library"] == pytest.approx(0.01145, rel=0.01)
    assert worth.JOBS["product"].times["kernel"] == pytest.approx(0.0916, rel=0.01)
    assert worth.JOBS["sum"].times["kernel"] == worth.JOBS["sum"].times["library"] < worth.JOBS["sum"].times["cpu"] / 50
    assert worth.JOBS["small"].times["kernel"] > 10_000 * 10e-6 > 100 * worth.JOBS["small"].times["cpu"]
    assert worth.JOBS["large"].times["library"] / worth.JOBS["large"].times["kernel"] == pytest.approx(13 / 2, rel=0.1)
    assert worth.JOBS["turn"].times["cpu"] < 8e8 / 12e9 < worth.JOBS["turn"].times["library"]
    assert list(worth.WORTH.judge.right.values()) == ["library", "library", "cpu", "kernel", "cpu"]


@pytest.mark.parametrize("key", worth.JOBS)
@pytest.mark.parametrize("label", worth.WORTH.judge.labels)
def test_each_wrong_decision_has_its_reason(key, label):
    verdict = problems.judge("fast-kernels.worth", {**worth.WORTH.judge.right, key: label})
    if label == worth.WORTH.judge.right[key]:
        assert verdict.right
    else:
        assert (verdict.outcome, verdict.reason) == ("wrong", worth.JOBS[key].reason)


@pytest.mark.parametrize(
    ("answer", "reason"), [(("cpu",) * 5, "type"), ({**worth.WORTH.judge.right, "sum": "BLAS"}, "labels")]
)
def test_decisions_in_another_form(answer, reason):
    assert problems.judge("fast-kernels.worth", answer).reason == reason


@pytest.mark.parametrize(
    ("label", "reason"), [("cpu", "always-cpu"), ("library", "always-gpu"), ("kernel", "always-kernel")]
)
def test_one_label_for_everything(label, reason):
    verdict = problems.judge("fast-kernels.worth", dict.fromkeys(worth.JOBS, label))
    assert (verdict.outcome, verdict.reason) == ("wrong", reason)


# ---- specifications, and what is said of how near the limit is ----


def test_the_specifications_by_other_ways():
    x = np.random.default_rng(3).normal(size=777)
    np.testing.assert_allclose(tree.block_sums(x), np.add.reduceat(x, [0, 256, 512, 768]))
    assert tree.block_sums(x[:0]).tolist() == [0.0]
    m = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert [[transpose.transpose(m)[j, i] for j in range(4)] for i in range(3)] == m.tolist()
    np.testing.assert_array_equal(matmul.product(m, m[:, 1:]), np.einsum("ki,kj->ij", m, m[:, 1:]))


def test_two_steps_are_scipys_and_keep_the_edge():
    ndimage = pytest.importorskip("scipy.ndimage")
    cross = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]) / 4
    for shape in ((9, 14), (3, 3), (2, 7), (1, 1)):
        u = expected = np.random.default_rng(3).normal(size=shape)
        for _ in range(2):
            inside = ndimage.correlate(expected, cross)
            edge = np.ones(shape, bool)
            edge[1:-1, 1:-1] = False
            expected = np.where(edge, expected, inside)
        np.testing.assert_allclose(advance.two_steps(u), expected)


def test_a_larger_tile_moves_less(interpreted):
    problem = problems.find("fast-kernels.advance")
    by_hand, broad_tile, square = (
        advance.moved(kernel.ready(), lambda x, shape=shape: shape(*x.shape), problem)
        for kernel, shape in (
            (known_advance.by_hand, known_advance.wide),
            (five_tiles_in_one, broad),
            (known_advance.tiled_in_squares, known_advance.square),
        )
    )
    assert 1 < square < broad_tile < advance.MOST < by_hand
    verdict = answers.judge("fast-kernels.advance", (known_advance.tiled_in_squares, known_advance.square))
    assert f"{square:.2f} times" in verdict.near


def test_a_kernel_that_is_not_begun_is_not_judged(interpreted):
    @later
    def nothing(a, b, out): ...

    assert answers.judge("fast-kernels.matmul", nothing).outcome == "untouched"


@pytest.mark.parametrize("problem", [each.id for each in PROBLEMS if each.kind in ("write", "repair")])
def test_a_plain_function_is_no_kernel(interpreted, problem):
    assert problems.judge(problem, lambda *arrays: arrays[0].sum()).reason == "callable"


def test_a_line_with_many_small_waits_does_not_hide_one_with_a_long_wait():
    def place(text, worst, extra):
        return SimpleNamespace(text=text, worst=worst, extra=extra, cycles=2 * extra, requests=extra)

    seen = SimpleNamespace(conflicts=[place("often twice", 2, 100), place("seldom eight times", 8, 7)])
    with pytest.raises(Refusal, match="seldom eight times"):
        looking.no_conflicts(seen, None, most=2)
    looking.no_conflicts(seen, None, most=8)
