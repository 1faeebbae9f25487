"""``cupy.testing``: its decorators run a test with NumPy and CuPy, for dtypes and parameters, and tell a difference."""

import unittest

import numpy as np
import pytest


def test_a_comparison_passes_and_fails(cp):
    testing = cp.testing
    seen = []

    @testing.for_all_dtypes(no_bool=True)
    @testing.numpy_cupy_allclose(rtol=1e-3)
    def good(xp, dtype):
        seen.append((xp.__name__, dtype))
        return testing.shaped_arange((2, 3), xp, dtype).sum(axis=0)

    @testing.numpy_cupy_array_equal()
    def other_values(xp):
        return xp.ones(3) * (1 if xp is np else 2)

    @testing.numpy_cupy_array_equal()
    def other_type(xp):
        return xp.ones(3, "f" if xp is np else "d")

    @testing.numpy_cupy_allclose()
    def other_error(xp):
        raise (ValueError if xp is np else TypeError)("no")

    @testing.numpy_cupy_allclose(accept_error=ValueError)
    def same_error(xp):
        return xp.ones(3).reshape(2, 2)

    good()
    same_error()
    assert len(seen) == 2 * 15 and {name for name, _ in seen} == {"numpy", "cupy"}
    for test, message in (
        (other_values, "Arrays are not equal"), (other_type, "different dtypes"), (other_error, "Different types of errors"),
    ):  # fmt: skip
        with pytest.raises(AssertionError, match=message):
            test()


def test_equal_objects(cp):
    @cp.testing.numpy_cupy_equal()
    def check(xp):
        return 1 if xp is np else 2

    with pytest.raises(AssertionError, match="Results are not equal"):
        check()


def test_combinations_of_dtypes(cp):
    seen = []

    @cp.testing.for_dtypes_combination("ifd", names=["a", "b"], full=True)
    def check(a, b):
        seen.append((a, b))

    check()
    assert len(seen) == len(set(seen)) == 9


def test_parameters_make_classes(cp):
    @cp.testing.parameterize(*cp.testing.product({"n": [1, 2], "f": [abs, lambda v: v]}))
    class Sizes(unittest.TestCase):
        def test_size(self):
            assert self.f(self.n) == self.n

    made = [value for name, value in globals().items() if name.startswith("Sizes_param_")]
    assert Sizes is None and len(made) == 4
    result = unittest.TestResult()
    unittest.TestSuite(kind("test_size") for kind in made).run(result)
    assert result.testsRun == 4 and not result.errors and not result.failures
    for kind in made:
        del globals()[kind.__name__]


def test_random_numbers_are_fixed_inside_and_untouched_outside(cp):
    @cp.testing.fix_random()
    def check():
        return float(cp.random.rand()), np.random.rand()

    before = np.random.get_state()[1].copy()
    assert check() == check()
    assert (np.random.get_state()[1] == before).all()


def test_arrays_to_test_with(cp):
    testing = cp.testing
    assert testing.shaped_arange((2, 2), np, complex).tolist() == [[1 + 1j, 2 + 2j], [3 + 3j, 4 + 4j]]
    assert testing.shaped_reverse_arange((3,)).tolist() == [3, 2, 1]
    assert testing.shaped_linspace(-1, 1, (3,), np, "u1").tolist() == [0, 0, 1]
    assert (testing.shaped_random((5,)) == testing.shaped_random((5,))).all()
    a = testing.generate_matrix((3, 3), cp, "d", singular_values=[3, 2, 1])
    testing.assert_allclose(cp.linalg.svd(a)[1], [3, 2, 1])
    with pytest.raises(AssertionError, match="Strides are not equal"):
        testing.assert_array_equal(np.ones((2, 2)), np.ones((2, 2)).T.copy("F"), strides_check=True)
    assert testing.installed("numpy>=1") and not testing.installed("numpy<1") and testing.numpy_satisfies(">=2")
