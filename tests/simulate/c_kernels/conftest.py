"""The stand-in under its real name for the tests of this folder, and gone after them.

Activating would simulate for the rest of the test process and for its children; here only the finder is put in place.
"""

import sys

import pytest

from hundredfold.engine import device, queue
from hundredfold.simulate import finder


def _ours(name):
    return name.partition(".")[0] in ("cupy", "cupyx")


_stash = {}  # the stand-in's modules between two test files: imported once


@pytest.fixture(scope="module")
def cupy_module():
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)}
    there = finder.installed()
    finder.install()
    sys.modules.update(_stash)
    import cupy

    assert cupy.__version__.endswith("+hundredfold")
    yield cupy
    queue.run()
    _stash.update({name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)})
    sys.modules.update(before)
    if there is None:
        sys.meta_path.remove(finder.installed())


@pytest.fixture
def cp(cupy_module):
    queue.run()
    yield cupy_module
    device.use(0)
    queue.run()
