"""Making arrays from shapes, ranges, host memory and functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._core import launch
from ._core.base import normal_dtype, normal_order, normal_shape
from ._core.convert import array, asarray, full
from ._core.placeholders import fusible
from ._core.ufuncs import by_name

ndarray = launch.array_class


def empty(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    """A new array, its content undefined."""
    return launch.empty(normal_shape(shape), normal_dtype(dtype), normal_order(order))


def zeros(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    """A new array of zeros."""
    result = empty(shape, dtype, order)
    _set(result, 0)
    return result


def ones(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    """A new array of ones."""
    result = empty(shape, dtype, order)
    _set(result, 1)
    return result


def _set(a: ndarray, value: int) -> None:
    if a._a.size:
        name = "memset" if value == 0 else "cupy_fill"
        if a._a.dtype.kind == "V":
            launch.submit(name, np.copyto, (a._a, np.zeros((), a._a.dtype)), reads=(), writes=(a._a,))
            return
        launch.submit(name, np.ndarray.fill, (a._a, value), (), (a._a,), 0, a._a.nbytes)


def _like(a: Any, dtype: Any, order: str, shape: Any, subok: Any) -> ndarray:
    a = a if isinstance(a, ndarray) else asarray(a)
    dtype = a.dtype if dtype is None else normal_dtype(dtype)
    order = "K" if order is None else order
    if subok is not None:
        raise TypeError("subok is not supported yet")
    shape = None if shape is None else normal_shape(shape)
    return launch.empty_keeping(a._a, dtype, normal_order(order, "CFAK"), shape)


def empty_like(prototype: Any, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None) -> ndarray:
    """A new array laid out like another, its content undefined."""
    return _like(prototype, dtype, order, shape, subok)


def zeros_like(a: Any, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None) -> ndarray:
    """A new array of zeros laid out like another."""
    result = _like(a, dtype, order, shape, subok)
    _set(result, 0)
    return result


def ones_like(a: Any, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None) -> ndarray:
    """A new array of ones laid out like another."""
    result = _like(a, dtype, order, shape, subok)
    _set(result, 1)
    return result


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None
) -> ndarray:
    """A new array of one value laid out like another."""
    result = _like(a, dtype, order, shape, subok)
    result.fill(fill_value)
    return result


def asanyarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None, blocking: bool = False) -> ndarray:
    """As :func:`asarray`."""
    return asarray(a, dtype, order, blocking=blocking, copy=copy)


def ascontiguousarray(a: Any, dtype: Any = None) -> ndarray:
    """An array in row-major order with at least one axis; a copy only where needed."""
    a = asarray(a, dtype, "C")
    return a if a.ndim else a.reshape(1)


def asfortranarray(a: Any, dtype: Any = None) -> ndarray:
    """An array in column-major order with at least one axis; a copy only where needed."""
    a = asarray(a, dtype, "F")
    return a if a.ndim else a.reshape(1)


def require(a: Any, dtype: Any = None, requirements: Any = None) -> ndarray:
    """An array of some dtype and layout."""
    flags = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F",
             "O": "O", "OWNDATA": "O"}  # fmt: skip
    wanted = set()
    for name in requirements or ():
        if name.upper() not in flags:
            raise ValueError(f'Incorrect flag "{name}" in requirements')
        wanted.add(flags[name.upper()])
    if wanted >= {"C", "F"}:
        raise ValueError('Cannot specify both "C" and "F" order')
    try:
        return array(
            a, dtype, copy=("O" in wanted) or None, order=("F" if "F" in wanted else "C" if "C" in wanted else "A")
        )
    except TypeError:
        raise ValueError(f'Incorrect dtype "{dtype}" provided') from None


@fusible
def copy(a: Any, order: str = "K") -> ndarray:
    """A copy of an array on the current device."""
    return a.copy(order=order)  # a method of whatever it is, as in CuPy


def _of_host(name: str, doc: str) -> Any:
    """NumPy's function of the same name, whose result is copied; big-endian numbers are turned round on the host."""

    def made(*args: Any, **kwargs: Any) -> ndarray:
        return asarray(getattr(np, name)(*args, **kwargs))

    made.__name__, made.__qualname__, made.__doc__ = name, name, doc
    return made


