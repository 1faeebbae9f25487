"""What each instruction of PTX computes, as a table of NumPy functions over arrays of lanes.

An entry of `TABLE` takes an instruction's modifiers and returns an `Op`.  What touches memory, other lanes or the flow of control
is in `machine`.  Section numbers are those of the *PTX ISA*, version 9.0.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import platform
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

try:
    import numba
except ImportError:  # the parser and all but fused multiply-add do without
    numba = None

TYPES: dict[str, np.dtype] = {
    **{f"u{n}": np.dtype(f"u{n // 8}") for n in (8, 16, 32, 64)},
    **{f"s{n}": np.dtype(f"i{n // 8}") for n in (8, 16, 32, 64)},
    **{f"b{n}": np.dtype(f"u{n // 8}") for n in (8, 16, 32, 64)},
    **{f"f{n}": np.dtype(f"f{n // 8}") for n in (16, 32, 64)},
    "f16x2": np.dtype("u4"),
    "pred": np.dtype(bool),
}


class Op(NamedTuple):
    """A function of arrays, and the PTX types of what it takes and returns.

    `carry` says whether it reads (``r``) the condition code's carry as its last argument, and whether it returns it (``w``) last.
    """

    function: Callable
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    carry: str = ""


TABLE: dict[str, Callable[[tuple[str, ...]], Op]] = {}


class UnknownError(Exception):
    """An instruction's modifiers are not known here."""


def entry(*names: str) -> Callable:
    """Enter a function of modifiers (and the root, if it asks for it) into the table."""

    def enter(make: Callable) -> Callable:
        for name in names:
            TABLE[name] = (lambda m, name=name: make(name, m)) if len(names) > 1 else make
        return make

    return enter


# Rounding: the processor is told, since NumPy and libm do what it is told.

_libm = ctypes.CDLL(ctypes.util.find_library("m") or None)
_X86 = platform.machine() in ("x86_64", "AMD64", "i686")
_DIRECTIONS = {"rm": 0x400, "rp": 0x800, "rz": 0xC00} if _X86 else {"rm": 0x800000, "rp": 0x400000, "rz": 0xC00000}


@contextlib.contextmanager
def rounded(direction: str) -> Iterator[None]:
    """Round as a modifier says: ``rn`` to nearest even, ``rm`` down, ``rp`` up, ``rz`` towards zero."""
    if direction not in _DIRECTIONS:
        yield
        return
    _libm.fesetround(_DIRECTIONS[direction])
    try:
        yield
    finally:
        _libm.fesetround(0)


def _fused() -> dict[str, Callable]:
    """Fused multiply-add by dtype, rounded once: the processor's, or libm's, which is exact by the C standard."""
    made = {}
    for name, dtype, kind in (("fmaf", "f4", ctypes.c_float), ("fma", "f8", ctypes.c_double)):
        function = getattr(_libm, name)
        function.restype, function.argtypes = kind, [kind] * 3
        if numba is None:
            made[dtype] = np.vectorize(function, otypes=[dtype])
        else:
            code = f"{name}({dtype})"
            made[dtype] = numba.vectorize([f"{dtype}({dtype},{dtype},{dtype})"])(_calling(function))
            made[dtype].__name__ = code
    return made


def _calling(function: Callable) -> Callable:
    def fma(a, b, c):
        return function(a, b, c)

    return fma


_FMA: dict[str, Callable] = {}


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """``a * b + c``, rounded once."""
    if not _FMA:
        _FMA.update(_fused())
    return _FMA[a.dtype.str[1:]](a, b, c)


def flushed(x: np.ndarray) -> np.ndarray:
    """Subnormal numbers as zeros of their signs, as ``.ftz`` has it (9.7.3)."""
    tiny = np.finfo(x.dtype).tiny
    return np.where(np.abs(x) < tiny, np.copysign(x.dtype.type(0), x), x)


