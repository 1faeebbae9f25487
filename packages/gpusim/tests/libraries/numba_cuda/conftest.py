"""The simulated library of `numba.cuda` as `cuda`, CuPy's beside it, and the account of what was launched."""

import warnings

import pytest

from gpusim.device import device, queue


@pytest.fixture
def cuda(cuda_module):
    from numba.core.errors import NumbaPerformanceWarning

    queue.run()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaPerformanceWarning)
        yield cuda_module
    device.use(0)
    queue.run()


@pytest.fixture
def cp(cuda):
    import cupy

    return cupy


@pytest.fixture
def counted():
    """A function that returns what happened since it was called last."""
    state = [queue.counters()]

    def since():
        now = queue.counters()
        state[0], then = now, state[0]
        return now - then

    return since
