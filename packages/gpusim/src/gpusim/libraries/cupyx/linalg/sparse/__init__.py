"""Sparse solvers under their old name."""

from cupyx._bridge.functions import parse
from cupyx.scipy.sparse.linalg import spsolve


def lschol(A, b):
    """Solve with a sparse symmetric positive definite matrix; the result is in double precision."""
    from cupyx.scipy import sparse

    if not isinstance(A, sparse.csr_matrix):
        A = sparse.csr_matrix(A)
    if b.ndim != 1 or len(b) != A.shape[0]:
        raise ValueError("b must be 1-d array whose size is same as A")
    return spsolve(A, b).astype("float64")


lschol.__signature__ = parse("A, b")
