"""Between device matrices and SciPy's: a SciPy matrix of views computes, and its result goes to the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import numpy as np
import scipy.sparse as _scipy
from cupy._core import launch
from cupyx._bridge import convert

from gpusim.device import queue

KINDS = "?fdFD"
ONLY = "Only bool, float32, float64, complex64 and complex128 are supported"
classes: dict[str, type] = {}
"""``csr_matrix``, ``csr_array``, … by name; filled as they are made."""


def is_data(dtype: Any) -> bool:
    """Whether CuPy has sparse matrices of a dtype."""
    return np.dtype(dtype).char in KINDS


def is_dense(x: Any) -> bool:
    """Whether an argument is a device array."""
    return isinstance(x, launch.array_class)


def is_scalar(x: Any) -> bool:
    """Whether an argument is a number, on the host or a device array without axes."""
    return np.isscalar(x) or (is_dense(x) and x.ndim == 0)


def is_shape(x: Any, lengths: tuple[int, ...] = (2,)) -> bool:
    """Whether an argument is a tuple of so many integers."""
    if not isinstance(x, tuple) or len(x) not in lengths:
        return False
    return all(isinstance(n, (int, np.integer)) or (is_dense(n) and n.ndim == 0 and n.dtype.kind in "iu") for n in x)


def check_shape(shape: Any, lengths: tuple[int, ...] = (2,)) -> tuple[int, ...]:
    """A shape as a tuple of ints, or CuPy's error."""
    wanted = "a 2-tuple of int" if lengths == (2,) else f"a tuple of int with length in {lengths}"
    try:
        shape = tuple(shape)
    except TypeError:
        raise ValueError(f"invalid shape (must be {wanted})") from None
    if not is_shape(shape, lengths):
        raise ValueError(f"invalid shape (must be {wanted})")
    if any(n < 0 for n in shape):
        raise ValueError("'shape' elements cannot be negative")
    return tuple(int(n) for n in shape)


def kind_name(array: bool) -> str:
    """How the classes are called: ``"array"`` or ``"matrix"``."""
    return "array" if array else "matrix"


def host(matrix: Any) -> Any:
    """SciPy's matrix on views of a device matrix's memory.  What may change it works on :func:`host_copy`."""
    queue.run()
    there = getattr(_scipy, f"{matrix.format}_{kind_name(matrix._is_array)}")
    parts = [getattr(matrix, name)._a for name in matrix._part_names]
    if matrix.format == "coo":
        coordinates = tuple(parts[1:]) if len(matrix.shape) == 2 else (parts[2],)
        return there((parts[0], coordinates), shape=matrix.shape)
    return there(tuple(parts), shape=matrix.shape)


def host_copy(matrix: Any) -> Any:
    """SciPy's matrix on copies."""
    return host(matrix).copy()


def lift(there: Any, array: bool | None = None, form: str | None = None) -> Any:
    """A device matrix of SciPy's; ``array`` and ``form`` change its class."""
    if array is None:
        array = isinstance(there, _scipy.sparray)
    if form is not None and there.format != form:
        there = there.asformat(form)
    if there.format not in ("csr", "csc", "coo", "dia"):
        there = there.tocsr()
    cls = classes[f"{there.format}_{kind_name(array)}"]
    data = there.data if is_data(there.data.dtype) else there.data.astype(np.float64)
    if there.format == "dia":
        return cls._make((convert.up(data), convert.up(there.offsets)), there.shape)
    if there.format == "coo":
        coordinates = there.coords if there.ndim == 2 else (np.zeros_like(there.coords[0]), there.coords[0])
        made = cls._make((convert.up(data), *map(convert.up, coordinates)), there.shape)
        made.has_canonical_format = bool(there.has_canonical_format)
        return made
    return cls._make((convert.up(data), convert.up(there.indices), convert.up(there.indptr)), there.shape)


def result(value: Any, array: bool, form: str | None = None) -> Any:
    """Whatever SciPy gave, on the device; ``numpy.matrix`` becomes an array of two axes."""
    if _scipy.issparse(value):
        return lift(value, array, form)
    if isinstance(value, np.matrix):
        value = np.asarray(value)
    return convert.up(value)


def compute(name: str, function: Callable, *operands: Any, array: bool, form: str | None = None) -> Any:
    """Run a function on SciPy's forms of some operands; counted as one kernel."""
    down = [host(x) if hasattr(x, "_part_names") else convert.down(x) for x in operands]
    with np.errstate(all="ignore"):
        made = result(function(*down), array, form)
    count(f"cusparse_{name}", operands, made)
    return made


def count(name: str, operands: Any, made: Any) -> None:
    """Enter a launch that reads some arrays and matrices, and writes others; both may be lists."""
    reads, writes = views(operands), views(made)
    queue.count(name, queue.nbytes(reads), queue.nbytes(writes), reads=reads, writes=writes)


def views(x: Any) -> list[np.ndarray]:
    """The device memory of an array, a matrix, or a list of them."""
    if hasattr(x, "_part_names"):
        return [getattr(x, name)._a for name in x._part_names]
    if isinstance(x, (list, tuple)):
        return [view for item in x for view in views(item)]
    return [x._a] if is_dense(x) else []


def index_dtype(arrays: tuple = (), maxval: Any = None, check_contents: bool = False) -> Any:
    """int32 where indices fit, else int64 (a type, as CuPy gives it)."""
    limit = np.iinfo(np.int32).max
    if maxval is not None and maxval > limit:
        return np.int64
    for a in (arrays,) if is_dense(arrays) else arrays:
        a = a if is_dense(a) else cupy.asarray(a)
        if np.can_cast(a.dtype, np.int32):
            continue
        if check_contents and a.size == 0:
            continue
        if check_contents and a.dtype.kind in "iu" and int(a.max()) <= limit and int(a.min()) >= -limit - 1:
            continue
        return np.int64
    return np.int32
