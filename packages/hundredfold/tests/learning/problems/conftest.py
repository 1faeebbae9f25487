"""The problems are judged on a GPU where there is one, and on the simulated libraries elsewhere."""

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
        request.getfixturevalue("simulated_libraries")
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


@pytest.fixture
def gpu(device, monkeypatch):
    """The judges take the device for a GPU: the engine's counters are not read in this process."""
    from hundredfold.learning.problems import devices
    from hundredfold.learning.problems.profiling import watching

    for each in (devices, watching):
        monkeypatch.setattr(each, "simulated", lambda: False)
    return device


@pytest.fixture
def rounding(device, monkeypatch):
    """Some sines are one unit in the last place away from NumPy's, as a GPU's are: others give sin² + cos² = 1 than do with NumPy's."""
    cp = device
    sin, cos = cp.sin, cp.cos

    def other(x):
        x = cp.asarray(x)
        y = sin(x)
        total = y * y + cos(x) ** 2
        some = (x.view(cp.int64 if x.dtype == cp.float64 else cp.int32) * 40503 >> 7) % 8
        down, up = (total > 1) & (some < 6), (total < 1) & (some < 6) | (total == 1) & (some == 7)
        moved = cp.where(down, cp.nextafter(y, y.dtype.type(-2)), cp.where(up, cp.nextafter(y, y.dtype.type(2)), y))
        return cp.where(abs(x) > 1e-3, moved, y)

    monkeypatch.setattr(cp, "sin", other)
    return device


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.delenv("HUNDREDFOLD_STRICT", raising=False)
    monkeypatch.delenv("HUNDREDFOLD_ONE_SAMPLE", raising=False)  # an answer that measures is judged by its samples
