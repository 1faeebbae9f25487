"""`lens.trace`: what it takes, what it finds, what it leaves alone."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest

import kernellens
from gpusim.kernels.faults import KernelError, TraceError
from kernellens import tracing

cuda = None  # set by conftest.py


@numba.njit
def square(v):
    return v * v


def squares(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = square(x[i])


def test_the_arguments_are_left_alone_and_the_results_handed_out():
    x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    trace = kernellens.trace(squares, 4, 32, x, out)
    assert trace.errors == [] and not out.any()
    assert np.array_equal(trace.results[1], x * x)
    assert (trace.griddim, trace.blockdim, trace.blocks) == ((4, 1, 1), (32, 1, 1), 4)


def test_who_watches_is_given_each_trace(monkeypatch):
    seen = []
    monkeypatch.setattr(tracing, "watchers", [seen.append])
    x = np.arange(8.0)
    right, wrong = kernellens.trace(squares, 1, 8, x, np.zeros(8)), kernellens.trace(past_the_end, 1, 8, x, np.zeros(8))
    with pytest.raises(KernelError):
        kernellens.trace(past_the_end, 1, 8, x, np.zeros(8), raise_on_error=True)
    assert seen[0] is right and seen[1] is wrong and [bool(each.errors) for each in seen] == [False, True, True]


def test_a_plain_function_and_a_decorated_one_are_traced_alike():
    x, out = np.arange(8.0), np.zeros(8)
    assert (
        kernellens.trace(cuda.jit(squares), 1, 8, x, out).requests == kernellens.trace(squares, 1, 8, x, out).requests
    )


def past_the_end(x, out):
    i = cuda.grid(1)
    out[i] = x[i + 1]


def racy(x, out):
    i = cuda.grid(1)
    out[0] += x[i]


def unbarred(x, out):
    tile = cuda.shared.array(64, numba.float64)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    out[t] = tile[cuda.blockDim.x - 1 - t]


def unstable(x, out):
    v = "text" if x[0] else 1
    out[0] = v


@pytest.mark.parametrize(
    "kernel, kind, line",
    [
        (past_the_end, "out-of-bounds", 3),
        (racy, "race", 3),
        (unbarred, "race", 4),
        (unstable, "uncompilable", 2),
    ],
)
def test_what_is_wrong_is_found_with_its_line(kernel, kind, line):
    x = np.ones(64)
    trace = kernellens.trace(kernel, 1, 64, x, np.zeros(64))
    first = trace.errors[0]
    assert (first.kind, first.severity, first.line) == (kind, "error", line)
    with pytest.raises(KernelError):
        kernellens.trace(kernel, 1, 64, x, np.zeros(64), raise_on_error=True)


def test_a_launch_that_the_device_refuses_is_a_finding():
    trace = kernellens.trace(squares, 1, 2048, np.ones(4), np.zeros(4))
    assert [f.kind for f in trace.errors] == ["launch"]
    assert "1024" in trace.errors[0].sentence
    assert trace.blocks == 0 and trace.requests == {} and trace.efficiency == 1.0


def test_the_first_error_is_raised():
    with pytest.raises(TraceError) as caught:
        kernellens.trace(racy, 1, 64, np.ones(64), np.zeros(64), raise_on_error=True)
    assert len(caught.value.findings) == 1


def test_the_report_says_what_matters():
    def columns(x, out):
        i = cuda.grid(1)
        if i < 40:
            out[i] = x[i, 0]

    said = repr(kernellens.trace(columns, 2, 32, np.zeros((64, 64), np.float32), np.zeros(64, np.float32)))
    assert said.startswith("columns: 2 blocks of 32 threads, 2 of 2 traced\nNothing wrong was found.\n")
    assert "Global memory: 320 bytes asked for, 1.44 kB moved (22%)" in said
    assert "read x: out[i] = x[i, 0]" in said
    assert "Branches at which threads of a warp diverged" in said
    wrong = repr(kernellens.trace(racy, 1, 64, np.ones(64), np.zeros(64)))
    assert "error: race: out[0]" in wrong


def test_a_sample_of_blocks():
    x = np.ones(320)
    trace = kernellens.trace(squares, 10, 32, x, np.zeros(320), blocks=[0, 9])
    assert trace.blocks == 2 and trace.reads["x"].total == 64
    assert kernellens.trace(squares, 10, 32, x, np.zeros(320), blocks=4).blocks == 4
    with pytest.raises(ValueError, match="0 to 9"):
        kernellens.trace(squares, 10, 32, x, np.zeros(320), blocks=[10])


def test_a_trace_that_would_not_fit_says_how_large_and_offers_a_sample():
    def totals(x, out):
        s = 0.0
        for k in range(x.size):
            s += x[k]
        out[cuda.grid(1) % out.size] = s

    with pytest.raises(kernellens.TooLargeError, match="blocks=64") as caught:
        kernellens.trace(totals, 2**20, 256, np.ones(100), np.zeros(100))
    assert caught.value.accesses > 1e10
    assert kernellens.trace(totals, 2**20, 256, np.ones(100), np.zeros(100), blocks=1).reads["x"] == (25_600, 100)


@pytest.mark.parametrize(
    "args, error, match",
    [
        ((squares, 1, 32, np.ones(4)), TypeError, "takes 2 arguments"),
        ((squares, 1, 32, [1, 2], np.ones(4)), TypeError, "list"),
        ((np.sin, 1, 32, np.ones(4)), TypeError, "decorated with @cuda.jit"),
    ],
)
def test_bad_input(args, error, match):
    with pytest.raises(error, match=match):
        kernellens.trace(*args)


def test_a_configured_kernel_is_refused():
    with pytest.raises(TypeError, match="launch configuration"):
        kernellens.trace(cuda.jit(squares)[1, 32], 1, 32, np.ones(4), np.ones(4))


def test_kernels_of_the_real_numba_cuda_are_traced_where_nothing_is_simulated(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import numba, numpy as np
from numba import cuda
from numba.cuda import grid as where
import kernellens as lens

@cuda.jit(device=True)
def square(v):
    return v * v

@cuda.jit
def kernel(x, out):
    i = where(1)
    tile = cuda.shared.array(32, numba.float32)
    tile[cuda.threadIdx.x] = x[i]
    cuda.syncthreads()
    if i < out.size:
        out[i] = square(tile[cuda.blockDim.x - 1 - cuda.threadIdx.x])
        cuda.atomic.max(out, 0, out[i])

x = np.arange(64, dtype="f4")
trace = lens.trace(kernel, 2, 32, x, np.zeros(64, "f4"))
print("gpusim" in cuda.__file__, sorted({f.kind for f in trace.errors}), trace.results[1][1:4].tolist())
""")
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_"))
    }
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, env=clean)
    assert done.stdout.strip() == "False ['race'] [900.0, 841.0, 784.0]", done.stdout + done.stderr


