"""What arithmetic binds: the matrix product, and a thin SVD."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..workload import Way, Workload

SIDES = (1_000, 10_000)
TALL = ((1_000, 1_000), (10_000, 1_000), (20_000, 1_000))


def _on(module: str, shape: tuple[int, int], work: Callable[[Any, Any], Any]) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        import importlib

        import numpy as np

        xp = importlib.import_module(module)
        x = xp.asarray(np.random.default_rng(shape[0]).random(shape))
        return lambda: work(xp, x)

    return prepare


def _both(shape: tuple[int, int], work: Callable[[Any, Any], Any], answer: Callable[[Any], float]) -> tuple[Way, ...]:
    return (
        Way("NumPy", "cpu", _on("numpy", shape, work), answer=answer),
        Way("CuPy", "gpu", _on("cupy", shape, work), ("cupy",), answer),
    )


def _product(side: int) -> Workload:
    n = side * side
    return Workload(
        f"memory.matmul.{side}x{side}",
        "x @ x",
        _both((side, side), lambda xp, x: x @ x, lambda y: float(y[0, 0])),
        n=n,
        shape=(side, side),
        memory=3 * 8 * n,
        bytes=24 * n,
        least_bytes=24 * n,
        flops=2.0 * side**3,
    )


def _svd(rows: int, columns: int) -> Workload:
    n = rows * columns
    return Workload(
        f"memory.svd-thin.{rows}x{columns}",
        "svd(x, full_matrices=False)",
        _both((rows, columns), lambda xp, x: xp.linalg.svd(x, full_matrices=False)[1], lambda s: float(s[-1])),
        n=n,
        shape=(rows, columns),
        memory=5 * 8 * n,
        least_bytes=8.0 * (2 * n + columns * columns),
        tolerance=1e-6,
        remark="Thin; the suite of 2019 also computed the rest of a square U, which nobody used.",
    )


WORKLOADS = (*map(_product, SIDES), *(_svd(*shape) for shape in TALL))
