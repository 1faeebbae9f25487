"""Numba's types: numbers, arrays, tuples and records, and the signatures made of them.

``float32(x)`` casts, ``float32(int32, int32)`` is a signature, and ``float32[:, ::1]`` an array, as with Numba's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Type:
    """A type, known by its name."""

    mutable = True

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def key(self) -> Any:
        """What makes two types the same."""
        return self.name

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.key == other.key

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.key))

    def __repr__(self) -> str:
        return self.name

    def __call__(self, *args: Any) -> Any:
        if len(args) == 1 and not isinstance(args[0], Type):
            return self.cast_python_value(args[0])
        return Signature(self, args)

    def cast_python_value(self, value: Any) -> Any:
        """A value as this type."""
        raise NotImplementedError(f"{value!r} cannot be made a {self}")

    def __getitem__(self, index: Any) -> Array:
        parts = index if isinstance(index, tuple) else (index,)
        steps = [part.step for part in parts]
        layout = "C" if steps[-1] == 1 else "F" if steps[0] == 1 else "A"
        return Array(self, len(parts), layout)


class List(Type):
    """A list: an argument that no kernel takes."""


class Set(Type):
    """A set: an argument that no kernel takes."""


class Number(Type):
    """A number of some bits."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.bitwidth = np.dtype(name).itemsize * 8

    def cast_python_value(self, value: Any) -> Any:
        """A value as this type, wrapped around as C does."""
        with np.errstate(all="ignore"):
            return np.asarray(value).astype(self.name)[()]


class Integer(Number):
    """A whole number."""

    @property
    def signed(self) -> bool:
        """Whether it can be negative."""
        return self.name.startswith("int")


class Float(Number):
    """A floating point number."""


class Complex(Number):
    """A complex number."""


class Boolean(Type):
    """A truth value."""

    bitwidth = 8

    def __init__(self) -> None:
        super().__init__("bool")

    def cast_python_value(self, value: Any) -> bool:
        """A value as this type."""
        return bool(value)


class Array(Type):
    """An array: of what, of how many dimensions, and how it lies in memory (``"C"``, ``"F"``, ``"A"`` for any)."""

    def __init__(self, dtype: Type, ndim: int, layout: str, readonly: bool = False, aligned: bool = True) -> None:
        self.dtype, self.ndim, self.layout, self.mutable, self.aligned = dtype, ndim, layout, not readonly, aligned
        kind = "Array" if not readonly else "Array(readonly)"
        super().__init__(f"{kind}({dtype}, {ndim}, {layout!r}, {readonly}, aligned={aligned})")


class BaseTuple(Type):
    """A tuple of types."""

    def __init__(self, items: tuple, instance_class: type = tuple) -> None:
        self.types, self.instance_class = tuple(items), instance_class
        super().__init__(f"{instance_class.__name__}({', '.join(map(str, items))})")

    def __iter__(self) -> Any:
        return iter(self.types)

    def __len__(self) -> int:
        return len(self.types)

    @staticmethod
    def from_types(items: list, pyclass: type = tuple) -> BaseTuple:
        """The type of a tuple of such items."""
        return (BaseNamedTuple if hasattr(pyclass, "_fields") else BaseTuple)(tuple(items), pyclass)


class BaseNamedTuple(BaseTuple):
    """A named tuple of types."""


class Record(Type):
    """An element of an array with fields."""

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype
        super().__init__(f"Record({dtype})")


class NPDatetime(Type):
    """A date, in NumPy's way."""


class NPTimedelta(Type):
    """A span of time, in NumPy's way."""


class EnumMember(Type):
    """A member of an enumeration."""

    def __init__(self, instance_class: type, dtype: Type) -> None:
        self.instance_class, self.dtype = instance_class, dtype
        super().__init__(f"Enum<{dtype}>({instance_class.__name__})")


class CPointer(Type):
    """A pointer."""

    def __init__(self, dtype: Type) -> None:
        self.dtype = dtype
        super().__init__(f"{dtype}*")


class Dispatcher(Type):
    """A compiled function."""

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher
        super().__init__(f"type({dispatcher!r})")


class Signature:
    """What a function takes and returns."""

    def __init__(self, return_type: Type, args: tuple) -> None:
        self.return_type, self.args = return_type, tuple(args)

    def __repr__(self) -> str:
        return f"({', '.join(map(str, self.args))}) -> {self.return_type}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signature) and (self.return_type, self.args) == (other.return_type, other.args)

    def __hash__(self) -> int:
        return hash((self.return_type, self.args))


_numbers = {f"{sign}int{bits}": Integer for sign in ("", "u") for bits in (8, 16, 32, 64)}
_numbers |= {f"float{bits}": Float for bits in (16, 32, 64)} | {f"complex{bits}": Complex for bits in (64, 128)}
_made = {name: kind(name) for name, kind in _numbers.items()}
globals().update(_made)
boolean = bool_ = b1 = Boolean()
none = void = Type("none")
i1, i2, i4, i8 = (_made[f"int{bits}"] for bits in (8, 16, 32, 64))
u1, u2, u4, u8 = (_made[f"uint{bits}"] for bits in (8, 16, 32, 64))
f4, f8, c8, c16 = (_made[name] for name in ("float32", "float64", "complex64", "complex128"))
intp = int_ = long_ = _made["int64"]  # of a GPU, whose pointers have 64 bits, wherever this runs
uintp = uint = ulong = _made["uint64"]
intc, uintc, byte, char = _made["int32"], _made["uint32"], _made["uint8"], _made["int8"]
float_, double = _made["float32"], _made["float64"]

__all__ = [
    *_made, "b1", "bool_", "boolean", "byte", "c16", "c8", "char", "double", "f4", "f8", "float_", "i1", "i2", "i4", "i8",
    "int_", "intc", "intp", "long_", "none", "u1", "u2", "u4", "u8", "uint", "uintc", "uintp", "ulong", "void",
]  # fmt: skip