def test_device_arrays_that_overlap_still_do(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import gpusim.importing as s; s.activate()
import cupy as cp, numpy as np
from numba import cuda
import kernellens as lens

@cuda.jit
def shift(src, dst):
    i = cuda.grid(1)
    if i < src.size:
        dst[i] = src[i]

x = cp.arange(65, dtype="f4")
trace = lens.trace(shift, 1, 64, x[:-1], x[1:])
print([f.kind for f in trace.errors], x.tolist() == list(range(65)))
print([f.kind for f in lens.trace(shift, 1, 64, x[:-1], cp.zeros(64, "f4")).errors])
print(lens.trace(shift, 1, 32, x[1:33], cp.zeros(32, "f4")).traffic[0].sectors)
d = cuda.to_device(np.arange(64, dtype="f4"))
print(lens.trace(shift, 1, 64, d, cuda.device_array_like(d)).results[1][63])
""")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["['race'] True", "[]", "5", "63.0"], done.stdout + done.stderr


def copied(a, b):
    i = cuda.grid(1)
    if i < b.size:
        b[i] = a[i]


def test_a_broadcast_host_array_is_on_the_device_once():
    """A launch copies what broadcasting repeats once: all 32 lanes read one sector, and write four."""
    trace = kernellens.trace(copied, 1, 32, np.broadcast_to(np.float32(3), (32,)), np.zeros(32, np.float32))
    assert [(item.kind, item.sectors) for item in trace.traffic] == [("read", 1), ("write", 4)]
    assert (trace.results[1] == 3).all()


@pytest.mark.parametrize("step", [2, -1])
def test_a_host_array_with_gaps_is_refused_as_a_launch_refuses_it(step):
    x = np.zeros(64, np.float32)[::step][:32]
    with pytest.raises(ValueError, match="ascontiguousarray"):
        kernellens.trace(copied, 1, 32, x, np.zeros(32, np.float32))


def test_past_the_end_of_dynamic_shared_memory_the_sentence_says_how_long_it_is():
    def reversed_tile(out):
        tile = cuda.shared.array(0, numba.float32)
        i = cuda.threadIdx.x
        tile[i] = i
        cuda.syncthreads()
        out[i] = tile[31 - i]

    trace = kernellens.trace(reversed_tile, 1, 32, np.zeros(32, np.float32), sharedmem=64)
    found = [(finding.line, finding.index) for finding in trace.errors if finding.kind == "out-of-bounds"]
    assert found == [(4, (16,)), (6, (31,))]
    assert all("16 items, numbered 0 to 15" in str(finding) for finding in trace.errors)


def test_what_a_fence_and_a_flag_order_is_not_said_to_be_in_no_order():
    def handed_over(data, flag, out):
        if cuda.threadIdx.x == 0:
            if cuda.blockIdx.x == 0:
                data[0] = 42
                cuda.threadfence()
                cuda.atomic.exch(flag, 0, 1)
            elif cuda.atomic.add(flag, 0, 0) == 1:
                cuda.threadfence()
                out[0] = data[0]

    (finding,) = kernellens.trace(handed_over, 2, 32, np.zeros(1), np.zeros(1, np.int32), np.zeros(1)).errors
    assert (finding.kind, finding.severity, finding.line) == ("race", "warning", 4)
    assert "in no order" not in str(finding) and "A fence and an atomic" in str(finding)