def _float(function: Callable, m: tuple[str, ...], kind: str) -> Callable:
    """A function of floats with the modifiers ``.rnd``, ``.ftz`` and ``.sat``."""
    direction = next((each for each in m if each in _DIRECTIONS), "")
    ftz, sat = "ftz" in m and kind != "f64", "sat" in m

    def run(*args):
        if ftz:
            args = tuple(map(flushed, args))
        with rounded(direction):
            made = function(*args)
        if ftz:
            made = flushed(made)
        if sat:
            made = np.where(np.isnan(made), made.dtype.type(0), np.clip(made, 0, 1))
        return made

    return run if direction or ftz or sat else function


def _both_halves(function: Callable, m: tuple[str, ...]) -> Callable:
    """A function of float16 on both halves of 32 bits."""

    def run(*args):
        halves = [np.ascontiguousarray(a).view(np.float16).reshape(-1, 2) for a in args]
        one = _float(function, m, "f16")
        made = np.stack([one(*(h[:, k] for h in halves)) for k in (0, 1)], axis=1)
        return np.ascontiguousarray(made.astype(np.float16)).view(np.uint32).reshape(-1)

    return run


def _kind(m: tuple[str, ...]) -> str:
    if not m or m[-1] not in TYPES:
        raise UnknownError
    return m[-1]


def _is_float(kind: str) -> bool:
    return kind[0] == "f"


def plain(function: Callable, count: int, floats: Callable | None = None) -> Callable:
    """An entry for ``op.type d, a, …``: all of one type; `floats` where that of floats is another function."""

    def make(m):
        kind = _kind(m)
        if kind == "f16x2":
            return Op(_both_halves(floats or function, m), (kind,) * count, (kind,))
        if _is_float(kind):
            return Op(_float(floats or function, m, kind), (kind,) * count, (kind,))
        return Op(function, (kind,) * count, (kind,))

    return make


# Integers (9.7.1)


def wide_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The high and low words of the product of unsigned 64-bit integers."""
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    a0, a1, b0, b1 = a & mask, a >> shift, b & mask, b >> shift
    low, mid1, mid2, high = a0 * b0, a0 * b1, a1 * b0, a1 * b1
    carry = ((low >> shift) + (mid1 & mask) + (mid2 & mask)) >> shift
    return high + (mid1 >> shift) + (mid2 >> shift) + carry, a * b


def high(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The upper half of a product."""
    dtype = a.dtype
    if dtype.itemsize < 8:
        twice = np.dtype(f"{dtype.kind}{2 * dtype.itemsize}")
        return ((a.astype(twice) * b.astype(twice)) >> twice.type(8 * dtype.itemsize)).astype(dtype)
    if dtype.kind == "u":
        return wide_product(a, b)[0]
    ua, ub = a.view(np.uint64), b.view(np.uint64)
    top = wide_product(ua, ub)[0].view(np.int64)
    return top - np.where(a < 0, b, 0) - np.where(b < 0, a, 0)


