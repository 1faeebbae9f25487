"""Operators known by their products with device arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np
from cupyx._bridge import takes
from cupyx.scipy.sparse import _host
from cupyx.scipy.sparse._base import issparse


class LinearOperator:
    """An operator by its products: ``LinearOperator(shape, matvec, rmatvec=None, matmat=None, dtype=None, …)``.

    Or a base class: a subclass has ``_matvec`` or ``_matmat``, and may have ``_adjoint`` or ``_rmatvec``.
    """

    ndim = 2

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is LinearOperator:
            return super().__new__(_CustomLinearOperator)
        if cls._matvec is LinearOperator._matvec and cls._matmat is LinearOperator._matmat:
            warnings.warn(
                "LinearOperator subclass should implement at least one of _matvec and _matmat.", RuntimeWarning, 2
            )
        return super().__new__(cls)

    def __init__(self, dtype: Any, shape: Any) -> None:
        shape = tuple(shape)
        if not _host.is_shape(shape):
            raise ValueError(f"invalid shape {shape!r} (must be 2-d)")
        self.dtype = None if dtype is None else np.dtype(dtype)
        self.shape = shape

    def _init_dtype(self) -> None:
        if self.dtype is None:
            self.dtype = self.matvec(cupy.zeros(self.shape[-1])).dtype

    def _matvec(self, x: Any) -> Any:
        return self.matmat(x.reshape(-1, 1))

    def _matmat(self, x: Any) -> Any:
        return cupy.hstack([self.matvec(column.reshape(-1, 1)) for column in x.T])

    def _rmatvec(self, x: Any) -> Any:
        if type(self)._adjoint is LinearOperator._adjoint:
            raise NotImplementedError
        return self.H.matvec(x)

    def _rmatmat(self, x: Any) -> Any:
        if type(self)._adjoint is LinearOperator._adjoint:
            return cupy.hstack([self.rmatvec(column.reshape(-1, 1)) for column in x.T])
        return self.H.matmat(x)

    def _vector(self, product: Callable, x: Any, rows: int, cols: int) -> Any:
        if x.shape not in ((cols,), (cols, 1)):
            raise ValueError("dimension mismatch")
        return product(x).reshape((rows,) if x.ndim == 1 else (rows, 1))

    def matvec(self, x: Any) -> Any:
        """The product with a vector or a column."""
        return self._vector(self._matvec, x, *self.shape)

    def rmatvec(self, x: Any) -> Any:
        """The adjoint's product with a vector or a column."""
        return self._vector(self._rmatvec, x, *self.shape[::-1])

    def _matrix(self, product: Callable, x: Any, rows: int) -> Any:
        if x.ndim != 2:
            raise ValueError(f"expected 2-d ndarray or matrix, not {x.ndim}-d")
        if x.shape[0] != rows:
            raise ValueError(f"dimension mismatch: {self.shape!r}, {x.shape!r}")
        return product(x)

    def matmat(self, X: Any) -> Any:
        """The product with a matrix."""
        return self._matrix(self._matmat, X, self.shape[1])

    def rmatmat(self, X: Any) -> Any:
        """The adjoint's product with a matrix."""
        return self._matrix(self._rmatmat, X, self.shape[0])

    def dot(self, x: Any) -> Any:
        """The product with an operator, a number, a vector or a matrix."""
        if isinstance(x, LinearOperator):
            if self.shape[1] != x.shape[0]:
                raise ValueError(f"cannot multiply {self!r} and {x!r}: shape mismatch")
            return _CombinedLinearOperator(
                (self.shape[0], x.shape[1]), [self, x], lambda v: self.matvec(x.matvec(v)),
                lambda v: x.rmatvec(self.rmatvec(v)),
            )  # fmt: skip
        if np.isscalar(x):
            return _CombinedLinearOperator(
                self.shape, [self, x], lambda v: x * self.matvec(v), lambda v: np.conj(x) * self.rmatvec(v)
            )
        if x.ndim == 1 or (x.ndim == 2 and x.shape[1] == 1):
            return self.matvec(x)
        if x.ndim == 2:
            return self.matmat(x)
        raise ValueError(f"expected 1-d or 2-d array, got {x!r}")

    __call__ = __mul__ = dot

    def __matmul__(self, other: Any) -> Any:
        if np.isscalar(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self * other

    def __rmatmul__(self, other: Any) -> Any:
        if np.isscalar(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return NotImplemented

    def __rmul__(self, x: Any) -> Any:
        return self.dot(x) if np.isscalar(x) else NotImplemented

    def __pow__(self, p: Any) -> Any:
        if not np.isscalar(p):
            return NotImplemented
        if self.shape[0] != self.shape[1]:
            raise ValueError(f"square LinearOperator expected, got {self!r}")
        if not isinstance(p, (int, np.integer)) or p < 0:
            raise ValueError("non-negative integer expected as exponent")

        def repeat(product: Callable) -> Callable:
            def run(v: Any) -> Any:
                for _ in range(p):
                    v = product(v)
                return v

            return run

        return _CombinedLinearOperator(self.shape, [self], repeat(self.matvec), repeat(self.rmatvec))

    def __add__(self, x: Any) -> Any:
        if not isinstance(x, LinearOperator):
            return NotImplemented
        if self.shape != x.shape:
            raise ValueError(f"cannot add {self!r} and {x!r}: shape mismatch")
        return _CombinedLinearOperator(
            self.shape, [self, x], lambda v: self.matvec(v) + x.matvec(v), lambda v: self.rmatvec(v) + x.rmatvec(v)
        )

    def __neg__(self) -> Any:
        return self.dot(-1)

    def __sub__(self, x: Any) -> Any:
        return self + (-x)

    def __repr__(self) -> str:
        kind = "unspecified dtype" if self.dtype is None else f"dtype={self.dtype}"
        return f"<{self.shape[0]}x{self.shape[1]} {type(self).__name__} with {kind}>"

    def _adjoint(self) -> Any:
        return _CombinedLinearOperator(self.shape[::-1], [self], self.rmatvec, self.matvec)

    def adjoint(self) -> Any:
        """The adjoint operator."""
        return self._adjoint()

    def _transpose(self) -> Any:
        return _CombinedLinearOperator(
            self.shape[::-1], [self], lambda v: self.rmatvec(v.conj()).conj(), lambda v: self.matvec(v.conj()).conj()
        )

    def transpose(self) -> Any:
        """The transposed operator."""
        return self._transpose()

    H = property(adjoint)
    T = property(transpose)


class _CustomLinearOperator(LinearOperator):
    def __init__(
        self, shape: Any, matvec: Any, rmatvec: Any = None, matmat: Any = None, dtype: Any = None, rmatmat: Any = None
    ) -> None:
        super().__init__(dtype, shape)
        self.args = ()
        self._given = matvec, rmatvec, matmat, rmatmat
        self._init_dtype()

    def _matvec(self, x: Any) -> Any:
        return self._given[0](x)

    def _rmatvec(self, x: Any) -> Any:
        if self._given[1] is None:
            raise NotImplementedError("rmatvec is not defined")
        return self._given[1](x)

    def _matmat(self, x: Any) -> Any:
        return super()._matmat(x) if self._given[2] is None else self._given[2](x)

    def _rmatmat(self, x: Any) -> Any:
        return super()._rmatmat(x) if self._given[3] is None else self._given[3](x)

    def _adjoint(self) -> Any:
        matvec, rmatvec, matmat, rmatmat = self._given
        return _CustomLinearOperator(self.shape[::-1], rmatvec, matvec, rmatmat, self.dtype, matmat)


class _CombinedLinearOperator(LinearOperator):
    """A sum, product, multiple, power, adjoint or transpose of others."""

    def __init__(self, shape: tuple, parts: list, matvec: Callable, rmatvec: Callable) -> None:
        kinds = [p.dtype if hasattr(p, "dtype") and not np.isscalar(p) else p for p in parts]
        super().__init__(np.result_type(*(k for k in kinds if k is not None)), shape)
        self.args = tuple(parts)
        self._given = matvec, rmatvec

    def _matvec(self, x: Any) -> Any:
        return self._given[0](x)

    def _rmatvec(self, x: Any) -> Any:
        return self._given[1](x)

    def _adjoint(self) -> Any:
        return _CombinedLinearOperator(self.shape[::-1], [self], self._given[1], self._given[0])


class MatrixLinearOperator(LinearOperator):
    """A device matrix as an operator."""

    def __init__(self, A: Any) -> None:
        super().__init__(A.dtype, A.shape)
        self.A = A
        self.args = (A,)

    def _matmat(self, X: Any) -> Any:
        return self.A.dot(X)

    def _matvec(self, x: Any) -> Any:
        return self.A.dot(x)

    def _adjoint(self) -> Any:
        return MatrixLinearOperator(self.A.T.conj())

    def _rmatvec(self, x: Any) -> Any:
        return self.A.T.conj().dot(x)


@takes("cupyx.scipy.sparse.linalg")
def aslinearoperator(A: Any) -> LinearOperator:
    """A dense or sparse device matrix, or anything with ``shape`` and ``matvec``, as an operator."""
    if isinstance(A, LinearOperator):
        return A
    if _host.is_dense(A):
        if A.ndim > 2:
            raise ValueError("array must have ndim <= 2")
        return MatrixLinearOperator(cupy.atleast_2d(A))
    if issparse(A):
        return MatrixLinearOperator(A)
    if hasattr(A, "shape") and hasattr(A, "matvec"):
        names = ("rmatvec", "rmatmat", "dtype")
        extra = {name: getattr(A, name) for name in names if hasattr(A, name)}
        return LinearOperator(A.shape, A.matvec, **extra)
    raise TypeError("type not understood")
