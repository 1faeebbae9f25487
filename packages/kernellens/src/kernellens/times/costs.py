"""What one operation of the source costs a GPU: how many instructions, of which unit.

`costs.json` has the functions of `math`, counted in what the compiler makes of them.  The rest is here: arithmetic of
floats is one instruction, of 64-bit integers two of 32 bits, and so on.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import NamedTuple

WIDE = "lL"
"""Type letters of integers of 64 bits."""
FLOATS = {"d": "float64", "f": "float32", "e": "float16", "D": "float64", "F": "float32"}
CERTAIN = {"float64": 8.0, "float32": 1.0, "float16": 1.0}
"""Operations that a function such as a sine takes at the very least: in float64 a polynomial of more than eight terms, in
the others one look-up in the special function units, which takes longer than one operation (fastmath)."""


class Cost(NamedTuple):
    """Of one operation.

    Attributes
    ----------
    slots : dict of str to float
        Instructions by unit: "float64", "float32", "float16", "int32", "special".
    flops : float
        Floating-point operations, as the source has them: 1 for `+`; for a function, its instructions.
    certain : float
        Of these, those that no compiler can do without, each operand being there.
    """

    slots: dict[str, float]
    flops: float = 0.0
    certain: float = 0.0


@functools.cache
def table() -> dict[str, dict[str, list[float]]]:
    """The functions' instructions by type: ``[floating-point, special, integer]``."""
    data = json.loads(Path(__file__).with_name("costs.json").read_text(encoding="utf-8"))
    return {name: rows for name, rows in data.items() if isinstance(rows, dict)}


def binary(name: str, letter: str, constant: object = None, fast: bool = False) -> Cost:
    """Cost of an operator.

    Parameters
    ----------
    name : str
        As in the module `operator`: "add", "truediv", "eq" …
    letter : str
        Type that it is done in, a NumPy type character.
    constant : int or float, optional
        The right operand, where it is known.
    fast : bool
        Whether the kernel is compiled with fastmath.
    """
    if letter in FLOATS:
        cost = _float(name, letter, constant, fast)
        if letter in "DF":
            times = {"mul": 6, "truediv": 10, "pow": 3}.get(name, 2)
            kind = FLOATS[letter]
            more = {unit: n * times if unit == kind else n for unit, n in cost.slots.items()}
            return Cost(more, cost.flops * times, cost.certain * (2 if name == "truediv" else min(times, 6)))
        return cost
    width = 2 if letter in WIDE else 1
    if name == "mul":
        return Cost({"int32": 4 if width == 2 else 1})
    if name in ("floordiv", "mod", "truediv"):
        if isinstance(constant, int) and constant:
            return Cost({"int32": (4 if constant & (constant - 1) == 0 else 8) * width})
        return Cost({"int32": 18 + 6 * (width - 1), "special": 1})
    if name == "pow":
        if isinstance(constant, int) and 0 <= constant < 64:
            return Cost(
                {"int32": max(1, constant.bit_length() + bin(constant).count("1") - 2) * (4 if width == 2 else 1)}
            )
        return Cost({"int32": 64 * width})
    return Cost({"int32": float(width)})


def _float(name: str, letter: str, constant: object, fast: bool) -> Cost:
    kind = FLOATS[letter]
    if name in ("add", "sub", "mul"):
        return Cost({kind: 1.0}, 1.0, 0.0 if _trivial(constant) else 1.0)
    if name in ("eq", "ne", "lt", "le", "gt", "ge", "min", "max"):
        return Cost({kind: 1.0})
    if name == "pow" and isinstance(constant, (int, float)) and constant == int(constant) and 0 <= constant < 64:
        power = int(constant)
        times = max(0, power.bit_length() + bin(power).count("1") - 2)
        return Cost({kind: float(times)}, float(times), min(times, 1.0))
    known = {"truediv": "div", "pow": "pow", "floordiv": "floordiv", "mod": "mod"}.get(name)
    if known is None:
        return Cost({kind: 1.0}, 1.0)
    cost = function(known, letter, fast)
    return cost._replace(certain=0.0 if _trivial(constant) else 1.0)


def function(name: str, letter: str, fast: bool = False) -> Cost:
    """Cost of a function of `math` on floats."""
    kind = FLOATS.get(letter, "float64")
    rows = table()["float64" if kind == "float64" else "float32 fast" if fast else "float32"]
    if name in ("floor", "ceil", "trunc", "rint"):
        return Cost({"special": 1.0})
    if name in ("fabs", "abs", "absolute", "copysign"):
        return Cost({kind if letter in FLOATS else "int32": 1.0})
    if name == "fma":
        return Cost({kind: 1.0}, 2.0, 2.0)
    floats, special, others = rows.get(_ALIASES.get(name, name), (10, 1, 10))
    certain = 1.0 if name in ("sqrt", "div") else CERTAIN[kind]
    return Cost(
        {kind: float(floats), "special": float(special), "int32": float(others)}, max(1.0, float(floats)), certain
    )


_ALIASES = {
    **{
        "arcsin": "asin",
        "arccos": "acos",
        "arctan": "atan",
        "arctan2": "atan2",
        "arcsinh": "asinh",
        "arccosh": "acosh",
    },
    **{"arctanh": "atanh", "power": "pow", "fmod": "fmod", "remainder": "fmod", "exp2": "exp", "rsqrt": "sqrt"},
}


def conversion(source: str, target: str) -> Cost:
    """Cost of turning one type of number into another: between floats and integers, and between widths of floats, it is the
    special function units' rate [CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions", as public notes quote
    it: 16 results of "all other type conversions" a cycle and SM]."""
    if source == target or (source not in FLOATS and target not in FLOATS):
        return Cost({})
    return Cost({"special": 1.0})


def _trivial(constant: object) -> bool:
    """Whether an operation with this constant may be left out or put into another: x * 1, x + 0, x * -1."""
    return isinstance(constant, (int, float)) and constant in (0, 1, -1)
