"""Powers of sparse matrices."""

from __future__ import annotations

import operator
from typing import Any

from cupyx._bridge import takes


@takes("cupyx.scipy.sparse.linalg")
def matrix_power(A: Any, power: int) -> Any:
    """A square matrix to a non-negative integer power."""
    from cupyx.scipy import sparse

    if A.shape[0] != A.shape[1]:
        raise TypeError("sparse matrix is not square")
    try:
        power = operator.index(power)
    except TypeError:
        raise ValueError("exponent must be an integer") from None
    if power < 0:
        raise ValueError("exponent must be >= 0")
    if power == 0:
        one = sparse.eye_array if isinstance(A, sparse.sparray) else sparse.identity
        return one(A.shape[0], dtype=A.dtype, format="csr")
    if power == 1:
        return A.copy()
    half = matrix_power(A, power // 2)
    return A @ half @ half if power % 2 else half @ half
