"""``compiling.follow``: exponential smoothing, in which each step goes on from the one before; no array expression does
that, and a compiled loop does."""

from __future__ import annotations

import numpy as np

from ..cases import Case, normal
from ..problem import Mistake, Problem
from ..properties import Drawn, constants, dtypes, full_range, huge, infinities, other_data, second_call, sizes, tiny
from .judging import CompiledJudge


def follow(x: np.ndarray, a: float) -> np.ndarray:
    """The specification: y (n,) float64 with y[0] = x[0] and y[i] = y[i-1] + a (x[i] - y[i-1]), for x (n,) of any
    numbers and 0 < a <= 1."""
    y = np.empty(len(x))
    for i, value in enumerate(x):
        y[i] = value if i == 0 else y[i - 1] + a * (value - y[i - 1])
    return y


def _zero_start(x, a):
    return follow(np.concatenate([[0.0], x]), a)[1:]


def _other_weights(x, a):
    return follow(x, 1 - a)


def _last_two(x, a):
    before = np.concatenate([x[:1], x[:-1]])
    return a * x + (1 - a) * before


FOLLOW = Problem(
    id="compiling.follow",
    title="Compile a loop that no array expression replaces",
    kind="write",
    answers=("follow",),
    specification=follow,
    lines=7,
    judge=CompiledJudge(
        cases=(
            Case("8 numbers", lambda: (normal(8), 0.5)),
            Case("a single number", lambda: (np.array([7.0]), 0.3)),
            Case("no numbers", lambda: (np.empty(0), 0.5)),
            Case("a = 1", lambda: (normal(5, seed=1), 1.0)),
            Case("1009 large numbers", lambda: (normal(1009, seed=2, mean=1e6), 0.1)),
            Case("NaN among them", lambda: (np.array([1.0, np.nan, 3.0]), 0.5)),
            Case("whole numbers", lambda: (np.array([4, 0, 7, 1, 3]), 0.25)),
            Case("every third of a longer array", lambda: (normal(30, seed=3), 0.2), lambda a: a[::3]),
        ),
        unlisted=(Case("other 8 numbers", lambda: (normal(8, seed=9), 0.125)),),
        drawn=Drawn(
            lambda rng, size: (rng.standard_normal(size[0]), size[1]),
            (31, 0.3),
            sizes((2, 0.5), (3, 0.9), (257, 0.01), (3001, 0.9), words="{0[0]} numbers and a = {0[1]}"),
            dtypes("float32", rtol=1e-6, atol=1e-6),
            full_range(
                "uint8",
                "int32",
                hint="A difference of two small integers may not fit into their type: make floats first.",
            ),
            infinities(),
            constants(),
            tiny(atol=0.0, rtol=1e-7),
            huge(),
            other_data(),
            second_call(hint="Make a new array in each call: whoever kept the last result still needs it."),
        ),
        rtol=1e-9,
        atol=1e-12,
        fresh=True,
        steps=Case("100 000 numbers", lambda: (normal(100_000, seed=4), 0.1)),
        watched="nothing out of bounds is touched",
        verified="x is unchanged, and no element of it went through the interpreter",
    ),
    hints=(
        "Write the loop first, in plain Python, with `y = np.empty(x.size)`; when it is right, put `@numba.njit` above "
        "the function.",
        "Keep the last value in a variable: it begins as `x[0]`, and each step adds `a * (x[i] - level)` to it. Then "
        "an x without any number needs an `if`: compiled code does not say that `x[0]` is not there.",
        "`np.empty(x.size)` is float64. `np.empty_like(x)` is what x is: whole numbers for whole numbers.",
    ),
    advice={
        "interpreted": "Put `@numba.njit` on the line above `def`.",
        "dtype": "`np.empty(x.size)` is float64 whatever x is.",
        "aliasing": "Make an array of your own for the result: `np.empty(x.size)`.",
        "bounds": "What should happen if x has no element? Ask `x.size` first.",
        "typing": "A compiled function returns one type, whichever way it takes: an empty array instead of a number.",
        "type": "Fill an array instead: `y = np.empty(x.size)`, then `y[i] = …`.",
        "race": "Each step needs the one before, so they cannot run at the same time: `range`, not `prange`.",
    },
    mistakes={
        "start": Mistake(
            "value",
            "it begins from 0: the first value should be x[0] itself.",
            _zero_start,
            hint="y[0] is x[0], and each y[i] goes on from y[i - 1].",
        ),
        "weights": Mistake(
            "value",
            "the weights are exchanged: the new number counts a, what was there before 1 - a.",
            _other_weights,
            hint="y[i] = a * x[i] + (1 - a) * y[i - 1].",
        ),
        "recurrence": Mistake(
            "recurrence",
            "each step should go on from the *result* of the step before, y[i - 1]; yours takes x[i - 1].",
            _last_two,
            hint="`y[i - 1]`, or a variable that is carried from step to step.",
        ),
    },
)
