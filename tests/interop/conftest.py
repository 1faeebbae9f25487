"""What is tested here needs the packages of the group `interop`: `make test-all ARGS=interop` brings them."""

import pytest


@pytest.fixture
def cp(simulated_libraries):
    import cupy

    return cupy
