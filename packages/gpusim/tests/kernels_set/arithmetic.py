"""Pairs of number types under every operator, in a kernel and in ``numba.njit``: run by test_arithmetic.py.

A process with the simulated library in it; prints a line of JSON for each pair: what differs.
"""

from __future__ import annotations

import json
import linecache
import operator
import sys

import numpy as np

TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "==": operator.eq,
}
BLOCK = 64


def values(name: str, rng: np.random.Generator, n: int) -> np.ndarray:
    """Small numbers, extremes and zeros of a type, in disorder."""
    kind = np.dtype(name)
    if kind.kind == "b":
        return rng.random(n) < 0.5
    if kind.kind == "f":
        some = np.concatenate([rng.normal(0, 1e3, n), [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-300, 2.5, -7.0]])
        with np.errstate(over="ignore"):
            return rng.choice(some, n).astype(kind)
    info = np.iinfo(kind)
    some = np.concatenate([[info.min, info.max, info.max - 1, 0, 1, 2, 3, 7], rng.integers(0, 100, 8)]).astype(kind)
    if kind.kind == "i":
        some = np.concatenate([some, np.array([-1, -2, -5, -100], kind)])
    return rng.choice(some, n)


def operators_of(left, right) -> list[tuple[str, object]]:
    """The operators that Numba has for two types, with their result type."""
    from numba.core.registry import cpu_target

    context = cpu_target.typing_context
    context.refresh()
    found = []
    for sign, function in OPERATORS.items():
        try:
            result = context.resolve_function_type(function, (left, right), {}).return_type
        except Exception:  # Numba has none: no float & float
            continue
        found.append((sign, result))
    return found


def make(name: str, lines: list[str]):
    """A function from source that can be read again, as a kernel's must."""
    text = "\n".join(lines) + "\n"
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, object] = {}
    from numba import cuda

    scope["cuda"] = cuda
    exec(compile(text, file, "exec"), scope)
    return scope[name]


def compare(left: str, right: str) -> dict:
    """What differs between a kernel and njit for one pair of types."""
    from numba import cuda, from_dtype, njit

    rng = np.random.default_rng(hash((TYPES.index(left), TYPES.index(right))) % 2**32)
    n = 200
    x, y = values(left, rng, n), values(right, rng, n)
    signs = operators_of(from_dtype(np.dtype(left)), from_dtype(np.dtype(right)))
    # A shift by more than the width is nobody's business; a negative one neither.
    shift = (y.astype("f8") % 8).astype(y.dtype) if np.dtype(right).kind in "iu" else y
    shift = np.abs(shift) if np.dtype(right).kind == "i" else shift
    outs = [np.zeros(n, str(kind) if str(kind) != "bool" else "?") for _, kind in signs]
    names = [f"o{k}" for k in range(len(signs))]
    statements = [
        f"o{k}[i] = x[i] {sign} {'s' if len(sign) == 2 and sign in '<<>>' else 'y'}[i]"
        for k, (sign, _) in enumerate(signs)
    ]
    head = f"(x, y, s, {', '.join(names)}):"
    kernel = make(
        "kernel",
        [f"def kernel{head}", "    i = cuda.grid(1)", "    if i < x.size:", *(f"        {s}" for s in statements)],
    )
    loop = make("loop", [f"def loop{head}", "    for i in range(x.size):", *(f"        {s}" for s in statements)])
    theirs = [out.copy() for out in outs]
    # A GPU divides by zero without an exception.
    njit(loop, error_model="numpy")(x, y, shift, *theirs)
    device = [cuda.to_device(out) for out in outs]
    cuda.jit(kernel)[-(-n // BLOCK), BLOCK](*map(cuda.to_device, (x, y, shift)), *device)
    wrong = []
    for (sign, kind), mine, right_ones in zip(signs, device, theirs, strict=True):
        a, b = mine.copy_to_host(), right_ones
        if a.dtype.kind == "f":
            a, b = (np.where(np.isnan(v), np.array(np.nan, v.dtype), v) for v in (a, b))
        differ = a.view(f"u{a.itemsize}") != b.view(f"u{b.itemsize}")
        if differ.any():
            k = int(differ.argmax())
            wrong.append(
                f"{x[k]!r} {sign} {(shift if sign in ('<<', '>>') else y)[k]!r} is {a[k]!r}, by njit {b[k]!r} ({kind})"
            )
    return {"operators": [sign for sign, _ in signs], "wrong": wrong}


def main() -> None:
    import gpusim

    gpusim.activate()
    for asked in sys.argv[1:]:
        left, right = asked.split("-")
        answer = {"pair": [left, right]}
        try:
            answer |= compare(left, right)
        except Exception as error:
            answer |= {"operators": [], "wrong": [f"{type(error).__name__}: {error}"]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    sys.exit(main())
