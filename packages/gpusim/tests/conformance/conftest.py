"""The libraries under test: the simulated libraries here, the real ones where a GPU works. The assertions are the same.

Run with ``GPUSIM_SIMULATE=1`` to test the simulated libraries on a GPU machine too.
"""

import pytest


@pytest.fixture(scope="module")
def libraries(request):
    """Makes `import cupy`, `import cudf` … give what is to be tested; its value says which, ``"real"`` or ``"simulated"``."""
    from gpusim import hardware

    if hardware.mode() == "gpu":
        return "real"
    request.getfixturevalue("simulated_libraries")
    return "simulated"
