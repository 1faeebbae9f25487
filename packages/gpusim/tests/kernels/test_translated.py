"""Functions translated from another language: the engine takes their trees, and says their lines."""

import ast
import math
import types

import numpy as np
import pytest

from gpusim.device import queue
from gpusim.kernels import Kernel
from gpusim.kernels.backends.numba.waiting import spins
from gpusim.kernels.faults import OutOfBoundsError
from gpusim.kernels.frontend import intrinsics
from gpusim.kernels.frontend.python import source


def _made(text, shown, **scope):
    tree = ast.parse(text)
    exec(compile(tree, "<other>", "exec"), scope)
    node = tree.body[0]
    source.translated(scope[node.name], source.Source(shown, "<other>", 1), node)
    return scope[node.name]


def test_errors_show_the_other_language():
    made = _made("def f(x):\n    x[x.size] = 1", "KERNEL f(x)\n  LET x(n) = 1")
    with pytest.raises(OutOfBoundsError, match="LET x"):
        Kernel(made).launch(1, 1, (np.zeros(3),))
        queue.run()
    assert source.of(made)[1] is not source.of(made)[1]  # a tree of one's own to change


def test_a_loop_that_counts_does_not_spin():
    made = _made(
        "def f(x):\n    i = 0\n    while i < 3:\n        add(x, 0, 1)\n        i += 1",
        "",
        add=intrinsics.TOP["atomic"].add,
    )
    function = Kernel(made).function()
    assert spins(function.node)
    next(n for n in ast.walk(function.node) if isinstance(n, ast.While)).counted = True
    assert not spins(function.node)


class _Device:
    def __init__(self, function):
        self.__gpusim_device__ = function


def _lock(x):
    while _CUDA.atomic.cas(x, 0, 0, 1) != 0:
        pass
    return math.sqrt(4.0)


_CUDA = types.ModuleType("cuda")
vars(_CUDA).update(intrinsics.TOP)
_lock_device = _Device(_lock)


def _kernel(x, y):
    y[0] = _lock_device(x)


def test_a_device_function_that_waits_may_use_a_module():
    y = np.zeros(1)
    Kernel(_kernel).launch(1, 1, (np.zeros(1, "i4"), y))
    queue.run()
    assert y[0] == 2
