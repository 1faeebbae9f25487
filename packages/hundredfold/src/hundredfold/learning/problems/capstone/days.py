"""``capstone.days``: what do bad days have in common? A singular value decomposition of days by hours, with gaps."""

from __future__ import annotations

import numpy as np

from ..cases import Case
from ..problem import Mistake, Problem
from ..properties import Drawn, layouts, other_data, second_call, sizes, tiny
from .pairs import PairJudge


def days(profile: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The specification: the k strongest shapes of a day.

    Parameters
    ----------
    profile : (d, h) float64
        Mean lateness on each of d days in each of h hours; NaN where nobody left. No hour is without any value.
    k : int
        At most min(d, h).

    Returns
    -------
    shapes : (k, h) float64
        The first k right singular vectors of the profile, gaps filled with their hour's mean and that mean taken off; of the two
        signs that with which a shape's sum is positive.
    share : (k,) float64
        Of the whole variance, the share that lies along each.
    """
    return _decomposed(profile, k)


def _decomposed(
    profile: np.ndarray,
    k: int,
    *,
    centre: str | None = "hours",
    fill: str = "mean",
    squared: bool = True,
    of: str = "all",
    signed: bool = True,
    left: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    x = np.array(profile, dtype=np.float64)
    if fill == "zero":
        x = np.nan_to_num(x)
    elif fill == "overall":
        x = np.where(np.isnan(x), np.nanmean(x), x)
    elif fill == "days":
        x = np.where(np.isnan(x), np.nanmean(x, axis=1, keepdims=True), x)
    else:
        x = np.where(np.isnan(x), np.nanmean(x, axis=0), x)
    if centre == "hours":
        x = x - x.mean(axis=0)
    elif centre == "days":
        x = x - x.mean(axis=1, keepdims=True)
    elif centre == "overall":
        x = x - x.mean()
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    shapes = (u.T if left else vt)[:k].copy()
    if signed:
        shapes *= np.where(shapes.sum(axis=1) < 0, -1.0, 1.0)[:, None]
    power = s**2 if squared else s
    return shapes, power[:k] / (power if of == "all" else power[:k]).sum()


def _gives(**options):
    return lambda profile, k: _decomposed(profile, k, **options)


_SIGNS = " And of the two signs of a shape, take that with a positive sum."


def _and_any_sign(mistakes: dict[str, Mistake]) -> dict[str, Mistake]:
    """Each mistake that is known by its values, with the signs left as they come: the two go together easily."""
    both = {}
    for name, options in OPTIONS.items():
        one = mistakes[name]
        both[f"{name} + any-sign"] = Mistake(
            one.reason, one.why + _SIGNS, _gives(**options, signed=False), hint=one.hint
        )
    return mistakes | both


OPTIONS: dict[str, dict[str, object]] = {
    "uncentred": {"centre": None},
    "centred-by-days": {"centre": "days"},
    "gaps-as-zero": {"fill": "zero"},
    "gaps-by-days": {"fill": "days"},
    "not-squared": {"squared": False},
    "of-the-first-k": {"of": "some"},
}
"""The mistakes that are made with and without any sign, as options of `_decomposed`."""


def year(d: int, h: int, seed: int, gaps: float = 0.05) -> np.ndarray:
    """Days on which lateness grows through the day, some early, some late; with gaps, but no hour without a value."""
    rng = np.random.default_rng(seed)
    hours = np.linspace(0, 1, h)
    x = 5 + 20 * hours + rng.gamma(1.0, 15.0, (d, 1)) * hours**2 - rng.gamma(1.0, 6.0, (d, 1)) * np.sin(3 * hours)
    x += rng.normal(0, 3, (d, h)) + np.linspace(0, 9, d)[:, None]
    x[rng.random((d, h)) < gaps] = np.nan
    x[0] = 7.0 + hours
    return x


DAYS = Problem(
    id="capstone.days",
    title="What bad days have in common",
    kind="write",
    track="flights",
    answers=("days",),
    specification=days,
    lines=6,
    judge=PairJudge(
        ("shapes", "share"),
        (
            Case("40 days of 12 hours", lambda: (year(40, 12, 1), 3)),
            Case("9 days of 17 hours", lambda: (year(9, 17, 2), 2)),
            Case("no gaps", lambda: (year(31, 8, 3, gaps=0.0), 4)),
            Case("a third of it gaps", lambda: (year(60, 10, 4, gaps=0.33), 2)),
            Case("all shapes", lambda: (year(25, 6, 5), 6)),
        ),
        drawn=Drawn(
            lambda rng, size: (year(*size, rng.integers(1 << 31)), 2),
            (37, 11),
            sizes((5, 13), (4, 3), (101, 2), words="{0[0]} days of {0[1]} hours"),
            tiny(1e-6),
            tiny(1e6),
            layouts(),
            other_data(),
            second_call(),
        ),
        rtol=1e-6,
        atol=1e-9,
    ),
    hints=(
        "First the gaps: an hour in which nobody left tells nothing about that day, so put in what is usual for that hour (`cp.nanmean`), "
        "then take the hour's mean off everywhere.",
        "`u, s, vt = cp.linalg.svd(x, full_matrices=False)`: days are the rows, so the shapes of a day are the rows of `vt`.",
        "The variance along a shape is the square of its singular value; the share is of the sum over *all* of them. `shapes * sign` with a "
        "sign for each row, from its sum.",
    ),
    mistakes=_and_any_sign(
        {
            "uncentred": Mistake(
                "centring",
                "the mean of each hour was left in, and the first shape is mostly that mean.",
                _gives(centre=None),
                hint="Take each hour's mean off before the decomposition.",
            ),
            "centred-by-days": Mistake(
                "axis",
                "the mean of each *day* was taken off: then all days are equally bad. Asked for was each hour's.",
                _gives(centre="days"),
                hint="`axis=0` runs over the days.",
            ),
            "centred-by-one-number": Mistake(
                "centring",
                "one mean of all was taken off, and the usual course of a day is still in it.",
                _gives(centre="overall"),
            ),
            "gaps-as-zero": Mistake(
                "nulls",
                "the gaps became 0, as if everybody had left on time. An hour without flights is unknown: fill in that hour's mean.",
                _gives(fill="zero"),
            ),
            "gaps-by-days": Mistake(
                "nulls", "the gaps were filled with their *day's* mean; asked for is their hour's.", _gives(fill="days")
            ),
            "not-squared": Mistake(
                "squared", "the share is one of singular values; variance is their square.", _gives(squared=False)
            ),
            "of-the-first-k": Mistake(
                "divisor",
                "the shares are of the first k only, and add up to 1. The whole variance has all of them.",
                _gives(of="some"),
            ),
            "any-sign": Mistake(
                "sign",
                "a shape's sum is negative. Both signs are singular vectors; asked for is that with a positive sum.",
                _gives(signed=False),
            ),
        }
    ),
)  # fmt: skip
