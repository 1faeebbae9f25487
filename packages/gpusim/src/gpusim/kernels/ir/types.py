"""The types of a kernel's values, as Numba has them, without Numba."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

LETTERS = "?bhilBHILefdFD"
"""Scalar types by NumPy's type characters; ``l`` and ``L`` stand for int64 and uint64 on every platform."""
_NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


class TypingError(Exception):
    """Something that Numba's typing refuses; the place is added where the instruction is known.

    Parameters
    ----------
    said : str
    kind : str
        What numba-cuda calls its error.
    """

    def __init__(self, said: str, kind: str = "TypingError"):
        super().__init__(said)
        self.kind = kind


class Type:
    """Base of all types."""


@dataclass(frozen=True)
class Scalar(Type):
    """A number or a truth value.

    Attributes
    ----------
    letter : str
        One of `LETTERS`.
    """

    letter: str

    @property
    def dtype(self) -> np.dtype:
        return DTYPES[self.letter]

    def __str__(self) -> str:
        return NAMES[self.letter]


@dataclass(frozen=True)
class Time(Type):
    """A datetime64 or timedelta64."""

    dtype: np.dtype

    def __str__(self) -> str:
        return str(self.dtype)


@dataclass(frozen=True)
class Record(Type):
    """A reference to one item of a structured array."""

    dtype: Any  # a NumPy dtype with names

    def __str__(self) -> str:
        return f"Record({', '.join(self.dtype.names)})"


@dataclass(frozen=True)
class Array(Type):
    """An array of any strides, in any space."""

    item: Type
    ndim: int

    def __str__(self) -> str:
        return f"array({self.item}, {self.ndim}d)"


@dataclass(frozen=True)
class Tuple(Type):
    """A tuple; with `names`, a named tuple or a vector type such as float32x3."""

    items: tuple[Type, ...]
    cls: type | None = None
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class Range(Type):
    letter: str

    def __str__(self) -> str:
        return f"range of {NAMES[self.letter]}"


@dataclass(frozen=True)
class Iteration(Type):
    """``enumerate`` and ``zip``."""

    kind: str
    items: tuple[Type, ...]

    def __str__(self) -> str:
        return self.kind


@dataclass(frozen=True)
class Slice(Type):
    def __str__(self) -> str:
        return "slice"


@dataclass(frozen=True)
class NoneType(Type):
    def __str__(self) -> str:
        return "None"


@dataclass(frozen=True)
class Thing(Type):
    """What exists only while compiling: a module, a function, a type, a string, ``cuda.blockDim``."""

    value: Any = field(compare=False)
    key: int = 0

    def __str__(self) -> str:
        return getattr(self.value, "__name__", None) or repr(self.value)


DTYPES = {letter: np.dtype(name) for letter, name in zip(LETTERS, _NAMES, strict=True)}
NAMES = dict(zip(LETTERS, _NAMES, strict=True))
SCALARS = {letter: Scalar(letter) for letter in LETTERS}
_BY_DTYPE = {dtype: SCALARS[letter] for letter, dtype in DTYPES.items()}
BOOL, INT32, INT64, UINT32, UINT64 = (SCALARS[letter] for letter in "?ilIL")
FLOAT32, FLOAT64 = SCALARS["f"], SCALARS["d"]
NONE = NoneType()
SLICE = Slice()
SIGNED, UNSIGNED, FLOATS, COMPLEXES = "bhil", "BHIL", "efd", "FD"
INTEGERS = SIGNED + UNSIGNED


def thing(value: Any) -> Thing:
    return Thing(value, hash(value) if isinstance(value, str) else id(value))


def of_dtype(dtype: np.dtype) -> Type:
    """The type of an array's items.

    Raises
    ------
    TypingError
        For objects, strings and types that a GPU does not have.
    """
    if dtype.names:
        return Record(dtype)
    if dtype.kind in "mM":
        return Time(dtype)
    found = _BY_DTYPE.get(dtype.newbyteorder("=") if dtype.byteorder in "<>=|" else dtype)
    if found is None or not dtype.isnative:
        raise TypingError(f"An array of {dtype} cannot be used in a kernel: a GPU has no such type.")
    return found


def of_value(value: Any) -> Type:
    """The type that Numba gives to a kernel's argument or to a constant.

    Raises
    ------
    TypingError
        For what no kernel can take: lists, dictionaries, objects.
    """
    if isinstance(value, np.ndarray):
        return Array(of_dtype(value.dtype), value.ndim)
    if isinstance(value, np.void) and value.dtype.names:
        return Record(value.dtype)
    if isinstance(value, np.generic):
        return of_dtype(value.dtype)
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        if -(2**63) <= value < 2**63:
            return INT64
        if value < 2**64:
            return UINT64
        raise TypingError(f"{value} does not fit into 64 bits.")
    if isinstance(value, float):
        return FLOAT64
    if isinstance(value, complex):
        return SCALARS["D"]
    if value is None:
        return NONE
    if isinstance(value, tuple):
        items = tuple(of_value(item) for item in value)
        fields = getattr(value, "_fields", None)
        if fields is not None:
            return Tuple(items, type(value), tuple(fields))
        return Tuple(items)
    raise TypingError(f"A {type(value).__name__} cannot be used in a kernel.")


def dtype_of_thing(value: Any) -> Type | None:
    """The scalar or record type that a name such as ``np.float32``, ``numba.int64`` or ``"f4"`` denotes; else None."""
    if isinstance(value, Type):
        return value
    if isinstance(value, np.dtype):
        return of_dtype(value)
    if value in (bool, int, float, complex):
        return {bool: BOOL, int: INT64, float: FLOAT64, complex: SCALARS["D"]}[value]
    if isinstance(value, type) and issubclass(value, np.generic):
        try:
            return of_dtype(np.dtype(value))
        except TypingError:
            return None
    if isinstance(value, str):
        try:
            return of_dtype(np.dtype(value))
        except TypeError:
            return None
    fields = getattr(value, "fields", None)
    if type(value).__name__ == "Record" and isinstance(fields, dict):  # Numba's own, known by its shape
        return Record(_record_dtype(value))
    name = getattr(value, "name", None)
    if isinstance(name, str) and type(value).__module__.partition(".")[0] in ("numba", "numba_cuda", "gpusim"):
        name = {"boolean": "bool"}.get(name, name)
        if name in _NAMES:
            return _BY_DTYPE[np.dtype(name)]
    return None


def _record_dtype(record: Any) -> np.dtype:
    names, formats, offsets = [], [], []
    for name, part in record.fields.items():
        shape, inner = (), part.type
        if hasattr(inner, "shape") and hasattr(inner, "dtype"):
            shape, inner = tuple(inner.shape), inner.dtype
        item: Any = dtype_of_thing(inner)
        if item is None:
            raise TypingError(f"the field {name} of a record has a type that is not simulated: {inner}")
        names.append(name)
        formats.append((item.dtype, shape))
        offsets.append(part.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": record.size})
