"""The lanes of a warp: who has to take part, what a mask has to name, and what orders memory.

CUDA C++ Programming Guide. *Warp Shuffle Functions*, *Warp Vote Functions*: each calling thread must have its own bit set in the
mask; all threads named in it that have not exited must execute the same intrinsic with the same mask; a value read from a
thread that does not take part is undefined; these functions do not imply a memory barrier. *Synchronization Functions*:
`__syncwarp` orders memory among the threads named in its mask.
"""

import types

import numpy as np
import pytest

from gpusim.kernels import Kernel
from gpusim.kernels.frontend import intrinsics
from gpusim.kernels.sanitizer import findings

cuda = types.ModuleType("cuda")
vars(cuda).update(intrinsics.TOP)
FULL = 0xFFFFFFFF
LOW, HIGH = 0xFFFF, 0xFFFF0000

pytestmark = pytest.mark.usefixtures("backend")


def found(kernel, threads=32, *, size=64):
    out = np.zeros(size, np.int32)
    log, fault = Kernel(kernel).trace(1, threads, (out,))
    assert fault is None, fault
    return findings.examine(log)


def errors(kernel, threads=32):
    return [each for each in found(kernel, threads) if each.severity == "error"]


# A lane outside of the mask


def reads_outside(out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_sync(LOW, t, 20)


def reads_outside_by_xor(out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_xor_sync(LOW, t, 16)


def reads_outside_below(out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_down_sync(LOW, t, 1)


@pytest.mark.parametrize(
    ("kernel", "line", "lane"), [(reads_outside, 4, 20), (reads_outside_by_xor, 4, 16), (reads_outside_below, 4, 16)]
)
def test_a_shuffle_that_reads_a_lane_outside_its_mask(kernel, line, lane):
    (finding,) = errors(kernel)
    assert finding.line == line and f"lane {lane} " in finding.sentence and "mask does not name" in finding.sentence


def sum_of_half_a_warp(out):
    t = cuda.threadIdx.x
    if t < 16:
        value = t
        step = 8
        while step > 0:
            value += cuda.shfl_down_sync(LOW, value, step)
            step //= 2
        if t == 0:
            out[0] = value


def at_the_edges(out):
    t = cuda.threadIdx.x
    out[t] = cuda.shfl_up_sync(FULL, t, 1) + cuda.shfl_down_sync(FULL, t, 1)


def test_what_nobody_uses_is_no_error_and_the_edges_of_a_warp_are_defined():
    assert not errors(sum_of_half_a_warp) and not found(at_the_edges, 64)


# A caller without its own bit


def shuffle_without_its_own_bit(out):
    t = cuda.threadIdx.x
    out[t] = cuda.shfl_sync(LOW, t, 0)


def vote_without_its_own_bit(out):
    t = cuda.threadIdx.x
    out[t] = cuda.ballot_sync(1, t > 3)
    cuda.syncthreads()


def match_without_its_own_bit(out):
    t = cuda.threadIdx.x
    out[t] = cuda.match_any_sync(LOW, t)


def wait_without_its_own_bit(out):
    t = cuda.threadIdx.x
    if t < 8:
        cuda.syncwarp(0xFF00)
    out[t] = t


@pytest.mark.parametrize(
    "kernel",
    [shuffle_without_its_own_bit, vote_without_its_own_bit, match_without_its_own_bit, wait_without_its_own_bit],
)
def test_a_caller_without_its_own_bit(kernel):
    (finding,) = errors(kernel)
    assert "does not name that lane" in finding.sentence and "ballot_sync" in finding.cure


# All lanes named, and half of them there


def full_mask_in_a_branch(out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_up_sync(FULL, t, 1)


def full_syncwarp_in_a_branch(out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = t
        cuda.syncwarp()


def full_vote_in_a_branch(out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.all_sync(FULL, t >= 0)


@pytest.mark.parametrize("kernel", [full_mask_in_a_branch, full_syncwarp_in_a_branch, full_vote_in_a_branch])
def test_a_full_mask_in_a_branch_of_half_a_warp(kernel):
    (finding,) = errors(kernel)
    assert "lane 16" in finding.sentence and "went past" in finding.sentence


def guarded(out):
    t = cuda.threadIdx.x
    if t >= 16:
        return
    out[t] = cuda.shfl_up_sync(FULL, t, 1)
    cuda.syncwarp()


def whole_warps(out):
    t = cuda.threadIdx.x
    if t < 32:
        out[t] = cuda.shfl_down_sync(FULL, t, 1)
        cuda.syncwarp()


def in_both_branches(out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_xor_sync(FULL, t, 16)
    else:
        out[t] = cuda.shfl_xor_sync(FULL, t, 16)


def each_half_by_itself(out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_xor_sync(LOW, t, 8)
    else:
        out[t] = cuda.shfl_xor_sync(HIGH, t, 8)


@pytest.mark.parametrize("kernel", [guarded, whole_warps, in_both_branches, each_half_by_itself])
def test_lanes_that_have_exited_or_have_a_mask_of_their_own_are_right(kernel):
    assert not found(kernel, 64 if kernel is whole_warps else 32)


def different_masks(out):
    t = cuda.threadIdx.x
    cuda.syncwarp(FULL if t < 16 else 0xFFFF0001)
    out[t] = t


def test_different_masks_at_one_syncwarp():
    assert any("different masks" in each.sentence for each in errors(different_masks))


# What orders memory


def behind_a_shuffle(out):
    t = cuda.threadIdx.x
    out[t] = t
    cuda.shfl_sync(FULL, t, 0)
    out[32 + t] = out[31 - t]


def behind_a_vote(out):
    t = cuda.threadIdx.x
    out[t] = t
    if cuda.any_sync(FULL, t == 3):
        out[32 + t] = out[31 - t]


def behind_a_match(out):
    t = cuda.threadIdx.x
    out[t] = t
    cuda.match_any_sync(FULL, t)
    out[32 + t] = out[31 - t]


def behind_an_active_mask(out):
    t = cuda.threadIdx.x
    out[t] = t
    cuda.activemask()
    out[32 + t] = out[31 - t]


def halves_that_wait_apart(out):
    t = cuda.threadIdx.x
    out[t] = t
    if t < 16:
        cuda.syncwarp(LOW)
    else:
        cuda.syncwarp(HIGH)
    out[32 + t] = out[31 - t]


def only_one_half_waits(out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = t
        cuda.syncwarp(LOW)
    else:
        out[16 + t] = out[31 - t]


@pytest.mark.parametrize(
    "kernel",
    [
        behind_a_shuffle,
        behind_a_vote,
        behind_a_match,
        behind_an_active_mask,
        halves_that_wait_apart,
        only_one_half_waits,
    ],
)
def test_a_race_behind_what_does_not_order_memory(kernel):
    (finding,) = found(kernel)
    assert (finding.kind, finding.severity) == ("race", "error")


def behind_a_syncwarp(out):
    t = cuda.threadIdx.x
    out[t] = t
    cuda.syncwarp()
    out[32 + t] = out[31 - t]


def within_each_half(out):
    t = cuda.threadIdx.x
    half = t // 16 * 16
    out[t] = t
    if t < 16:
        cuda.syncwarp(LOW)
    else:
        cuda.syncwarp(HIGH)
    out[32 + t] = out[half + 15 - (t - half)]


def steps_of_half_a_warp(out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = t
        cuda.syncwarp(LOW)
        step = 8
        while step > 0:
            value = out[t + step]
            cuda.syncwarp(LOW)
            if t < step:
                out[t] += value
            cuda.syncwarp(LOW)
            step //= 2


def by_way_of_others(out):
    t = cuda.threadIdx.x
    if t < 8:
        out[t] = t
        cuda.syncwarp(0xFFFF)
    elif t < 16:
        cuda.syncwarp(0xFFFF)
        cuda.syncwarp(0xFFFF00)
    elif t < 24:
        cuda.syncwarp(0xFFFF00)
        out[16 + t] = out[t - 16]


@pytest.mark.parametrize("kernel", [behind_a_syncwarp, within_each_half, steps_of_half_a_warp, by_way_of_others])
def test_what_a_syncwarp_orders(kernel):
    assert not found(kernel)
