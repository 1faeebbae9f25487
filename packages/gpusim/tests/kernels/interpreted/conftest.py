"""A kernel written as for numba.cuda, run by the interpreted backend; no numba is needed."""

from types import ModuleType

import pytest

from gpusim.kernels.backends import numpy as interpreted
from gpusim.kernels.frontend import intrinsics
from gpusim.kernels.frontend.python import resolve

cuda = ModuleType("numba.cuda")
for name, value in intrinsics.TOP.items():
    setattr(cuda, name, value)


class Device:
    """What ``@cuda.jit(device=True)`` makes of a function."""

    def __init__(self, function):
        self.__gpusim_device__ = function


cuda.device = Device


def launch(kernel, grid, block, *args, **options):
    """``kernel[grid, block](*args)``."""
    three = [(*(d if isinstance(d, tuple) else (d,)), 1, 1)[:3] for d in (grid, block)]
    interpreted.run(resolve.function(kernel), *three, args, **options)


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    monkeypatch.setenv("GPUSIM_THREAD_SECONDS", "1")
