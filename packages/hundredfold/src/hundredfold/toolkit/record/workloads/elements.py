"""The array suite of 2019, element by element and by reduction: sum, std, an elementwise expression, slicing, FFT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..workload import Way, Workload, numbers, on_both

SIDES = (1_000, 10_000, 20_000)


def _all_cores(side: int, body: str) -> Callable[[], Callable[[], Any]]:
    """A reduction in one pass on all cores; `body` names what is returned of the sums of x and of its squares."""

    def prepare() -> Callable[[], Any]:
        import numpy as np
        from numba import njit, prange

        @njit(parallel=True, fastmath=True)
        def sums(x):
            # Around the first element, so that squares of large numbers do not swallow what they differ by.
            about = x[0]
            total, squares = 0.0, 0.0
            for i in prange(x.size):
                d = x[i] - about
                total += d
                squares += d * d
            return about, total, squares

        flat = numbers((side, side)).ravel()

        def run() -> float:
            about, total, squares = sums(flat)
            mean = total / flat.size
            return about * flat.size + total if body == "sum" else float(np.sqrt(squares / flat.size - mean * mean))

        return run

    return prepare


def _sliced(xp: Any, x: Any) -> Any:
    return x[::3].copy()


def _middle(x: Any) -> float:
    return float(x[len(x) // 2, x.shape[1] // 2])


def _spectrum(xp: Any, x: Any) -> Any:
    return xp.fft.fft(x)


def _power(x: Any) -> float:
    return float(abs(x[len(x) // 2, 1]))


def _of(side: int) -> tuple[Workload, ...]:
    n, size = side * side, f"{side}x{side}"
    third = -(-side // 3) * side
    shape = (side, side)
    common: dict[str, Any] = {"n": n, "shape": shape}
    return (
        Workload(
            f"memory.sum.{size}",
            "x.sum()",
            (*on_both(shape, lambda xp, x: x.sum()), Way("Numba, all cores", "cpu", _all_cores(side, "sum"), ("numba",))),
            memory=8 * n, bytes=8 * n, least_bytes=8 * n, **common,
        ),
        Workload(
            f"memory.std.{size}",
            "x.std()",
            (*on_both(shape, lambda xp, x: x.std()), Way("Numba, all cores, one pass", "cpu", _all_cores(side, "std"), ("numba",))),
            memory=2 * 8 * n, bytes=8 * n, least_bytes=8 * n, tolerance=1e-7, **common,
        ),
        Workload(
            f"memory.elementwise.{size}",
            "sin(x)**2 + cos(x)**2",
            on_both(shape, lambda xp, x: xp.sin(x) ** 2 + xp.cos(x) ** 2, _middle),
            memory=5 * 8 * n, bytes=88 * n, least_bytes=16 * n, kernels=5, **common,
        ),
        Workload(
            f"memory.slice.{size}",
            "every third row, copied",
            on_both(shape, _sliced, _middle),
            memory=1.4 * 8 * n, bytes=16 * third, least_bytes=16 * third, **common,
        ),
        Workload(
            f"memory.fft.{size}",
            "fft along the rows of complex numbers",
            on_both(shape, lambda xp, x: _spectrum(xp, x.astype("complex128") if x.dtype != "complex128" else x), _power),
            memory=4 * 16 * n, bytes=32 * n, least_bytes=32 * n, tolerance=1e-6,
            remark="The conversion to complex numbers, another 24 bytes an element, is in the time.", **common,
        ),
    )  # fmt: skip


WORKLOADS = tuple(workload for side in SIDES for workload in _of(side))
