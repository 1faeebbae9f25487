"""``memory.softmax``: the softmax of each row with little traffic. Open-ended: judged against reading and writing once."""

from __future__ import annotations

import numpy as np

from ..cases import Case, normal
from ..device_memory import Traffic, keeping_digits
from ..facts import crossings
from ..functions import FunctionJudge
from ..problem import Mistake, Problem
from ..properties import (
    Drawn,
    Property,
    Strategy,
    constants,
    huge,
    layouts,
    nans,
    other_data,
    second_call,
    sizes,
    ties,
    tiny,
)

_HERE = "No `.get()` on the way in, no `cp.asarray` on the way out, and no `if` or `float` of what is on the device."
_LARGEST = "exp(x - m) / sum(exp(x - m)) is the same for any m. Which m keeps every exponent at 0 or below?"
_STAY = "float32 would halve the bytes, and it loses half the digits: stay in float64."
ALLOWED, LIMIT = 48.0, 16.0  # bytes of device memory traffic per element


def softmax(x: np.ndarray) -> np.ndarray:
    """The specification: exp(x) over its row's sum, for x (rows, columns), float64; the row's largest number is taken off
    first, so that no exponential overflows."""
    if x.size == 0:
        return np.empty(x.shape)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


_LARGE = Case("1 000 × 1 000 numbers", lambda: (normal(1000, 1000, std=3),))


SOFTMAX = Problem(
    id="memory.softmax",
    title="Softmax with little traffic",
    kind="open",
    answers=("softmax",),
    specification=softmax,
    lines=4,
    judge=FunctionJudge(
        cases=(
            Case("3 × 5 numbers", lambda: (normal(3, 5),)),
            Case("a square of 4 × 4", lambda: (normal(4, 4, seed=1),)),
            Case("17 × 101 numbers", lambda: (normal(17, 101, seed=2, std=2),)),
            Case("one column", lambda: (normal(6, 1, seed=3),)),
            Case("large numbers", lambda: (normal(3, 7, seed=4, mean=1000),)),
            Case("rows far from each other", lambda: (normal(3, 7, seed=5) + np.array([[-2000.0], [0.0], [2000.0]]),)),
            Case("minus infinity among them", lambda: (np.array([[0.0, -np.inf, 1.0], [2.0, 2.0, -np.inf]]),)),
            Case("a row with NaN", lambda: (np.array([[0.0, np.nan, 1.0], [2.0, 0.5, 1.0]]),)),
            Case("every other column", lambda: (normal(5, 12, seed=6),), lambda a: a[:, ::2]),
            Case("a transposed matrix", lambda: (normal(9, 4, seed=7),), lambda a: a.T),
            Case("no rows", lambda: (np.empty((0, 4)),)),
        ),
        unlisted=(Case("other 3 × 5 numbers", lambda: (normal(3, 5, seed=8),)),),
        drawn=Drawn(
            lambda rng, size: (3 * rng.standard_normal(size),),
            (9, 13),
            sizes((1, 1), (2, 31), (3, 257), (257, 3), (2, 1025), words="{0[0]} × {0[1]} numbers"),
            constants(),
            ties(),
            nans(hint="A row with NaN has no largest number: all of it becomes NaN, and no other row."),
            Property(
                (Strategy("numbers far from each other", change=lambda rng, arguments: (300 * arguments[0],)),),
                _LARGEST,
            ),
            tiny(),
            huge(rtol=1e-6),
            huge(-1e8, rtol=1e-6),
            layouts(),
            other_data(),
            second_call(hint="Make a new array in each call: whoever kept the last result still needs it."),
        ),
        facts=(crossings("at most 16 bytes over the bus", to_host=0, hint=_HERE),),
        compare=keeping_digits(1e-11, 1e-300, advice=_STAY),
        fresh=True,
        after=(
            Traffic(
                _LARGE,
                allowed=ALLOWED,
                limit=LIMIT,
                means="each element read once, each result written once",
                near=True,
            ),
        ),
        verified=f"no overflow, at most {ALLOWED:.0f} bytes of traffic per element",
    ),
    hints=(
        "Beside each of the five kernels write the bytes per element that it reads and writes: the maximum 8, the difference "
        "16, exp 16, the sum 8, the division 16. The row's maximum and sum are small and cost nothing.",
        "The difference and exp are elementwise and follow each other: one fused kernel of x and the maximum. That is 48.",
        "Arithmetic is cheap. A `cp.ReductionKernel` of x and m, called with `axis=1, keepdims=True`, can add up `exp(x - m)` without "
        "writing it, and a fused kernel can compute `exp(x - m) / s` anew: 8 + 8 + 16 = 32. And the maximum and the sum could be found in one pass together.",
    ),
    advice={
        "traffic": "Which two kernels can become one without any change in what is read?",
        "exception": "What goes with the rows is a column: `keepdims=True`, or `[:, None]` behind a reduction in a fused function, which takes "
        "no `keepdims=`. In the C of a kernel, infinity is `1.0 / 0.0`.",
        "aliasing": "`x -= …` writes into the caller's array.",
        "dtype": _STAY,
        "host": "Leave out `.get()`.",
        "transfer": _HERE,
    },
    mistakes={
        "overflow": Mistake(
            "overflow",
            "exp(1000) is infinite, and infinity over infinity is NaN: take the row's largest number off first.",
            lambda x: np.exp(x) / np.exp(x).sum(axis=1, keepdims=True),
            hint=_LARGEST,
        ),
        "one-maximum": Mistake(
            "axis",
            "one maximum was taken off all rows. A row far below it has only zeros left, and 0/0 is NaN.",
            lambda x: _with_maximum(x, x.max()),
            hint="Each row has a maximum of its own: `x.max(axis=1, keepdims=True)`.",
        ),
        "whole": Mistake(
            "axis",
            "each number was divided by the sum of all rows; asked for: the sum of its own row.",
            lambda x: _exponentials(x) / _exponentials(x).sum(),
            hint="`e.sum(axis=1, keepdims=True)` gives each row its own sum, as a column.",
        ),
        "down": Mistake(
            "axis",
            "it was done down the columns; asked for: along each row.",
            lambda x: softmax(x.T).T,
            hint="`axis=1` goes along the rows, and `keepdims=True` keeps the result a column.",
        ),
        "logarithm": Mistake(
            "value",
            "that is the logarithm of the softmax: the last exponential is missing.",
            lambda x: np.log(softmax(x)),
        ),
    },
)


def _exponentials(x: np.ndarray) -> np.ndarray:
    return np.exp(x - x.max(axis=1, keepdims=True))


def _with_maximum(x: np.ndarray, maximum: float) -> np.ndarray:
    e = np.exp(x - maximum)
    return e / e.sum(axis=1, keepdims=True)
