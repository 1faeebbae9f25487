"""Sorting by the fast kinds gives what a stable sort gives: bits, and positions."""

import numpy as np
import pytest

from gpusim.device import sorting

KINDS = [*"?bBhHiIlLqQefd", "F", "D"]


def drawn(kind, n, rng, *, odd):
    """Numbers with many equals; of floats, zeros of both signs and NaNs of several bits too, if they are `odd`."""
    dtype = np.dtype(kind)
    a = rng.integers(-20, 20, n).astype(dtype) if rng.integers(2) else rng.standard_normal(n).astype(dtype)
    if odd and dtype.kind == "f":
        a[rng.integers(0, n, n // 8)] = -0.0
        a[rng.integers(0, n, n // 8)] = 0.0
        places = rng.integers(0, n, n // 8)
        a[places] = np.nan
        a.view(f"u{a.itemsize}")[places[::3]] += np.arange(1, len(places[::3]) + 1).astype(f"u{a.itemsize}") % 100
        a[places[1::3]] *= -1
        a[rng.integers(0, n, 9)] = np.inf
    return a


def bits(a):
    return a.tobytes(), a.dtype, a.shape


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("odd", [False, True], ids=["plain", "odd"])
def test_the_result_is_that_of_a_stable_sort(kind, odd):
    rng = np.random.default_rng(3)
    for shape, axis in (((9000,), 0), ((40, 250), 1), ((250, 40), 0), ((3, 2000, 2), 1), ((50,), 0), ((5000, 1), 1)):
        a = drawn(kind, int(np.prod(shape)), rng, odd=odd).reshape(shape)
        wanted = a.copy()
        wanted.sort(axis, kind="stable")
        order = sorting.argsort(a, axis)
        assert bits(order) == bits(np.argsort(a, axis, kind="stable")), (shape, axis)
        sorting.sort(a, axis)
        assert bits(a) == bits(wanted), (shape, axis)


@pytest.mark.parametrize("kind", "iIlL")
@pytest.mark.parametrize("bits_used", [20, 45, 64], ids=["narrow", "with the position 59 bits", "whole"])
def test_integers_of_any_range_keep_the_order_of_equals(kind, bits_used):
    dtype = np.dtype(kind)
    drawn = np.random.default_rng(5).integers(0, 1 << 64, 6000, np.uint64)
    a = (drawn >> np.uint64(64 - bits_used)).astype(dtype)
    a[1000:2000] = a[:1000]
    assert (sorting._numbered(a) is None) == (bits_used == 64 and dtype.itemsize == 8)
    for each in (a, a.reshape(2, -1), a.reshape(-1, 2).T):
        assert (sorting.argsort(each) == np.argsort(each, kind="stable")).all()


@pytest.mark.parametrize("value", [0.0, -0.0, np.nan, 3.0])
def test_all_equal(value):
    a = np.full(10_000, value)
    assert sorting.argsort(a).tolist() == list(range(10_000))
    assert sorting.argsort(a.reshape(2, -1), 0)[1].all()
    before = a.tobytes()
    sorting.sort(a)
    assert a.tobytes() == before
