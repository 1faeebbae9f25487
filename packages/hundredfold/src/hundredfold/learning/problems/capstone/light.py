"""``capstone.light``: what a photograph's numbers say of the light that fell in. A repair: four mistakes, none of which raises an error.

The curve is that of sRGB (IEC 61966-2-1), the weights are Rec. 709's.
"""

from __future__ import annotations

import numpy as np

from ..cases import Case
from ..functions import FunctionJudge
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, other_data, second_call, sizes

WEIGHTS = (0.2126, 0.7152, 0.0722)


def light(photo: np.ndarray) -> np.ndarray:
    """The specification: photo (n, m, 3) uint8, red, green, blue, to the luminance (n, m) float32, 0 to 1.

    A number c of 0 to 255 stands for v = c / 255, and v for the light v / 12.92 up to 0.04045, and ((v + 0.055) / 1.055)^2.4 above;
    then 0.2126 red + 0.7152 green + 0.0722 blue.
    """
    return _lit(photo)


def _lit(
    photo: np.ndarray,
    *,
    curve: str = "each",
    weights: tuple[float, ...] = WEIGHTS,
    top: float = 255.0,
    wraps: bool = False,
    low: bool = True,
) -> np.ndarray:
    v = photo.astype(np.float64) / top
    if wraps:
        return _curve((photo[..., 0] + photo[..., 1] + photo[..., 2]) / (3 * top), low).astype(np.float32)
    if curve == "each":
        v = _curve(v, low)
    y = v @ np.array(weights)
    return (_curve(y, low) if curve == "after" else y).astype(np.float32)


def _curve(v: np.ndarray, low: bool) -> np.ndarray:
    high = ((v + 0.055) / 1.055) ** 2.4
    return np.where(v <= 0.04045, v / 12.92, high) if low else high


def _gives(**options):
    return lambda photo: _lit(photo, **options)


def photos(n: int, m: int, seed: int = 0, dark: bool = False) -> np.ndarray:
    """Random pixels, of all numbers, or all below 11."""
    return np.random.default_rng(seed).integers(0, 11 if dark else 256, (n, m, 3), dtype=np.uint8)


def _each_number(rng: np.random.Generator, arguments: tuple) -> tuple:
    """256 pixels, in which each colour has each number once."""
    return (np.stack([rng.permutation(256).astype(np.uint8) for _ in range(3)], axis=-1).reshape(16, 16, 3),)


LIGHT = Problem(
    id="capstone.light",
    title="From numbers to light",
    kind="repair",
    track="pictures",
    answers=("light",),
    specification=light,
    lines=4,
    judge=FunctionJudge(
        (
            Case("7 × 13 pixels", lambda: (photos(7, 13),)),
            Case("dark pixels", lambda: (photos(5, 6, 1, dark=True),)),
            Case("black and white", lambda: (np.stack([np.zeros((2, 3, 3), np.uint8), np.full((2, 3, 3), 255, np.uint8)])[:, 0],)),
            Case("every second column", lambda: (photos(8, 20, 2),), view=lambda a: a[:, ::2]),
            Case("one pixel", lambda: (photos(1, 1, 3),)),
            Case("no pixels", lambda: (np.zeros((0, 5, 3), np.uint8),)),
        ),
        drawn=Drawn(
            lambda rng, size: (rng.integers(0, 256, (*size, 3), dtype=np.uint8),),
            (13, 9),
            Property((Strategy("each number in each colour", change=_each_number),)),
            sizes((1, 31), (17, 1), words="{0[0]} × {0[1]} pixels"),
            other_data(),
            second_call(),
        ),
        rtol=2e-5,
        atol=1e-7,
        fresh=True,
    ),
    hints=(
        "What is 200 + 100 in a uint8? Make fractions of the numbers first, and everything else with those.",
        "The curve is for each colour by itself; the weighted mean comes after it. And it has two branches: `cp.where(v <= 0.04045, …, …)`.",
        "Green counts most, blue least. And the result is to be float32.",
    ),
    mistakes={
        "as given": Mistake(
            "overflow",
            "200 + 100 is 44 in a uint8: the three colours were added before they had room.",
            _gives(wraps=True, low=False),
            hint="Make fractions of the numbers (`photo.astype('float32') / 255`) before anything is added.",
        ),
        "wraps": Mistake(
            "overflow",
            "200 + 100 is 44 in a uint8: the three colours were added before they had room.",
            _gives(wraps=True),
            hint="Make fractions of the numbers (`photo.astype('float32') / 255`) before anything is added.",
        ),
        "curve-after": Mistake(
            "nonlinear",
            "the curve was applied to the weighted mean; the numbers of the three colours are no light yet, and their mean is none.",
            _gives(curve="after"),
            hint="First the curve, for each colour; then the mean.",
        ),
        "no-curve": Mistake(
            "nonlinear",
            "the numbers were taken for light: 128 is not half as bright as 255, but about a fifth.",
            _gives(curve="none"),
            hint="Put the curve in.",
        ),
        "one-branch": Mistake(
            "border",
            "dark pixels are wrong: up to 0.04045 the light is v / 12.92.",
            _gives(low=False),
            hint="`cp.where(v <= 0.04045, v / 12.92, …)`",
        ),
        "even-weights": Mistake(
            "weights",
            "the three colours count alike; for the eye green is ten times as bright as blue.",
            _gives(weights=(1 / 3, 1 / 3, 1 / 3)),
        ),
        "blue-first": Mistake(
            "order", "red and blue are exchanged: the first of the three is red.", _gives(weights=WEIGHTS[::-1])
        ),
        "by-256": Mistake("divisor", "divided by 256; the largest number is 255, and white is 1.", _gives(top=256.0)),
    },
)  # fmt: skip
