"""How long the lens's pictures take and how large they are: `show` of a 128 x 128 trace, and what surrounds it.

    python benchmarks/lens_pictures.py [--repeat 5]

Targets, on two cores: a trace of 128 x 128 threads is shown in under 2 s (trace apart, Bokeh's import included once), in under
300 kB in the notebook, BokehJS not counted.  The first picture imports Bokeh.  "of CPU" is the processor time of the last one: on a busy machine that holds, the seconds do not.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time

os.environ["GPUSIM_SIMULATE"] = "1"

import gpusim  # noqa: E402

gpusim.activate()

import numba  # noqa: E402
import numpy as np  # noqa: E402
from numba import cuda  # noqa: E402

import kernellens  # noqa: E402


@cuda.jit
def blur(x, out):
    j, i = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        total = numba.float32(0)
        for a in range(-1, 2):
            for b in range(-1, 2):
                total += x[i + a, j + b]
        out[i, j] = total / numba.float32(9)


@cuda.jit
def matmul(a, b, c):
    sa = cuda.shared.array((16, 16), numba.float32)
    sb = cuda.shared.array((16, 16), numba.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = numba.float32(0)
    for k in range(a.shape[1] // 16):
        sa[ty, tx] = a[i, k * 16 + tx]
        sb[ty, tx] = b[k * 16 + ty, j]
        cuda.syncthreads()
        for m in range(16):
            total += sa[ty, m] * sb[m, tx]
        cuda.syncthreads()
    c[i, j] = total


@cuda.jit
def gather(p, q, r, x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[p[i]] = x[q[i]] + x[r[i]]


@cuda.jit
def histogram(x, counts):
    i = cuda.grid(1)
    if i < x.size:
        counts[x[i]] += 1


def launches():
    """Kernels, each with its launch: 128 x 128 threads."""
    n, rng = 128, np.random.default_rng(0)
    x = np.zeros((n, n), np.float32)
    yield blur, (8, 8), (16, 16), (x, x.copy())
    yield matmul, (8, 8), (16, 16), (x, x.copy(), x.copy())
    orders = [rng.permutation(n * n) for _ in range(3)]
    yield gather, 64, 256, (*orders, rng.random(n * n), np.zeros(n * n))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    print(f"{'':<22}{'trace':>9}{'show, first':>13}{'later':>9}{'of CPU':>9}{'size':>9}")
    for kernel, griddim, blockdim, args in launches():
        begun = time.perf_counter()
        trace = kernellens.trace(kernel, griddim, blockdim, *args)
        traced, shown = time.perf_counter() - begun, []
        for _ in range(repeat + 1):
            begun, work = time.perf_counter(), time.process_time()
            page = kernellens.show(trace).html()
            shown.append(time.perf_counter() - begun)
            worked = time.process_time() - work
        later = shown[1:]
        print(
            f"{kernel.py_func.__name__:<22}{traced:>7.2f} s{shown[0]:>11.2f} s{statistics.median(later):>7.2f} s"
            f"{worked:>7.2f} s{len(page) / 1e3:>6.0f} kB"
        )
    trace = kernellens.trace(blur, (8, 8), (16, 16), np.zeros((128, 128), np.float32), np.zeros((128, 128), np.float32))
    begun = time.perf_counter()
    page = kernellens.roofline(trace, griddim=(625, 625)).html()
    print(f"{'roofline':<22}{'':>9}{time.perf_counter() - begun:>11.2f} s{'':>18}{len(page) / 1e3:>6.0f} kB")
    begun = time.perf_counter()
    found = kernellens.schedules(histogram, 64, 256, np.arange(128 * 128) % 16, np.zeros(16, np.int32))
    took = time.perf_counter() - begun
    print(f"{'schedules, 8 orders':<22}{'':>9}{took:>11.2f} s   {len(found.answers)} answers of 16 384 threads")
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
