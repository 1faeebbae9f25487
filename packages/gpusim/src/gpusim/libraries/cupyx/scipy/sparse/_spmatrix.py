"""What the sparse matrices have and the sparse arrays have not."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np


class spmatrix:
    """Base of the sparse matrices, in which ``*`` is the matrix product."""

    def __init__(self, *args: Any, maxprint: int = 50, **kwargs: Any) -> None:
        self.maxprint = maxprint
        if type(self) is spmatrix:
            if args or kwargs:
                raise TypeError("cannot instantiate spmatrix directly; use a format subclass such as csr_matrix")
            return
        super().__init__(*args, **kwargs)

    def __mul__(self, other: Any) -> Any:
        return self._product(other)

    def __rmul__(self, other: Any) -> Any:
        return self._product_from_left(other)

    def __pow__(self, other: Any) -> Any:
        from .linalg import matrix_power

        return matrix_power(self, other)

    @property
    def A(self) -> Any:
        """As :meth:`toarray`; deprecated."""
        warnings.warn("`spmatrix.A` is deprecated; use `.toarray()` instead.", DeprecationWarning, stacklevel=2)
        return self.toarray()

    @property
    def H(self) -> Any:
        """The conjugate transpose; deprecated."""
        warnings.warn("`spmatrix.H` is deprecated; use `.T.conj()` instead.", DeprecationWarning, stacklevel=2)
        return self.transpose().conj()

    def get_shape(self) -> tuple[int, ...]:
        """The shape."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Reshape it in place."""
        self.__dict__ = self.reshape(shape).asformat(self.format).__dict__

    shape = property(get_shape, set_shape, doc="Shape of the matrix.")

    def asfptype(self) -> Any:
        """The same with real elements."""
        return self if self.dtype.kind == "f" else self.astype(np.promote_types(self.dtype, "f"))

    def getH(self) -> Any:
        """The conjugate transpose."""
        return self.transpose().conj()

    def getrow(self, i: int) -> Any:
        """A row, as a matrix."""
        return self.tocsr()._getrow(i)

    def getcol(self, j: int) -> Any:
        """A column, as a matrix."""
        return self.tocsr()._getcol(j)

    def getformat(self) -> str:
        """The format's name."""
        return self.format

    def getmaxprint(self) -> int:
        """How many elements are printed."""
        return self.maxprint

    def getnnz(self, axis: Any = None) -> Any:
        """Number of stored elements."""
        return self._getnnz(axis=axis)
