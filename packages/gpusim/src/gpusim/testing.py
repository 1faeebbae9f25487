"""Fixtures: the simulated libraries under their real names for the tests that ask for them, and gone after them.

A conftest.py takes them by ``from gpusim.testing import no_simulated_libraries_left, simulated_libraries``.

Activating would simulate for the rest of the test process and for its children; here only the finder is put in place, and
the modules of the libraries are kept between two test files, so that each is imported once in a process.
"""

import sys
from typing import Any

import pytest

_stash = {}


def _ours(name):
    from gpusim.importing import finder

    return finder.owner(name) is not None


@pytest.fixture(scope="module", autouse=True)
def no_simulated_libraries_left():
    """A module that leaves them in place makes tests of other modules fail, in some orders only: say so where it happens."""
    yield
    finder = sys.modules.get("gpusim.importing.finder")
    assert finder is None or finder.installed() is None, "this module's tests left the simulated libraries in place"


@pytest.fixture(scope="module")
def simulated_libraries():
    """`import cupy`, `import cudf`, `from numba import cuda` … give the simulated libraries while a module's tests run."""
    import numba as real

    from gpusim.device import device, queue
    from gpusim.importing import finder

    numba: Any = real
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)}
    attribute = numba.__dict__.pop("cuda", None)
    there = finder.installed()
    finder.install()
    sys.modules.update(_stash)
    if "cupy" in _stash:  # cuDF and cuML let CuPy allocate through RMM for good, when they are imported
        cupy = _stash["cupy"]
        cupy.cuda.set_allocator(cupy.get_default_memory_pool().malloc)
    if "numba.cuda._memory" in _stash:  # and cuDF Numba
        _stash["numba.cuda._memory"].source = None
    # As an attribute too: `import numba.cuda` sets it only the first time.
    if "numba.cuda" in _stash:
        numba.cuda = _stash["numba.cuda"]
    yield
    queue.run()
    device.use(0)
    _stash.update({name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)})
    sys.modules.update(before)
    numba.__dict__.pop("cuda", None)
    if attribute is not None:
        numba.cuda = attribute
    if there is None:
        sys.meta_path[:] = [each for each in sys.meta_path if each is not finder.installed()]
