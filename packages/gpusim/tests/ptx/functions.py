"""One-line kernels over the functions and operators that a kernel has, with numbers of all sizes.

`ULPS` is what CUDA's documentation allows each function: *CUDA C++ Programming Guide*, "Mathematical Functions", the tables of
maximum errors in single and double precision.  What is not there has to agree bit for bit.
"""

from __future__ import annotations

import importlib.util
import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ULPS: dict[str, tuple[int, int]] = {
    "rsqrt": (2, 1), "cbrt": (1, 1), "rcbrt": (1, 1), "hypot": (3, 2), "exp": (2, 1), "exp2": (2, 1), "exp10": (2, 1),
    "expm1": (1, 1), "log": (1, 1), "log2": (1, 1), "log10": (2, 1), "log1p": (1, 1), "sin": (2, 2), "cos": (2, 2),
    "tan": (4, 2), "sinpi": (1, 2), "cospi": (1, 2), "asin": (2, 2), "acos": (2, 2), "atan": (2, 2), "atan2": (3, 2),
    "sinh": (3, 2), "cosh": (2, 1), "tanh": (2, 1), "asinh": (3, 3), "acosh": (4, 3), "atanh": (3, 2), "pow": (4, 2),
    "powi": (4, 2), "erf": (2, 2), "erfc": (4, 5), "erfinv": (2, 5), "erfcinv": (4, 6), "normcdf": (5, 5),
    "normcdfinv": (5, 8), "lgamma": (6, 4), "tgamma": (5, 10),
    "erfcx": (4, 4), "j0": (9, 7), "j1": (9, 7), "y0": (9, 64), "y1": (9, 64), "jn": (16, 10000), "yn": (24, 24),
}  # fmt: skip
"""The largest errors of a function of float32 and of float64, in units of the last place of the exact result.

Of `jn` and `yn` the guide states absolute errors, and ours of `y0` and `y1` are larger near their zeros: these bounds are measured, for orders up to 8.
"""
BESSEL = ("j0", "j1", "y0", "y1", "jn", "yn")
"""Their errors are stated in units for numbers between -8 and 8."""

ONE = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "degrees", "erf", "erfc", "exp", "expm1", "fabs",
       "floor", "gamma", "isfinite", "isinf", "isnan", "lgamma", "log", "log10", "log1p", "log2", "radians", "sin", "sinh",
       "sqrt", "tan", "tanh", "trunc")  # fmt: skip
TWO = ("atan2", "copysign", "fmod", "hypot", "pow", "remainder", "nextafter")


class Line(NamedTuple):
    """A kernel ``out[i] = TEXT`` over arrays `x`, `y`, `z` of some types; `results` is how many it has."""

    name: str
    text: str
    types: tuple[str, ...]
    out: str
    ulps: float = 0.0
    results: int = 1


def lines() -> list[Line]:
    """All of them, always in one order."""
    made = [*_of_math(), *_of_libdevice(), *_of_numpy(), *_of_operators()]
    names = [line.name for line in made]
    assert len(set(names)) == len(names)
    return made


def allowed(name: str, kind: str) -> float:
    """What the two may be apart: what CUDA allows, and one unit for the processor's own library."""
    name = {"gamma": "tgamma"}.get(name, name)
    return ULPS[name][kind == "float64"] + 1.0 if name in ULPS else 0.0


