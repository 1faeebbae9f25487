"""The stand-in under its real name for the tests of this folder, and gone after them (see cupy_standin/conftest.py)."""

import importlib
import sys
import warnings

import pytest

from hundredfold.engine import device, queue
from hundredfold.simulate import finder


def _ours(name):
    return name.partition(".")[0] in ("cupy", "cupyx") or name == "numba.cuda" or name.startswith("numba.cuda.")


_stash = {}  # the stand-in's modules between two test files: imported once


@pytest.fixture(scope="module")
def cuda_module():
    import numba

    before = {name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)}
    attribute = vars(numba).pop("cuda", None)
    there = finder.installed()
    finder.install()
    sys.modules.update(_stash)
    cuda = importlib.import_module("numba.cuda")
    numba.cuda = cuda
    assert cuda.__version__.endswith("+hundredfold")
    yield cuda
    queue.run()
    _stash.update({name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)})
    sys.modules.update(before)
    if attribute is None:
        vars(numba).pop("cuda", None)
    else:
        numba.cuda = attribute
    if there is None:
        sys.meta_path.remove(finder.installed())


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
