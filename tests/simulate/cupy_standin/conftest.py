"""The stand-in under its real name for the tests of this folder, and gone after them.

Activating would simulate for the rest of the test process and for its children; here only the finder is put in place.
"""

import sys

import pytest

from hundredfold.engine import device, queue
from hundredfold.simulate import finder


def _ours(name):
    return name.partition(".")[0] in ("cupy", "cupyx")


@pytest.fixture(scope="package")
def cupy_module():
    before = {name: module for name, module in sys.modules.items() if _ours(name)}
    for name in before:
        del sys.modules[name]
    there = finder.installed()
    finder.install()
    import cupy

    assert cupy.__version__.endswith("+hundredfold")
    yield cupy
    queue.run()
    for name in [name for name in sys.modules if _ours(name)]:
        del sys.modules[name]
    sys.modules.update(before)
    if there is None:
        sys.meta_path.remove(finder.installed())


@pytest.fixture
def cp(cupy_module):
    queue.run()
    yield cupy_module
    device.use(0)
    queue.run()
