"""Measure a real GPU's rates with CuPy: a copy, two chains of fused multiply-adds, a matrix product, an upload.

Every time is the least of several on the GPU's own clock (`cupyx.profiler.benchmark`).
"""

from __future__ import annotations

from typing import Any

from gpusim import hardware

METHOD = "least GPU time of several: device copy (read plus written), chains of fused multiply-adds, matrix product, pinned upload"
_ROUNDS = 512


def measure_gpu() -> hardware.rates.Rates:
    """Return the rates of the current device. Makes a CUDA context; takes about a second and an eighth of the free memory."""
    import cupy as cp
    import numpy as np
    from cupyx.profiler import benchmark

    from .calibrate import now
    from .where import gpu_name

    def best(fn: Any, *args: Any) -> float:
        return float(benchmark(fn, args, n_repeat=10, n_warmup=3, name="rate").gpu_times.min())

    free, _ = cp.cuda.runtime.memGetInfo()
    # At least a gigabyte where there is room: far above any L2 cache.
    n = min(1 << 30, free // 16) // 8
    a, b = cp.zeros(n), cp.empty(n)
    bandwidth = 16 * n / best(cp.copyto, b, a)

    pinned = cp.cuda.alloc_pinned_memory(64 << 20)
    host = np.frombuffer(pinned, np.float64, (64 << 20) // 8)
    link = host.nbytes / best(a[: host.size].set, host)
    del a, b

    m = 4096
    x = cp.ones((m, m))
    gemm64 = 2 * m**3 / best(cp.matmul, x, x)
    del x

    rates = {}
    for name, dtype in (("fp64", np.float64), ("fp32", np.float32)):
        chain = cp.ElementwiseKernel(
            "T x",
            "T y",
            f"T u = x, v = x + T(1), p = T(0.5), q = T(0.25); for (int k = 0; k < {_ROUNDS}; ++k)"
            " { u = u * p + q; v = v * p + q; } y = u + v;",
            f"hundredfold_chain_{name}",
        )
        values = cp.ones(1 << 22, dtype)
        rates[name] = 4 * _ROUNDS * values.size / best(chain, values)

    empty = cp.ElementwiseKernel("T x", "T y", "y = x", "hundredfold_empty")
    one = cp.ones(1)
    launch = best(empty, one, one)
    cp.get_default_memory_pool().free_all_blocks()
    return hardware.rates.Rates(
        device=gpu_name(),
        bandwidth=bandwidth,
        gemm64=gemm64,
        link=link,
        launch=launch,
        measured_at=now(),
        method=METHOD,
        versions={"cupy": cp.__version__},
        **rates,
    )
