"""A grid barrier waits for every block of the grid: one that does not come hangs a GPU.

CUDA's own header says how (`cooperative_groups/details/sync.h`, `sync_grids_arrive`): all threads of a block meet, then its
thread (0, 0, 0) adds to a counter, and waits until as many blocks have done so as the grid has.
"""

import types

import numpy as np
import pytest

from gpusim.device import queue
from gpusim.kernels import Kernel, faults
from gpusim.kernels.frontend import intrinsics

cuda = types.ModuleType("cuda")
vars(cuda).update(intrinsics.TOP)

pytestmark = pytest.mark.usefixtures("backend")


def one_block_never(x):
    grid = cuda.cg.this_grid()
    if cuda.blockIdx.x == 1:
        return
    x[cuda.grid(1)] = 1
    grid.sync()
    x[cuda.grid(1)] = 2


def one_block_less_often(x):
    grid = cuda.cg.this_grid()
    for _ in range(3 - cuda.blockIdx.x // 2):
        x[cuda.grid(1)] += 1
        grid.sync()


def only_in_a_branch(x):
    grid = cuda.cg.this_grid()
    if x[cuda.blockIdx.x] == 0:
        grid.sync()
    x[cuda.grid(1)] = 1


def without_its_first_thread(x):
    grid = cuda.cg.this_grid()
    if cuda.grid(1) == 64:
        return
    grid.sync()
    x[cuda.grid(1)] = 1


class Device:
    """What ``@cuda.jit(device=True)`` makes of a function."""

    def __init__(self, function):
        self.__gpusim_device__ = function


@Device
def wait_for_all():
    cuda.cg.this_grid().sync()


def in_a_device_function(x):
    if cuda.blockIdx.x < 2:
        wait_for_all()
    x[cuda.grid(1)] = 1


def some_threads_have_ended(x):
    grid = cuda.cg.this_grid()
    if cuda.threadIdx.x % 3 == 1:
        return
    x[cuda.grid(1)] = 1
    grid.sync()
    x[cuda.grid(1)] += x[cuda.grid(1) // 64 * 64]


def nobody(x):
    grid = cuda.cg.this_grid()
    if x.size == 0:
        grid.sync()
    x[cuda.grid(1)] = 1


@pytest.mark.parametrize(
    ("kernel", "missing", "thread"),
    [
        (one_block_never, (1, 0, 0), "has ended"),
        (one_block_less_often, (2, 0, 0), "has ended"),
        (only_in_a_branch, (3, 0, 0), "has ended"),
        (without_its_first_thread, (1, 0, 0), "thread (0, 0, 0)"),
        (in_a_device_function, (2, 0, 0), "has ended"),
    ],
)
@pytest.mark.parametrize("trace", ["warn", "off"])
def test_a_block_that_does_not_come_is_named(kernel, missing, thread, trace):
    x = np.zeros(256, np.int64)
    x[3] = 1
    with pytest.raises(faults.DeadlockError) as caught:
        Kernel(kernel).launch(4, 64, (x,), trace=trace)
        queue.run()
    text = str(caught.value)
    assert f"block {missing}" in text and thread in text and "hang" in text
    assert caught.value.line is not None


@pytest.mark.parametrize("kernel", [some_threads_have_ended, nobody])
def test_other_threads_of_a_block_may_have_ended(kernel):
    x = np.zeros(256, np.int64)
    log, fault = Kernel(kernel).trace(4, 64, (x,))
    assert fault is None and x.any()
