"""``kernels.guard``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from ..edits import Wrong
from ..later import cuda, later


@later
def _guarded(x, gain, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = min(x[i] * gain, 1.0)


@later
def _strided(x, gain, out):
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        out[i] = min(x[i] * gain, 1.0)


@later
def _four_in_a_row(x, gain, out):
    first = 4 * (cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x)
    for i in range(first, min(first + 4, x.size)):
        product = x[i] * gain
        if product > 1:
            product = 1
        out[i] = product


@later
def _from_the_end(x, gain, out):
    i = x.size - 1 - cuda.grid(1)
    if i >= 0:
        out[i] = x[i] * gain if x[i] * gain < 1 else 1


@later
def _starter(x, gain, out):
    i = cuda.grid(1)
    out[i] = min(x[i] * gain, 1.0)


@later
def _one_too_many(x, gain, out):
    i = cuda.grid(1)
    if i <= x.size:
        out[i] = min(x[i] * gain, 1.0)


@later
def _one_too_few(x, gain, out):
    i = cuda.grid(1)
    if i < x.size - 1:
        out[i] = min(x[i] * gain, 1.0)


@later
def _own_block_only(x, gain, out):
    i = cuda.threadIdx.x
    if i < x.size:
        out[i] = min(x[i] * gain, 1.0)


@later
def _all_by_each(x, gain, out):
    for i in range(x.size):
        out[i] = min(x[i] * gain, 1.0)


@later
def _one_block(x, gain, out):
    if cuda.blockIdx.x == 0:
        for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
            out[i] = min(x[i] * gain, 1.0)


@later
def _in_place(x, gain, out):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = min(x[i] * gain, 1.0)
        out[i] = x[i]


@later
def _by_blocks(x, gain, out):
    i = cuda.blockIdx.x * cuda.gridDim.x + cuda.threadIdx.x
    if i < x.size:
        out[i] = min(x[i] * gain, 1.0)


@later
def _not_limited(x, gain, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * gain


@later
def _over_the_gain(x, gain, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = 1.0 if x[i] > 1.0 / gain else x[i] * gain


@later
def _returns(x, gain, out):
    i = cuda.grid(1)
    if i < x.size:
        return min(x[i] * gain, 1.0)


def _plain(x, gain, out):
    for i in range(x.size):
        out[i] = min(x[i] * gain, 1.0)


WRONG = {
    "bounds": Wrong(_starter, "bounds"),
    "one too many": Wrong(_one_too_many, "bounds"),
    "one too few": Wrong(_one_too_few, "remainder"),
    "own block": Wrong(_own_block_only, "race"),
    "all by each": Wrong(_all_by_each, "race"),
    "in place": Wrong(_in_place, "aliasing"),
    "by blocks": Wrong(_by_blocks, "race"),
    "value": Wrong(_not_limited, "value"),
    "1 / gain": Wrong(_over_the_gain, "value"),
    "one block": Wrong(_one_block, "serial"),
    "returns": Wrong(_returns, "typing"),
    "plain": Wrong(_plain, "callable"),
}
RIGHT = {
    "guarded": _guarded,
    "strided": _strided,
    "four in a row": _four_in_a_row,
    "from the end": _from_the_end,
}