frombuffer = _of_host("frombuffer", "The content of a host buffer.")
fromfile = _of_host("fromfile", "The content of a file.")
fromiter = _of_host("fromiter", "The items of an iterable.")
fromstring = _of_host("fromstring", "Numbers read from a text.")
loadtxt = _of_host("loadtxt", "Numbers read from a text file.")
genfromtxt = _of_host("genfromtxt", "Numbers read from a text file, with missing values.")


def fromfunction(function: Any, shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    """A function of the indices."""
    return function(*indices(shape, dtype=dtype), **kwargs)


def _ramp(name: str, make: Any, shape: tuple[int, ...], dtype: np.dtype) -> ndarray:
    """Enqueue a kernel that writes an array from nothing."""
    result = launch.empty(shape, dtype)
    if result.size:
        launch.submit(name, launch.store, (result._a, make, (), {}), reads=(), writes=(result._a,))
    return result


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> ndarray:
    """Evenly spaced numbers of an interval, its end excluded."""
    start, stop, step = (x.item() if isinstance(x, ndarray) else x for x in (start, stop, step))
    if dtype is None:
        # CuPy looks at the kind of the numbers alone, so that a NumPy scalar does not set the type.
        dtype = float if any(np.asarray(v).dtype.kind == "f" for v in (start, stop, step) if v is not None) else int
    dtype = normal_dtype(dtype)
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    if step == 0:
        raise ZeroDivisionError("division by zero")
    size = max(math.ceil((stop - start) / step), 0)
    if dtype.kind == "b":
        if size > 2:
            raise TypeError("arange() is only supported for booleans when the result has at most length 2.")
        return _ramp("cupy_arange", lambda: np.arange(start, stop, step, dtype), (size,), dtype)
    first, step = dtype.type(start), dtype.type(step)  # here, so that a number the type cannot hold raises here
    return _ramp("cupy_arange", lambda: _count_up(size, first, step, dtype), (size,), dtype)


def _count_up(size: int, start: Any, step: Any, dtype: np.dtype) -> np.ndarray:
    # CuPy's kernel: start + i * step, in the array's type.
    ramp = np.arange(size, dtype=dtype)
    if step != 1:
        ramp *= step
    if start != 0:
        ramp += start
    return ramp


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0
) -> Any:
    """Evenly spaced numbers of an interval, its end included."""
    if num < 0:
        raise ValueError("linspace with num<0 is not supported")
    if isinstance(start, ndarray) or isinstance(stop, ndarray):
        return launch.now("cupy_linspace", np.linspace, start, stop, num, endpoint, retstep, dtype, axis)
    if np.ndim(start) or np.ndim(stop):
        start, stop = asarray(start), asarray(stop)
        return launch.now("cupy_linspace", np.linspace, start, stop, num, endpoint, retstep, dtype, axis)
    result = np.result_type(start, stop, float(num)) if dtype is None else normal_dtype(dtype)
    made = _ramp("cupy_linspace", lambda: np.linspace(start, stop, num, endpoint, dtype=result), (num,), result)
    if not retstep:
        return made
    parts = num - 1 if endpoint else num
    return made, (stop - start) / parts if parts > 0 else float("nan")


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> ndarray:
    """Numbers evenly spaced on a logarithmic scale."""

    made = by_name["power"](base, linspace(start, stop, num, endpoint, axis=axis))
    return made if dtype is None else made.astype(dtype)


def meshgrid(*xi: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> tuple:
    """Coordinate arrays of coordinate vectors."""
    for x in xi:
        if not isinstance(x, ndarray) or x.ndim > 1:
            if not isinstance(x, ndarray):
                raise TypeError(f"Unsupported type {type(x)}")
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    xi = tuple(x.reshape(-1) for x in xi)
    views = np.meshgrid(*(x._a for x in xi), indexing=indexing, sparse=sparse, copy=False)
    made = [x._view(v) for x, v in zip(xi, views or (), strict=True)]
    return tuple(m.copy() if copy else m for m in made)


class nd_grid:
    """Dense (``mgrid``) or open (``ogrid``) coordinate grids, made by indexing with slices."""

    def __init__(self, sparse: bool = False):
        self.sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice) and any(isinstance(v, ndarray) and v.size != 1 for v in (key.start, key.stop)):
            if not isinstance(key.step, complex):
                raise TypeError("only arrays of one element can be the ends of an interval with a step")
            number = int(abs(key.step))  # an interval for each element
            step = (key.stop - key.start) / float(number - 1) if number != 1 else 1
            return arange(0, number, 1, float) * step + key.start
        key = tuple(map(_host_slice, key)) if isinstance(key, tuple) else _host_slice(key)
        grid = np.ogrid[key] if self.sparse else np.mgrid[key]
        return [asarray(g) for g in grid] if isinstance(grid, (tuple, list)) else asarray(grid)


