"""The problems are judged on a GPU where there is one, and on the stand-ins elsewhere."""

import sys
from pathlib import Path

import pytest

from gpusim import hardware

sys.path.insert(0, str(Path(__file__).parent))  # the package `answers`, for the tests beside it
pytest.register_assert_rewrite("answers.second")


@pytest.fixture(scope="module")
def device(request):
    """A working `cupy`, real or simulated, and gone after the module's tests."""
    if hardware.mode() != "gpu":
        request.getfixturevalue("standins")
    import cupy

    return cupy


@pytest.fixture
def interpreted(device, monkeypatch):
    monkeypatch.setenv("GPUSIM_KERNELS", "interpreted")
    return device


@pytest.fixture
def simulated(device):
    """Skip where a real GPU serves: the engine counts only in simulation."""
    if not device.__version__.endswith("+gpusim"):
        pytest.skip("counted by the engine, which only simulates")
    return device


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.delenv("HUNDREDFOLD_STRICT", raising=False)
    monkeypatch.delenv("HUNDREDFOLD_ONE_SAMPLE", raising=False)  # an answer that measures is judged by its samples
