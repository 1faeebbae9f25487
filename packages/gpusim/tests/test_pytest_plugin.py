"""From outside: ``pytest --gpusim`` in a project that knows nothing of gpusim."""

import os
import re
import subprocess
import sys

import pytest

KERNELS = """
import cupy as cp
from numba import cuda

@cuda.jit
def double(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = 2 * x[i]

@cuda.jit
def shift(x, out):
    i = cuda.grid(1)
    out[i] = x[i + 1]
"""
RIGHT = """
from kernels import cp, double

def test_right():
    x = cp.arange(100.0)
    out = cp.empty_like(x)
    double[4, 32](x, out)
    assert (out == 2 * x).all()
"""
WRONG = """
from kernels import cp, shift

def test_wrong():
    x = cp.arange(32.0)
    shift[1, 32](x, cp.empty_like(x))
"""
REAL = "__version__ = '14.0.0'\n"  # what a real CuPy looks like to those who ask for its name

pytestmark = pytest.mark.usefixtures("project")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with kernels and, out of its tests' way, a CuPy that is not ours."""
    for name in list(os.environ):
        if name.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "PYTEST_")) and name != "GPUSIM_CACHE":
            monkeypatch.delenv(name)
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "cupy.py").write_text(REAL)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\nfilterwarnings = ignore:Grid size\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments, status, **settings):
    """What pytest says, in a process of its own with no plugins but ours and those that are named."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:nbval", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **settings}, timeout=600)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_finding_fails_its_test_at_the_line_of_the_launch_and_no_other(project):
    (project / "test_right.py").write_text(RIGHT)
    (project / "test_wrong.py").write_text(WRONG)
    said = run("--gpusim", status=1)
    assert re.search(r"gpusim: --gpusim was given: \d+ cores? simulates? 1 GPU of", said)
    assert "GPUSIM_TRACE is first" in said
    assert "1 failed, 1 passed" in said
    assert "x[32] does not exist" in said and "test_wrong.py:6: OutOfBoundsError" in said
    assert "launch.py" not in said, "no frame of the simulator"
    assert "launch.py" in run("--gpusim", "--full-trace", "test_wrong.py", status=1)


def test_a_finding_is_a_warning_where_the_variable_says_so(project):
    (project / "test_wrong.py").write_text(WRONG)
    said = run("--gpusim", status=0, GPUSIM_TRACE="warn")
    assert "GPUSIM_TRACE is warn" in said and "1 passed, 1 warning" in said and "x[32] does not exist" in said


def test_work_that_a_test_left_in_the_queue_fails_that_test(project):
    (project / "test_left.py").write_text(
        "from gpusim.device import queue\n"
        "def fail(): raise RuntimeError('left behind')\n"
        "def test_leaves(): queue.submit('fail', fail, (), (), ())\n"
        "def test_next():\n    import cupy\n    assert cupy.arange(3).sum() == 3\n"
        "def test_says_more():\n    queue.submit('fail', fail, (), (), ())\n    assert 1 == 2\n"
    )
    said = run("--gpusim", "-rA", status=1)
    assert "PASSED test_left.py::test_next" in said
    assert "FAILED test_left.py::test_leaves - RuntimeError: left behind" in said
    assert "FAILED test_left.py::test_says_more - assert 1 == 2" in said


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_what_is_not_simulated_is_said_and_counted(project, workers):
    (project / "test_asks.py").write_text(
        "import pytest\n"
        "def test_fails():\n    import ucxx\n"
        "def test_skips(): pytest.importorskip('ucxx')\n"
        "def test_goes_on():\n    try:\n        import ucxx\n    except ImportError:\n        pass\n"
    )
    (project / "test_module.py").write_text("import cupy_backends\n")
    said = run("--gpusim", "--continue-on-collection-errors", *workers, status=1)
    assert "1 failed, 1 passed, 1 skipped, 1 error" in said
    assert "E       gpusim.importing.errors.NotSimulatedImport: ucxx needs a GPU: it is not simulated." in said
    summary = said.partition("not simulated by gpusim")[2]
    assert "ucxx: met 2 times" in summary and "cupy_backends: met 1 time\n" in summary


def test_an_error_that_cannot_say_what_it_is_fails_its_test_alone(project):
    (project / "test_mute.py").write_text(
        "class Mute(Exception):\n    def __str__(self): raise RuntimeError\n"
        "def test_mute(): raise Mute\n"
        "def test_next(): pass\n"
    )
    said = run("--gpusim", "test_mute.py", status=1)
    assert "1 failed, 1 passed" in said and "INTERNALERROR" not in said


def test_it_simulates_before_a_conftest_imports_cupy_also_in_workers_and_child_processes(project):
    (project / "conftest.py").write_text("import cupy\nVERSION = cupy.__version__\n")
    (project / "test_child.py").write_text(
        "import os, subprocess, sys\nimport conftest\n"
        "def test_here(): assert conftest.VERSION.endswith('+gpusim')\n"
        "def test_child():\n"
        "    code = 'import cupy; print(cupy.__version__)'\n"
        "    assert subprocess.check_output([sys.executable, '-c', code], text=True).endswith('+gpusim\\n')\n"
    )
    real = {"PYTHONPATH": str(project / "real")}
    assert "2 passed" in run("--gpusim", status=0, **real)
    assert "2 passed" in run("--gpusim", "-n", "2", status=0, **real)
    (project / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --gpusim\n")
    assert "2 passed" in run(status=0, **real)


def test_without_the_option_nothing_is_changed_or_imported(project):
    (project / "test_nothing.py").write_text(
        "import os, sys\nimport cupy\n"
        "def test_nothing():\n"
        "    assert cupy.__version__ == '14.0.0'\n"
        "    assert sorted(n for n in sys.modules if n.startswith('gpusim')) == ['gpusim', 'gpusim.pytest_plugin']\n"
        "    assert not any(n.startswith('GPUSIM_') and n != 'GPUSIM_CACHE' for n in os.environ)\n"
        "    assert not any('gpusim' in type(finder).__module__ for finder in sys.meta_path)\n"
    )
    said = run(status=0, PYTHONPATH=str(project / "real"))
    assert "1 passed" in said and "gpusim:" not in said


def test_the_plugin_alone_imports_the_standard_library_and_pytest(project):
    code = "import sys, pytest; before = {*sys.modules}; import gpusim.pytest_plugin; print({*sys.modules} - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(re.findall(r"'(.*?)'", done.stdout)) == {"gpusim", "gpusim.pytest_plugin"}


def test_a_cupy_that_a_plugin_imported_before_is_refused_with_what_to_do(project):
    (project / "real" / "early.py").write_text("import cupy\n")
    (project / "test_early.py").write_text("def test(): import cupy; assert cupy.__version__.endswith('+gpusim')\n")
    settings = {"PYTHONPATH": str(project / "real")}
    said = run("-p", "early", "--gpusim", status=4, **settings)
    assert "the real cupy was imported before" in said and "set GPUSIM_SIMULATE=1 in the environment" in said
    assert "Traceback" not in said
    said = run("-p", "early", "--gpusim", status=0, GPUSIM_SIMULATE="1", **settings)
    assert "1 passed" in said and "warning" not in said


def test_a_setting_that_cannot_be_read_is_one_sentence(project):
    said = run("--gpusim", status=4, GPUSIM_GPUS="many")
    assert "GPUSIM_GPUS" in said and "Traceback" not in said
    said = run("--gpusim", status=4, GPUSIM_TRACE="loud")
    assert "GPUSIM_TRACE must be" in said and "Traceback" not in said