def _of_math() -> Iterator[Line]:
    for kind in ("float32", "float64"):
        for name in ONE:
            yield Line(f"math_{name}_{kind}", f"math.{name}(x[i])", (kind,), "float64", allowed(name, kind))
        for name in TWO:
            yield Line(f"math_{name}_{kind}", f"math.{name}(x[i], y[i])", (kind, kind), "float64", allowed(name, kind))
        yield Line(f"math_ldexp_{kind}", "math.ldexp(x[i], z[i])", (kind, "int32", "int32"), "float64")
        for name in ("cbrt", "fma"):
            text = "cuda.cbrt(x[i])" if name == "cbrt" else "cuda.fma(x[i], y[i], z[i])"
            yield Line(
                f"cuda_{name}_{kind}", text, (kind,) * (1 if name == "cbrt" else 3), "float64", allowed(name, kind)
            )
        for text in (
            "round(x[i])",
            "int(x[i])",
            "abs(x[i])",
            "min(x[i], y[i])",
            "max(x[i], y[i])",
            "x[i] ** 2",
            "x[i] ** y[i]",
        ):
            name = text.replace("[i]", "").replace(" ", "").replace("**", "pow").translate(str.maketrans("(),", "___"))
            out = "int64" if text.startswith(("round", "int")) else "float64"
            yield Line(f"builtin_{name}_{kind}", text, (kind, kind), out, allowed("pow", kind) if "** y" in text else 0)
    for kind in ("int32", "int64", "uint32", "uint64"):
        for name in ("popc", "brev", "clz", "ffs"):
            yield Line(f"cuda_{name}_{kind}", f"cuda.{name}(x[i])", (kind,), "uint64")
        for text in ("abs(x[i])", "min(x[i], y[i])", "max(x[i], y[i])", "x[i] ** 3"):
            name = text.replace("[i]", "").replace(" ", "").replace("**", "pow").translate(str.maketrans("(),", "___"))
            yield Line(f"builtin_{name}_{kind}", text, (kind, kind), "int64" if kind[0] == "i" else "uint64")


def _of_libdevice() -> Iterator[Line]:
    from numba.cuda import libdevice  # the simulated one: its table says what types a function takes and gives

    for name, (results, types) in sorted(libdevice._SIGNATURES.items()):
        plain = name.removeprefix("fast_")
        if plain not in ULPS and plain not in ("sincos", "sincospi"):
            plain = plain.removesuffix("f")
        ulps = allowed({"sincos": "sin", "sincospi": "sinpi"}.get(plain, plain), results[0])
        if name.startswith("fast_"):
            ulps = math.inf
        call = f"libdevice.{name}({', '.join(f'{a}[i]' for a in 'xyz'[: len(types)])})"
        out = "float64" if results[0].startswith("float") else "int64"
        yield Line(f"libdevice_{name}", call, tuple(types), out, ulps, len(results))


def _of_numpy() -> Iterator[Line]:
    unary = ("log", "sin", "deg2rad", "isnan")
    for kind in ("float32", "float64"):
        for name in unary:
            yield Line(f"numpy_{name}_{kind}", f"np.{name}(x[i])", (kind,), "float64", allowed(name, kind))
        for name in ("maximum", "minimum", "fmax", "fmin", "arctan2"):
            ulps = {"arctan2": allowed("atan2", kind)}.get(name, 0)
            yield Line(f"numpy_{name}_{kind}", f"np.{name}(x[i], y[i])", (kind, kind), "float64", ulps)
    for name, source, target in (
        *(
            (f"{a}_{b}", a, b)
            for a in ("float32", "float64", "int64", "uint64", "int32")
            for b in ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64")
            if a != b
        ),
    ):
        out = "float64" if target.startswith("float") else "uint64" if target[0] == "u" else "int64"
        yield Line(f"numpy_cast_{name}", f"np.{target}(x[i])", (source,), out)


SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "and": "&", "or": "|", "xor": "^",
         "lshift": "<<", "rshift": ">>", "lt": "<", "eq": "==", "ne": "!=", "ge": ">="}  # fmt: skip
KINDS = ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64")


def _of_operators() -> Iterator[Line]:
    """Each operator for each pair of types: of one kind and of two."""
    for a in KINDS:
        for b in KINDS:
            for name, sign in SIGNS.items():
                floats = a.startswith("float") or b.startswith("float")
                if floats and name in ("and", "or", "xor", "lshift", "rshift"):
                    continue
                if a != b and name in ("ne", "ge", "or", "xor"):
                    continue
                out = "float64" if floats or name == "truediv" else "uint64" if a[0] == b[0] == "u" else "int64"
                yield Line(f"operator_{name}_{a}_{b}", f"x[i] {sign} y[i]", (a, b), out)


def _bessel(line: Line) -> bool:
    return line.name.removeprefix("libdevice_").removesuffix("f") in BESSEL


TOGETHER = 12
"""Lines in one kernel: to compile one with many takes less time than many with one."""


