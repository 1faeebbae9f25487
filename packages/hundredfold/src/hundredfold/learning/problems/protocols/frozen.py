"""An array as strict as JAX's: it cannot be written, and NumPy's functions take its numbers to the host.

It has what every array of the array API standard has (https://data-apis.org/array-api/latest/): operators, a few methods,
and `__array_namespace__`. Problems try a learner's function on it, whether JAX is installed or not.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

_OPERATORS = ("add", "sub", "mul", "truediv", "pow", "matmul")
_COMPARISONS = ("lt", "le", "eq", "ne", "gt", "ge")


class Frozen:
    """An immutable array around a NumPy array of any shape and dtype.

    `trips` counts how often somebody took the numbers out with `np.asarray` or a NumPy function.
    """

    __array_priority__ = 100.0
    __hash__ = None  # type: ignore[assignment]
    trips = 0

    def __init__(self, values: Any):
        self._values = np.array(values)

    shape = property(lambda self: self._values.shape)
    dtype = property(lambda self: self._values.dtype)
    ndim = property(lambda self: self._values.ndim)
    size = property(lambda self: self._values.size)
    T = property(lambda self: Frozen(self._values.T))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        Frozen.trips += 1
        return np.array(self._values, dtype=dtype)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return NAMESPACE

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("arrays of this library, like JAX's, are immutable: x[index] = y is not possible")

    def __getitem__(self, index: Any) -> Frozen:
        return Frozen(self._values[bare(index)])

    def __len__(self) -> int:
        return len(self._values)

    def __bool__(self) -> bool:
        return bool(self._values)

    def __float__(self) -> float:
        return float(self._values)

    def __neg__(self) -> Frozen:
        return Frozen(-self._values)

    def __abs__(self) -> Frozen:
        return Frozen(abs(self._values))

    def __invert__(self) -> Frozen:
        return Frozen(~self._values)

    def astype(self, dtype: Any) -> Frozen:
        return Frozen(self._values.astype(dtype))

    def reshape(self, *shape: Any) -> Frozen:
        return Frozen(self._values.reshape(*shape))

    def __repr__(self) -> str:
        return f"Frozen({self._values!r})"


def bare(value: Any) -> Any:
    """The NumPy array inside, without counting a trip; anything else as it is."""
    if isinstance(value, tuple):
        return tuple(bare(each) for each in value)
    return value._values if isinstance(value, Frozen) else value


def _binary(operation: Any, swapped: bool) -> Any:
    def method(self: Frozen, other: Any) -> Any:
        if not isinstance(other, (Frozen, np.ndarray, np.generic, int, float, bool)):
            return NotImplemented
        pair = (bare(other), self._values) if swapped else (self._values, bare(other))
        with np.errstate(all="ignore"):
            return Frozen(operation(*pair))

    return method


def _reduction(name: str) -> Any:
    def method(self: Frozen, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Frozen:
        more = {} if dtype is None else {"dtype": dtype}
        return Frozen(getattr(np, name)(self._values, axis=axis, keepdims=keepdims, **more))

    return method


for _name in _OPERATORS:
    setattr(Frozen, f"__{_name}__", _binary(getattr(operator, _name), False))
    setattr(Frozen, f"__r{_name}__", _binary(getattr(operator, _name), True))
for _name in _COMPARISONS:
    setattr(Frozen, f"__{_name}__", _binary(getattr(operator, _name), False))
for _name in ("sum", "mean", "max", "min", "std", "any", "all", "prod"):
    setattr(Frozen, _name, _reduction(_name))


class _Functions:
    """Functions under the standard's names, each NumPy's own on what is inside."""

    def __init__(self, home: Any, names: str, more: dict[str, str] | None = None):
        self._home, self._names = home, {name: name for name in names.split()} | (more or {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._names:
            raise AttributeError(f"the array API standard has no function {name!r} here")
        function = getattr(self._home, self._names[name])

        def call(*args: Any, **kwargs: Any) -> Frozen:
            with np.errstate(all="ignore"):
                args = tuple([bare(each) for each in a] if isinstance(a, list) else bare(a) for a in args)
                return Frozen(function(*args, **{key: bare(value) for key, value in kwargs.items()}))

        return call

    def isdtype(self, dtype: Any, kind: Any) -> bool:
        return np.isdtype(dtype, kind)

    def __repr__(self) -> str:
        return "<the namespace of an immutable array>"


NAMESPACE = _Functions(
    np,
    "abs add subtract multiply divide exp log sin cos sqrt square pow where sum mean max min std any all prod maximum "
    "minimum clip asarray astype zeros ones full empty zeros_like ones_like full_like empty_like equal not_equal less greater "
    "less_equal greater_equal isnan isfinite arange linspace matmul reshape concat stack expand_dims squeeze sign "
    "negative hypot logical_or logical_and logical_not",
)
NAMESPACE.linalg = _Functions(np.linalg, "vector_norm matrix_norm norm")  # type: ignore[attr-defined]
for _name in ("float32", "float64", "int32", "int64", "bool", "pi", "inf", "nan", "newaxis"):
    setattr(NAMESPACE, _name, getattr(np, _name))
