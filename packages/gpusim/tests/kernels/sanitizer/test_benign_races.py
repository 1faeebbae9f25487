"""Races by the letter that are right in practice, `if dist[v] < 0: dist[v] = level + 1`, are warnings; their wrong siblings are errors."""

import importlib
import types

import numpy as np
import pytest

from gpusim.kernels import Kernel, reported
from gpusim.kernels.frontend import intrinsics
from gpusim.kernels.frontend.cuda_cpp.device_library import Device
from gpusim.kernels.sanitizer import findings

cuda = types.ModuleType("cuda")
vars(cuda).update(intrinsics.TOP)

pytestmark = pytest.mark.usefixtures("backend")

# A ring of 96 nodes, each with the two beside it and the one opposite; the search has come to level 1.
N = 96
ROWS = np.arange(0, 3 * N + 1, 3)
COLUMNS = np.array([(v + step) % N for v in range(N) for step in (1, N - 1, N // 2)])


def distances():
    dist = np.full(N, -1)
    dist[0], dist[[1, N - 1, N // 2]] = 0, 1
    return dist


def nested(rows, columns, dist, level, changed):
    v = cuda.grid(1)
    if v < dist.size and dist[v] == level:
        for e in range(rows[v], rows[v + 1]):
            u = columns[e]
            if dist[u] < 0:
                dist[u] = level + 1
                changed[0] = 1


def guarded(rows, columns, dist, level, changed):
    v = cuda.grid(1)
    if v >= dist.size or dist[v] != level:
        return
    for e in range(rows[v], rows[v + 1]):
        d = dist[columns[e]]
        if d != -1:
            continue
        dist[columns[e]] = level + 1
        changed[0] = True


@Device
def visit(dist, u, level):
    if dist[u] == -1:
        dist[u] = level + 1


def in_a_function(rows, columns, dist, level, changed):
    v = cuda.grid(1)
    if v < dist.size and dist[v] == level:
        for e in range(rows[v], rows[v + 1]):
            visit(dist, columns[e], level)


def found_by_one(rows, columns, dist, level, changed):
    v = cuda.grid(1)
    if v < dist.size:
        if changed[0] == 0:
            if columns[v] % 5 == 1:
                changed[0] = 1


def counted(rows, columns, dist, level, changed):
    v = cuda.grid(1)
    if v < dist.size and dist[v] == level:
        for e in range(rows[v], rows[v + 1]):
            u = columns[e]
            if dist[u] < 0:
                dist[u] = level + 1
                cuda.atomic.add(changed, 0, 1)


def queued(rows, columns, dist, level, changed):
    v = cuda.grid(1)
    if v < dist.size and dist[v] == level:
        for e in range(rows[v], rows[v + 1]):
            u = columns[e]
            if dist[u] < 0:
                dist[u] = level + 1
                changed[u] += 1


def other_values(rows, columns, dist, level, changed):
    v = cuda.grid(1)
    if v < dist.size and dist[v] == level:
        for e in range(rows[v], rows[v + 1]):
            u = columns[e]
            if dist[u] < 0:
                dist[u] = v


def at_once(rows, columns, dist, level, changed):  # without levels: a node that has just been reached goes on
    v = cuda.grid(1)
    if v < dist.size and dist[v] >= 0:
        for e in range(rows[v], rows[v + 1]):
            if dist[columns[e]] < 0:
                dist[columns[e]] = 1


def greedy(rows, columns, dist, level, changed):  # who puts out whom depends on who comes first
    v = cuda.grid(1)
    if v < dist.size - 1 and dist[v] == -1:
        if dist[v + 1] < 0:
            dist[v + 1] = 0


def read_outside(rows, columns, dist, level, changed):
    v = cuda.grid(1)
    if v < dist.size:
        changed[v] = dist[(v + 1) % N]
        if dist[v] < 0:
            dist[v] = 7


def judged(kernel):
    log, fault = Kernel(kernel).trace(6, 16, (ROWS, COLUMNS, distances(), 1, np.zeros(N, int)))
    assert fault is None
    return {each.severity for each in findings.examine(log) if each.kind == "race"}


@pytest.mark.parametrize("kernel", [nested, guarded, in_a_function, found_by_one])
def test_a_test_and_the_same_value_from_all_is_a_warning(kernel):
    assert judged(kernel) == {"warning"}


@pytest.mark.parametrize("kernel", [counted, queued, other_values, at_once, greedy, read_outside])
def test_what_depends_on_who_comes_first_is_an_error(kernel):
    assert "error" in judged(kernel)


CODE = """
// %s: looked at when it is first launched
extern "C" __global__ void bfs(const long long* rows, const long long* columns, long long* dist, long long level, long long* changed) {
    int v = blockDim.x * blockIdx.x + threadIdx.x;
    if (v >= 96 || dist[v] != level) return;
    for (int e = rows[v]; e < rows[v + 1]; e++) {
        int u = columns[e];
        if (dist[u] == -1) {
            %s
        }
    }
}
"""


@pytest.mark.parametrize(
    ("what", "severity"),
    [
        ("dist[u] = level + 1;\n changed[0] = 1;", "warning"),
        ("dist[u] = level + 1; atomicAdd((int*)changed, 1);", "error"),
    ],
)
@pytest.mark.filterwarnings("ignore::gpusim.kernels.reported.KernelWarning")
def test_in_cuda_cpp(simulated_libraries, monkeypatch, backend, what, severity):
    monkeypatch.delenv("GPUSIM_TRACE", raising=False)
    reported.reports.clear()
    reported._seen.clear()
    cp = importlib.import_module("cupy")
    arrays = [cp.asarray(each) for each in (ROWS, COLUMNS, distances())]
    cp.RawKernel(CODE % (backend, what), "bfs")((6,), (16,), (*arrays, np.int64(1), cp.zeros(N, "i8")))
    cp.cuda.Stream.null.synchronize()
    assert severity in {each.severity for each in reported.reports if each.kind == "race"}
    assert severity == "error" or "error" not in {each.severity for each in reported.reports}
