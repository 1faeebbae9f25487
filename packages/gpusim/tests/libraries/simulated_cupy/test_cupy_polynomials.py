"""``poly1d`` against NumPy's, and ``piecewise``, which takes numbers only."""

import numpy as np
import pytest


@pytest.mark.parametrize(
    "combine",
    [
        lambda p, x: p * p + 1 - p * 2,
        lambda p, x: 3 - p,
        lambda p, x: p**3,
        lambda p, x: p / 2,
        lambda p, x: p(p),
        lambda p, x: -p,
    ],
)
def test_polynomials_combine_as_numpys(cp, combine):
    ours = combine(cp.poly1d(cp.array([0, 1.0, 2, 3])), cp.array([2.0]))
    theirs = combine(np.poly1d([1.0, 2, 3]), 2.0)
    assert isinstance(ours, cp.poly1d) and isinstance(ours.coeffs, cp.ndarray)
    np.testing.assert_allclose(ours.coeffs.get(), theirs.coeffs)
    assert ours.order == theirs.order and str(ours) == str(theirs)


def test_a_polynomial_has_values_roots_and_coefficients(cp):
    p = cp.poly1d(cp.polyfit(cp.arange(5.0), cp.arange(5.0) ** 2 - 1, 2))
    np.testing.assert_allclose(p(cp.arange(3.0)).get(), [-1, 0, 3], atol=1e-9)
    np.testing.assert_allclose(sorted(p.roots.get()), [-1, 1], atol=1e-9)
    assert p[9] == 0 and abs(float(p[2]) - 1) < 1e-9
    assert cp.poly1d([1, 2]) == cp.poly1d(cp.array([0, 1, 2])) != cp.poly1d([1, 3])
    assert str(cp.poly1d(cp.array([1.0, 2.0]), True)) == str(np.poly1d([1.0, -3.0, 2.0]))
    assert isinstance(cp.array([2.0]) * p, cp.ndarray)  # an array keeps its operators, as NumPy's
    with pytest.raises(NotImplementedError):  # CuPy has none either
        p.deriv()


def test_piecewise(cp):
    x = cp.linspace(-2, 2, 5)
    assert cp.piecewise(x, [x < 0, x >= 0], [-1, 1]).get().tolist() == [-1, -1, 1, 1, 1]
    assert cp.piecewise(x, [x < 0], [-1, 9]).get().tolist() == [-1, -1, 9, 9, 9]
    assert cp.piecewise(x, [x < 1, x < 0], [1, 2]).get().tolist() == [2, 2, 1, 0, 0]
    with pytest.raises(NotImplementedError, match="Callable functions are not supported currently"):
        cp.piecewise(x, [x < 0], [lambda v: v])
    with pytest.raises(ValueError, match="either 1 or 2 functions are expected"):
        cp.piecewise(x, [x < 0], [1, 2, 3])


def test_the_type_of_arange_is_that_of_the_kind_alone(cp):
    assert cp.arange(np.int32(3)).dtype == np.int64
    assert cp.arange(np.float32(3)).dtype == np.float64
