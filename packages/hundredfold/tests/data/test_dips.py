"""The surface of the challenge: its slopes, its bound, and the search for its least value in NumPy and compiled."""

import numpy as np
import pytest

from hundredfold.data import dips

RNG = np.random.default_rng(0)


def value(x, y):
    """f, written down a second time."""
    return (
        np.exp(np.sin(50 * x))
        + np.sin(60 * np.exp(y))
        + np.sin(70 * np.sin(x))
        + np.sin(np.sin(80 * y))
        - np.sin(10 * (x + y))
        + (x**2 + y**2) / 4
    )


def test_the_values_and_the_slopes_are_those_of_the_formula():
    x, y = RNG.uniform(-1, 1, (2, 1000))
    f, fx, fy = dips.surface(x, y)
    step = 1e-6
    assert np.allclose(f, value(x, y), rtol=1e-13)
    assert np.allclose(fx, (value(x + step, y) - value(x - step, y)) / (2 * step), atol=1e-4)
    assert np.allclose(fy, (value(x, y + step) - value(x, y - step)) / (2 * step), atol=1e-4)


@pytest.mark.parametrize("h", [0.05, 0.005, 0.0005])
def test_no_value_in_a_square_is_below_its_bound(h):
    x, y = RNG.uniform(-1 + h, 1 - h, (2, 300))
    f, fx, fy = dips.surface(x, y)
    bound = f - h * (abs(fx) + abs(fy)) - dips.CURVED * h * h
    inside = RNG.uniform(-h, h, (2, 400, 1))
    assert (value(x + inside[0], y + inside[1]).min(axis=0) >= bound).all()


def by_numpy(squares, h, best, cuts=16):
    return dips.refine(squares, h, best, cuts=cuts, xp=np)


def test_the_compiled_step_leaves_the_same_squares():
    best, left, h = by_numpy(dips.QUARTERS, 0.5, np.inf, cuts=64)
    again, same, width = dips.refine_compiled(dips.QUARTERS, 0.5, np.inf, cuts=64)
    assert best == pytest.approx(again, abs=1e-12) and h == width == 0.5 / 64
    assert 0 < len(left) < 4 * 64**2 and np.array_equal(left, same)


def test_the_search_finds_the_published_minimum():
    best, points = dips.search_here(dips.refine_compiled)
    assert abs(best - dips.LEAST) < 1e-11
    assert 4 * 128**2 < points < 10_000_000
