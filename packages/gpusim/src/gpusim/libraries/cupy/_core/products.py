"""Products of matrices and vectors: cuBLAS on a GPU, NumPy's BLAS here, one launch each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import launch
from .checks import check_array
from .convert import array
from .reduction import check_out


def product(name: str, function: Callable, shape: tuple[int, ...], *operands: Any, out: Any = None, **kwargs: Any):
    """Enqueue a product of device arrays whose result's shape is known.

    The result's dtype is what NumPy promotes the operands' to.
    """
    dtype = np.result_type(*(o.dtype for o in operands))
    if out is None:
        out = launch.empty(shape, dtype)
    else:
        check_out(out, shape, dtype, "same_kind")
    if out.size:
        views = tuple(o._a for o in operands)
        launch.submit(name, _store, (out._a, function, views, kwargs), reads=views, writes=(out._a,))
    return out


def _store(out: np.ndarray, function: Callable, views: tuple, kwargs: dict) -> None:
    if out.dtype.char == "e":  # halves are multiplied and added in single precision
        views = tuple(v.astype(np.float32) for v in views)
    elif function is np.matmul and out.dtype == np.result_type(*views):
        np.matmul(*views, out=out)
        return
    out[...] = function(*views, **kwargs)


def _arrays(*operands: Any) -> None:
    for o in operands:
        if not isinstance(o, launch.array_class):
            raise TypeError(f"Unsupported type {type(o)}")


def matmul(x1: Any, x2: Any, /, out: Any = None, **kwargs: Any) -> Any:
    """Matrix product of two arrays, stacked over leading axes."""
    _arrays(x1, x2)
    if not (out is None or isinstance(out, (tuple, launch.array_class))):
        raise TypeError("`out` must be a tuple or `cupy.ndarray`")
    if kwargs:
        return _matmul_with(x1, x2, out, **kwargs)
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("matmul: Input operand does not have enough dimensions")
    a = x1.shape if x1.ndim > 1 else (1, *x1.shape)
    b = x2.shape if x2.ndim > 1 else (*x2.shape, 1)
    if a[-1] != b[-2]:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) "
            f"(size {b[-2]} is different from {a[-1]})"
        )
    try:
        lead = np.broadcast_shapes(a[:-2], b[:-2])
    except ValueError:
        raise ValueError(
            f"operands could not be broadcast together with remapped shapes {x1.shape} {x2.shape}"
        ) from None
    tail = (() if x1.ndim == 1 else (a[-2],)) + (() if x2.ndim == 1 else (b[-1],))
    return product("cublas_gemm", np.matmul, lead + tail, x1, x2, out=out)


def _matmul_with(
    x1: Any, x2: Any, out: Any, axes: Any = None, dtype: Any = None, casting: str = "same_kind", order: str = "K", **kwargs: Any
) -> Any:  # fmt: skip
    """The matrix product with the options of a generalised ufunc."""
    if kwargs:
        raise TypeError(f"Wrong arguments {kwargs}")
    if axes is not None:
        x1, x2 = (x._view(np.moveaxis(x._a, at, (-2, -1))) for x, at in zip((x1, x2), axes[:2], strict=True))
    if dtype is not None:
        x1, x2 = x1.astype(dtype, copy=False), x2.astype(dtype, copy=False)
    made = matmul(x1, x2)
    if axes is not None and len(axes) > 2:
        made = made._view(np.moveaxis(made._a, (-2, -1), axes[2]))
    if out is None:
        return made
    check_out(out, made.shape, made.dtype, casting)
    launch.copy_into(out._a, made._a)
    return out


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Dot product: over the last axis of ``a`` and the second to last of ``b``."""
    if not (isinstance(a, launch.array_class) and isinstance(b, launch.array_class)):
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            raise TypeError(f"Unsupported type {np.ndarray}")
        from .ufuncs import by_name

        return by_name["multiply"](a, b, out=out)
    if a.ndim == 0 or b.ndim == 0:
        from .ufuncs import by_name

        return by_name["multiply"](a, b, out=out)
    if out is not None:
        check_array(out, "out")
        if np.result_type(a.dtype, b.dtype) != out.dtype:
            raise ValueError("Not supported dtype combination.")
        if not out._c_contiguous:
            raise ValueError("Output array must be C-contiguous")
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise ValueError("Axis dimension mismatch")
    shape = a.shape[:-1] + (b.shape[:-2] + b.shape[-1:] if b.ndim > 1 else ())
    return product("cublas_gemm", np.dot, shape, a, b, out=out)


def vdot(a: Any, b: Any) -> Any:
    """Dot product of two arrays as vectors; the first is conjugated."""
    _arrays(a, b)
    if a.size != b.size:
        raise ValueError("Axis dimension mismatch")
    return product("cublas_dot", np.vdot, (), a, b)


def inner(a: Any, b: Any) -> Any:
    """Sum of products over the last axes."""
    _arrays(a, b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.shape[-1] != b.shape[-1]:
        raise ValueError("Axis dimension mismatch")
    return product("cublas_gemm", np.inner, a.shape[:-1] + b.shape[:-1], a, b)


def outer(a: Any, b: Any, out: Any = None) -> Any:
    """Products of all pairs of elements."""
    _arrays(a, b)
    return product("cublas_gemm", np.outer, (a.size, b.size), a, b, out=out)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Sum of products over some axes of two arrays."""
    _arrays(a, b)
    if isinstance(axes, int):
        left, right = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        left, right = ([i] if isinstance(i, int) else list(i) for i in axes)
    left = [i % a.ndim for i in left] if a.ndim else []
    right = [i % b.ndim for i in right] if b.ndim else []
    if len(left) != len(right) or any(a.shape[i] != b.shape[j] for i, j in zip(left, right, strict=True)):
        raise ValueError("Axis dimension mismatch")
    shape = tuple(n for i, n in enumerate(a.shape) if i not in left)
    shape += tuple(n for i, n in enumerate(b.shape) if i not in right)
    return product("cublas_gemm", np.tensordot, shape, a, b, axes=axes)


def kron(a: Any, b: Any) -> Any:
    """Kronecker product."""
    a, b = (x if isinstance(x, launch.array_class) else array(x) for x in (a, b))
    n = max(a.ndim, b.ndim)
    left, right = (1,) * (n - a.ndim) + a.shape, (1,) * (n - b.ndim) + b.shape
    return product("cupy_kron", np.kron, tuple(map(math.prod, zip(left, right, strict=True))), a, b)
