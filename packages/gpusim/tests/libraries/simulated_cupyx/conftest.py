"""Every test of this folder has the simulated libraries in place, whether it asks for `cp` or imports what it needs."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def cupyx(simulated_libraries):
    import cupyx

    return cupyx
