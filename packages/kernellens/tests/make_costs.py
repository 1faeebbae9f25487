"""Count what the compiler makes of functions of numbers: prints `packages/kernellens/src/kernellens/times/costs.json`'s rows.

Run with a Python that has the real numba-cuda and its compiler (the extra `compiler`), without the simulated libraries:

    python packages/kernellens/tests/make_costs.py

In PTX a division and a root are one instruction, of which ptxas makes several (from memory: 7 to 9 floating-point ones and
one of the special units), and a remainder is a loop: `BY_HAND` has what these are taken for.
"""

from __future__ import annotations

import collections
import json
import math
import re

UNARY = "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp expm1 log log2 log10 log1p sqrt erf erfc gamma lgamma"
BINARY = "pow atan2 fmod hypot"
CASES = {
    "identity": "x",
    **{name: f"math.{name}(x)" for name in UNARY.split()},
    **{name: f"math.{name}(x, y)" for name in BINARY.split()},
    **{"div": "x / y", "mod": "x % y", "floordiv": "x // y", "cbrt": "cuda.cbrt(x)"},
}
MOST = 12
"""Integer and other instructions counted at most: the rest are the way of far-off arguments of sin, cos and tan."""
BY_HAND = {
    "float32": {
        "div": [8, 1, 4],
        "sqrt": [7, 1, 4],
        "mod": [7, 1, 4],
        "floordiv": [15, 2, 6],
        "fmod": [23, 3, 28],
        "hypot": [14, 1, 17],
    },
    "float32 fast": {
        "div": [1, 1, 0],
        "sqrt": [1, 1, 0],
        "mod": [7, 1, 4],
        "floordiv": [15, 2, 6],
        "fmod": [23, 3, 28],
        "hypot": [7, 1, 17],
    },
    "float64": {
        "div": [9, 1, 6],
        "sqrt": [9, 1, 6],
        "mod": [9, 1, 6],
        "floordiv": [20, 2, 8],
        "fmod": [4, 1, 90],
        "hypot": [15, 1, 17],
    },
}
SPECIAL = re.compile(r"approx|rcp|sqrt|rsqrt|ex2|lg2|sin|cos")
FLOAT = re.compile(r"(fma|add|sub|mul|div|neg|abs|min|max)\S*\.(f32|f64)")


def row(ptx: str, name: str, single: bool) -> list[int]:
    """``[floating-point, special and conversions, integer and others]`` in the PTX of a function."""
    found = collections.Counter()
    for line in ptx.splitlines():
        word = re.match(r"([a-z][a-z0-9_.]*)\s", re.sub(r"^@!?%p\d+\s+", "", line.strip()))
        if not word:
            continue
        op = word.group(1)
        if op.startswith(("ld.param", "st.param", "ret", "mov", "bra", "call", "setp", "selp")):
            found["other"] += 1
        elif op.startswith("cvt"):
            found["conversion"] += 1
        elif SPECIAL.search(op):
            found["special"] += 1
        elif FLOAT.match(op):
            found["float" if not single or FLOAT.match(op).group(2) == "f32" else "far"] += 1
        else:
            found["integer"] += 1
    others = min(found["integer"] - 1, MOST) + min(found["other"] - 4, MOST)
    far_off = name in ("sin", "cos", "tan")  # whose way converts several times; the other once
    found["special"] += min(found["conversion"], 1) if far_off else found["conversion"]
    return [found["float"], found["special"], max(0, others)]


def main() -> None:
    from numba import cuda, types

    rows = {}
    for kind, fast in ((types.float32, False), (types.float32, True), (types.float64, False)):
        table = rows[f"{kind} fast" if fast else str(kind)] = {}
        for name, expression in CASES.items():
            scope = {"math": math, "cuda": cuda}
            exec(f"def function(x, y):\n    return {expression}\n", scope)
            ptx, _ = cuda.compile_ptx(scope["function"], (kind, kind), device=True, fastmath=fast, cc=(8, 0))
            table[name] = BY_HAND[f"{kind} fast" if fast else str(kind)].get(name) or row(
                ptx, name, kind is types.float32
            )
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
