"""Solvers and decompositions of sparse matrices; SciPy computes, CuPy's rules hold."""

from __future__ import annotations

from ._decompose import eigsh, lobpcg, norm, svds
from ._direct import SuperLU, factorized, lsmr, lsqr, minres, spilu, splu, spsolve, spsolve_triangular
from ._interface import LinearOperator, aslinearoperator
from ._iterative import bicgstab, cg, cgs, gmres
from ._power import matrix_power

__all__ = [
    "LinearOperator", "SuperLU", "aslinearoperator", "bicgstab", "cg", "cgs", "eigsh", "factorized", "gmres", "lobpcg",
    "lsmr", "lsqr", "matrix_power", "minres", "norm", "spilu", "splu", "spsolve", "spsolve_triangular", "svds",
]  # fmt: skip
