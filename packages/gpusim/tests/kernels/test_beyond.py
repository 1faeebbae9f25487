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
    tile[1, 4](np.zeros(0, np.float32), c := np.ones(4, np.float32))
    if "racy" in sys.argv:
        racy[1, 32](np.zeros(1))
    cuda.synchronize()
print(json.dumps({
    "y": y.tolist(), "z": device.copy_to_host().tolist(), "b": b.tolist(), "c": c.tolist(),
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


WAYS = pytest.mark.parametrize("way", ["compiled", "interpreted"])


@WAYS
@pytest.mark.large
def test_what_lies_past_a_row_is_the_next_row_and_past_the_end_nothing(run, way):
    done = run(GPUSIM_KERNELS=way)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["y"] == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 0]]
    assert told["z"] == [2 * (i + 1) - i for i in range(8)] + [0] * 4
    assert told["b"][:3] == [1, 2, 3] and told["c"] == [0, 0, 0, 0]
    beyond = [report for report in told["reports"] if report["kind"] == "out-of-bounds"]
    assert [report["kernel"] for report in beyond] == ["shift", "spill", "tile", "tile"]
    assert [report["times"] for report in beyond] == [3, 48, 1, 5]  # of the first launch that did it
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


ROWS = """
import json, warnings
import numpy as np
import gpusim
gpusim.activate()
from numba import cuda
from gpusim.kernels import reported

POINT = np.dtype([("a", np.float64), ("b", np.int32, 2), ("c", np.complex128), ("more", np.float64, 9)])

@cuda.jit
def rows(x, out):
    i = cuda.grid(1)
    row = x[i]
    row[1] = row[0] + 10
    out[i] = row[1]

@cuda.jit
def records(x, out):
    i = cuda.grid(1)
    x[i].a = x[i].a + 10
    p = x[i]
    p.b[1] = 7
    out[i] = p.a + p.b[1] + p.c.real

@cuda.jit
def times(x, out):
    i = cuda.grid(1)
    out[i] = x[i + 1] - x[i]

@cuda.jit
def part(x):
    i = cuda.grid(1)
    x[i, 1:] = 5

@cuda.jit
def empty(x, out):
    i = cuda.grid(1)
    out[i] = x[9:][0]

warnings.simplefilter("ignore")
gone = np.full(3, -1.0)
empty[1, 1](np.ones(4), gone)
empty[1, 2](np.ones(4), gone[1:])
guard = np.full((8, 2), 3.0)
x = cuda.to_device(guard)
made = np.full(6, -1.0)
rows[1, 6](x[:4], made)
points = np.zeros(8, POINT)
points["a"] = 1
y = cuda.to_device(points)
sums = np.full(6, -1.0)
records[1, 6](y[:4], sums)
days = np.arange(4).astype("M8[D]")
apart = np.full(4, 9, "m8[D]")
times[1, 4](days, apart)
cuda.synchronize()
z = cuda.to_device(np.zeros((4, 3)))
part[1, 4](z[:2])
cuda.synchronize()
back = y.copy_to_host()
print(json.dumps({
    "x": x.copy_to_host().tolist(), "made": made.tolist(), "a": back["a"].tolist(), "b": back["b"].tolist(), "sums": sums.tolist(),
    "gone": gone.tolist(), "apart": apart.astype(int).tolist()[:3], "z": z.copy_to_host().tolist(),
    "reports": [(r.kernel, r.sentence) for r in reported.reports if r.kind == "out-of-bounds"],
}))
"""


@WAYS
@pytest.mark.large
def test_rows_and_records_that_are_not_there_read_as_zero_and_what_is_written_to_them_is_dropped(tmp_path, way):
    script = tmp_path / "rows.py"
    script.write_text(ROWS)
    done = _run(script, (), {"GPUSIM_KERNELS": way})
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["x"] == [[3, 13]] * 4 + [[3, 3]] * 4
    assert told["made"][:4] == [13] * 4 and told["made"][4:] == [0, 0]
    assert told["a"] == [11] * 4 + [1] * 4 and told["b"] == [[0, 7]] * 4 + [[0, 0]] * 4
    assert told["sums"][:4] == [18] * 4 and set(told["sums"][4:]) == {
        7 if way == "compiled" else 0
    }  # the thread's own write
    assert told["gone"] == [0, 0, 0] and told["apart"] == [1, 1, 1]
    assert told["z"] == [[0, 5, 5]] * 2 + [[0, 0, 0]] * 2
    kernels = [kernel for kernel, _ in told["reports"]]
    assert set(kernels) == {"empty", "rows", "records", "times", "part"}
    assert any(
        "does not exist" in sentence and "x[4" in sentence for kernel, sentence in told["reports"] if kernel == "rows"
    )
