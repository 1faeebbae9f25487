"""Sources are compiled anew in each test: CuPy keeps them, and with them the engine that a test before has chosen."""

import sys

import pytest


@pytest.fixture(autouse=True)
def nothing_kept():
    yield
    raw = sys.modules.get("cupy._c_kernels.raw")
    if raw is not None:
        raw.load.cache_clear()
