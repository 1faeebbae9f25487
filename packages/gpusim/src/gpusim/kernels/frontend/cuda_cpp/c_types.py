"""The types of C as CUDA has them on 64-bit Linux, and C's rules for what an operation's type is."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Scalar:
    """A number's type.

    Attributes
    ----------
    name : str
        As CUDA's compiler calls it.
    char : str
        NumPy's code of it: ``"i4"``, ``"f8"``, ``"b1"``.
    """

    name: str
    char: str

    @property
    def dtype(self) -> np.dtype:
        """In memory: the bits of a half, since the compiled engine has no float16."""
        return np.dtype("u2" if self.char == "f2" else self.char)

    @property
    def kind(self) -> str:
        """One of ``b i u f c``."""
        return self.char[0]

    @property
    def size(self) -> int:
        """In bytes."""
        return int(self.char[1:])

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Pointer:
    """A pointer: at run time an array and an offset into it, in elements.

    Attributes
    ----------
    to
        The type of what it points to.
    const : bool
        Whether nothing can be stored through it.
    row : tuple of int
        The extents of the arrays that it points to, where it points to arrays.
    """

    to: Any
    const: bool = False
    row: tuple[int, ...] = ()

    def __str__(self) -> str:
        row = "".join(f"[{n}]" for n in self.row)
        return f"{'const ' if self.const else ''}{self.to} {f'(*){row}' if row else '*'}"


@dataclass(frozen=True)
class Array:
    """An array in shared or local memory, or in the module's own."""

    of: Any
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.of} " + "".join(f"[{n}]" for n in self.shape)


