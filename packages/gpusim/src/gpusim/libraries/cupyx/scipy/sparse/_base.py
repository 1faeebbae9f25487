"""What all sparse matrices and arrays on the device have in common."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterator
from typing import Any

import cupy
import numpy as np
from scipy.sparse import SparseEfficiencyWarning, SparseWarning

from . import _host

_NAMES = {"csr": "Compressed Sparse Row", "csc": "Compressed Sparse Column", "coo": "COOrdinate", "dia": "DIAgonal"}
_UFUNCS = "arcsin arcsinh arctan arctanh ceil deg2rad expm1 floor log1p rad2deg rint sign sin sinh sqrt tan tanh trunc"


class sparray:
    """Base of the sparse arrays, in which ``*`` is elementwise."""


class _spbase:
    """Base of everything sparse; only its subclasses can be made."""

    __array_priority__ = 101
    __hash__ = None
    maxprint = 50
    format = ""
    _allow_nd: tuple[int, ...] = (2,)
    _part_names: tuple[str, ...] = ()
    _is_array = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._is_array = issubclass(cls, sparray)
        if not cls.__name__.startswith("_") and cls.__name__ != "spmatrix":
            _host.classes[cls.__name__] = cls
            cls.__module__ = "cupyx.scipy.sparse"

    def __class_getitem__(cls, args: Any) -> Any:
        return types.GenericAlias(cls, args)

    @classmethod
    def _make(cls, parts: tuple, shape: tuple) -> Any:
        made = object.__new__(cls)
        if not cls._is_array:
            made.maxprint = 50
        made._set(parts, shape)
        return made

    def _set(self, parts: tuple, shape: tuple) -> None:
        for name, part in zip(self._part_names, parts, strict=True):
            setattr(self, name, part)
        self._shape = tuple(int(n) for n in shape)

    def _class(self, form: str) -> type:
        return _host.classes[f"{form}_{_host.kind_name(self._is_array)}"]

    def _compute(self, name: str, function: Any, *operands: Any, form: str | None = None) -> Any:
        return _host.compute(name, function, self, *operands, array=self._is_array, form=form)

    def _with_data(self, data: Any, copy: bool = True) -> Any:
        if not _host.is_data(data.dtype):
            data = data.astype(np.float64)
        rest = [getattr(self, name) for name in self._part_names[1:]]
        made = type(self)._make((data, *(r.copy() if copy else r for r in rest)), self.shape)
        for flag in ("_canonical", "_sorted", "has_canonical_format"):
            if flag in self.__dict__:
                made.__dict__[flag] = self.__dict__[flag]
        return made

    # what it is

    @property
    def dtype(self) -> np.dtype:
        """Type of the elements: bool, float32, float64, complex64 or complex128."""
        return self.data.dtype

    @property
    def device(self) -> Any:
        """The device the elements lie on."""
        return self.data.device

    @property
    def ndim(self) -> int:
        """Number of axes: two, or one for some arrays."""
        return len(self._shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self._shape

    @property
    def nnz(self) -> int:
        """Number of stored elements, explicit zeros among them."""
        return self._getnnz()

    size = nnz

    def _getnnz(self, axis: Any = None) -> Any:
        if axis is not None:
            raise NotImplementedError
        return int(self.data.size)

    def __len__(self) -> int:
        raise TypeError("sparse array length is ambiguous; use shape[0] or .nnz")

    def __repr__(self) -> str:
        stored = f"{self.nnz} stored elements" + (f" ({len(self.offsets)} diagonals)" if self.format == "dia" else "")
        kind = f"{_NAMES[self.format]} sparse {_host.kind_name(self._is_array)}"
        return f"<{kind} of dtype '{self.dtype}'\n\twith {stored} and shape {self.shape}>"

    def __str__(self) -> str:
        return str(self.get())

    def __iter__(self) -> Iterator:
        for i in range(self.shape[0]):
            yield self[i] if self.ndim == 1 else self[i, :]

    def __bool__(self) -> bool:
        if self.shape == (1, 1):
            return self.nnz != 0
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all().")

    # to and fro

    def get(self, stream: Any = None) -> Any:
        """Copy it to the host, as the same class of SciPy's."""
        there = _host.host(self)
        parts = [getattr(self, name).get() for name in self._part_names]
        if self.format == "coo":
            coordinates = (parts[1], parts[2]) if self.ndim == 2 else (parts[2],)
            return type(there)((parts[0], coordinates), shape=self.shape)
        return type(there)(tuple(parts), shape=self.shape)

    def asformat(self, format: str | None) -> Any:
        """The same in another format; itself if it has that already."""
        if format is None or format == self.format:
            return self
        return getattr(self, "to" + format)()

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """The same with elements of another type."""
        dtype = np.dtype(dtype)
        if self.dtype == dtype:
            return self.copy() if copy else self
        if not _host.is_data(dtype):
            raise ValueError(_host.ONLY)
        return self._with_data(self.data.astype(dtype, copy=copy))

    def copy(self) -> Any:
        """An independent copy."""
        return self._with_data(self.data.copy(), copy=True)

    def toarray(self, order: str | None = None, out: Any = None) -> Any:
        """A dense device array; duplicates are summed."""
        order = "C" if order is None else order.upper()
        if order not in ("C", "F"):
            raise ValueError("order not understood")
        dense = self._compute("sparseToDense", lambda a: a.toarray())
        return cupy.asfortranarray(dense) if order == "F" else cupy.ascontiguousarray(dense)

    def todense(self, order: str | None = None, out: Any = None) -> Any:
        """As :meth:`toarray`."""
        return self.toarray(order, out)

    def tocsr(self, copy: bool = False) -> Any:
        """As compressed rows."""
        return self._compute(f"{self.format}2csr", lambda a: a.tocsr(), form="csr")

    def tocsc(self, copy: bool = False) -> Any:
        """As compressed columns."""
        if self.ndim == 1:
            raise ValueError("Cannot convert a 1-D sparse array to csc format")
        return self._compute(f"{self.format}2csc", lambda a: a.tocsc(), form="csc")

    def tocoo(self, copy: bool = False) -> Any:
        """As coordinates."""
        return self._compute(f"{self.format}2coo", lambda a: a.tocoo(), form="coo")

    def tobsr(self, blocksize: Any = None, copy: bool = False) -> Any:
        """CuPy has no blocks."""
        raise NotImplementedError

    def todia(self, copy: bool = False) -> Any:
        """CuPy makes no diagonals of other formats."""
        raise NotImplementedError

    def todok(self, copy: bool = False) -> Any:
        """CuPy has no dictionaries of keys."""
        raise NotImplementedError

    def tolil(self, copy: bool = False) -> Any:
        """CuPy has no lists of lists."""
        raise NotImplementedError

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transpose; compressed rows become compressed columns of the same memory."""
        return self.tocsr(copy=copy).transpose(axes=axes, copy=False)

    def _check_axes(self, axes: Any) -> None:
        if axes is not None:
            raise ValueError(
                "Sparse matrices do not support an 'axes' parameter because swapping dimensions is the only logical "
                "permutation."
            )

    @property
    def T(self) -> Any:
        """The transpose."""
        return self.transpose()

    @property
    def mT(self) -> Any:
        """The transpose of the last two axes."""
        if self.ndim < 2:
            raise ValueError(f"Array must be at least 2-dimensional, but it is {self.ndim}-D")
        return self.transpose()

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        """The same elements in another shape, as coordinates."""
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else shape
        shape = tuple(int(n) for n in shape)
        if len(shape) not in self._allow_nd and -1 not in shape:
            raise ValueError(f"shape must have length in {self._allow_nd}. Got new_shape={shape}")
        if shape == self.shape:
            return self
        return self.tocoo()._compute("reshape", lambda a: a.reshape(shape, order=order), form="coo")

    # on the elements alone

    @property
    def real(self) -> Any:
        """Real parts."""
        return self._with_data(self.data.real.copy())

    @property
    def imag(self) -> Any:
        """Imaginary parts."""
        return self._with_data(self.data.imag.copy())

    def conj(self, copy: bool = True) -> Any:
        """Conjugates."""
        if self.dtype.kind == "c":
            return self._with_data(self.data.conj(), copy=copy)
        return self.copy() if copy else self

    conjugate = conj

    def __abs__(self) -> Any:
        return self._with_data(abs(self.data))

    def __round__(self, ndigits: int = 0) -> Any:
        return self._with_data(cupy.around(self.data, decimals=ndigits))

    def __neg__(self) -> Any:
        if self.dtype.kind == "b":
            raise NotImplementedError("negating a boolean sparse array is not supported")
        return self._with_data(-self.data)

    def power(self, n: Any, dtype: Any = None) -> Any:
        """Powers of the elements; not the zeroth, which would be dense."""
        if not _host.is_scalar(n):
            raise NotImplementedError("input is not scalar")
        if n == 0:
            raise NotImplementedError(
                "zero power is not supported as it would densify the matrix.\n"
                "Use cupy.ones(A.shape, dtype=A.dtype) for this case."
            )
        data = self.data.copy() if dtype is None else self.data.astype(dtype)
        data **= n
        return self._with_data(data)

    def count_nonzero(self, axis: Any = None) -> Any:
        """Number of elements that are not zero; duplicates are summed first."""
        if axis is not None:
            raise NotImplementedError(f"axis-aware count_nonzero is not implemented for {type(self).__name__}")
        if hasattr(self, "sum_duplicates"):
            self.sum_duplicates()
        return int(cupy.count_nonzero(self.data))

    def nonzero(self) -> tuple:
        """Coordinates of the elements that are not zero."""
        there = self.tocoo(copy=True)
        there.sum_duplicates()
        kept = there.data != 0
        return (there.col[kept],) if there.ndim == 1 else (there.row[kept], there.col[kept])

    def diagonal(self, k: int = 0) -> Any:
        """A diagonal as a dense array."""
        self._require_2d("diagonal")
        return self._compute("diagonal", lambda a: a.diagonal(k))

    def trace(self, offset: int = 0) -> Any:
        """Sum of a diagonal."""
        return self.diagonal(k=offset).sum()

    def setdiag(self, values: Any, k: int = 0) -> None:
        """Set a diagonal."""
        raise NotImplementedError

    def _require_2d(self, what: str) -> None:
        if self.ndim != 2:
            raise ValueError(f"{what} requires two dimensions")


def _elementwise(name: str) -> Any:
    def method(self: Any) -> Any:
        return self._with_data(getattr(cupy, name)(self.data))

    method.__name__ = name
    method.__doc__ = f"As ``cupy.{name}``, of the stored elements."
    return method


for _name in _UFUNCS.split():
    setattr(_spbase, _name, _elementwise(_name))


def issparse(x: Any) -> bool:
    """Whether something is a sparse matrix or array on the device; SciPy's are not."""
    return isinstance(x, _spbase)


def isspmatrix(x: Any) -> bool:
    """Whether something is a sparse matrix on the device, and no array."""
    return isinstance(x, spmatrix)


# What the sparse matrices have and the sparse arrays have not.


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


__all__ = ["SparseEfficiencyWarning", "SparseWarning", "issparse", "isspmatrix", "sparray", "spmatrix"]
