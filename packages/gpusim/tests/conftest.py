"""The simulated libraries for these tests: in the test process for a while, or in a simulating process of their own."""

import contextlib
import importlib
import json
import os
import subprocess
import sys
import textwrap

import pytest

from gpusim.testing import no_simulated_libraries_left, simulated_libraries  # noqa: F401

LOOP = """
import gc, json, sys, traceback
shared = {"__name__": "simulated"}  # what IMPORTS leaves; a test's own names end with it
first = True
said = sys.stdout
sys.stdout = sys.stderr
for line in sys.stdin:
    try:
        exec(json.loads(line), shared if first else dict(shared))
        answer = None
    except BaseException:
        answer = traceback.format_exc()
    first = False
    gc.collect()
    print(json.dumps(answer), file=said, flush=True)
"""


def start(**settings):
    """Return a function that runs code in a new simulating process, its tracebacks being this one's failures, and the process."""
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "CUDA_"))
    }
    environment |= {"GPUSIM_SIMULATE": "1", "GPUSIM_TRACE": "first", **settings}
    process = subprocess.Popen(
        [sys.executable, "-c", LOOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )

    def run(code):
        process.stdin.write(json.dumps(textwrap.dedent(code)) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        assert line, "the simulating process died"
        trouble = json.loads(line)
        assert trouble is None, trouble

    return run, process


@pytest.fixture(scope="module")
def simulating(request):
    """Run code in a simulating process with the settings of the test file (``SETTINGS``), after its ``IMPORTS``."""
    run, process = start(**getattr(request.module, "SETTINGS", {"GPUSIM_GPU_MEMORY": "1GB"}))
    run(getattr(request.module, "IMPORTS", ""))
    yield run
    process.stdin.close()
    process.wait(timeout=60)


@pytest.fixture(scope="module")
def cupy_module(simulated_libraries):
    import cupy

    assert cupy.__version__.endswith("+gpusim")
    return cupy


@pytest.fixture
def cp(cupy_module):
    with alone():
        yield cupy_module


@pytest.fixture(scope="module")
def cudf_module(simulated_libraries):
    import cudf

    assert cudf.__version__.endswith("+gpusim")
    return cudf


@pytest.fixture
def cudf(cudf_module):
    with alone():
        yield cudf_module


@pytest.fixture(scope="module")
def cuda_module(simulated_libraries):
    cuda = importlib.import_module("numba.cuda")
    assert cuda.__version__.endswith("+gpusim")
    return cuda


@contextlib.contextmanager
def alone():
    """No work of the test before, and none left for the one after."""
    from gpusim.device import device, queue

    queue.run()
    yield
    device.use(0)
    queue.run()


@pytest.fixture(autouse=True)
def stopping(monkeypatch):
    """Kernels are stopped at what is found, so that a test sees it; test_reported is about what they do by default."""
    monkeypatch.setenv("GPUSIM_TRACE", "first")


@pytest.fixture(params=["compiled", "interpreted"])
def backend(request, monkeypatch):
    """A test runs once with each backend of the kernels: both write the same log, as far as findings go."""
    monkeypatch.setenv("GPUSIM_KERNELS", request.param)
    return request.param
