"""Kernels of CUDA C++ over what C computes otherwise than Python: promotions, divisions, shifts, conversions, functions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .functions import Line, allowed

TYPES = {
    "signed char": "i1",
    "unsigned short": "u2",
    "int": "i4",
    "unsigned int": "u4",
    "long long": "i8",
    "float": "f4",
    "double": "f8",
}
PAIRED = ("signed char", "int", "unsigned int", "long long", "float")
"""Of which each is combined with each."""
ARITHMETIC = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "==")
FLOATS = ("+", "-", "*", "/", "<", "==")
ONE = ("sqrt", "cbrt", "rcbrt", "rsqrt", "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinpi",
       "cospi", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "normcdf", "tgamma",
       "fabs", "floor", "ceil", "trunc", "rint", "round", "nearbyint")  # fmt: skip
TWO = ("atan2", "hypot", "pow", "fmod", "remainder", "copysign", "fmax", "fmin", "fdim", "nextafter")
BITS = ("__popc", "__clz", "__ffs")


def texts() -> list[tuple[str, str, tuple[str, ...]]]:
    """The name of each kernel, its code, and the types of its arrays."""
    made = []
    for a, x in TYPES.items():
        for b in PAIRED if a in PAIRED else ():
            y = TYPES[b]
            floats = "f" in x + y
            lines = [f"out{k}[i] = (x[i] {sign} y[i]);" for k, sign in enumerate(FLOATS if floats else ARITHMETIC)]
            made.append(_kernel(f"arithmetic_{x}_{y}", lines, (a, b), "double" if floats else "long long"))
        lines = [f"out{k}[i] = ({to})x[i];" for k, to in enumerate(TYPES)]
        made.append(_kernel(f"casts_{x}", lines, (a, a), "double"))
        if "f" not in x:
            lines = [
                f"out{k}[i] = {text};"
                for k, text in enumerate(("-x[i]", "~x[i]", "!x[i]", "x[i] ? y[i] : -1", "x[i] += y[i]", "x[i]++"))
            ]
            made.append(_kernel(f"unary_{x}", lines, (a, b := a), "long long"))
    for kind, suffix in (("double", ""), ("float", "f")):
        for k in range(0, len(ONE), 10):
            lines = [f"out{n}[i] = {f}{suffix}(x[i]);" for n, f in enumerate(ONE[k : k + 10])]
            made.append(_kernel(f"functions_{kind}_{k}", lines, (kind, kind), "double"))
        lines = [f"out{n}[i] = {f}{suffix}(x[i], y[i]);" for n, f in enumerate(TWO)]
        made.append(_kernel(f"pairs_{kind}", lines, (kind, kind), "double"))
    for kind, suffix in (("unsigned int", ""), ("long long", "ll")):
        lines = [f"out{n}[i] = {f}{suffix}(x[i]);" for n, f in enumerate(BITS)]
        made.append(_kernel(f"bits_{TYPES[kind]}", lines, (kind, kind), "long long"))
    return made


def _kernel(name: str, lines: list[str], kinds: tuple[str, str], out: str) -> tuple[str, str, tuple[str, ...]]:
    outs = ", ".join(f"{out}* out{k}" for k in range(len(lines)))
    body = "\n    ".join(lines)
    code = (
        f'extern "C" __global__ void {name}({kinds[0]}* x, {kinds[1]}* y, int n, {outs}) {{\n'
        f"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {{\n    {body}\n  }}\n}}\n"
    )
    return name, code, (*kinds, *(out,) * len(lines))


def values(kind: str, rng: np.random.Generator, n: int, name: str) -> np.ndarray:
    """Extremes, zeros and small numbers."""
    dtype = np.dtype(TYPES[kind])
    if dtype.kind == "f":
        special = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 0.1, 100.0]
        special += [] if name.startswith("casts") else [np.inf, -np.inf, np.nan, 1e-30]
        return np.concatenate([special, rng.normal(size=n - len(special)) * 10]).astype(dtype)
    info = np.iinfo(dtype)
    some = np.array([info.min, info.max, info.max - 1, 0, 1, 2, 3, 7], dtype)
    return rng.choice(np.concatenate([some, rng.integers(info.min, info.max, 24, dtype=dtype)]), n)


def lines(name: str, kinds: tuple[str, ...]) -> tuple[Line, ...]:
    """The functions of a kernel, each with the error that CUDA states for it; nothing for kernels of operators."""
    family, kind, *rest = name.split("_")
    chosen: Sequence[str] = ()
    if family == "functions":
        chosen = ONE[int(rest[0]) : int(rest[0]) + 10]
    elif family == "pairs":
        chosen = TWO
    width = "float64" if kind == "double" else "float32"
    return tuple(Line(each, f"{each}({kind})", kinds[:2], "float64", allowed(each, width)) for each in chosen)


def launch(launches: list, beginning: str = "", n: int = 200) -> None:
    """Launch those whose names begin so: divisors are not zero and shifts within the width, since C leaves the rest open."""
    import cupy as cp

    for name, code, kinds in texts():
        if not name.startswith(beginning):
            continue
        rng = np.random.default_rng(len(code))
        x, y = (values(kind, rng, n, name) for kind in kinds[:2])
        if name.startswith("arithmetic") and y.dtype.kind != "f":
            width = max(32, 8 * x.dtype.itemsize) if x.dtype.kind != "f" else 32
            y = (y.astype("i8") % (width - 1) + 1).astype(y.dtype)
            y = np.where(y > 0, y, 1).astype(y.dtype)
        if name.startswith("casts_f"):
            x = np.abs(x) % 100  # a number that no integer holds is undefined in C
        outs = [cp.zeros(n, TYPES[kind]) for kind in kinds[2:]]
        cp.RawKernel(code, name)((2,), (128,), (cp.asarray(x), cp.asarray(y), np.int32(n), *outs))
        launches[-1].lines = lines(name, kinds)
    cp.cuda.Device().synchronize()
