"""Kernels of these tests are written with the simulated library of `numba.cuda`; each file's `cuda` is set here, while its tests run.

The real one, imported here, would keep the simulated libraries from being activated later in the same process.
"""

import importlib

import pytest


@pytest.fixture(scope="module", autouse=True)
def simulated_numba(request, simulated_libraries):
    request.module.cuda = importlib.import_module("numba.cuda")
    yield
    request.module.cuda = None


@pytest.fixture(scope="module")
def cp(simulated_libraries):
    return importlib.import_module("cupy")


@pytest.fixture
def shell(simulated_libraries, monkeypatch):
    from IPython.core.interactiveshell import InteractiveShell  # the other tests run without IPython

    import kernellens
    from kernellens import magics

    shell = InteractiveShell()
    magics.register(shell)
    shell.shown = []
    monkeypatch.setattr(magics, "display", shell.shown.append)
    shell.run_cell(
        "import cupy as cp\nimport numpy as np\nx = cp.linspace(0, 1, 1000)\ndef f(a):\n    return cp.exp(a) * 2"
    )
    yield shell
    kernellens.use_gpu(None)
