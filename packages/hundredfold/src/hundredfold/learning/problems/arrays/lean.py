"""``arrays.lean``: the standard deviation with little traffic. Open-ended: judged against the limit of reading x once."""

from __future__ import annotations

import warnings

import numpy as np

from ..cases import Case, normal
from ..device_memory import Traffic
from ..differences import explain, pair, same
from ..functions import FunctionJudge, Run, is_float, recognise
from ..problem import Mistake, Problem
from ..properties import Drawn, constants, huge, layouts, other_data, second_call, sizes, tiny
from ..verdict import refuse

ALLOWED, LIMIT = 24.0, 8.0  # bytes of device memory traffic per element
_RTOL, _ATOL = 1e-10, 1e-14
_SUBTRACT = "E[x²] - E[x]² loses all digits when the mean is large beside the spread: take the mean, or any number near it, off first."


def spread(x: np.ndarray) -> float:
    """The specification: the population standard deviation of x (n,), float64, with the mean taken off first."""
    return float(np.sqrt(np.square(x - x.mean()).mean()))


def _compare(run: Run) -> None:
    is_float(run.got)
    rtol = _RTOL if run.case.rtol is None else run.case.rtol
    atol = _ATOL if run.case.atol is None else run.case.atol
    if same(run.got, run.expected, rtol, atol):
        return
    x = run.host[0]
    recognise(run, run.got, atol=atol)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        single = np.asarray(x, dtype=np.float32)
        halves = same(run.got, float(np.std(single, dtype=np.float64)), 1e-5, 0.0)
    off = abs(run.got - run.expected) / run.expected if run.expected else np.inf
    if x.size and abs(x.mean()) > 1e6 * max(run.expected, 1.0) and not halves:
        got, expected = pair(run.got, run.expected)
        refuse(
            "cancellation",
            f"it is {got}; expected was {expected}. The mean is far larger than the spread here. Whoever subtracts the "
            "square of the mean from the mean of the squares subtracts two numbers of about 10¹⁶ that agree in all digits of a float64.",
            advice=_SUBTRACT,
        )
    if halves or 1e-9 < off < 1e-5:
        refuse("dtype", f"only the first {_digits(off)} digits are right, about as many as float32 has.")
    explain(np.asarray(run.got), np.asarray(run.expected), rtol=rtol, atol=atol)


def _digits(off: float) -> int:
    return int(np.clip(-np.log10(off), 0, 15)) if off > 0 else 15


_BIG = Case("a million numbers", lambda: (normal(1_000_000, mean=5),))


LEAN = Problem(
    id="arrays.lean",
    title="The standard deviation, with little traffic",
    kind="open",
    answers=("spread",),
    specification=spread,
    lines=1,
    judge=FunctionJudge(
        cases=(
            Case("1009 numbers", lambda: (normal(1009, seed=1, mean=-3, std=2),)),
            Case("a single number", lambda: (np.array([7.0]),)),
            Case("twice the same number", lambda: (np.array([-2.5, -2.5]),)),
            Case("two numbers", lambda: (np.array([1.0, -2.0]),)),
            Case("every third of a longer array", lambda: (normal(300, seed=2),), lambda a: a[::3]),
            Case("NaN among them", lambda: (np.array([1.0, np.nan, 3.0]),)),
            # No longer than the first: whoever loses the last numbers of a long array is not to be told of cancellation.
            Case("numbers far from zero", lambda: (normal(1009, seed=14, mean=1e8),), None, 1e-6),
        ),
        unlisted=(
            Case("other two numbers", lambda: (np.array([5.0, 0.5]),)),
            Case("the same large number everywhere", lambda: (np.full(100, 3e8),)),
        ),
        drawn=Drawn(
            lambda rng, size: (3 + 2 * rng.standard_normal(size),),
            1009,
            sizes(3, 31, 257, 70_001, words="{} numbers"),
            constants(),
            tiny(1e-9, hint="A tolerance or an `epsilon` has no place here: 1e-9 is a number like another.", atol=0.0),
            tiny(1e9, atol=0.0),
            huge(hint=_SUBTRACT, rtol=1e-6),
            huge(-1e8, hint=_SUBTRACT, rtol=1e-6),
            layouts(),
            other_data(),
            second_call(),
        ),
        result="float",
        compare=_compare,
        after=(Traffic(_BIG, ALLOWED, LIMIT, "each element read once", near=True),),
        verified=f"a Python float, less than 1 % of x over the bus, and at most {ALLOWED:.0f} bytes of traffic per element",
    ),
    hints=(
        "Beside each line write the bytes per element that it reads and writes. `d = x - m` reads 8 and writes 8, and "
        "the next line reads them again.",
        "Each array that is only made to be read once more costs its bytes twice. Is there one call that does it all?",
        "`x.std()` reads x twice and writes nothing of its size, which is good enough to pass. To read x only once, one "
        "kernel has to sum the differences from some number near the mean, such as `x[0]`, and their squares, together. "
        "`cp.fuse` makes one kernel of several operations (unit 02): with `d = x - c`, let it return "
        "`cp.sum(d + 1j * d * d)`, whose real part is the one sum and whose imaginary part is the other.",
    ),
    advice={
        "traffic": "Count the passes: which of the arrays need never be written?",
        "cancellation": _SUBTRACT,
        "transfer": "Reduce on the device; fetch the one number.",
        "dtype": "float32 would halve the bytes, and it loses half the digits: stay in float64. If you do, is the mean exact, and of all "
        "numbers?",
        "device": "`float(…)` fetches one number, and waits for the device to have it.",
    },
    mistakes={
        "ddof": Mistake(
            "ddof",
            "the standard deviation was taken with n - 1 in the denominator (ddof=1); the population's was asked for, "
            "with n.",
            lambda x: np.std(x, ddof=1),
        ),
        "squared": Mistake(
            "squared", "that is the variance; the standard deviation is its square root.", lambda x: np.var(x)
        ),
    },
)
