"""The stand-ins ``cupy`` and ``cupyx`` under their real names for the tests of this folder, and gone after them."""

import sys

import pytest

from hundredfold.engine import device, queue
from hundredfold.simulate import finder


def _ours(name):
    return name.partition(".")[0] in ("cupy", "cupyx")


_stash = {}  # the stand-in's modules between two test files: imported once


@pytest.fixture(scope="module", autouse=True)
def standin():
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)}
    there = finder.installed()
    finder.install()
    sys.modules.update(_stash)
    import cupyx

    assert cupyx.__file__.startswith(finder.HERE)
    yield cupyx
    queue.run()
    _stash.update({name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)})
    sys.modules.update(before)
    if there is None:
        sys.meta_path.remove(finder.installed())


@pytest.fixture
def cp(standin):
    import cupy

    queue.run()
    yield cupy
    device.use(0)
    queue.run()
