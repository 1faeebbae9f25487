"""Iterative solvers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np
import scipy.sparse.linalg as _scipy
from cupyx._bridge import convert, takes
from cupyx.scipy.sparse import _host
from cupyx.scipy.sparse._base import issparse

from ._interface import aslinearoperator

_MODULE = "cupyx.scipy.sparse.linalg"


def on_host(A: Any) -> Any:
    """An operand of a solver as SciPy takes it: a matrix of views, or an operator that goes to the device."""
    if A is None:
        return None
    if issparse(A) or _host.is_dense(A):
        return _host.host(A) if issparse(A) else convert.down(A)
    there = aslinearoperator(A)
    parts = {name: convert.calling_back(getattr(there, name)) for name in ("matvec", "rmatvec", "matmat")}
    return _scipy.LinearOperator(there.shape, dtype=there.dtype, **parts)


def system(A: Any, M: Any, x0: Any, b: Any) -> tuple[Any, Any, Any, Any]:
    """Check a system of equations as CuPy does: ``A``, ``M``, ``x0``, ``b`` on the host, of one type."""
    operator = aslinearoperator(A)
    if operator.shape[0] != operator.shape[1]:
        raise ValueError(f"expected square matrix (shape: {operator.shape})")
    if operator.dtype.char not in "fdFD":
        raise TypeError(f"unsupprted dtype (actual: {operator.dtype})")  # CuPy's own spelling
    n = operator.shape[0]
    if b.shape not in ((n,), (n, 1)):
        raise ValueError("b has incompatible dimensions")
    if x0 is not None and x0.shape not in ((n,), (n, 1)):
        raise ValueError("x0 has incompatible dimensions")
    if M is not None and aslinearoperator(M).shape != operator.shape:
        raise ValueError("matrix and preconditioner have different shapes")
    b = convert.down(b.astype(operator.dtype)).ravel()
    start = np.zeros(n, operator.dtype) if x0 is None else convert.down(x0.astype(operator.dtype)).ravel()
    return on_host(A), on_host(M), start.copy(), b


def finish(name: str, operands: tuple, x: np.ndarray, info: Any) -> tuple[Any, Any]:
    """Send a solution to the device and count what solved it."""
    made = convert.up(x)
    _host.count(f"cupyx_{name}", operands, made)
    return made, info


def _krylov(name: str) -> Callable:
    scipy = getattr(_scipy, name)

    def solve(
        A: Any, b: Any, x0: Any, *, rtol: float, atol: float, maxiter: Any, M: Any, callback: Any
    ) -> tuple[Any, int]:
        given, operands = b, (A, b, x0, M)
        A, M, start, b = system(A, M, x0, b)
        n = len(b)
        if n == 0:
            return cupy.empty_like(given), 0
        if not b.any():
            return convert.up(b), 0
        maxiter = n * (5 if name == "cgs" else 10) if maxiter is None else maxiter
        back = None if callback is None else (lambda x: callback(convert.up(x)))
        with np.errstate(all="ignore"):
            x, info = scipy(A, b, start, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=back)
        return finish(name, operands, x.astype(b.dtype, copy=False), info)

    solve.__doc__ = f"As ``scipy.sparse.linalg.{name}``, on the device; gives the solution and 0 or the iterations."
    return takes(_MODULE, name)(solve)


cg = _krylov("cg")
cgs = _krylov("cgs")
bicgstab = _krylov("bicgstab")


@takes(_MODULE)
def gmres(
    A: Any, b: Any, x0: Any, *, rtol: float, atol: float, restart: Any, maxiter: Any, M: Any, callback: Any,
    callback_type: Any,
) -> tuple[Any, int]:  # fmt: skip
    """Generalised minimal residuals; ``maxiter`` counts inner iterations and the callback comes at each restart."""
    given, operands = b, (A, b, x0, M)
    A, M, x, b = system(A, M, x0, b)
    n = len(b)
    if n == 0:
        return cupy.empty_like(given), 0
    size = np.linalg.norm(b)
    if size == 0:
        return convert.up(b), 0
    limit = max(float(atol), rtol * float(size))
    maxiter = n * 10 if maxiter is None else maxiter
    restart = min(20 if restart is None else restart, n)
    callback_type = "pr_norm" if callback_type is None else callback_type
    if callback_type not in ("x", "pr_norm"):
        raise ValueError(f"Unknown callback_type: {callback_type}")
    multiply = _scipy.aslinearoperator(A).matvec
    prepare = (lambda v: v) if M is None else _scipy.aslinearoperator(M).matvec
    done = 0
    while True:
        solution = prepare(x)
        residual = b - multiply(solution)
        rest = np.linalg.norm(residual)
        if callback is not None and callback_type == "x":
            callback(convert.up(solution))
        elif callback is not None and done > 0:
            callback(convert.up(rest / size))
        if rest <= limit or done >= maxiter:
            break
        x = x + _cycle(residual, rest, restart, lambda v: multiply(prepare(v)))
        done += restart
    info = done if done >= maxiter and rest > limit else 0
    return finish("gmres", operands, solution.astype(b.dtype, copy=False), info)


def _cycle(residual: np.ndarray, rest: float, restart: int, apply: Callable) -> np.ndarray:
    """One cycle of Arnoldi's iteration and its least squares problem: the correction."""
    basis = np.zeros((residual.size, restart), residual.dtype)
    hessenberg = np.zeros((restart + 1, restart), residual.dtype)
    basis[:, 0] = residual / rest
    used = restart
    for j in range(restart):
        u = apply(basis[:, j])
        for _ in range(2):  # twice is enough
            h = basis[:, : j + 1].conj().T @ u
            hessenberg[: j + 1, j] += h
            u = u - basis[:, : j + 1] @ h
        length = np.linalg.norm(u)
        hessenberg[j + 1, j] = length
        if j + 1 < restart:
            if not length > 0 or not math.isfinite(length):
                used = j + 1
                break
            basis[:, j + 1] = u / length
    right = np.zeros(used + 1, residual.dtype)
    right[0] = rest
    y = np.linalg.lstsq(hessenberg[: used + 1, :used], right, rcond=None)[0]
    return basis[:, :used] @ y
