"""CUDA graphs by capture, as `cupy.cuda.Stream.begin_capture` documents them."""

import numpy as np
import pytest


@pytest.fixture
def stream(cp):
    from gpusim.device import queue

    yield cp.cuda.Stream(non_blocking=True)
    queue.capture = None


def test_what_is_captured_runs_at_each_launch_and_not_before(cp, stream):
    x = cp.zeros(5)
    with stream:
        stream.begin_capture()
        assert stream.is_capturing()
        x += 1
        x *= 2
        graph = stream.end_capture()
    assert not stream.is_capturing() and type(graph) is cp.cuda.Graph
    assert x.tolist() == [0] * 5
    for _ in range(3):
        graph.launch(stream)
    assert x.tolist() == [14] * 5
    x[...] = 1
    graph.launch()
    assert x.tolist() == [4] * 5


def test_reductions_products_and_kernels_are_captured(cp, stream):
    a = cp.arange(6.0).reshape(2, 3)
    out, total = cp.zeros((2, 2)), cp.zeros(())
    double = cp.RawKernel('extern "C" __global__ void f(double* x) { x[threadIdx.x] *= 2; }', "f")
    with stream:
        stream.begin_capture()
        double((1,), (6,), (a,))
        cp.matmul(a, a.T, out=out)
        cp.sum(cp.sqrt(a), out=total)
        graph = stream.end_capture()
    for n in (2, 4):
        graph.launch()
        host = np.arange(6.0).reshape(2, 3) * n
        assert np.allclose(out.get(), host @ host.T) and np.allclose(total.get(), np.sqrt(host).sum())


def test_other_streams_go_on_and_a_stream_that_waits_for_an_event_is_captured_too(cp, stream):
    x, y, z = cp.zeros(3), cp.zeros(3), cp.zeros(3)
    other, apart = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        x += 1
        other.wait_event(stream.record())
        with other:
            y += 2
        with apart:
            z += 3
        stream.wait_event(other.record())
        graph = stream.end_capture()
    assert (x.tolist(), y.tolist(), z.tolist()) == ([0] * 3, [0] * 3, [3] * 3)
    graph.launch()
    assert (x.tolist(), y.tolist(), z.tolist()) == ([1] * 3, [2] * 3, [3] * 3)


def test_a_value_is_not_there_while_a_stream_is_captured(cp, stream):
    x = cp.zeros(3)
    with stream:
        stream.begin_capture()
        x += 1
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="cudaErrorStreamCaptureUnsupported"):
            float(x.sum())
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="cudaErrorStreamCaptureInvalidated"):
            stream.end_capture()
    assert not stream.is_capturing() and x.tolist() == [0] * 3


def test_what_may_not_be_captured(cp, stream):
    error = cp.cuda.runtime.CUDARuntimeError
    with pytest.raises(RuntimeError, match="default"):
        cp.cuda.Stream.null.begin_capture()
    with pytest.raises(error, match="cudaErrorIllegalState"):
        stream.end_capture()
    with stream:
        stream.begin_capture()
        with pytest.raises(error, match="cudaErrorIllegalState"):
            stream.begin_capture()
        with pytest.raises(error, match="cudaErrorStreamCaptureUnsupported"):
            stream.synchronize()
        with pytest.raises(error, match="cudaErrorStreamCaptureInvalidated"):
            stream.end_capture()
    with pytest.raises(NotImplementedError, match="stream capture"):
        cp.cuda.Graph()


def test_a_graph_counts_its_kernels_when_it_runs(cp, stream):
    from gpusim.device import queue

    x = cp.zeros(3)
    with stream:
        before = queue.counters().kernels
        stream.begin_capture()
        x += 1
        graph = stream.end_capture()
        captured = queue.counters().kernels
        graph.launch()
        graph.launch()
    assert (captured - before, queue.counters().kernels - captured) == (0, 2)
