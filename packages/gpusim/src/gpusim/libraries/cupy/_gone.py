"""Functions that NumPy 2 dropped: CuPy keeps some, and says of the others what to use instead."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._core import launch
from ._core.convert import asarray


def issubclass_(arg1: Any, arg2: Any) -> bool:
    """As ``issubclass``; False for what is no class."""
    try:
        return issubclass(arg1, arg2)
    except TypeError:
        return False


def obj2sctype(rep: Any, default: Any = None) -> Any:
    """The scalar type of a type or an array."""
    if isinstance(rep, type) and issubclass(rep, np.generic):
        return rep
    if isinstance(rep, np.ndarray):
        return rep.dtype.type
    try:
        return np.dtype(rep).type
    except Exception:  # whatever NumPy makes of it
        return default


def issubsctype(arg1: Any, arg2: Any) -> bool:
    """Whether a scalar type is a subtype of another."""
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


def sctype2char(sctype: Any) -> str:
    """A scalar type's letter."""
    kind = obj2sctype(sctype)
    if kind is None:
        raise ValueError("unrecognized type")
    return np.dtype(kind).char


def issctype(rep: Any) -> bool:
    """Whether something is a scalar type."""
    if not isinstance(rep, (type, np.dtype)):
        return False
    kind = obj2sctype(rep)
    return bool(kind and kind != np.object_)


def asfarray(a: Any, dtype: Any = np.float64) -> Any:
    """An array of floats."""
    return asarray(a, dtype=dtype if np.issubdtype(dtype, np.inexact) else np.float64)


def byte_bounds(a: Any) -> tuple[int, int]:
    """Addresses of an array's first byte and of the one behind its last."""
    low = high = a._a.ctypes.data if a.size else 0
    for n, step in zip(a.shape, a.strides, strict=True):
        if n and step > 0:
            high += (n - 1) * step
        elif n:
            low += (n - 1) * step
    return low, high + (a.itemsize if a.size else 0)


def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """A function applied along one axis after another, the number of axes kept."""
    value = asarray(a)
    for axis in (axes,) if np.ndim(axes) == 0 else axes:
        axis = axis + a.ndim if axis < 0 else axis
        result = func(value, axis)
        if result.ndim != value.ndim:
            result = result._view(np.expand_dims(result._a, axis))
            if result.ndim != value.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value


def who(vardict: dict | None = None) -> None:
    """Print the device arrays of a dictionary, by default of the caller's module."""
    if vardict is None:
        vardict = sys._getframe(1).f_globals
    rows, seen, total = [], {}, 0
    for name in sorted(vardict):
        value = vardict[name]
        if isinstance(value, launch.array_class):
            label = f"{name} ({seen[id(value)]})" if id(value) in seen else name
            if id(value) not in seen:
                seen[id(value)] = name
                total += value.nbytes
            rows.append((label, " x ".join(map(str, value.shape)), str(value.nbytes), value.dtype.name))
    if rows:
        gaps = [max(10, *(len(row[i]) for row in rows)) for i in range(3)]
        head = "Name {} Shape {} Bytes {} Type".format(*(gap * " " for gap in gaps))
        print(f"{head}\n{'=' * (len(head) + 5)}\n")
        for row in rows:
            spaces = [" " * (gap - len(cell) + extra) for gap, cell, extra in zip(gaps, row, (4, 5, 5), strict=False)]
            print(row[0], spaces[0], row[1], spaces[1], row[2], spaces[2], row[3])
    print(f"\nUpper bound on total bytes  =       {total}")


def _removed(name: str, instead: str) -> Any:
    def call(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"This function has been removed in NumPy v2.\nUse {instead} instead.\n")

    call.__name__ = name
    call.__doc__ = "Raises: gone with NumPy 2."
    return call


made = {
    f.__name__: f
    for f in (
        issubclass_, obj2sctype, issubsctype, sctype2char, issctype, asfarray, byte_bounds, apply_over_axes, who,
        _removed("find_common_type", "`promote_types` or `result_type`"),
        _removed("set_string_function", "`np.set_printoptions`"), _removed("get_array_wrap", "<no replacement>"),
        _removed("disp", "your own print function"), _removed("safe_eval", "`ast.literal_eval`"),
    )
}  # fmt: skip
made |= {"format_parser": np.rec.format_parser, "DataSource": np.lib.npyio.DataSource}
made["disable_experimental_feature_warning"] = False
