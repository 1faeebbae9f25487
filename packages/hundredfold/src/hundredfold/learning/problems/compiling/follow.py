"""``compiling.follow``: exponential smoothing, in which each step goes on from the one before; no array expression does
that, and a compiled loop does."""

from __future__ import annotations

import numba
import numpy as np
from numba import njit, prange

from ..cases import Case, normal
from ..problem import Problem, Wrong
from ..properties import Drawn, constants, dtypes, full_range, huge, infinities, other_data, second_call, sizes, tiny
from .judging import CompiledJudge


def follow(x: np.ndarray, a: float) -> np.ndarray:
    """The specification: y (n,) float64 with y[0] = x[0] and y[i] = y[i-1] + a (x[i] - y[i-1]), for x (n,) of any
    numbers and 0 < a <= 1."""
    y = np.empty(len(x))
    for i, value in enumerate(x):
        y[i] = value if i == 0 else y[i - 1] + a * (value - y[i - 1])
    return y


# Written as a learner would.


@njit
def _carried(x, a):
    y = np.empty(x.size)
    if x.size > 0:
        level = float(x[0])
        for i in range(x.size):
            level += a * (x[i] - level)
            y[i] = level
    return y


@njit
def _indexed(x, a):
    y = np.zeros(len(x), dtype=np.float64)
    for i in range(len(x)):
        if i == 0:
            y[i] = x[i]
        else:
            y[i] = a * x[i] + (1 - a) * y[i - 1]
    return y


@numba.jit
def _into(x, a, y):
    for i in range(1, x.size):
        y[i] = y[i - 1] + a * (x[i] - y[i - 1])


def _wrapped(x, a):
    y = np.array(x, dtype=np.float64)
    _into(y.copy(), a, y)
    return y


def _plain(x, a):
    y = np.empty(len(x))
    for i in range(len(x)):
        y[i] = x[i] if i == 0 else y[i - 1] + a * (x[i] - y[i - 1])
    return y


@njit
def _like(x, a):
    y = np.empty_like(x)
    for i in range(x.size):
        y[i] = x[i] if i == 0 else y[i - 1] + a * (x[i] - y[i - 1])
    return y


@njit
def _in_place(x, a):
    for i in range(1, x.size):
        x[i] = x[i - 1] + a * (x[i] - x[i - 1])
    return x


@njit
def _from_zero(x, a):
    y = np.empty(x.size)
    level = 0.0
    for i in range(x.size):
        level += a * (x[i] - level)
        y[i] = level
    return y


@njit
def _swapped(x, a):
    y = np.empty(x.size)
    for i in range(x.size):
        y[i] = x[i] if i == 0 else (1 - a) * x[i] + a * y[i - 1]
    return y


@njit
def _two_points(x, a):
    y = np.empty(x.size)
    for i in range(x.size):
        y[i] = x[i] if i == 0 else a * x[i] + (1 - a) * x[i - 1]
    return y


@njit
def _unguarded(x, a):
    y = np.empty(x.size)
    y[0] = x[0]
    for i in range(1, x.size):
        y[i] = y[i - 1] + a * (x[i] - y[i - 1])
    return y


@njit
def _zero_for_none(x, a):
    if x.size == 0:
        return 0.0
    return _carried(x, a)


@njit
def _list(x, a):
    y = [float(v) for v in x]
    for i in range(1, len(y)):
        y[i] = y[i - 1] + a * (x[i] - y[i - 1])
    return y


@njit(parallel=True)
def _threads(x, a):
    y = x.astype(np.float64)
    for i in prange(1, x.size):
        y[i] = y[i - 1] + a * (x[i] - y[i - 1])
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
    wrong={
        "interpreted": Wrong(_plain, "interpreted", hint="Put `@numba.njit` on the line above `def`."),
        "dtype": Wrong(_like, "dtype", hint="`np.empty(x.size)` is float64 whatever x is."),
        "aliasing": Wrong(_in_place, "aliasing", hint="Make an array of your own for the result: `np.empty(x.size)`."),
        "start": Wrong(
            _from_zero,
            "value",
            _zero_start,
            "it begins from 0: the first value should be x[0] itself.",
            "y[0] is x[0], and each y[i] goes on from y[i - 1].",
        ),
        "weights": Wrong(
            _swapped,
            "value",
            _other_weights,
            "the weights are exchanged: the new number counts a, what was there before 1 - a.",
            "y[i] = a * x[i] + (1 - a) * y[i - 1].",
        ),
        "recurrence": Wrong(
            _two_points,
            "recurrence",
            _last_two,
            "each step should go on from the *result* of the step before, y[i - 1]; yours takes x[i - 1].",
            "`y[i - 1]`, or a variable that is carried from step to step.",
        ),
        "bounds": Wrong(_unguarded, "bounds", hint="What should happen if x has no element? Ask `x.size` first."),
        "typing": Wrong(
            _zero_for_none,
            "typing",
            hint="A compiled function returns one type, whichever way it takes: an empty array instead of a number.",
        ),
        "list": Wrong(_list, "type", hint="Fill an array instead: `y = np.empty(x.size)`, then `y[i] = …`."),
        "race": Wrong(
            _threads,
            "race",
            hint="Each step needs the one before, so they cannot run at the same time: `range`, not `prange`.",
        ),
    },
    right={"carried": _carried, "indexed": _indexed, "a compiled helper": _wrapped},
)
