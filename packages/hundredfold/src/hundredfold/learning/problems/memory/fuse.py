"""``memory.fuse``: several kernels become one that reads each operand once and writes the result once."""

from __future__ import annotations

import numpy as np

from ..cases import Case, normal, uniform
from ..device_memory import Traffic, keeping_digits
from ..facts import Account, Fact, crossings
from ..functions import FunctionJudge
from ..problem import Mistake, Problem
from ..properties import (
    Drawn,
    Property,
    Strategy,
    constants,
    dtypes,
    huge,
    layouts,
    other_data,
    second_call,
    sizes,
    tiny,
)


def distance(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The specification: sqrt((x - 1)² + (y + 2)²) element by element, for two arrays of the same shape and dtype (float32
    or float64); computed in float64, returned in their dtype."""
    wide, tall = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    return np.sqrt((wide - 1) ** 2 + (tall + 2) ** 2).astype(x.dtype)


def _pair(rng: np.random.Generator, size: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    return 2 * rng.standard_normal(size), 2 * rng.standard_normal(size)


def _near(rng: np.random.Generator, arguments: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    x, y = (centre + 1e-7 * each for centre, each in zip((1, -2), arguments, strict=True))
    x[0], y[0] = 1, -2
    return x, y


def _one_kernel(account: Account, arguments: tuple[np.ndarray, ...]) -> str | None:
    """One launch, and one for each argument that has to be copied into one piece first: a kernel by hand may want that."""
    if account.launches is None:
        return None
    most = 1 + sum(not each.flags.c_contiguous for each in arguments)
    return "" if account.launches <= most else f"it takes {account.launches} kernels; one is enough."


_FUSE = "Each operation on whole arrays is a kernel of its own, in one line or in several; `out=` and `*=` save memory, not traffic."
_LARGE = Case("two arrays of 300 000", lambda: (normal(300_000), normal(300_000, seed=1)))


FUSE = Problem(
    id="memory.fuse",
    title="Six kernels into one",
    kind="write",
    answers=("distance",),
    specification=distance,
    lines=3,
    judge=FunctionJudge(
        cases=(
            Case("seven pairs of numbers", lambda: (normal(7), normal(7, seed=1))),
            Case(
                "1009 pairs in float32",
                lambda: (uniform(1009, dtype="float32"), uniform(1009, seed=1, dtype="float32")),
                None,
                2e-6,
            ),
            Case("one pair", lambda: (np.array([4.0]), np.array([2.0]))),
            Case("5 × 3 numbers", lambda: (normal(5, 3, seed=2), normal(5, 3, seed=3))),
            Case("every other column", lambda: (normal(6, 8, seed=4), normal(6, 8, seed=5)), lambda a: a[:, ::2]),
            Case("transposed arrays", lambda: (normal(3, 7, seed=6), normal(3, 7, seed=7)), lambda a: a.T),
            Case(
                "NaN and infinity", lambda: (np.array([np.nan, 1.0, -np.inf, 0.0]), np.array([0.0, np.nan, 1.0, -2.0]))
            ),
            Case("no numbers", lambda: (np.empty(0), np.empty(0))),
        ),
        unlisted=(Case("other pairs", lambda: (normal(7, seed=8), normal(7, seed=9))),),
        drawn=Drawn(
            _pair,
            (31,),
            sizes((2,), (257,), (3, 5, 7), (70_001,), words="arrays of shape {}"),
            dtypes("float32", rtol=2e-6),
            tiny(),
            Property(
                (Strategy("points near (1, -2)", change=_near),),
                "The distance may be as small as it likes, and exactly 0.",
            ),
            huge(),
            constants(),
            layouts(),
            other_data(),
            second_call(hint="Make a new array in each call: whoever kept the last result still needs it."),
        ),
        facts=(
            crossings(
                "at most 16 bytes over the bus", hint="No `.get()` on the way in, no `cp.asarray` on the way out."
            ),
            Fact("one kernel", "traffic", _one_kernel, _FUSE),
        ),
        compare=keeping_digits(1e-12, advice="Let the kernel compute in the type of x: `T`, and no `float`."),
        fresh=True,
        after=(
            Traffic(
                _LARGE,
                allowed=24,
                limit=24,
                means="x and y read once, the result written once",
            ),
        ),
        verified="24 bytes for each pair of float64, float32 stays float32",
    ),
    hints=(
        "The line has six operations: six kernels, 104 bytes for each pair of float64. `cp.fuse` is a decorator: it makes "
        "one kernel of all the operations in a function.",
        "The body of `distance` can stay as it is: it has no `if`, and every operation in it is element by element. In the lecture, look at "
        "what the line above `def fused(x):` does.",
        "By hand: `cp.ElementwiseKernel('T x, T y', 'T d', '…', 'distance')`, whose third argument is a line of C that "
        "says what d is. `T` stands for whatever dtype x and y have.",
    ),
    advice={
        "traffic": _FUSE,
        "dtype": "Let the result have the type of x: `T d` in the text of a kernel, and Python's own 1 and 2 in a fused function.",
        "exception": "A fused function sees no numbers, so an `if` on them is not possible. In the C of a kernel a power is `a * a`, neither `a**2` nor `a^2`. And `float64 x` takes float64 and nothing "
        "else; `T x` takes any type, and every T is the same one.",
        "aliasing": "Leave out the last argument: the kernel makes an array of its own.",
        "host": "Leave out `.get()`.",
    },
    mistakes={
        "integer": Mistake(
            "integer",
            "every distance is 1. In C `1 / 2` divides whole numbers and gives 0, and anything to the power 0 is 1.",
            lambda x, y: np.ones_like(x),
            hint="Use `sqrt(…)`, or write `0.5`.",
        ),
        "squared": Mistake(
            "squared",
            "that is the square of the distance: the root is missing.",
            lambda x, y: (x - 1) ** 2 + (y + 2) ** 2,
        ),
        "operands": Mistake(
            "operands",
            "x and y are exchanged: 1 is taken from x, and 2 added to y.",
            lambda x, y: distance(y, x),
            hint="The arguments of a kernel go by their places, in the order of its first string.",
        ),
        "sign": Mistake(
            "sign",
            "the distance is taken from (-1, 2), not from (1, -2).",
            lambda x, y: np.sqrt((x + 1) ** 2 + (y - 2) ** 2),
        ),
        "city-blocks": Mistake(
            "value",
            "the two differences are added as they are; asked for: the root of the sum of their squares.",
            lambda x, y: np.abs(x - 1) + np.abs(y + 2),
        ),
    },
)
