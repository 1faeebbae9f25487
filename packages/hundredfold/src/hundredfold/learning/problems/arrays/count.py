"""``arrays.count``: which share of the elements is exactly one; a reduction on the device that brings back one number.

What sin² + cos² rounds to depends on the library that computes it. Of random numbers 0.68 to 0.79 come out as exactly
1 (with the C library, with fused multiply-add, with polynomials), on CPU or GPU, with ``x**2`` or `square`: each is
right. So random numbers are judged by a band, and the exact cases are made of numbers whose answer no rounding can
change, with the sines and cosines that the device in use computes: on an H200 76 % of the numbers came out as 1 that cannot with
NumPy's.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np

from .. import devices
from ..cases import Case, uniform
from ..devices import cp
from ..differences import explain, number, pair, same
from ..facts import crossings
from ..functions import FunctionJudge, Run, is_float, recognise
from ..problem import Mistake, Problem
from ..properties import Drawn, layouts, second_call, sizes
from ..verdict import refuse

BAND = (0.55, 0.92)
"""Shares of random numbers that a right answer may find; the variants that are known lie within 0.68 to 0.80."""
_RANDOM, _ABOVE, _BELOW = "100 003 random numbers", "numbers that come out above 1", "numbers that come out below 1"


def share_of_ones(x: np.ndarray) -> float:
    """The specification: the share of elements of x (n,), float64, for which sin²x + cos²x == 1 exactly."""
    return float((np.sin(x) ** 2 + np.cos(x) ** 2 == 1).mean())


@cache
def hard(above: bool, n: int = 1000) -> np.ndarray:
    """Numbers for which sin² + cos² of the sine and cosine that the device computes is so much above 1, or below, that no way of
    adding them up rounds to 1. In float32 most of them give 1 all the same."""
    found = []
    x = uniform(20 * n, seed=7)
    for value, s, c in zip(x, *_sine_and_cosine(x), strict=True):
        miss = float(Fraction(s) ** 2 + Fraction(c) ** 2 - 1)
        # Half a unit in the last place of 1 is 1.1e-16 above it and 0.56e-16 below.
        if s * s + c * c != 1 and (miss >= 1.3e-16 if above else miss <= -0.7e-16):
            found.append(value)
            if len(found) == n:
                break
    return np.array(found or [np.nan])  # where the device has no such sines, NaN is no 1 either


def _sine_and_cosine(x: np.ndarray) -> tuple[list[float], list[float]]:
    there = cp.asarray(x)
    return cp.sin(there).tolist(), cp.cos(there).tolist()


def known(rng: np.random.Generator, size: int) -> tuple[np.ndarray]:
    """Numbers of which any way of computing it finds the same ones to be exactly 1: zeros and tiny numbers, among NaN and
    infinities. The share changes from the beginning to the end, so that a sample gives another one."""
    ones = rng.random(size) < np.linspace(0.9, 0.2, size)
    numbers = np.where(rng.random(size) < 0.5, 0.0, 1e-12 * rng.standard_normal(size))
    return (np.where(ones, numbers, rng.choice([np.nan, np.inf, -np.inf], size)),)


def _compare(run: Run) -> None:
    got = run.got
    array = isinstance(got, np.ndarray) or devices.is_device(got)
    if isinstance(got, (bool, np.bool_)) or (array and got.dtype.kind == "b" and got.ndim == 0):
        refuse("all", _ALL)
    is_float(got)
    if run.case.name == _RANDOM:
        recognise(run, got, rtol=1e-9)
        size = run.host[0].size
        _count(got, size)
        if not BAND[0] <= got <= BAND[1]:
            near_one = got > BAND[1]
            refuse(
                "tolerance" if near_one else "value",
                f"it is {number(got)}. About three quarters are exactly 1, whoever computes the sine"
                + ("; nearly all are close to 1, which is not what was asked." if near_one else "."),
            )
        if abs(got * size - round(got * size)) > 1e-7:
            share, nearest = pair(got, round(got * size) / size)
            refuse(
                "value",
                f"it is {share}, which is the share of no whole number of {size} elements; the nearest is {nearest}. Were all of "
                "them counted, and the share taken in float64?",
            )
    elif run.case.name in (_ABOVE, _BELOW):
        _hard(run, got)
    elif not same(got, run.expected, 1e-12, 0.0):
        recognise(run, got)
        _count(got, run.host[0].size, run.expected)
        explain(np.asarray(got), np.asarray(run.expected), rtol=1e-12)


def _hard(run: Run, got: float) -> None:
    """In float64 hardly any is exactly 1. Where many are: because of float32, or of a tolerance, whichever is nearer."""
    if got <= 0.4:
        return
    x = run.host[0]
    single = cp.asarray(x.astype(np.float32))
    as_single = float((cp.sin(single) ** 2 + cp.cos(single) ** 2 == 1).mean())
    if abs(got - as_single) < 0.1:
        refuse("dtype", f"it is {number(got)}, as in float32. In float64 hardly any of them is exactly 1.")
    refuse("tolerance", f"it is {number(got)}. Hardly any of these is exactly 1: they miss it by one or two roundings.")


def _count(got: float, size: int, share: float | None = None) -> None:
    ones = share * size if share is not None else None
    if got > 1 and (ones is None or got == ones):
        refuse("count", f"it is {number(got)}: that is how many there are; which share of the {size} was asked for.")


_ALL = "that tells whether all of them are 1. Asked for: which share of them is, a number from 0 to 1."

_EACH = "Every element counts, whatever their number, and the share has all digits of a float64."

COUNT = Problem(
    id="arrays.count",
    title="Count on the device, bring back one number",
    kind="write",
    answers=("share_of_ones",),
    specification=share_of_ones,
    lines=2,
    judge=FunctionJudge(
        cases=(
            Case("three zeros and a NaN", lambda: (np.array([0.0, np.nan, 0.0, 0.0]),)),
            Case("one zero", lambda: (np.zeros(1),)),
            Case("infinities, of which there is no sine", lambda: (np.array([np.inf, -np.inf]),)),
            Case("tiny and negative numbers", lambda: (np.array([1e-200, -1e-12, -0.0, 5e-324, 3e-10]),)),
            Case("every third of 12 numbers", lambda: (np.tile([0.0, 2.0, np.nan], 4),), lambda a: a[::3]),
            Case(_RANDOM, lambda: (uniform(100_003),)),
            Case(_ABOVE, lambda: (hard(True).copy(),)),
            Case(_BELOW, lambda: (hard(False).copy(),)),
        ),
        unlisted=(Case("one NaN", lambda: (np.array([np.nan]),)),),
        drawn=Drawn(
            known,
            31,
            sizes(2, 1009, 100_003, 1_000_003, words="{} numbers of which the share is known", hint=_EACH),
            layouts(),
            second_call(),
        ),
        facts=(
            crossings(
                "at most 16 bytes over the bus",
                to_host=8,
                hint="Reduce on the device first, fetch the one number then.",
            ),
        ),
        result="float",
        compare=_compare,
        verified="a Python float",
    ),
    hints=(
        "The comparison `== 1` gives an array of True and False on the device. Which share of them is True?",
        "True counts as 1 and False as 0: their mean is the share, and CuPy takes it on the device.",
        "A reduction leaves an array of no dimensions on the device; `float(…)` fetches that one number.",
    ),
    advice={
        "all": "`all` asks whether all are 1, and `//` rounds a share down to 0. Take the mean of the comparison.",
        "device": "`float(…)` fetches one number, and waits for the device to have it.",
        "type": "Put `float(…)` around it.",
        "transfer": "Reduce on the device first, fetch the one number then.",
        "count": "Divide by `x.size`, or take the mean of the comparison.",
        "dtype": "Leave x in float64: no `astype`, no float32.",
    },
    mistakes={
        "all-float": Mistake("all", _ALL, lambda x: share_of_ones(x) == 1.0),
        "tolerance": Mistake(
            "tolerance",
            "all are close to 1, but it was asked which share is exactly 1: compare with `==`.",
            lambda x: np.isclose(np.sin(x) ** 2 + np.cos(x) ** 2, 1).mean(),
            hint="Use `==`. That the answer depends on rounding is the point here.",
        ),
        "unit": Mistake(
            "unit", "that is in per cent; a share from 0 to 1 was asked for.", lambda x: 100 * share_of_ones(x)
        ),
    },
)
