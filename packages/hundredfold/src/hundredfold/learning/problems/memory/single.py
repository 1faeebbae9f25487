"""``memory.single``: a program that was meant to run in float32, and where float64 comes in."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..cases import Case, uniform
from ..device_memory import Traffic, keeping_digits
from ..devices import to_host
from ..facts import crossings
from ..functions import FunctionJudge, call
from ..problem import Mistake, Problem
from ..properties import Drawn, constants, layouts, nans, other_data, second_call, sizes
from ..verdict import refuse

_HALF = "float16 has three digits; float32 was asked for, all the way."
_INSIDE = (
    "A step is in float64 as soon as one of its numbers is. Give `linspace` a dtype. In the C of a kernel write `1.4142135f` or "
    "`T(1.4142135623730951)`: without the `f` it is a `double`."
)
SQRT2 = float(np.sqrt(2))


def _ramp(width: int, endpoint: bool = True) -> np.ndarray:
    return np.linspace(0, 0.5, width, endpoint=endpoint)


def brighten(image: np.ndarray) -> np.ndarray:
    """The specification: image (height, width), float32 on the device, times the root of 2, plus a ramp from 0 to 0.5 along
    each row, cut off at 1; computed in float64, float32 out."""
    return np.minimum(np.asarray(image, dtype=np.float64) * SQRT2 + _ramp(image.shape[1]), 1).astype(np.float32)


_LARGE = Case("an image of 600 × 900", lambda: (uniform(600, 900, dtype="float32"),))


def _exact(image: np.ndarray, gain: float = SQRT2) -> np.ndarray:
    return np.minimum(np.asarray(image, dtype=np.float64) * gain + _ramp(image.shape[1]), 1)


def _only_single(problem: Problem, function: Any) -> None:
    """Refuse an answer that computes a step in float64 and rounds what comes out, as a kernel with a `double` inside does.

    Such a step needs no large array of float64, so that the bytes do not show it. The numbers do: a step in float32 rounds its
    operands, too, and many of the 540 000 pixels come out otherwise in their last bit."""
    run = call(problem, function, _LARGE)
    (image,) = run.host
    wide, single_gain = image.astype(np.float64), np.float64(np.float32(SQRT2))
    products = (
        ("the product", wide * SQRT2),
        ("the product", (wide * SQRT2).astype(np.float32)),
        ("", wide * single_gain),
        ("", (wide * single_gain).astype(np.float32)),
    )
    ramps = (("the ramp", _ramp(image.shape[1])), ("", _ramp(image.shape[1]).astype(np.float32)))
    got = to_host(run.got)
    for (product, multiplied), (ramp, added) in itertools.product(products, ramps):
        in_double = product or ramp
        if in_double and np.array_equal(got, np.minimum(multiplied.astype(np.float64) + added, 1).astype(np.float32)):
            refuse(
                "dtype",
                f"the result is right, and it is float32. But {in_double} was computed in float64: each of the {image.size:,} "
                "pixels is exactly what float64 gives.",
                advice=_INSIDE,
                case=_LARGE.name,
            )


SINGLE = Problem(
    id="memory.single",
    title="Where does float64 come in?",
    kind="repair",
    answers=("brighten",),
    specification=brighten,
    lines=3,
    judge=FunctionJudge(
        cases=(
            Case("an image of 4 × 6", lambda: (uniform(4, 6, dtype="float32"),)),
            Case("a square image of 5 × 5", lambda: (uniform(5, 5, seed=1, dtype="float32"),)),
            Case("one row of 101", lambda: (uniform(1, 101, seed=2, dtype="float32"),)),
            Case("one column", lambda: (uniform(7, 1, seed=3, dtype="float32"),)),
            Case("every other column", lambda: (uniform(5, 12, seed=4, dtype="float32"),), lambda a: a[:, ::2]),
            Case("NaN and negative numbers", lambda: (np.array([[np.nan, -1, 0.5], [-3, 0, 2]], dtype=np.float32),)),
            Case("no rows", lambda: (np.empty((0, 4), dtype=np.float32),)),
        ),
        unlisted=(Case("another image of 4 × 6", lambda: (uniform(4, 6, seed=5, dtype="float32"),)),),
        drawn=Drawn(
            lambda rng, size: (rng.random(size).astype(np.float32),),
            (4, 6),
            sizes((3, 2), (2, 257), (1, 10_007), (9, 0), words="an image of {0[0]} × {0[1]}"),
            constants(),
            nans(hint="`where` and comparisons take NaN for a number that is small. `minimum` keeps it."),
            layouts(),
            other_data(),
            second_call(hint="Make a new array in each call: whoever kept the last result still needs it."),
        ),
        facts=(crossings("nothing comes back to the host", to_host=0, to_device=None),),
        compare=keeping_digits(1e-6, 2e-7, known="float16", advice=_HALF),
        fresh=True,
        after=(
            Traffic(
                _LARGE,
                allowed=26,
                limit=8,
                means="the image read once, the result written once",
            ),
            _only_single,
        ),
        verified="float32 comes out, at most 26 bytes are moved for each pixel",
    ),
    hints=(
        "Look at the dtype of each part: `gain.dtype`, `ramp.dtype`, `(image * gain).dtype`. Two of them are not what somebody "
        "thought.",
        "A Python number is weak: it takes the type of the array it meets. A number of NumPy's, such as `np.sqrt(2)` gives, has "
        "a type, float64, and so has everything that `cp.linspace`, `cp.zeros` and `cp.arange(…, 0.1)` make unless you say otherwise.",
        "`float(np.sqrt(2))`, or `2**0.5`, and `cp.linspace(…, dtype=image.dtype)`.",
    ),
    advice={
        "dtype": "Which of the names in it is float64? `.dtype` tells.",
        "traffic": "A kernel that reads one float32 image and writes another moves 8 bytes for each pixel. One that moves more computes in "
        "float64, which a cast at the end does not undo, or it reads or writes a second array as large as the image.",
        "aliasing": "`image *= …` writes into the caller's image.",
        "host": "Leave out `.get()`.",
        "exception": "The ramp is an array of CuPy's with one number for each column, and an image may have a single column.",
    },
    mistakes={
        "axis": Mistake(
            "axis",
            "the ramp goes down the columns; asked for: along the rows, from left to right.",
            lambda image: np.minimum(image * SQRT2 + np.linspace(0, 0.5, image.shape[0])[:, None], 1),
        ),
        "uncut": Mistake(
            "overflow",
            "some pixels are brighter than 1: they should be cut off there.",
            lambda image: image * SQRT2 + _ramp(image.shape[1]),
        ),
        "shifted": Mistake(
            "border",
            "the ramp ends before 0.5: `linspace` with endpoint=False leaves out its last value.",
            lambda image: np.minimum(image * SQRT2 + _ramp(image.shape[1], endpoint=False), 1),
        ),
        "integer": Mistake(
            "integer",
            "the image was multiplied by 1: the root of 2, as a whole number, is 1.",
            lambda image: _exact(image, 1.0),
        ),
    },
)
