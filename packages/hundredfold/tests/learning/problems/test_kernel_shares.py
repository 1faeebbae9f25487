"""Who works: what each thread and each block touches of a kernel's arguments, and hints by the memory that a finding is in."""

import answers
import numpy as np
import pytest
from answers.later import cuda, later

import kernellens
from hundredfold.learning import problems
from hundredfold.learning.problems.kernels.shares import of_kernel

pytestmark = pytest.mark.usefixtures("interpreted")


@later
def through_a_view(x, out):
    """Thread 0 reads a row of x twice under another name, and puts it through shared memory."""
    tile = cuda.shared.array(4, np.float32)
    row = x[1]
    if cuda.grid(1) == 0:
        for k in range(8):
            tile[k % 4] = row[k % 4]
        for k in range(4):
            out[k] = tile[k]


def test_different_elements_are_counted_under_whatever_name_and_shared_memory_is_not():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    account = of_kernel(kernellens.trace(through_a_view.ready(), 2, 8, x, np.zeros(4, np.float32)))
    read, written = account.reads[0], account.writes[1]
    assert (read.most, read.elements, read.by_block.tolist()) == (8, 4, [4, 0])
    assert (written.most, written.by_block.tolist()) == (4, [4, 0])
    assert (account.reads[1].most, account.writes[0].elements) == (0, 0)


@later
def tile_without_a_barrier(x, out):
    tile = cuda.shared.array((10, 34), np.int8)
    j, i = cuda.grid(2)
    n, m = x.shape
    top, left = cuda.blockIdx.y * 8 - 1, cuda.blockIdx.x * 32 - 1
    for k in range(32 * cuda.threadIdx.y + cuda.threadIdx.x, 340, 256):
        if 0 <= top + k // 34 < n and 0 <= left + k % 34 < m:
            tile[k // 34, k % 34] = x[top + k // 34, left + k % 34]
    if i < n and j < m:
        total = count = 0
        for r in range(max(i - 1, 0), min(i + 2, n)):
            for c in range(max(j - 1, 0), min(j + 2, m)):
                total += tile[r - top, c - left]
                count += 1
        out[i, j] = total // count


@later
def tile(x, out):
    part = cuda.shared.array((10, 34), np.int8)
    j, i = cuda.grid(2)
    n, m = x.shape
    top, left = cuda.blockIdx.y * 8 - 1, cuda.blockIdx.x * 32 - 1
    for k in range(32 * cuda.threadIdx.y + cuda.threadIdx.x, 340, 256):
        if 0 <= top + k // 34 < n and 0 <= left + k % 34 < m:
            part[k // 34, k % 34] = x[top + k // 34, left + k % 34]
    cuda.syncthreads()
    if i < n and j < m:
        total = count = 0
        for r in range(max(i - 1, 0), min(i + 2, n)):
            for c in range(max(j - 1, 0), min(j + 2, m)):
                total += part[r - top, c - left]
                count += 1
        out[i, j] = total // count


def test_a_tile_is_no_picture_and_a_race_in_it_is_answered_with_a_barrier():
    assert answers.judge("kernels.smooth", tile).right
    verdict = answers.judge("kernels.smooth", tile_without_a_barrier)
    assert verdict.reason == "race" and "syncthreads" in verdict.advice and "`tile`" in verdict.advice


@later
def rounds_up(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = count = 0
        for r in range(max(i - 1, 0), min(i + 2, n)):
            for c in range(max(j - 1, 0), min(j + 2, m)):
                total += x[r, c]
                count += 1
        out[i, j] = -(-total // count)


def test_a_mistake_that_is_not_recognised_does_not_get_another_ones_hint():
    verdict = answers.judge("kernels.smooth", rounds_up)
    assert verdict.reason == "value" and not verdict.advice


def as_fractions(rows, columns):
    return (columns / 32 + 1, rows / 8 + 1), (32, 8)


def too_many(rows, columns):
    return (10**12, 1), (32, 8)


@pytest.mark.parametrize(("launch", "reason"), [(as_fractions, "type"), (too_many, "launch-limit")])
def test_a_launch_of_fractions_or_of_more_than_there_can_be_is_refused(launch, reason):
    assert answers.judge("kernels.fastest", (tile, launch)).reason == reason


def test_a_kernel_that_is_configured_already_is_not_called_a_plain_function():
    verdict = problems.judge("kernels.smooth", tile.ready()[1, 1])
    assert verdict.reason == "callable" and "plain" not in verdict.why


@later
def adds_to_what_is_there(x, sums):
    part = cuda.shared.array(256, np.float64)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    for step in (128, 64, 32, 16, 8, 4, 2, 1):
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
    if t == 0:
        sums[cuda.blockIdx.x] += part[0]


def test_a_result_that_depends_on_what_lay_there_is_told_as_that():
    verdict = answers.judge("fast-kernels.tree", adds_to_what_is_there)
    assert verdict.reason == "uninitialised" and "before the launch" in verdict.why
