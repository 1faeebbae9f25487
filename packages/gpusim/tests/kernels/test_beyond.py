"""Kernels that go past the end of an array where they may: as a GPU would, and told."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys, warnings
import numpy as np
import gpusim
gpusim.activate()
from numba import cuda
from gpusim.kernels import reported

@cuda.jit
def shift(x, y):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        y[i, j] = x[i, j + 1]

@cuda.jit
def spill(x):
    i = cuda.grid(1)
    x[i] = i + 1
    cuda.atomic.add(x, i, 1)

@cuda.jit
def tile(x, y):
    s = cuda.shared.array(4, np.float32)
    i = cuda.threadIdx.x
    s[i] = x[i]
    cuda.syncthreads()
    y[i] = s[i + 1]

@cuda.jit
def racy(x):
    x[0] = cuda.grid(1)

warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as said:
    x = np.arange(12.0).reshape(3, 4)
    y = np.full_like(x, -1)
    for _ in range(2):
        shift[(1, 1), (4, 4)](x, y)
    z = np.zeros(8 + 4, np.int32)
    device = cuda.to_device(z)
    spill[1, 32](device[:8])
    spill[2, 32](device[:8])
    a, b = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    tile[1, 4](a, b)
    if "racy" in sys.argv:
        racy[1, 32](np.zeros(1))
    cuda.synchronize()
print(json.dumps({
    "y": y.tolist(), "z": device.copy_to_host().tolist(), "b": b.tolist(),
    "reports": [r._asdict() for r in reported.reports], "said": [str(w.message) for w in said],
}))
"""


@pytest.fixture
def run(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    return lambda *arguments, **settings: _run(script, arguments, settings)


def _run(script, arguments, settings):
    environment = {**os.environ, "GPUSIM_OUT_OF_BOUNDS": "continue", **settings}
    return subprocess.run(
        [sys.executable, script, *arguments], capture_output=True, text=True, env=environment, timeout=120
    )


@pytest.mark.large
def test_what_lies_past_a_row_is_the_next_row_and_past_the_end_nothing(run):
    done = run()
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["y"] == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 0]]
    assert told["z"] == [2 * (i + 1) - i for i in range(8)] + [0] * 4
    assert told["b"][:3] == [1, 2, 3]
    beyond = [report for report in told["reports"] if report["kind"] == "out-of-bounds"]
    assert [report["kernel"] for report in beyond] == ["shift", "spill", "tile"]
    assert [report["times"] for report in beyond] == [3, 48, 1]  # of the first launch that did it
    assert "x[0, 4] does not exist" in beyond[0]["sentence"]
    assert sum("does not exist" in text for text in told["said"]) == len(beyond)


def test_without_the_switch_it_is_refused(run):
    done = run(GPUSIM_OUT_OF_BOUNDS="refuse")
    assert done.returncode == 1
    assert "x[0, 4] does not exist" in done.stderr


def test_a_switch_that_is_none_is_told(run):
    done = run(GPUSIM_OUT_OF_BOUNDS="maybe")
    assert done.returncode == 1
    assert "GPUSIM_OUT_OF_BOUNDS must be refuse or continue, not 'maybe'" in done.stderr


def test_findings_can_be_reported_instead_of_raised(run):
    assert run("racy").returncode == 1
    done = run("racy", GPUSIM_TRACE="report")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [report["kernel"] for report in told["reports"] if report["kind"] == "race"] == ["racy"]
    assert any("racy" in text or "x[0]" in text for text in told["said"])
