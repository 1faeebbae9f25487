"""What is tested here needs the packages of the group `interop`: `make test-interop` brings them."""

import pytest


@pytest.fixture
def cp(standins):
    import cupy

    return cupy
