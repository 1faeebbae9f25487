"""The 3 × 3 mean filter over int8: the "200x" of 2019, as published, in order, and as loops on all cores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..workload import Way, Workload

SIDES = (1_000, 10_000, 20_000)


def _image(side: int) -> Any:
    import numpy as np

    return np.random.default_rng(side).integers(0, 14, (side, side)).astype(np.int8)


def _stencil(side: int) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        import numba

        @numba.stencil
        def mean(x):
            return (
                x[-1, -1] + x[-1, 0] + x[-1, 1] + x[0, -1] + x[0, 0] + x[0, 1] + x[1, -1] + x[1, 0] + x[1, 1]
            ) // 9  # fmt: skip

        smooth = numba.njit(lambda x: mean(x))
        x = _image(side)
        return lambda: smooth(x)

    return prepare


def _loops(side: int) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        import numpy as np
        from numba import njit, prange

        @njit(parallel=True)
        def smooth(x, out):
            rows, columns = x.shape
            for i in prange(1, rows - 1):
                for j in range(1, columns - 1):
                    out[i, j] = (
                        x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
                        + x[i, j - 1] + x[i, j] + x[i, j + 1]
                        + x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
                    ) // 9  # fmt: skip

        x = _image(side)
        out = np.zeros_like(x)

        def run() -> Any:
            smooth(x, out)
            return out

        return run

    return prepare


def kernel(in_order: bool) -> Any:
    """The `numba.cuda` kernel; as published the first index follows the threads that lie side by side, in order the last one does."""
    from numba import cuda

    @cuda.jit
    def smooth(x, out):
        if in_order:
            j, i = cuda.grid(2)
        else:
            i, j = cuda.grid(2)
        rows, columns = x.shape
        if 1 <= i < rows - 1 and 1 <= j < columns - 1:
            out[i, j] = (
                x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1]
                + x[i, j - 1] + x[i, j] + x[i, j + 1]
                + x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]
            ) // 9  # fmt: skip

    return smooth


def _kernel(side: int, in_order: bool) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        from numba import cuda

        smooth = kernel(in_order)
        x = _image(side)
        given, out = cuda.to_device(x), cuda.to_device(x * 0)
        block = (32, 8) if in_order else (16, 16)
        grid = tuple(-(-side // each) for each in block)

        def run() -> Any:
            smooth[grid, block](given, out)
            return out

        return run

    return prepare


def _checksum(out: Any) -> float:
    import numpy as np

    out = out.copy_to_host() if hasattr(out, "copy_to_host") else out
    return float(np.asarray(out)[1:-1, 1:-1].sum(dtype=np.int64))


def _of(side: int) -> Workload:
    n = side * side
    return Workload(
        "kernels.stencil" if side == 10_000 else f"memory.stencil.{side}x{side}",
        "3 × 3 mean filter, int8 in and out",
        (
            Way("numba.stencil, one thread", "cpu", _stencil(side), ("numba",), _checksum),
            Way("Numba loops, all cores", "cpu", _loops(side), ("numba",), _checksum),
            Way("numba.cuda kernel, as published", "gpu", _kernel(side, False), ("numba_cuda",), _checksum),
            Way("numba.cuda kernel, in order", "gpu", _kernel(side, True), ("numba_cuda",), _checksum),
        ),
        n=n,
        shape=(side, side),
        dtype="int8",
        memory=10 * n,
        bytes=2.0 * n,
        least_bytes=2.0 * n,
        tolerance=0.0,
    )


WORKLOADS = tuple(map(_of, SIDES))
