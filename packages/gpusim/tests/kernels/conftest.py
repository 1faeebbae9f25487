"""The names a kernel uses, without the simulated library: what is tested here is the engine by itself."""

from types import ModuleType

import numpy as np
import pytest

from gpusim.device import queue
from gpusim.kernels import Kernel
from gpusim.kernels.frontend import intrinsics


@pytest.fixture
def cuda():
    """A module with the intrinsics, as ``numba.cuda`` has them; kernels defined in a test close over it."""
    module = ModuleType("numba.cuda")
    for name, value in intrinsics.TOP.items():
        setattr(module, name, value)
    return module


@pytest.fixture
def launch(monkeypatch):
    """Launch a Python function as a kernel and wait for it."""

    def run(function, griddim, blockdim, *args, trace=None, sharedmem=0, **options):
        kernel = function if isinstance(function, Kernel) else Kernel(function, **options)
        kernel.launch(griddim, blockdim, args, trace=trace, sharedmem=sharedmem)
        queue.synchronize()
        return kernel

    yield run
    while queue.pending():
        try:
            queue.run()
        except Exception:  # noqa: S110 - what a test left behind must not reach the next
            pass


@pytest.fixture
def device_function():
    """Mark a Python function as one that kernels may call, as ``cuda.jit(device=True)`` does."""

    class Device:
        def __init__(self, function):
            self.__gpusim_device__ = function

    return Device


@pytest.fixture
def rng():
    return np.random.default_rng(20261121)
