"""Kernels of the answers, which are written before there is a `numba.cuda`."""

import importlib

import numpy as np
from answers.later import cuda, later, ready


@later
def doubled(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = 2 * x[i]


def test_a_kernel_is_made_with_the_module_in_use_and_leaves_its_own_as_it_is(device):
    kernel = ready(doubled)
    assert kernel.py_func.__globals__["cuda"] is importlib.import_module("numba.cuda")
    assert doubled.py_func.__globals__["cuda"] is cuda
    out = device.zeros(3)
    kernel[1, 4](device.arange(3.0), out)
    assert np.array_equal(out.get(), [0, 2, 4])


def test_what_is_no_kernel_stays_what_it_is():
    assert ready(len) is len
