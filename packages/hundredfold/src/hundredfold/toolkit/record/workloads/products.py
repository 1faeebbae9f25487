"""What arithmetic binds: the matrix product, and a thin SVD."""

from __future__ import annotations

from ..workload import Workload, on_both

SIDES = (1_000, 10_000)
TALL = ((1_000, 1_000), (10_000, 1_000), (20_000, 1_000))


def _product(side: int) -> Workload:
    n = side * side
    return Workload(
        f"memory.matmul.{side}x{side}",
        "x @ x",
        on_both((side, side), lambda xp, x: x @ x, lambda y: float(y[0, 0])),
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
        on_both((rows, columns), lambda xp, x: xp.linalg.svd(x, full_matrices=False)[1], lambda s: float(s[-1])),
        n=n,
        shape=(rows, columns),
        memory=5 * 8 * n,
        least_bytes=8.0 * (2 * n + columns * columns),
        tolerance=1e-6,
        remark="Thin; the suite of 2019 also computed the rest of a square U, which nobody used.",
    )


WORKLOADS = (*map(_product, SIDES), *(_svd(*shape) for shape in TALL))
