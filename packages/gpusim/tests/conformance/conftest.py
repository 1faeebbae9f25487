"""The libraries under test: the stand-ins here, the real ones where a GPU works. The assertions are the same.

Run with ``HUNDREDFOLD_SIMULATE=1`` to test the stand-ins on a GPU machine too.
"""

import pytest


@pytest.fixture(scope="module")
def libraries(request):
    """Makes `import cupy`, `import cudf` … give what is to be tested; its value says which, ``"real"`` or ``"stand-ins"``."""
    from hundredfold import machine

    if machine.mode() == "gpu":
        return "real"
    request.getfixturevalue("standins")
    return "stand-ins"