def _host_slice(item: Any) -> Any:
    """A slice whose ends may be device arrays of one number; those are read, which waits for the device."""
    if not isinstance(item, slice):
        return item
    return slice(
        *(v.item() if isinstance(v, ndarray) and v.size == 1 else v for v in (item.start, item.stop, item.step))
    )


mgrid = nd_grid(sparse=False)
ogrid = nd_grid(sparse=True)


def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """Indices of a grid."""
    dimensions = normal_shape(dimensions)
    if sparse:
        return tuple(asarray(i) for i in np.indices(dimensions, dtype, sparse=True))
    dtype = normal_dtype(dtype)
    return _ramp("cupy_indices", lambda: np.indices(dimensions, dtype), (len(dimensions), *dimensions), dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float, order: str = "C") -> ndarray:
    """Ones on a diagonal, zeros elsewhere."""
    result = zeros((N, N if M is None else M), dtype, order)
    if -result.shape[0] < k < result.shape[1]:
        result.diagonal(k)[...] = 1
    return result


def identity(n: int, dtype: Any = float) -> ndarray:
    """A square identity matrix."""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> ndarray:
    """Ones on and below a diagonal."""
    shape = (N, N if M is None else M)
    dtype = normal_dtype(dtype)
    return _ramp("cupy_tri", lambda: np.tri(*shape, k, dtype), shape, dtype)


def tril(m: Any, k: int = 0) -> ndarray:
    """The lower triangle, zeros above."""
    return _triangle("cupy_tril", np.tril, m, k)


def triu(m: Any, k: int = 0) -> ndarray:
    """The upper triangle, zeros below."""
    return _triangle("cupy_triu", np.triu, m, k)


def _triangle(name: str, function: Any, m: Any, k: int) -> ndarray:
    m = m if isinstance(m, ndarray) else asarray(m)
    shape = m.shape if m.ndim > 1 else (m.size, m.size)
    return launch.submit_into(name, launch.empty(shape, m.dtype), function, m, k)


def diag(v: Any, k: int = 0) -> ndarray:
    """The diagonal of a matrix, or a matrix with a diagonal."""
    v = v if isinstance(v, ndarray) else asarray(v)
    if v.ndim == 2:
        return v.diagonal(k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    result = zeros((v.size + abs(k),) * 2, v.dtype)
    result.diagonal(k)[...] = v
    return result


def diagflat(v: Any, k: int = 0) -> ndarray:
    """A matrix with the flattened input on a diagonal."""
    return diag(asarray(v).ravel(), k)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> ndarray:
    """A Vandermonde matrix."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    n = len(x) if N is None else N
    dtype = np.promote_types(x.dtype, int)
    out = launch.empty((len(x), n), dtype)
    return launch.submit_into("cupy_vander", out, _powers, x, n, increasing, dtype)


def _powers(x: np.ndarray, n: int, increasing: bool, dtype: np.dtype) -> np.ndarray:
    return np.vander(x.astype(dtype), n, increasing)


__all__ = [
    "arange", "array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "copy", "diag", "diagflat", "empty",
    "empty_like", "eye", "frombuffer", "fromfile", "fromfunction", "fromiter", "fromstring", "full", "full_like",
    "genfromtxt", "identity", "indices", "linspace", "loadtxt", "logspace", "meshgrid", "mgrid", "ogrid", "ones",
    "ones_like", "require", "tri", "tril", "triu", "vander", "zeros", "zeros_like",
]  # fmt: skip