@dataclass(frozen=True)
class Struct:
    """A struct of numbers, arrays of numbers and other structs.

    Attributes
    ----------
    name : str
    fields : tuple of (str, type)
    aligned : int
        Bytes, where the source says it.
    union : bool
        Whether its members share their place.
    """

    name: str
    fields: tuple[tuple[str, Any], ...]
    aligned: int = 1
    union: bool = False

    kind = "V"

    @functools.cached_property
    def alignment(self) -> int:
        """In bytes."""
        return max([self.aligned, *(alignment(kind) for _, kind in self.fields)])

    @functools.cached_property
    def dtype(self) -> np.dtype:
        """The record that has C's layout."""
        offsets, end = [], 0
        for _, kind in self.fields:
            offsets.append(0 if self.union else -(-end // alignment(kind)) * alignment(kind))
            end = max(end, offsets[-1] + format_of(kind).itemsize)
        return np.dtype(
            {
                "names": [name for name, _ in self.fields],
                "formats": [format_of(kind) for _, kind in self.fields],
                "offsets": offsets,
                "itemsize": -(-max(end, 1) // self.alignment) * self.alignment,
            }
        )

    @property
    def size(self) -> int:
        """In bytes."""
        return self.dtype.itemsize

    @property
    def char(self) -> str:
        return f"struct {self.name}"

    def __str__(self) -> str:
        return self.name


def alignment(kind: Any) -> int:
    """In bytes."""
    kind = kind.of if isinstance(kind, Array) else kind
    return kind.alignment if isinstance(kind, Struct) else kind.size


def format_of(kind: Any) -> np.dtype:
    """What NumPy has for a member of a struct."""
    return np.dtype((kind.of.dtype, kind.shape)) if isinstance(kind, Array) else kind.dtype


@dataclass(frozen=True)
class Carray:
    """A raw argument of an elementwise kernel: elements by number, and ``size()``, ``shape()``, ``strides()``, ``ndim``."""

    of: Scalar
    ndim: int
    name: str
    whole: bool = False  # indexed by all its dimensions, as in CuPy's JIT
    indexer: bool = False  # CuPy's `_ind`, which has the indices of the element and no elements

    def __str__(self) -> str:
        if self.indexer:
            return f"CIndexer<{self.ndim}>"
        return f"CArray<{self.of}, {self.ndim}>"


@dataclass(frozen=True)
class Group:
    """A cooperative group: ``"grid_group"``, ``"thread_block"``, or a tile of a warp with its size."""

    name: str
    size: int = 0

    def __str__(self) -> str:
        return f"thread_block_tile<{self.size}>" if self.size else self.name


@dataclass(frozen=True)
class Capture:
    """A variable that a lambda captures.

    Attributes
    ----------
    name : str
    kind
        Its type.
    by : str
        ``"value"``, ``"reference"``, ``"array"`` (the array itself) or ``"constant"``.
    const : int or float
        The value of a constant.
    readonly : bool
        Whether it is const.
    """

    name: str
    kind: Any
    by: str
    const: Any = None
    readonly: bool = False


@dataclass(frozen=True)
class Closure:
    """The type of a lambda.

    Attributes
    ----------
    name : str
    number : int
        Of the lambda in its source.
    captures : tuple of Capture
    """

    name: str
    number: int
    captures: tuple[Capture, ...]

    def __str__(self) -> str:
        return "lambda"


@dataclass(frozen=True)
class Void:
    """The type of what has no value."""

    def __str__(self) -> str:
        return "void"


VOID = Void()
BOOL = Scalar("bool", "b1")
CHAR = Scalar("char", "i1")
SCHAR, UCHAR = Scalar("signed char", "i1"), Scalar("unsigned char", "u1")
SHORT, USHORT = Scalar("short", "i2"), Scalar("unsigned short", "u2")
INT, UINT = Scalar("int", "i4"), Scalar("unsigned int", "u4")
LONG, ULONG = Scalar("long", "i8"), Scalar("unsigned long", "u8")
LLONG, ULLONG = Scalar("long long", "i8"), Scalar("unsigned long long", "u8")
FLOAT, DOUBLE = Scalar("float", "f4"), Scalar("double", "f8")
HALF, FLOAT16 = Scalar("__half", "f2"), Scalar("float16", "f2")
"""CUDA's half, whose operators round, and CuPy's, which is a float in every operation.  In a variable both are a float32 that is
rounded."""
COMPLEX64, COMPLEX128 = Scalar("complex<float>", "c8"), Scalar("complex<double>", "c16")

NAMED: dict[str, Any] = {
    "void": VOID,
    "bool": BOOL,
    "_Bool": BOOL,
    "int8_t": SCHAR,
    "uint8_t": UCHAR,
    "int16_t": SHORT,
    "uint16_t": USHORT,
    "int32_t": INT,
    "uint32_t": UINT,
    "int64_t": LONG,
    "uint64_t": ULONG,
    "size_t": ULONG,
    "ssize_t": LONG,
    "ptrdiff_t": LONG,
    "intptr_t": LONG,
    "uintptr_t": ULONG,
    "float16": FLOAT16,
    "_hf_c8": COMPLEX64,
    "_hf_c16": COMPLEX128,
    "cuComplex": COMPLEX64,
    "cuFloatComplex": COMPLEX64,
    "cuDoubleComplex": COMPLEX128,
    "grid_group": Group("grid_group"),
    "thread_block": Group("thread_block"),
    **{f"_hf_tile_{n}": Group(f"_hf_tile_{n}", n) for n in (1, 2, 4, 8, 16, 32)},
}
"""Types that have a name of one word and are no keywords of C."""
HALVES: dict[str, object] = {"__half": HALF, "half": HALF}
"""Types of ``cuda_fp16.h``."""

VECTORS = {
    f"{name}{n}": Struct(
        f"{name}{n}", tuple((axis, kind) for axis in "xyzw"[:n]), kind.size if n == 3 else min(16, n * kind.size)
    )
    for name, kind in (
        *(
            ("char", SCHAR),
            ("uchar", UCHAR),
            ("short", SHORT),
            ("ushort", USHORT),
            ("int", INT),
            ("uint", UINT),
            ("long", LONG),
        ),
        *(("ulong", ULONG), ("longlong", LLONG), ("ulonglong", ULLONG), ("float", FLOAT), ("double", DOUBLE)),
    )
    for n in (1, 2, 3, 4)
}
"""CUDA's vector types; such a vector of four is aligned to 16 bytes at most."""

OF_DTYPE = {
    scalar.dtype: scalar
    for scalar in (
        *(BOOL, SCHAR, UCHAR, SHORT, USHORT, INT, UINT, LLONG, ULLONG, FLOAT, DOUBLE, COMPLEX64, COMPLEX128),
    )
}
"""What CuPy calls a dtype in C."""

_RANK = {kind: rank for rank, pair in enumerate(((INT, UINT), (LONG, ULONG), (LLONG, ULLONG))) for kind in pair}
_KEYWORDS = {
    ("char",): CHAR,
    ("char", "signed"): SCHAR,
    ("char", "unsigned"): UCHAR,
    ("float",): FLOAT,
    ("double",): DOUBLE,
}


def of_words(words: list[str]) -> Scalar | Void | None:
    """The type that some keywords name in any order, as ``unsigned long long int``; None if none."""
    rest = sorted(w for w in words if w != "int")
    if tuple(rest) in _KEYWORDS:
        return _KEYWORDS[tuple(rest)]
    unsigned = "unsigned" in rest
    longs, shorts = rest.count("long"), rest.count("short")
    left = [w for w in rest if w not in ("unsigned", "signed", "long", "short")]
    if left or not words:
        return NAMED.get(words[0]) if len(words) == 1 else None
    if shorts:
        return USHORT if unsigned else SHORT
    if longs:
        plain, bare = (LONG, ULONG) if longs == 1 else (LLONG, ULLONG)
        return bare if unsigned else plain
    return UINT if unsigned else INT


def promoted(kind: Scalar) -> Scalar:
    """C's integer promotion: what is narrower than int becomes int."""
    if kind.kind == "b" or (kind.kind in "iu" and kind.size < 4):
        return INT
    return kind


def common(a: Scalar, b: Scalar) -> Scalar:
    """C's usual arithmetic conversions of two operands."""
    if a == b == HALF:
        return HALF
    a, b = (FLOAT if each.char == "f2" else each for each in (a, b))
    if "c" in (a.kind, b.kind):
        wide = any(k.char in ("f8", "c16") for k in (a, b))
        return COMPLEX128 if wide else COMPLEX64
    if a.kind == "f" or b.kind == "f":
        return DOUBLE if "f8" in (a.char, b.char) else FLOAT
    a, b = promoted(a), promoted(b)
    if a.kind == b.kind:
        return a if _RANK[a] >= _RANK[b] else b
    signed, unsigned = (a, b) if a.kind == "i" else (b, a)
    if _RANK[unsigned] >= _RANK[signed]:
        return unsigned
    return signed if signed.size > unsigned.size else ULLONG


def wrapped(value: int, kind: Scalar) -> int:
    """A whole number as a type keeps it."""
    if kind.kind == "b":
        return int(bool(value))
    bits = 8 * kind.size
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind.kind == "i" and value >> (bits - 1) else value
