"""What a comparison came to, and why a difference is none of the simulator's making."""

from __future__ import annotations

import dataclasses
import marshal
import re
from types import CodeType
from typing import NamedTuple

import numpy as np

from . import compiler, functions
from .comparing import Difference, compiled, difference, run
from .machine import TooLong
from .recording import Launch

WAYS = ({"fma": True}, {"fma": True, "fuse": True}, {"fma": False})
"""A product and a sum may be one instruction: where the compiler makes it so, where the assembler may, and nowhere."""
WITHIN = 16
"""Units of the last place, relative to the largest number of an array: what functions within a few units add up to in a kernel."""
STEPS = 400_000

EXPLAINED: list[tuple[str, str, str]] = [
    # What launched it, which kernel or line, why.
    (r"functions operator_\w*", r"^x\[i\] (%|//) y\[i\]$", "remainder"),
    (r"functions ", r"^x\[i\] \*\* 3$", "power"),
    (r"functions ", r"^libdevice\.powif?\(", "repeated products"),
    (r"^set pixelcolor_search$", r"", "order"),
    (r"02_memory", r"^count_in_c$", "last bits decide"),
]
REASONS = {
    "remainder": "NVIDIA's compiler computes the % of floats as x - trunc(x / y) * y, which is NaN for an infinite y and loses digits where "
    "x / y is large; here it is exact, as in Python.",
    "power": "numba-cuda converts an integer to a constant power to float64 and back, so it has 53 bits; here it is exact.",
    "order": "An atomic counter hands out places, and in which order its threads come is open.",
    "last bits decide": "The kernel counts for how many numbers sin(x)**2 + cos(x)**2 is exactly 1.",
    "repeated products": "powi multiplies again and again, and each product is rounded; here it is pow, which is nearer.",
}


KINDS = ("exact", "fused", "within", "explained", "refused", "found", "too long", "differs")


class Verdict(NamedTuple):
    """`kind` is one of `KINDS`."""

    kind: str
    why: str = ""


def judge(launch: Launch) -> Verdict:
    """Run a launch's PTX, and say how its results are to the engine's.

    Raises
    ------
    PtxError
        For what the interpreter does not know.
    """
    if launch.found:
        return Verdict("found", ", ".join(launch.found))
    try:
        compiled(launch.request)
    except compiler.Refused as refused:
        return Verdict("refused", str(refused))
    made: list[list[np.ndarray]] = []
    for way in WAYS:
        try:
            made.append(run(launch, steps=STEPS, **way))
        except TooLong as long:
            return Verdict("too long", str(long))
        if difference(launch, made[-1]).same:
            return Verdict("fused" if way.get("fuse") or not way["fma"] else "exact")
    if launch.lines:
        return _of_lines(launch, launch.lines, made)
    best = min((difference(launch, each) for each in made), key=lambda d: d.scaled)
    if (approximate(launch.request) or adds_floats(launch.request)) and min(
        best.scaled, best.relative
    ) <= WITHIN * epsilon(launch.request):
        return Verdict("within", f"{best.ulp:.3g} ulp, {best.scaled:.2g} of the largest")
    return _otherwise(launch, launch.name, best)


def _otherwise(launch: Launch, name: str, best: Difference) -> Verdict:
    reason = next(
        (r for source, pattern, r in EXPLAINED if re.search(source, launch.source) and re.search(pattern, name)), ""
    )
    said = f"{name}: {best.count} of {best.of}, {best.ulp:.3g} ulp, {best.first}"
    return Verdict("explained", f"{reason}: {said}") if reason else Verdict("differs", said)


def _of_lines(launch: Launch, lines: tuple[functions.Line, ...], made: list[list[np.ndarray]]) -> Verdict:
    """Each line by itself: the worst of them."""
    worst = Verdict("exact")
    at = len(launch.views) - sum(line.results for line in lines)
    order = ("exact", "fused", "within", "explained", "differs")
    for line in lines:
        part = dataclasses.replace(launch, views=launch.views[at : at + line.results])
        at += line.results
        each = [_only(part, found) for found in made]
        best = min(each, key=lambda d: (not d.same, d.ulp))
        if best.same:
            verdict = Verdict("exact" if each[0].same else "fused")
        elif best.ulp <= line.ulps:
            verdict = Verdict("within", f"{line.text}: {best.ulp:.3g} ulp of {line.ulps:.3g}")
        else:
            verdict = _otherwise(launch, line.text, best)
        if order.index(verdict.kind) > order.index(worst.kind):
            worst = verdict
        elif verdict.kind == worst.kind == "differs":
            worst = Verdict("differs", f"{worst.why}\n{verdict.why}")
    return worst


def _only(launch: Launch, found: list[np.ndarray]) -> Difference:
    from .comparing import _add

    total = Difference(True)
    for view in launch.views:
        _add(total, "", view.of(found), view.of(launch.after))
    return total


MATH = re.compile(
    r"^_{0,2}(?:fast_)?(?:a?(?:sin|cos|tan)h?(?:pi)?|atan2|sincos|exp(?:2|10|m1)?|log(?:2|10|1p)?|pow|r?cbrt|erfc?(?:inv)?|[lt]?gamma|normcdf(?:inv)?|hypot|rsqrt|logaddexp|phase|polar)f?$"
    r"|^xoroshiro128p_normal_float"
)


def approximate(request: dict) -> bool:
    """Whether a kernel calls functions whose last places are left open."""
    if request["kind"] == "cpp":
        return any(MATH.match(word) for word in re.findall(r"\w+", request["code"]))
    return any(_calls(marshal.loads(each["code"])) for each in request["functions"])


def adds_floats(request: dict) -> bool:
    """Whether threads add floats at one address, in an order that is open: each order rounds otherwise."""
    return bool(re.search(r"\b(?:atom|red)\S*\.add\S*\.[fb](?:16|32|64)", compiled(request, fma=False).ptx))


def _calls(code: CodeType) -> bool:
    inner = any(_calls(each) for each in code.co_consts if isinstance(each, CodeType))
    power = any(
        op == 0x7A and arg in (8, 21) for op, arg in zip(code.co_code[::2], code.co_code[1::2], strict=True)
    )  # BINARY_OP **
    return inner or power or any(MATH.match(name) for name in code.co_names) or "abs" in code.co_names


def epsilon(request: dict) -> float:
    """The unit of the last place of the narrowest floats that a kernel computes with."""
    return 2.0**-23 if re.search(r"\b(?:fma|mul|add|ex2|lg2)\S*\.f32\b", compiled(request, fma=False).ptx) else 2.0**-52
