"""A recorded launch, run from the PTX of NVIDIA's compiler, and how far its results are from the engine's."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from . import compiler
from .machine import Machine
from .parse import Module, parse
from .recording import Launch

PRELUDE = """
typedef long ptrdiff_t;
typedef signed char int8_t; typedef unsigned char uint8_t; typedef short int16_t; typedef unsigned short uint16_t;
typedef int int32_t; typedef unsigned int uint32_t; typedef long long int64_t; typedef unsigned long long uint64_t;
template <typename T, int N> struct CArray {
  T* data_; ptrdiff_t size_; ptrdiff_t shape_[N > 0 ? N : 1]; ptrdiff_t strides_[N > 0 ? N : 1];
  static const int ndim = N;
  __device__ ptrdiff_t size() const { return size_; }
  __device__ const ptrdiff_t* shape() const { return shape_; }
  __device__ const ptrdiff_t* strides() const { return strides_; }
  __device__ const ptrdiff_t* get() const { return shape_; }
  __device__ T& operator[](ptrdiff_t i) const { return data_[i]; }
  template <typename I> __device__ T& operator[](const I (&at)[N]) const {
    char* p = reinterpret_cast<char*>(data_);
    for (int k = 0; k < N; ++k) p += strides_[k] * at[k];
    return *reinterpret_cast<T*>(p);
  }
};
template <typename T> struct CArray<T, 0> {
  T* data_; ptrdiff_t size_;
  static const int ndim = 0;
  __device__ ptrdiff_t size() const { return size_; }
  __device__ T& operator[](ptrdiff_t i) const { return data_[i]; }
};
"""
"""What CuPy puts in front of an elementwise or reduction kernel, as far as the kernels here need it."""

COMPLEX = "#include <cuda/std/complex>\ntemplate <typename T> using complex = cuda::std::complex<T>;\n"

APPROXIMATE = re.compile(r"\b(?:ex2|lg2|sin|cos|tanh|rsqrt|rcp|div|sqrt)\.(?:approx|full)\b[\w.]*")
"""Instructions whose result the ISA leaves open within an error."""

MATH = re.compile(
    r"\b_{0,2}(?:nv_)?(?:sin|cos|tan|exp|log|pow|sqrt|cbrt|erf|gamma|atan|asin|acos|hypot|sinh|cosh|tanh)\w*"
)


@dataclass
class Difference:
    """How far results are apart.

    Attributes
    ----------
    same : bool
        Bit for bit, all NaNs taken for one.
    count, of : int
        How many items differ, of how many.
    ulp : float
        The largest difference in units of the last place, of floats; infinite where one is no number.
    relative : float
        The largest difference, relative to the larger of the two.
    scaled : float
        The largest difference, relative to the largest item of its array.
    first : str
    """

    same: bool
    count: int = 0
    of: int = 0
    ulp: float = 0.0
    relative: float = 0.0
    scaled: float = 0.0
    first: str = ""


@functools.lru_cache(maxsize=32)
def parsed(*texts: str) -> Module:
    """A module, parsed once."""
    return parse(*texts)


def compiled(request: dict, fma: bool = True) -> compiler.Compiled:
    """PTX of a kernel; CuPy's kernels get what CuPy puts in front of them.

    Raises
    ------
    compiler.Refused
    """
    if request["kind"] == "cpp":
        code = request["code"]
        if "cupy/complex.cuh" in code or re.search(r"\bcomplex\s*<", code):
            code = COMPLEX + re.sub(r"#include\s*<cupy/complex.cuh>", "", code)
        if "_raw_" in code or "CArray<" in code:
            code = PRELUDE + code
        request = request | {"code": code}
    return compiler.compiled(request, fma=fma)


def run(launch: Launch, fma: bool = True, steps: int = 0, fuse: bool = False) -> list[np.ndarray]:
    """What the regions of a launch hold after its PTX has run on what they held before."""
    made = compiled(launch.request, fma)
    module = parsed(made.ptx, *made.linked)
    buffers = [each.copy() for each in launch.before]
    machine = Machine(module, buffers, steps, fuse)
    function = module.functions[made.entry]

    def arguments(addresses: list[int]) -> list[bytes]:
        flat = launch.values(addresses)
        packed, k = [], 0
        for param in function.params:
            value = b""
            while len(value) < param.size:  # a struct takes several
                value += flat[k]
                k += 1
            packed.append(value)
        if k != len(flat):
            raise AssertionError(f"{launch.name} takes {k} parameters, and {len(flat)} were recorded")
        return packed

    machine.launch(made.entry, launch.grid, launch.block, arguments, launch.shared, launch.cooperative)
    return buffers


def difference(launch: Launch, found: list[np.ndarray], wanted: list[np.ndarray] | None = None) -> Difference:
    """How far what PTX made is from what the engine made."""
    total = Difference(True)
    wanted = launch.after if wanted is None else wanted
    covered = [np.zeros(each.size, bool) for each in wanted]
    for view in launch.views:
        low, high = np.lib.array_utils.byte_bounds(view.of(wanted))
        start = wanted[view.region].ctypes.data
        covered[view.region][low - start : high - start] = True
        for field, a, b in _fields(view.of(found), view.of(wanted)):
            _add(total, field, a, b)
    for mine, theirs, seen in zip(found, wanted, covered, strict=True):
        if not np.array_equal(mine[~seen], theirs[~seen]):
            _add(total, "between arrays", mine[~seen], theirs[~seen])
    return total


def _fields(mine: np.ndarray, theirs: np.ndarray, name: str = "") -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    if mine.dtype.names:
        for each in mine.dtype.names:
            yield from _fields(mine[each], theirs[each], f"{name}.{each}")
    elif mine.dtype.kind == "c":
        yield name, mine.real, theirs.real
        yield name, mine.imag, theirs.imag
    else:
        yield name, mine, theirs


def _add(total: Difference, name: str, a: np.ndarray, b: np.ndarray) -> None:
    total.of += a.size
    if a.dtype.kind == "f":
        bits = f"i{a.itemsize}"
        x, y = np.ascontiguousarray(a), np.ascontiguousarray(b)
        apart = (x.view(bits) != y.view(bits)) & ~(np.isnan(x) & np.isnan(y))
    else:
        kind = f"u{a.itemsize}" if a.itemsize in (1, 2, 4, 8) else "V"
        x, y = np.ascontiguousarray(a), np.ascontiguousarray(b)
        apart = x.view(kind) != y.view(kind) if kind != "V" else np.array(x != y)
    count = int(apart.sum())
    if not count:
        return
    total.same = False
    total.count += count
    first = tuple(int(k) for k in np.argwhere(apart)[0])
    if not total.first:
        total.first = f"{name}[{', '.join(map(str, first))}]: PTX {x[first]!r}, engine {y[first]!r}"
    if a.dtype.kind != "f":
        total.ulp = total.relative = total.scaled = np.inf
        return
    with np.errstate(all="ignore"):
        if x.dtype == np.float64 and all(np.array_equal(v, v.astype("f4"), equal_nan=True) for v in (x, y)):
            x, y = x.astype("f4"), y.astype("f4")  # numbers of float32, kept in float64
        p, q = x[apart].astype(np.float64), y[apart].astype(np.float64)
        total.ulp = max(total.ulp, float(np.max(_ulps(x[apart], y[apart]))))
        away = np.abs(p - q)
        away = np.where(np.isfinite(away), away, np.inf)
        larger = np.maximum(np.abs(p), np.abs(q))
        total.relative = max(total.relative, float(np.max(np.where(larger > 0, away / larger, 0))))
        most = np.max(np.abs(y[np.isfinite(y)]), initial=0.0)
        total.scaled = max(total.scaled, float(np.max(away) / most) if most else float("inf"))


def _ulps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How many floats lie between two, and one more; infinite where one is not finite and the other is."""
    kind = np.dtype(f"i{a.itemsize}")
    ordered = []
    for each in (a, b):
        bits = np.ascontiguousarray(each).view(kind).astype(np.float64 if a.itemsize < 8 else object)
        sign = -(2 ** (8 * a.itemsize - 1))
        ordered.append(np.where(bits < 0, sign - bits, bits))
    made = np.abs(ordered[0] - ordered[1]).astype(np.float64)
    return np.where(np.isfinite(a) & np.isfinite(b), made, np.inf)
