"""``arrays.port``: a NumPy function, moved to CuPy."""

from __future__ import annotations

import numpy as np

from ..bus import on_the_bus
from ..cases import Case, normal
from ..facts import crossings
from ..functions import FunctionJudge
from ..problem import Mistake, Problem
from ..properties import (
    Drawn,
    Property,
    Strategy,
    constants,
    dtypes,
    huge,
    infinities,
    layouts,
    other_data,
    second_call,
    sizes,
    ties,
    tiny,
)


def standardise(x: np.ndarray) -> np.ndarray:
    """The specification: each column of x (n, m), float32 or float64, minus its mean, over its population standard
    deviation; a constant column gives 0. Reckoned in float64, returned in x's dtype."""
    wide = np.asarray(x, dtype=np.float64)
    centred = wide - wide.mean(axis=0)
    deviation = wide.std(axis=0)
    return (centred / np.where(deviation == 0, 1.0, deviation)).astype(x.dtype)


def _but_one(rng: np.random.Generator, arguments: tuple[np.ndarray]) -> tuple[np.ndarray]:
    """Constant columns but for one number: in the first row, the last, the middle and the second."""
    x = np.full(arguments[0].shape, 3.0)
    for column, row in enumerate((0, -1, len(x) // 2, 1)):
        x[row, column] = 5 + rng.random()
    return (x,)


def _of_one(rng: np.random.Generator, arguments: tuple[np.ndarray]) -> tuple[np.ndarray]:
    """Columns of which the standard deviation is exactly 1, a half and 2."""
    signs = rng.permuted(np.repeat([[-1.0], [1.0]], 4, axis=0).repeat(3, axis=1), axis=0)
    return (signs * [1, 0.5, 2] + [0, 3, -1],)


def _columns(x: np.ndarray) -> int:
    return max(1, x.shape[1])


_WHOLE = "Ask each column whether its standard deviation is 0. A few of its rows do not tell."
_STAY = "No `.get()` on the way in, no `cp.asarray` on the way out."
_AXIS = "it was reduced along the wrong axis: mean and standard deviation are wanted of each column, over the rows."

PORT = Problem(
    id="arrays.port",
    title="Standardise the columns of a matrix",
    kind="write",
    answers=("standardise",),
    specification=standardise,
    lines=3,
    judge=FunctionJudge(
        cases=(
            Case("a square of 6 × 6 numbers", lambda: (normal(6, 6, mean=3, std=2),)),
            Case(
                "7 × 13 numbers in float32",
                lambda: (normal(7, 13, seed=1, dtype="float32", mean=-5),),
                None,
                1e-3,
                1e-4,
            ),
            Case("a constant column", lambda: (np.column_stack([normal(9, 2, seed=2), np.full(9, 2.0)]),)),
            Case("a column of tiny numbers", lambda: (normal(8, 2, seed=7) * np.array([1.0, 1e-6]),)),
            Case("a single number", lambda: (np.full((1, 1), -4.0),)),
            Case("one row", lambda: (normal(1, 5, seed=3).round() * 2,)),
            Case("1009 rows", lambda: (normal(1009, 3, seed=4, mean=100),)),
            Case("a column with NaN", lambda: (np.where(np.arange(15).reshape(5, 3) == 4, np.nan, normal(5, 3)),)),
            Case("every other column of a wider matrix", lambda: (normal(11, 8, seed=5),), lambda a: a[:, ::2]),
            Case("a transposed matrix", lambda: (normal(4, 10, seed=6),), lambda a: a.T),
            Case("no rows", lambda: (np.empty((0, 4)),)),
        ),
        unlisted=(
            Case("other numbers in a 6 × 6 matrix", lambda: (normal(6, 6, seed=7, mean=-1),)),
            Case(
                "a column of numbers of about 10⁻⁶", lambda: (normal(8, 2, seed=8) * np.array([1.0, 1e-6]),), None, 1e-5
            ),
        ),
        drawn=Drawn(
            lambda rng, size: (rng.standard_normal(size),),
            (9, 4),
            sizes((2, 1), (31, 7), (257, 2), words="{0[0]} × {0[1]} numbers"),
            ties(hint=_WHOLE),
            Property((Strategy("columns that differ in one row only", change=_but_one),), _WHOLE),
            Property(
                (Strategy("columns with a standard deviation of exactly 1, 1/2 and 2", change=_of_one),),
                "Only a standard deviation of exactly 0 is special.",
            ),
            constants(),
            infinities(hint="A column with an infinity is not constant: nothing finite comes out of it."),
            tiny(
                1e-30,
                hint="Ask whether the standard deviation is exactly 0. How large numbers are depends on their unit.",
                rtol=1e-5,
            ),
            huge(
                hint="The mean of the squares and the square of the mean agree in all digits here: subtract the mean first.",
                rtol=1e-5,
                atol=1e-6,
            ),
            dtypes("float32", rtol=1e-3, atol=1e-4),
            layouts(),
            other_data(),
            second_call(hint="Make a new array in each call: whoever kept the last result still needs it."),
        ),
        facts=(crossings("the data never left the device", of=_columns, hint=_STAY),),
        rtol=1e-7,
        atol=1e-9,
        fresh=True,
        after=(on_the_bus(Case("100 000 × 4 numbers", lambda: (normal(100_000, 4),))),),
        verified="the argument is unchanged",
    ),
    hints=(
        "CuPy has NumPy's names: begin with your NumPy code, and let every array stay where it is, on the device.",
        "`x.mean(axis=0)` and `x.std(axis=0)` give one number for each column; broadcasting does the rest.",
        "For a constant column the standard deviation is 0: put 1 there before dividing, `cp.where(sd == 0, 1, sd)`. "
        "What is divided is 0, so the result is 0.",
    ),
    advice={
        "host": "Leave out `.get()` and `cp.asnumpy`: who needs it on the host fetches it there.",
        "dtype": "float32 in, float32 out: half the bytes is half the time, and on most GPUs float64 is many times "
        "slower. Look for an `astype`, or for a float64 array that met the float32 one.",
        "aliasing": "`x -= …` writes into the caller's array: write `x - …`.",
        "transfer": _STAY,
    },
    mistakes={
        "axis": Mistake(
            "axis",
            _AXIS,
            lambda x: standardise(x.T).T,
            hint="`axis=0` goes down the rows and leaves one number for each column.",
        ),
        "axis-broadcast": Mistake("axis", _AXIS, lambda x: (x - x.mean(axis=1)) / x.std(axis=1)),
        "whole": Mistake(
            "axis",
            "it was standardised as a whole: mean and standard deviation are wanted of each column.",
            lambda x: (x - x.mean()) / x.std(),
        ),
        "ddof": Mistake(
            "ddof",
            "the standard deviation was taken with n - 1 in the denominator (ddof=1); the population's was asked for, "
            "with n.",
            lambda x: standardise(x) * np.sqrt((len(x) - 1) / len(x)),
            hint="NumPy and CuPy divide by n unless told otherwise; pandas divides by n - 1.",
        ),
        "nan": Mistake(
            "nan",
            "a constant column has standard deviation 0, and 0/0 is NaN; it should give 0.",
            lambda x: (x - x.mean(axis=0)) / x.std(axis=0),
            hint="Put 1 where the standard deviation is 0: what is divided there is 0 already.",
        ),
        "nan-hidden": Mistake(
            "nan",
            "a column with NaN or infinity in it came out as 0. It is not constant, its spread is unknown: it should be NaN.",
            lambda x: np.nan_to_num(standardise(x)),
            hint="NaN > 0 is False. Ask for the constant columns instead: `deviation == 0`.",
        ),
        "all-zeros": Mistake(
            "value",
            "one column is constant, and all of them came out as 0. Only the constant one should; the others are "
            "standardised as ever.",
            lambda x: np.zeros_like(x) if (np.std(x, axis=0) == 0).any() else standardise(x),
            hint="Ask column by column: `deviation == 0` is an array.",
        ),
        "epsilon": Mistake(
            "value",
            "something small was added to every standard deviation, which spoils a column whose own is as small.",
            lambda x: (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-12),
            hint="Change the zeros only: `cp.where(deviation == 0, 1, deviation)`.",
        ),
    },
)
