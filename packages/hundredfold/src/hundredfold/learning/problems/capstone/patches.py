"""``capstone.patches``: a picture cut into tiles, and the few that all of them are made of: eigen-images by the SVD."""

from __future__ import annotations

import numpy as np

from ..cases import Case
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, layouts, other_data, second_call, sizes
from .pairs import PairJudge


def patches(picture: np.ndarray, p: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The specification: the picture made of its k strongest eigen-tiles.

    Parameters
    ----------
    picture : (n, m) float32
    p : int
        Tiles of p × p pixels, side by side from the upper left; rows and columns that fill no tile are left out.
    k : int
        At most p², and at most as many as there are tiles.

    Returns
    -------
    rebuilt : (n // p * p, m // p * p) float32
        The mean tile, and of what differs from it the part along the k strongest right singular vectors.
    share : (k,) float32
        Of the whole variance between tiles, the share along each.
    """
    return _rebuilt(picture, p, k)


def _cut(picture: np.ndarray, p: int) -> np.ndarray:
    a, b = picture.shape[0] // p, picture.shape[1] // p
    return picture[: a * p, : b * p].reshape(a, p, b, p).transpose(0, 2, 1, 3).reshape(a * b, p * p)


def _join(tiles: np.ndarray, a: int, b: int, p: int) -> np.ndarray:
    return tiles.reshape(a, b, p, p).transpose(0, 2, 1, 3).reshape(a * p, b * p)


def _rebuilt(
    picture: np.ndarray,
    p: int,
    k: int,
    *,
    cut: str = "tiles",
    centre: str | None = "tiles",
    back: bool = True,
    squared: bool = True,
    of: str = "all",
    last: bool = False,
    turned: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    a, b = picture.shape[0] // p, picture.shape[1] // p
    x = picture[: a * p, : b * p].astype(np.float64)
    tiles = _cut(x, p) if cut == "tiles" else x.reshape(-1, p * p)
    mean = {"tiles": tiles.mean(axis=0), "pixels": tiles.mean(axis=1, keepdims=True), None: np.zeros(1)}[centre]
    u, s, vt = np.linalg.svd(tiles - mean, full_matrices=False)
    kept = slice(len(s) - k, None) if last else slice(None, k)
    part = (u[:, kept] * s[kept]) @ vt[kept] + (mean if back else 0.0)
    if turned:
        part = part.reshape(-1, p, p).transpose(0, 2, 1).reshape(-1, p * p)
    power = s**2 if squared else s
    whole = _join(part, a, b, p) if cut == "tiles" else part.reshape(a * p, b * p)
    return whole.astype(np.float32), (power[kept] / (power if of == "all" else power[kept]).sum()).astype(np.float32)


def _gives(**options):
    return lambda picture, p, k: _rebuilt(picture, p, k, **options)


def scene(n: int, m: int, seed: int = 0) -> np.ndarray:
    """A bright sky above waves, with a little noise, float32."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:n, 0:m]
    light = 0.8 - 0.5 * y / n + 0.15 * np.sin(x * 0.9) * (y > n / 3) + 0.1 * np.cos(0.4 * (x + 2 * y)) * (y > n / 2)
    return (light + 0.03 * rng.standard_normal((n, m))).astype(np.float32)


_BEYOND = Property(
    (
        Strategy("numbers from -2 to 2", change=lambda rng, args: ((5 * args[0] - 2).astype(np.float32), *args[1:])),
        Strategy(
            "numbers of about 1e-6",
            change=lambda rng, args: ((args[0] * 1e-6).astype(np.float32), *args[1:]),
            settings={"atol": 2e-11},
        ),
    ),
    "The picture is of any brightness: nothing is cut off, and nothing is small in itself.",
)

PATCHES = Problem(
    id="capstone.patches",
    title="What a picture is made of",
    kind="write",
    track="pictures",
    answers=("patches",),
    specification=patches,
    lines=7,
    judge=PairJudge(
        ("rebuilt", "share"),
        (
            Case("24 × 32 pixels in tiles of 4", lambda: (scene(24, 32), 4, 3)),
            Case("23 × 37 pixels, not a multiple", lambda: (scene(23, 37, 1), 5, 2)),
            Case("64 × 48 pixels in tiles of 8", lambda: (scene(64, 48, 2), 8, 6)),
            Case("tiles of one pixel", lambda: (scene(6, 7, 3), 1, 1)),
            Case("all eigen-tiles", lambda: (scene(20, 20, 4), 2, 4)),
        ),
        drawn=Drawn(
            lambda rng, size: (scene(*size[:2], rng.integers(1 << 31)), *size[2:]),
            (29, 31, 4, 3),
            sizes((35, 14, 7, 2), (14, 35, 7, 3), (9, 16, 3, 5), words="{0[0]} × {0[1]} pixels in tiles of {0[2]}"),
            _BEYOND,
            layouts(),
            other_data(),
            second_call(),
        ),
        rtol=1e-3,
        atol=2e-5,
    ),
    hints=(
        "A tile's rows do not stand one behind the other in memory: `reshape(a, p, b, p)` has tile row, row, tile column, column; bring "
        "it into the order tile row, tile column, row, column.",
        "Tiles are rows of p² numbers. Take the *mean tile* off (`axis=0`), decompose with `full_matrices=False`, keep k, and put the mean "
        "back on.",
        "`(u[:, :k] * s[:k]) @ vt[:k] + mean`; the share is of squares, and of all of them. Then the way of the first hint, backwards.",
    ),
    mistakes={
        "strips": Mistake(
            "paired",
            "these are strips of p² pixels of one row, not tiles.",
            _gives(cut="strips"),
            hint="`reshape(a, p, b, p).transpose(0, 2, 1, 3)` before it is made flat.",
        ),
        "turned": Mistake(
            "transposed", "each tile came back with its rows and columns exchanged.", _gives(turned=True)
        ),
        "mean-left-out": Mistake("offset", "the mean tile was taken off and never put back on.", _gives(back=False)),
        "uncentred": Mistake(
            "centring", "the mean tile was left in, and the first eigen-tile is mostly that mean.", _gives(centre=None)
        ),
        "centred-by-pixels": Mistake(
            "axis",
            "from each tile its own mean was taken off: asked for is the mean of all tiles, pixel by pixel.",
            _gives(centre="pixels"),
        ),
        "not-squared": Mistake(
            "squared", "the share is one of singular values; variance is their square.", _gives(squared=False)
        ),
        "of-the-first-k": Mistake(
            "divisor",
            "the shares are of the first k only, and add up to 1. The whole variance has all of them.",
            _gives(of="some"),
        ),
        "weakest": Mistake(
            "direction",
            "it keeps the weakest k, not the strongest: singular values come in falling order.",
            _gives(last=True),
        ),
    },
)  # fmt: skip
