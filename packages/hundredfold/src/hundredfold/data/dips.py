"""The surface of the fourth problem of the hundred-digit challenge (2002): its values, and one step of a search for its least value.

f(x, y) = exp(sin 50x) + sin(60 exp y) + sin(70 sin x) + sin(sin 80y) − sin(10(x + y)) + (x² + y²) / 4

Outside of −1 … 1 the last term alone is too large for a minimum. `refine` is the step of a branch and bound on the device, `refine_compiled` the
same in a compiled loop on all cores of the CPU.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

#: The least value, as published (Bornemann and others, *The SIAM 100-Digit Challenge*, 2004), as far as a float64 holds it.
LEAST = -3.306868647475237
#: No less than half the sum of the second derivatives' absolute values, anywhere: the sum of the largest that each term can be.
CURVED = 22_300.0
#: The centres of the four squares of half width 0.5 that the search begins with.
QUARTERS = np.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]])


def surface(x: Any, y: Any, xp: Any = np) -> tuple[Any, Any, Any]:
    """f and its two slopes, of arrays of the library `xp`, NumPy or CuPy."""
    s, e, t, v, w = 50 * x, 60 * xp.exp(y), 70 * xp.sin(x), xp.sin(80 * y), 10 * (x + y)
    bump = xp.exp(xp.sin(s))
    f = bump + xp.sin(e) + xp.sin(t) + xp.sin(v) - xp.sin(w) + (x * x + y * y) / 4
    fx = 50 * xp.cos(s) * bump + 70 * xp.cos(x) * xp.cos(t) - 10 * xp.cos(w) + x / 2
    fy = e * xp.cos(e) + 80 * xp.cos(80 * y) * xp.cos(v) - 10 * xp.cos(w) + y / 2
    return f, fx, fy


def _cut(squares: Any, h: float, cuts: int, xp: Any) -> tuple[Any, Any]:
    """The centres' x and y when each square is cut into cuts × cuts of half width h."""
    steps = (2 * xp.arange(cuts) - cuts + 1) * h
    x = (xp.asarray(squares)[:, 0, None, None] + steps[:, None] + 0 * steps).ravel()
    y = (xp.asarray(squares)[:, 1, None, None] + 0 * steps[:, None] + steps).ravel()
    return x, y


def refine(
    squares: np.ndarray, h: float, best: float, cuts: int = 16, xp: Any = None
) -> tuple[float, np.ndarray, float]:
    """Cut squares of half width `h` into cuts × cuts each, and leave out those whose bound is above the least value known.

    Parameters
    ----------
    squares : array of shape (n, 2)
        Their centres, on the host.
    h : float
        Half the width of each.
    best : float
        The least value that is known so far.
    cuts : int
        Parts along each side.
    xp : module
        CuPy if it is not given.

    Returns
    -------
    best, squares, h
        The least value known now, the centres of the parts that are left, on the host, and half their width.
    """
    if xp is None:
        import cupy as xp
    h /= cuts
    x, y = _cut(squares, h, cuts, xp)
    f, fx, fy = surface(x, y, xp)
    best = min(best, float(f.min()))
    left = f - h * (abs(fx) + abs(fy)) - CURVED * h * h < best
    found = xp.stack([x[left], y[left]], axis=1)
    return best, found if xp is np else found.get(), h


@numba.njit(parallel=True)
def _bounds(x, y, h, f, low):  # pragma: no cover, compiled
    for i in numba.prange(len(x)):
        s, e, t, v, w = 50 * x[i], 60 * math.exp(y[i]), 70 * math.sin(x[i]), math.sin(80 * y[i]), 10 * (x[i] + y[i])
        bump, cw = math.exp(math.sin(s)), 10 * math.cos(w)
        f[i] = bump + math.sin(e) + math.sin(t) + math.sin(v) - math.sin(w) + (x[i] ** 2 + y[i] ** 2) / 4
        fx = 50 * math.cos(s) * bump + 70 * math.cos(x[i]) * math.cos(t) - cw + x[i] / 2
        fy = e * math.cos(e) + 80 * math.cos(80 * y[i]) * math.cos(v) - cw + y[i] / 2
        low[i] = f[i] - h * (abs(fx) + abs(fy)) - CURVED * h * h


def refine_compiled(squares: np.ndarray, h: float, best: float, cuts: int = 16) -> tuple[float, np.ndarray, float]:
    """As `refine`, in one compiled loop over all cores, without an array between its steps."""
    h /= cuts
    x, y = _cut(squares, h, cuts, np)
    f, low = np.empty_like(x), np.empty_like(x)
    _bounds(x, y, h, f, low)
    best = min(best, float(f.min()))
    left = low < best
    return best, np.stack([x[left], y[left]], axis=1), h


def search_here(refine: Any, smallest: float = 1e-8, together: int = 96) -> tuple[float, int]:
    """Search in this process, one step after the other; return the least value and how many points were looked at."""
    best, waiting, points = math.inf, [(quarter[None], 0.5, 128) for quarter in QUARTERS], 0
    while waiting:
        squares, h, cuts = waiting.pop(0)
        points += len(squares) * cuts**2
        best, squares, h = refine(squares, h, best, cuts=cuts)
        if h > smallest and len(squares):
            parts = np.array_split(squares, math.ceil(len(squares) / together))
            waiting += [(part, h, 16) for part in parts]
    return best, points
