"""Linear algebra beyond NumPy's.  It waits for the device and runs at once."""

from __future__ import annotations

import scipy.linalg as _scipy
from cupy._core.adapt import running, table
from cupy._core.names import refuser

_made = table(
    _scipy,
    "block_diag circulant companion convolution_matrix dft expm fiedler fiedler_companion hadamard hankel helmert hilbert "
    "kron leslie lu lu_factor lu_solve solve_triangular toeplitz tri tril triu khatri_rao bandwidth",
    running,
)
globals().update(_made)
__all__ = list(_made)
__getattr__ = refuser("cupyx.scipy.linalg")
