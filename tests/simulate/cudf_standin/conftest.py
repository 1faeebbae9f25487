"""The stand-ins under their real names for the tests of this folder, and gone after them (see ../cupy_standin/conftest.py)."""

import sys

import pytest

from hundredfold.engine import device, queue
from hundredfold.simulate import finder

_stash = {}


def _ours(name):
    return name.partition(".")[0] in ("cupy", "cupyx", "cudf", "pylibcudf", "rmm")


@pytest.fixture(scope="module")
def cudf_module():
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)}
    there = finder.installed()
    finder.install()
    sys.modules.update(_stash)
    import cudf

    assert cudf.__version__.endswith("+hundredfold")
    yield cudf
    queue.run()
    _stash.update({name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)})
    sys.modules.update(before)
    if there is None:
        sys.meta_path.remove(finder.installed())


@pytest.fixture
def cudf(cudf_module):
    yield cudf_module
    device.use(0)
    queue.run()
