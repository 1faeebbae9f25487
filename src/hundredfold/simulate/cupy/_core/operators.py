"""The device array's operators."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from . import launch
from .ufuncs import by_name

_SCALARS = (int, float, complex, np.generic)  # bool is an int


def _use_reflected(x: Any, y: Any) -> bool:
    """Whether the other operand wants the operation (``_should_use_rop`` in cupy/_core/core.pyx)."""
    if hasattr(y, "__array_ufunc__"):
        return y.__array_ufunc__ is None
    return getattr(y, "__array_priority__", 0) > x.__array_priority__


def _binary(function: Any, numpy_function: Any) -> tuple[Callable, Callable]:
    fast = function.on_arrays

    def forward(x: Any, y: Any) -> Any:
        if type(y) is type(x):
            return fast(x, y)
        if isinstance(y, launch.array_class) or isinstance(y, _SCALARS):
            return function(x, y)
        if _use_reflected(x, y):
            return NotImplemented
        return numpy_function(x, y)

    def reflected(x: Any, y: Any) -> Any:
        if isinstance(y, _SCALARS):
            return function(y, x)
        if _use_reflected(x, y):
            return NotImplemented
        return numpy_function(y, x)

    return forward, reflected


def _method(bound: Callable) -> Callable:
    def run(x: Any, y: Any) -> Any:
        return bound(x, y)

    return run


def _comparison(function: Any, numpy_function: Any) -> Callable:
    fast = function.on_arrays

    def compare(x: Any, y: Any) -> Any:
        if type(y) is type(x):
            return fast(x, y)
        if isinstance(y, launch.array_class) or isinstance(y, _SCALARS):
            return function(x, y)
        if _use_reflected(x, y):
            return NotImplemented
        if isinstance(y, np.ndarray) and y.ndim == 0:
            y = y.item()
        # No element of a device array equals None or an object that compares by identity.
        if numpy_function is np.equal and (y is None or type(y).__eq__ is object.__eq__):
            return _constant(x, False)
        if numpy_function is np.not_equal and (
            y is None or (type(y).__eq__ is object.__eq__ and type(y).__ne__ is object.__ne__)
        ):
            return _constant(x, True)
        return numpy_function(x, y)

    return compare


def _constant(x: Any, value: bool) -> Any:
    result = launch.empty(x.shape, np.dtype(bool))
    result.fill(value)
    return result


class Operators:
    """Operators of the device array; :func:`_fill` adds those that only differ in their function."""

    __slots__ = ()
    __hash__ = None  # as for NumPy's

    def __neg__(self):
        return by_name["negative"](self)

    def __pos__(self):
        if self.dtype == bool:
            warnings.warn(
                "Applying '+' to a non-numerical array is ill-defined. Returning a copy, but in the future this will error.",
                DeprecationWarning,
                stacklevel=2,
            )
            return self.copy()
        return by_name["positive"](self)

    def __abs__(self):
        return by_name["absolute"](self)

    def __invert__(self):
        return by_name["invert"](self)

    def __pow__(self, other: Any, modulo: Any = None):
        # Common powers have kernels of their own (ndarray.__pow__ in CuPy 14.2).
        kind, x_kind = type(other), self._a.dtype.kind
        fast = None
        if kind is int and other == 2:
            fast, exact = _square, x_kind in "ifc"
        elif kind is float:
            fast, exact = _FLOAT_POWERS.get(other), x_kind in "fc"
        if fast is not None:
            return fast(self) if exact else fast(self, dtype=np.result_type(self.dtype, other))
        return _power(self, other)

    def __rpow__(self, other: Any, modulo: Any = None):
        return _rpower(self, other)

    def __divmod__(self, other: Any):
        return by_name["divmod"](self, other)

    def __rdivmod__(self, other: Any):
        return by_name["divmod"](other, self)

    def __matmul__(self, other: Any):
        if isinstance(other, launch.array_class):
            from .products import matmul

            return matmul(self, other)
        return NotImplemented if _use_reflected(self, other) else np.matmul(self, other)

    def __rmatmul__(self, other: Any):
        return NotImplemented if _use_reflected(self, other) else np.matmul(other, self)

    def __imatmul__(self, other: Any):
        self[...] = self @ other
        return self


_square = by_name["square"]
_FLOAT_POWERS = {0.5: by_name["sqrt"], 2.0: _square, -1.0: by_name["reciprocal"]}
_power, _rpower = _binary(by_name["power"], np.power)


def _fill() -> None:
    for name, function in {
        "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
        "mod": "remainder", "lshift": "left_shift", "rshift": "right_shift", "and": "bitwise_and", "or": "bitwise_or",
        "xor": "bitwise_xor", "pow": "power",
    }.items():  # fmt: skip
        ours = by_name[function]
        forward, reflected = _binary(ours, getattr(np, function))
        if name != "pow":
            setattr(Operators, f"__{name}__", forward)
            setattr(Operators, f"__r{name}__", reflected)
        setattr(Operators, f"__i{name}__", _method(ours.in_place))
    for name, function in {
        "lt": "less", "le": "less_equal", "eq": "equal", "ne": "not_equal", "gt": "greater", "ge": "greater_equal",
    }.items():  # fmt: skip
        setattr(Operators, f"__{name}__", _comparison(by_name[function], getattr(np, function)))


_fill()
