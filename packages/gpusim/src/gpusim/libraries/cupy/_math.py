"""Reductions, scans, rounding, products and other mathematics of whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import launch, products, reduction
from ._core.adapt import dtype_of, running, sending, table
from ._core.convert import asarray
from ._core.einsum import einsum
from ._core.placeholders import fusible
from ._core.ufuncs import by_name

ndarray = launch.array_class


def _method(name: str) -> Any:
    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        # As CuPy's: whatever has the method.  A host array gives a host result, a list has no such method.
        return getattr(a, name)(*args, **kwargs)

    call.__name__ = name
    call.__doc__ = f"As the array's method ``{name}``."
    return call


def _checked(name: str, message: str) -> Any:
    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(a, ndarray):
            raise TypeError(message.format(type(a), type(a).__name__))
        return getattr(a, name)(*args, **kwargs)

    call.__name__ = name
    call.__doc__ = f"As the array's method ``{name}``."
    return call


made = {name: _method(name) for name in "sum prod mean var std ptp argmax argmin".split()}
made |= {name: _checked(name, "'a' must be a cupy.ndarray object, not {0}.") for name in ("all", "any")}
made |= {
    name: _checked(name, "Argument 'a' has incorrect type (expected cupy._core.core._ndarray_base, got {1})")
    for name in ("cumsum", "cumprod")
}
made |= {"max": _method("max"), "min": _method("min"), "amax": _method("max"), "amin": _method("min")}
made |= {name: fusible(made[name], reduces=True) for name in "sum prod all any max min amax amin".split()}
made |= {"product": made["prod"], "cumproduct": made["cumprod"], "alltrue": made["all"], "sometrue": made["any"]}
made |= {"trace": _method("trace"), "diagonal": _method("diagonal")}
made |= {name: getattr(products, name) for name in "matmul dot vdot inner outer tensordot kron".split()}
made["einsum"] = einsum


def _cumulative(name: str) -> Any:
    def call(x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False) -> Any:
        if include_initial:
            made = launch.now(name, getattr(np, name), x, axis=axis, dtype=dtype, include_initial=True)
            if out is None:
                return made
            reduction.check_out(out, made.shape, made.dtype)
            launch.copy_into(out._a, made._a)
            return out
        return getattr(reduction, {"cumulative_sum": "cumsum", "cumulative_prod": "cumprod"}[name])(x, axis, dtype, out)

    call.__name__ = name
    return call


made |= {name: _cumulative(name) for name in ("cumulative_sum", "cumulative_prod")}


@fusible
def clip(a: Any, a_min: Any, a_max: Any, out: Any = None) -> Any:
    """Elements limited to an interval; there are no ``min=`` and ``max=``."""
    return a.clip(a_min, a_max, out=out)


@fusible
def around(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """Elements rounded to some decimals."""
    return asarray(a).round(decimals, out)


@fusible
def real(val: Any) -> Any:
    """The real part, a view."""
    return (val if isinstance(val, ndarray) else asarray(val)).real


@fusible
def imag(val: Any) -> Any:
    """The imaginary part."""
    return (val if isinstance(val, ndarray) else asarray(val)).imag


def angle(z: Any, deg: bool = False) -> Any:
    """The angle of complex numbers."""
    if isinstance(z, np.ndarray):
        raise TypeError(f"Unsupported type {np.ndarray}")
    z = asarray(z)
    dtype = dtype_of(np.angle, z.dtype)
    return launch.submit_into("cupy_angle", launch.empty(z.shape, dtype), np.angle, z, deg)


def real_if_close(a: Any, tol: float = 100) -> Any:
    """The real part where the imaginary part is small; waits for the device."""
    if a.dtype.kind != "c":
        return a
    tol = np.finfo(a.dtype).eps * tol if tol > 1 else tol
    return a.real if by_name["less"](by_name["absolute"](a.imag), float(tol)).all() else a


def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """NaN and infinities replaced by numbers, or by the elements of arrays in the same places."""
    if not isinstance(x, ndarray):
        x = asarray(x)
    for number in (nan, posinf, neginf):
        if np.broadcast_shapes(x.shape, number.shape if isinstance(number, ndarray) else ()) != x.shape:
            raise ValueError("Out shape is mismatched")
    out = launch.empty_keeping(x._a, x.dtype) if copy else x
    return launch.submit_into("cupy_nan_to_num", out, _replace, x, nan, posinf, neginf)


def _replace(x: np.ndarray, nan: Any, posinf: Any, neginf: Any) -> np.ndarray:
    if x.dtype.kind == "c":
        result = np.empty_like(x)
        result.real, result.imag = _replace(x.real, nan, posinf, neginf), _replace(x.imag, nan, posinf, neginf)
        return result
    if x.dtype.kind != "f":
        return x
    limits = np.finfo(x.dtype)
    result = x.copy()
    for where, value in (
        (np.isnan(x), nan),
        (x == np.inf, limits.max if posinf is None else posinf),
        (x == -np.inf, limits.min if neginf is None else neginf),
    ):
        np.copyto(result, value, "unsafe", where=where)
    return result


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours along an axis, ``n`` times."""
    from ._core.joining import concatenate

    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
    parts = [v if v is a else _edge(v, a, axis) for v in (prepend, a, append) if v is not None]
    if len(parts) > 1:
        a = concatenate(parts, axis)
    before, after = (slice(None),) * axis + (slice(1, None),), (slice(None),) * axis + (slice(None, -1),)
    operation = by_name["not_equal" if a.dtype == np.bool_ else "subtract"]
    for _ in range(n):
        a = operation(a[before], a[after])
    return a


