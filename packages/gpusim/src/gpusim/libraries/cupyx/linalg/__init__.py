"""Linear algebra of CuPy's own."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
from cupy._core import launch
from cupyx._bridge import takes

from . import sparse

_MODULE = "cupyx.linalg"


@takes(_MODULE)
def invh(a: Any) -> Any:
    """The inverse of a real symmetric or Hermitian positive definite matrix, by Cholesky's decomposition."""
    if not isinstance(a, launch.array_class):
        raise np.linalg.LinAlgError("cupy.linalg only supports cupy.ndarray")
    if a.ndim != 2:
        raise np.linalg.LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    from cupyx import lapack

    dtype = np.promote_types(a.dtype, np.float32) if a.dtype.kind in "fc" else np.dtype(np.float64)
    return lapack.posv(a, cupy.eye(a.shape[0], dtype=dtype))


@takes(_MODULE)
def cho_solve(c_and_lower: Any, b: Any, overwrite_b: bool, check_finite: bool) -> Any:
    """Solve with a matrix of which Cholesky's decomposition is known: ``(c, lower)``."""
    from cupyx import lapack

    c, lower = c_and_lower
    if check_finite:
        half = cupy.tril(c) if lower else cupy.triu(c)
        if not bool(cupy.isfinite(half).all()) or not bool(cupy.isfinite(b).all()):
            raise ValueError("Input array contains NaN or infinity.")
    return lapack.potrs(c, b, lower=lower)


__all__ = ["cho_solve", "invh", "sparse"]