def wide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A product of twice the width."""
    twice = np.dtype(f"{a.dtype.kind}{2 * a.dtype.itemsize}")
    return a.astype(twice) * b.astype(twice)


def _twice(kind: str) -> str:
    return f"{kind[0]}{2 * int(kind[1:])}"


@entry("mul")
def _mul(m):
    kind = _kind(m)
    if _is_float(kind):
        return plain(np.multiply, 2)(m)
    if "wide" in m:
        return Op(wide, (kind, kind), (_twice(kind),))
    return Op(high if "hi" in m else np.multiply, (kind, kind), (kind,))


@entry("mad")
def _mad(m):
    kind = _kind(m)
    if _is_float(kind):
        return Op(_float(fma, m, kind), (kind,) * 3, (kind,))
    if "wide" in m:
        twice = _twice(kind)
        return Op(lambda a, b, c: wide(a, b) + c, (kind, kind, twice), (twice,))
    product = high if "hi" in m else np.multiply
    if "cc" in m:
        return Op(lambda a, b, c: _carried(product(a, b), c, None), (kind,) * 3, (kind,), "w")
    return Op(lambda a, b, c: product(a, b) + c, (kind,) * 3, (kind,))


@entry("madc")
def _madc(m):
    kind = _kind(m)
    product = high if "hi" in m else np.multiply
    if "cc" in m:
        return Op(lambda a, b, c, cc: _carried(product(a, b), c, cc), (kind,) * 3, (kind,), "rw")
    return Op(lambda a, b, c, cc: product(a, b) + c + cc.astype(a.dtype), (kind,) * 3, (kind,), "r")


@entry("mul24", "mad24")
def _mul24(root, m):
    kind = _kind(m)

    def product(a, b):
        shift = np.int64(40)
        a, b = (
            (x.astype(np.int64) << shift) >> shift if kind == "s32" else x.astype(np.int64) & 0xFFFFFF for x in (a, b)
        )
        made = a * b
        return (made >> np.int64(16) if "hi" in m else made).astype(TYPES[kind])

    if root == "mul24":
        return Op(product, (kind, kind), (kind,))
    return Op(lambda a, b, c: product(a, b) + c, (kind,) * 3, (kind,))


def _unsigned(x: np.ndarray) -> np.ndarray:
    return x.view(f"u{x.dtype.itemsize}")


def _carried(a: np.ndarray, b: np.ndarray, carry: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """A sum and whether it carries out of its width."""
    ua, ub = _unsigned(a), _unsigned(b)
    first = ua + ub
    out = first < ua
    if carry is not None:
        total = first + carry.astype(ua.dtype)
        out = out | (total < first)
        first = total
    return first.view(a.dtype), out


def _borrowed(a: np.ndarray, b: np.ndarray, borrow: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    ua, ub = _unsigned(a), _unsigned(b)
    first = ua - ub
    out = ua < ub
    if borrow is not None:
        last = first - borrow.astype(ua.dtype)
        out = out | (first < borrow.astype(ua.dtype))
        first = last
    return first.view(a.dtype), out


def _saturated(function: Callable) -> Callable:
    return lambda a, b: np.clip(function(a.astype(np.int64), b.astype(np.int64)), -(2**31), 2**31 - 1).astype(np.int32)


@entry("add", "sub")
def _add(root, m):
    kind = _kind(m)
    function = np.add if root == "add" else np.subtract
    if "cc" in m:
        carried = _carried if root == "add" else _borrowed
        return Op(lambda a, b: carried(a, b, None), (kind, kind), (kind,), "w")
    if "sat" in m and kind == "s32":
        return Op(_saturated(function), (kind, kind), (kind,))
    return plain(function, 2)(m)


@entry("addc", "subc")
def _addc(root, m):
    kind = _kind(m)
    carried = _carried if root == "addc" else _borrowed
    if "cc" in m:
        return Op(carried, (kind, kind), (kind,), "rw")
    return Op(lambda a, b, cc: carried(a, b, cc)[0], (kind, kind), (kind,), "r")


def truncated_quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A quotient rounded towards zero; by zero all bits are set (9.7.1.8 leaves it open, GPUs do this)."""
    zero = b == 0
    safe = np.where(zero, b.dtype.type(1), b)
    if a.dtype.kind == "u":
        return np.where(zero, ~a.dtype.type(0), a // safe)
    quotient = a // safe
    quotient = quotient + ((a - quotient * safe != 0) & ((a < 0) != (safe < 0))).astype(a.dtype)
    return np.where(zero, a.dtype.type(-1), quotient)


def truncated_remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What `truncated_quotient` leaves: it has the sign of `a`; by zero it is `a`."""
    zero = b == 0
    return np.where(zero, a, a - truncated_quotient(a, b) * b)


TABLE["div"] = plain(truncated_quotient, 2, floats=np.divide)
TABLE["rem"] = plain(truncated_remainder, 2)


def _absolute(a: np.ndarray) -> np.ndarray:
    return np.where(a < 0, -a, a)


TABLE["abs"] = plain(_absolute, 1, floats=np.abs)
TABLE["neg"] = plain(np.negative, 1)
TABLE["sad"] = lambda m: Op(lambda a, b, c: c + np.where(a < b, b - a, a - b), (_kind(m),) * 3, (_kind(m),))


def _lesser(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The lesser of floats: a number before a NaN, and -0 before +0 (9.7.3.11)."""
    less = (a < b) | ((a == b) & np.signbit(a))
    return np.where(np.isnan(a), b, np.where(np.isnan(b) | less, a, b))


def _greater(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    more = (a > b) | ((a == b) & ~np.signbit(a))
    return np.where(np.isnan(a), b, np.where(np.isnan(b) | more, a, b))


@entry("min", "max")
def _extreme(root, m):
    function = _lesser if root == "min" else _greater
    if "NaN" in m:
        chosen = function
        function = lambda a, b: np.where(np.isnan(a) | np.isnan(b), a.dtype.type(np.nan), chosen(a, b))  # noqa: E731
    whole = np.minimum if root == "min" else np.maximum
    return plain(whole, 2, floats=function)(tuple(each for each in m if each not in ("NaN", "relu")))


def _population(x: np.ndarray) -> np.ndarray:
    return np.bitwise_count(_unsigned(x)).astype(np.uint32)


def leading_zeros(x: np.ndarray) -> np.ndarray:
    """Zeros before the first bit that is set."""
    width, x = 8 * x.dtype.itemsize, _unsigned(x).copy()
    count = np.full(x.shape, width, np.uint32)
    shift = width // 2
    while shift:
        upper = x >> x.dtype.type(shift)
        some = upper != 0
        count = np.where(some, count - np.uint32(shift), count)
        x = np.where(some, upper, x)
        shift //= 2
    return np.where(x != 0, count - np.uint32(1), count)


def reversed_bits(x: np.ndarray) -> np.ndarray:
    """Bits in the opposite order."""
    x = _unsigned(x)
    width, dtype = 8 * x.dtype.itemsize, x.dtype.type
    shift, mask = width // 2, (1 << width) - 1
    while shift:
        mask ^= (mask << shift) & ((1 << width) - 1)
        x = ((x >> dtype(shift)) & dtype(mask)) | ((x << dtype(shift)) & dtype(~mask & ((1 << width) - 1)))
        shift //= 2
    return x


def _find(m):
    kind = _kind(m)

    def find(a):
        width = 8 * a.dtype.itemsize
        seen = np.where(a < 0, ~a, a) if a.dtype.kind == "i" else a
        zeros = leading_zeros(seen)
        place = zeros if "shiftamt" in m else np.uint32(width - 1) - zeros
        return np.where(seen == 0, np.uint32(0xFFFFFFFF), place)

    return Op(find, (kind,), ("u32",))


TABLE["popc"] = lambda m: Op(_population, (_kind(m),), ("u32",))
TABLE["clz"] = lambda m: Op(leading_zeros, (_kind(m),), ("u32",))
TABLE["brev"] = lambda m: Op(reversed_bits, (_kind(m),), (_kind(m),))
TABLE["bfind"] = _find


def _mask(count: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """That many bits set, from the lowest on."""
    width = 8 * dtype.itemsize
    kept = np.minimum(count, width - 1).astype(dtype)
    return np.where(count >= width, ~dtype.type(0), (dtype.type(1) << kept) - dtype.type(1))


def shifted_left(a: np.ndarray, n: np.ndarray) -> np.ndarray:
    """A shift by more than the width leaves nothing (9.7.8.7)."""
    width = 8 * a.dtype.itemsize
    return np.where(n >= width, a.dtype.type(0), a << np.minimum(n, width - 1).astype(a.dtype))


def shifted_right(a: np.ndarray, n: np.ndarray) -> np.ndarray:
    """A shift by more than the width leaves the sign."""
    width = 8 * a.dtype.itemsize
    kept = np.minimum(n, width - 1).astype(a.dtype)
    return a >> kept if a.dtype.kind == "i" else np.where(n >= width, a.dtype.type(0), a >> kept)


def extracted(a: np.ndarray, start: np.ndarray, length: np.ndarray) -> np.ndarray:
    """``bfe`` (9.7.1.21): `length` bits from `start` on, a signed number's sign continued."""
    width, start, length = 8 * a.dtype.itemsize, start & 0xFF, length & 0xFF
    unsigned = _unsigned(a)
    field = shifted_right(unsigned, start) & _mask(length, unsigned.dtype)
    if a.dtype.kind == "u":
        return field
    last = np.minimum(start.astype(np.int64) + length - 1, width - 1)
    negative = (length != 0) & ((shifted_right(unsigned, np.maximum(last, 0).astype(np.uint32)) & 1) != 0)
    top = _mask(np.clip(length, 0, width), unsigned.dtype)
    return np.where(negative, field | ~top, field).view(a.dtype)


def inserted(a: np.ndarray, b: np.ndarray, start: np.ndarray, length: np.ndarray) -> np.ndarray:
    """``bfi``: the lowest `length` bits of `a` in the place of those of `b` from `start` on."""
    start, length = start & 0xFF, length & 0xFF
    mask = shifted_left(_mask(length, a.dtype), start)
    return (b & ~mask) | (shifted_left(a, start) & mask)


TABLE["bfe"] = lambda m: Op(extracted, (_kind(m), "u32", "u32"), (_kind(m),))
TABLE["bfi"] = lambda m: Op(inserted, (_kind(m), _kind(m), "u32", "u32"), (_kind(m),))


def _bmsk(m):
    def made(start, length):
        limited = [x if "clamp" in m else x & 31 for x in (start, length)]
        return shifted_left(_mask(limited[1], np.dtype("u4")), limited[0])

    return Op(made, ("u32", "u32"), ("b32",))


TABLE["bmsk"] = _bmsk


@entry("dp4a", "dp2a")
def _dot(root, m):
    left, right = m[-2:]
    result = "u32" if left == right == "u32" else "s32"

    def dot(a, b, c):
        parts = 4 if root == "dp4a" else 2
        x = _pieces(a, parts, left)
        y = _pieces(b, 4, right)
        if root == "dp2a":
            y = y[2:] if "hi" in m else y[:2]
        return (
            (sum(p * q for p, q in zip(x, y, strict=True)) + c.astype(np.int64)).astype(np.int64).astype(TYPES[result])
        )

    return Op(dot, ("u32", "u32", result), (result,))


def _pieces(x: np.ndarray, count: int, kind: str) -> list[np.ndarray]:
    width = 32 // count
    dtype = np.dtype(f"{'i' if kind[0] == 's' else 'u'}{width // 8}")
    mask = np.uint32((1 << width) - 1)
    return [
        ((x >> np.uint32(width * k)) & mask).astype(f"u{width // 8}").view(dtype).astype(np.int64) for k in range(count)
    ]


# Floats (9.7.3): those that PTX calls approximate are computed in float64 and rounded once.


def _through(function: Callable, seed: bool) -> Callable:
    """A function computed in float64; of a seed only the upper half counts (9.7.3.14)."""

    def run(x):
        made = function(x.astype(np.float64))
        if seed:
            return (made.view(np.uint64) & np.uint64(0xFFFFFFFF00000000)).view(np.float64)
        return made.astype(x.dtype)

    return run


def _unary(function: Callable, exact: Callable | None = None) -> Callable:
    def make(m):
        kind = _kind(m)
        seed = kind == "f64" and "ftz" in m
        used = exact if exact is not None and "approx" not in m else _through(function, seed)
        if kind == "f16x2":
            return Op(_both_halves(used, m), (kind,), (kind,))
        return Op(_float(used, m, kind), (kind,), (kind,))

    return make


TABLE["rcp"] = _unary(lambda x: 1 / x, exact=lambda x: x.dtype.type(1) / x)
TABLE["sqrt"] = _unary(np.sqrt, exact=np.sqrt)
TABLE["rsqrt"] = _unary(lambda x: 1 / np.sqrt(x))
TABLE["sin"] = _unary(np.sin)
TABLE["cos"] = _unary(np.cos)
TABLE["lg2"] = _unary(np.log2)
TABLE["ex2"] = _unary(np.exp2)
TABLE["tanh"] = _unary(np.tanh)


@entry("fma")
def _fma(m):
    kind = _kind(m)
    if kind in ("f16", "f16x2"):
        # Exact in float64: 11 bits by 11 bits, and a sum of at most 53 bits.
        def half(a, b, c):
            return (a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)).astype(np.float16)

        function = _float(half, m, "f16") if kind == "f16" else _both_halves(half, m)
        return Op(function, (kind,) * 3, (kind,))
    return Op(_float(fma, m, kind), (kind,) * 3, (kind,))


TABLE["copysign"] = lambda m: Op(lambda a, b: np.copysign(b, a), (_kind(m),) * 2, (_kind(m),))

_TESTS = {
    "finite": np.isfinite,
    "infinite": np.isinf,
    "number": lambda x: ~np.isnan(x),
    "notanumber": np.isnan,
    "normal": lambda x: np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny),
    "subnormal": lambda x: (x != 0) & (np.abs(x) < np.finfo(x.dtype).tiny),
}
TABLE["testp"] = lambda m: Op(_TESTS[m[0]], (_kind(m),), ("pred",))


# Comparison and selection (9.7.6)

_COMPARISONS = {
    **{"eq": np.equal, "ne": lambda a, b: (a != b) & ~_unordered(a, b)},
    **{"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal},
    **{"lo": np.less, "ls": np.less_equal, "hi": np.greater, "hs": np.greater_equal},
    **{"num": lambda a, b: ~_unordered(a, b), "nan": lambda a, b: _unordered(a, b)},
}


def _unordered(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.isnan(a) | np.isnan(b)


def _comparison(name: str, kind: str) -> Callable:
    if not _is_float(kind):
        return np.not_equal if name == "ne" else _COMPARISONS[name]
    if name in _COMPARISONS:
        return _COMPARISONS[name]
    ordered = _COMPARISONS[name[:-1]]  # "equ", "ltu", …: true, too, where one is a NaN
    return lambda a, b: ordered(a, b) | _unordered(a, b)


_LOGIC = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}


def _setp(m, both=False):
    kind = _kind(m)
    compare = _comparison(m[0], kind)
    if "ftz" in m:
        exact = compare
        compare = lambda a, b: exact(flushed(a), flushed(b))  # noqa: E731
    joined = next((_LOGIC[each] for each in m[1:] if each in _LOGIC), None)
    reads = (kind, kind) + (("pred",) if joined else ())

    def made(a, b, c=None):
        found = compare(a, b)
        first = found if joined is None else joined(found, c)
        return (first, ~found if joined is None else joined(~found, c)) if both else first

    return Op(made, reads, ("pred", "pred") if both else ("pred",))


TABLE["setp"] = _setp
TABLE["setp|"] = lambda m: _setp(m, both=True)
"""With a second predicate, for the opposite."""


def _set(m):
    kind, result = m[-1], m[-2]
    compare = _comparison(m[0], kind)
    joined = next((_LOGIC[each] for each in m[1:] if each in _LOGIC), None)
    true = TYPES[result].type(1) if _is_float(result) else (~TYPES[result].type(0))

    def made(a, b, c=None):
        found = compare(a, b) if joined is None else joined(compare(a, b), c)
        return np.where(found, true, TYPES[result].type(0))

    return Op(made, (kind, kind) + (("pred",) if joined else ()), (result,))


TABLE["set"] = _set
TABLE["selp"] = lambda m: Op(lambda a, b, p: np.where(p, a, b), (_kind(m), _kind(m), "pred"), (_kind(m),))
TABLE["slct"] = lambda m: Op(lambda a, b, c: np.where(c >= 0, a, b), (m[-2], m[-2], m[-1]), (m[-2],))


# Logic and shifts (9.7.8)


def _logical(function: Callable, on_predicates: Callable, count: int = 2) -> Callable:
    def make(m):
        kind = _kind(m)
        return Op(on_predicates if kind == "pred" else function, (kind,) * count, (kind,))

    return make


TABLE["and"] = _logical(np.bitwise_and, np.logical_and)
TABLE["or"] = _logical(np.bitwise_or, np.logical_or)
TABLE["xor"] = _logical(np.bitwise_xor, np.logical_xor)
TABLE["not"] = _logical(np.invert, np.logical_not, 1)
TABLE["cnot"] = lambda m: Op(lambda a: (a == 0).astype(a.dtype), (_kind(m),), (_kind(m),))
TABLE["shl"] = lambda m: Op(shifted_left, (_kind(m), "u32"), (_kind(m),))
TABLE["shr"] = lambda m: Op(shifted_right, (_kind(m), "u32"), (_kind(m),))


@entry("shf")
def _funnel(m):
    def shift(a, b, c):
        n = np.minimum(c, 32) if "clamp" in m else c & 31
        both = (b.astype(np.uint64) << np.uint64(32)) | a.astype(np.uint64)
        if "l" in m:
            return (shifted_left(both, n) >> np.uint64(32)).astype(np.uint32)
        return shifted_right(both, n).astype(np.uint32)

    return Op(shift, ("b32",) * 3, ("b32",))


@entry("prmt")
def _permute(m):
    """``prmt`` in its default mode: each nibble of the selector names a byte, its top bit asks for that byte's sign."""
    if m != ("b32",):
        raise UnknownError

    def permute(a, b, c):
        both = (b.astype(np.uint64) << np.uint64(32)) | a.astype(np.uint64)
        made = np.zeros(np.broadcast(a, b, c).shape, np.uint32)
        for k in range(4):
            nibble = (c >> np.uint32(4 * k)) & np.uint32(0xF)
            byte = (both >> ((nibble & 7).astype(np.uint64) * np.uint64(8))).astype(np.uint32) & np.uint32(0xFF)
            sign = np.where(byte & 0x80, np.uint32(0xFF), np.uint32(0))
            made |= np.where(nibble & 8, sign, byte) << np.uint32(8 * k)
        return made

    return Op(permute, ("b32",) * 3, ("b32",))


def lop3(a: np.ndarray, b: np.ndarray, c: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Any function of three bits, by its table of eight."""
    made = np.zeros(np.broadcast(a, b, c).shape, np.uint32)
    for k in range(8):
        if int(table[0]) >> k & 1:
            parts = [x if k & bit else ~x for x, bit in ((a, 4), (b, 2), (c, 1))]
            made |= parts[0] & parts[1] & parts[2]
    return made


TABLE["lop3"] = lambda m: Op(lop3, ("b32",) * 3 + ("b32",), ("b32",))


# Conversion (9.7.9.21)

_INTEGRAL = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


def _to_integer(x: np.ndarray, way: str, kind: str, source: str) -> np.ndarray:
    """A float as an integer: rounded, limited to the range, NaN as the document's table says."""
    target = TYPES[kind]
    bounds = np.iinfo(target)
    with rounded(""):
        whole = _INTEGRAL[way](x.astype(np.float64))
    special = source == "f64" or kind in ("s64", "u64")
    nan = target.type(-(2 ** (8 * target.itemsize - 1)) if target.kind == "i" else 2 ** (8 * target.itemsize - 1))
    low, high_ = whole <= float(bounds.min), whole >= float(bounds.max)
    kept = np.where(low | high_ | np.isnan(whole), 0.0, whole)
    made = kept.astype(target)
    made = np.where(low, target.type(bounds.min), np.where(high_, target.type(bounds.max), made))
    return np.where(np.isnan(x), nan if special else target.type(0), made).astype(target)


def _between_integers(m: tuple[str, ...], kind: str, source: str) -> Callable:
    target = TYPES[kind]
    if "sat" not in m:
        return lambda x: x.astype(target)
    bounds = np.iinfo(target)

    def saturated(x):
        limits = np.iinfo(x.dtype)
        return np.clip(x, max(bounds.min, limits.min), min(bounds.max, limits.max)).astype(target)

    return saturated


def narrowed(x: np.ndarray, target: np.dtype, direction: str) -> np.ndarray:
    """A number as a float of another width, rounded as it is asked for."""
    if target == np.float16 and direction in _DIRECTIONS:  # NumPy's own conversion rounds to nearest always
        made = x.astype(np.float16)
        back, wide_x = made.astype(np.float64), x.astype(np.float64)
        over = {"rm": back > wide_x, "rp": back < wide_x, "rz": np.abs(back) > np.abs(wide_x)}[direction]
        towards = {"rm": -np.inf, "rp": np.inf, "rz": 0.0}[direction]
        return np.where(over, np.nextafter(made, np.float16(towards)), made)
    with rounded(direction):
        return x.astype(target)


@entry("cvt")
def _cvt(m):
    if len(m) < 2 or m[-1] not in TYPES or m[-2] not in TYPES or "f16x2" in m:
        if m[-2:] in (("f16x2", "f32"),):
            return _pack_halves(m)
        raise UnknownError
    kind, source = m[-2:]
    if _is_float(kind) and _is_float(source):
        whole = next((each for each in m if each in _INTEGRAL), "")
        direction = next((each for each in m if each in _DIRECTIONS), "")

        def convert(x):
            made = _INTEGRAL[whole](x) if whole else x
            return narrowed(made, TYPES[kind], direction)

        return Op(_float(convert, tuple(each for each in m if each in ("sat", "ftz")), "f32"), (source,), (kind,))
    if _is_float(source):
        way = next((each for each in m if each in _INTEGRAL), "")
        if not way:
            raise UnknownError
        ftz = "ftz" in m
        return Op(lambda x: _to_integer(flushed(x) if ftz else x, way, kind, source), (source,), (kind,))
    if _is_float(kind):
        direction = next((each for each in m if each in _DIRECTIONS), "")
        return Op(lambda x: narrowed(x, TYPES[kind], direction), (source,), (kind,))
    return Op(_between_integers(m, kind, source), (source,), (kind,))


def _pack_halves(m):
    def pack(a, b):
        made = [x.astype(np.float16).view(np.uint16).astype(np.uint32) for x in (a, b)]
        return (made[0] << np.uint32(16)) | made[1]

    return Op(pack, ("f32", "f32"), ("b32",))


APPROXIMATE = {
    # Largest errors that 9.7.3 states, relative unless it says otherwise.
    "rcp.approx.f32": "1 ulp",
    "div.approx.f32": "2 ulp for divisors of 2**-126 to 2**126",
    "div.full.f32": "2 ulp",
    "sqrt.approx.f32": "2**-23",
    "rsqrt.approx.f32": "2**-22.9",
    "sin.approx.f32": "2**-20.5 absolute within [-pi, pi]",
    "cos.approx.f32": "2**-20.5 absolute within [-pi, pi]",
    "lg2.approx.f32": "2**-22, absolute between 0.5 and 2",
    "ex2.approx.f32": "2**-22.5",
    "tanh.approx.f32": "2**-11",
}
"""What a GPU may be off by where this table computes the nearest number."""
