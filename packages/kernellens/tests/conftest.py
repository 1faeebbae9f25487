"""Kernels of these tests are written with the stand-in of `numba.cuda`; each file's `cuda` is set here, while its tests run.

The real one, imported here, would keep the stand-ins from being activated later in the same process.
"""

import importlib

import pytest


@pytest.fixture(scope="module", autouse=True)
def stand_in(request, standins):
    request.module.cuda = importlib.import_module("numba.cuda")
    yield
    request.module.cuda = None