def _edge(value: Any, a: Any, axis: int) -> Any:
    value = asarray(value)
    if value.ndim:
        return value
    return value._view(np.broadcast_to(value._a, (*a.shape[:axis], 1, *a.shape[axis + 1 :])))


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Linear interpolation between points in ascending order."""
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("xp and fp must be 1D arrays")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length")
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if not x.flags.c_contiguous:
        raise NotImplementedError("Non-C-contiguous x is currently not supported")
    return launch.now("cupy_interp", np.interp, x, xp, fp, *map(_number, (left, right)), period)


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, ndarray) else value


def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Integral by the trapezoidal rule."""
    return launch.now("cupy_trapezoid", np.trapezoid, y, x, dx, axis)


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """Discrete convolution of two 1-d arrays."""
    return _sliding("cupy_convolve", np.convolve, a, v, mode)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """Cross-correlation of two 1-d arrays."""
    return _sliding("cupy_correlate", np.correlate, a, v, mode)


def _sliding(name: str, function: Any, a: Any, v: Any, mode: str) -> Any:
    for letter, x in (("a", a), ("v", v)):
        if x.size == 0:
            raise ValueError(f"{letter} cannot be empty")
    if v.ndim > 1 or (name == "cupy_correlate" and a.ndim != 1):
        raise ValueError(
            "object too deep for desired array" if name == "cupy_correlate" else "v cannot be multidimensional array"
        )
    a, v = a.ravel(), v.ravel()
    long, short = max(a.size, v.size), min(a.size, v.size)
    length = {"full": long + short - 1, "same": long, "valid": long - short + 1}.get(mode)
    if length is None:
        raise ValueError("acceptable mode flags are `valid`, `same`, or `full`.")
    return launch.submit_into(name, launch.empty((length,), np.result_type(a.dtype, v.dtype)), function, a, v, mode)


made |= {
    f.__name__: f
    for f in (
        clip, around, real, imag, angle, real_if_close, nan_to_num, diff, interp, trapezoid, convolve, correlate
    )
}  # fmt: skip
made |= {"round": around, "round_": around, "trapz": trapezoid}
made |= table(np, "cross ediff1d gradient unwrap", running)
made |= table(np, "bartlett blackman hamming hanning kaiser", sending)