class Kernel(NamedTuple):
    """Lines over arrays of the same types."""

    name: str
    lines: tuple[Line, ...]

    @property
    def types(self) -> tuple[str, ...]:
        return self.lines[0].types

    def text(self) -> str:
        """Its source: each line has arrays for its results."""
        outs, body = [], []
        for k, line in enumerate(self.lines):
            mine = [f"out{k}_{r}" for r in range(line.results)]
            outs += mine
            body.append(f"        {', '.join(f'{each}[i]' for each in mine)} = {line.text}\n")
        head = (
            f"\n\n@cuda.jit\ndef {self.name}(x, y, z, {', '.join(outs)}):\n    i = cuda.grid(1)\n    if i < x.size:\n"
        )
        return head + "".join(body)

    def arguments(self, n: int = 256) -> tuple[np.ndarray, ...]:
        """Special values first, then numbers of all sizes; the same in every process."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        types = (*self.types, *("float32",) * (3 - len(self.types)))
        made = [values(kind, rng, n, self.lines[0]) for kind in types]
        if "shift" in self.name:
            made[1] = (made[1].astype(np.int64) % (8 * min(made[0].itemsize, 4))).astype(types[1])
        if _bessel(self.lines[0]) and types[0] == "int32":
            made[0] = rng.integers(-1, 9, n).astype("int32")
        if "int32" in types[1:] and types[0].startswith("float"):
            made[1:] = [rng.integers(-60, 60, n).astype(kind) for kind in types[1:]]
        outs = [np.zeros(n, line.out) for line in self.lines for _ in range(line.results)]
        return (*made, *outs)


def kernels(chosen: list[Line] | None = None) -> list[Kernel]:
    """The lines, put together in kernels."""
    grouped: dict[tuple, list[Line]] = {}
    for line in lines() if chosen is None else chosen:
        family = line.name.split("_")[0]
        shift = "shift" if "shift" in line.name else ""
        positive = "lgamma" if "lgamma" in line.name else "bessel" if _bessel(line) else ""
        whole = line.types[0].startswith("float") and line.out != "float64" and "is" not in line.name
        grouped.setdefault((family, line.types, shift, positive, whole and line.out), []).append(line)
    made = []
    for (family, types, shift, positive, whole), some in grouped.items():
        for k in range(0, len(some), TOGETHER):
            name = "_".join(filter(None, [family, *types, shift, positive, whole or "", str(k // TOGETHER)]))
            made.append(Kernel(name, tuple(some[k : k + TOGETHER])))
    return made


def module(chosen: list[Kernel], folder: Path) -> Any:
    """A module with the kernels, in a file, since the engine reads its source."""
    head = "import math\n\nimport numpy as np\nfrom numba import cuda\nfrom numba.cuda import libdevice\n"
    file = folder / "one_line_kernels.py"
    file.write_text(head + "".join(each.text() for each in chosen))
    spec = importlib.util.spec_from_file_location("one_line_kernels", file)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def values(kind: str, rng: np.random.Generator, n: int, line: Line) -> np.ndarray:
    """Numbers of a type."""
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        special = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            -2.5,
            3.0,
            math.inf,
            -math.inf,
            math.nan,
            0.1,
            1e-30,
            100.0,
        ]
        spread = rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-6, 4, n)
        near = rng.uniform(-1, 1, n)
        some = np.concatenate([spread[: n // 2], near, rng.normal(size=n)])
        if _bessel(line):
            some = np.copysign(np.fmod(np.abs(some), 7.9) + 0.1, some)
            special = [v for v in special if 0.1 <= abs(v) < 8 or not math.isfinite(v)]
        if "lgamma" in line.name:  # between -23 and 0 the error is larger, the guide says
            some, special = np.abs(some), [v for v in special if not v < 0]
        if (
            line.out in ("int64", "uint64") and "is" not in line.name
        ):  # what fits no integer is undefined in C and NumPy
            special = [v for v in special if math.isfinite(v)]
        if "cast" in line.name and line.out == "uint64":
            some, special = np.abs(some), [abs(v) for v in special]
        if "int8" in line.name:
            some, special = some % 100, [v % 100 for v in special]
        return np.concatenate([rng.permutation(special), rng.choice(some, n - len(special))]).astype(dtype)
    info = np.iinfo(dtype)
    some = np.concatenate([[info.min, info.max, info.max - 1, 0, 1, 2, 3, 7], rng.integers(0, 100, 8)]).astype(dtype)
    if dtype.kind == "i":
        some = np.concatenate([some, np.array([-1, -2, -5, -100], dtype)])
    wide = rng.integers(info.min, info.max, 20, dtype=dtype)
    return rng.choice(np.concatenate([some, wide]), n)
