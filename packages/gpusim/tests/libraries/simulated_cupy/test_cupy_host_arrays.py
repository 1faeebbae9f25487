"""NumPy arrays given to CuPy's functions: some are answered by NumPy, others refused.

What is expected was answered by the real CuPy 14.2.0 on a machine without a GPU: where it says so before it asks for one.
"""

import numpy as np
import pytest

A, K, B = np.array([[3.0, 1, 2], [6, 5, 4]]), np.array([1, 0, 1]), np.array([True, False, True])


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("broadcast_arrays", (K, A)), ("copy", (A,)), ("dot", (A, A.T)), ("dot", (K, K)), ("flip", (A, 1)), ("fliplr", (A,)),
        ("flipud", (A,)), ("repeat", (A, 2, 1)), ("rot90", (A,)), ("sort_complex", (K,)), ("squeeze", (A[None],)),
        ("swapaxes", (A, 0, 1)), ("transpose", (A,)), ("unravel_index", (K, (2, 2))), ("ravel", (A,)), ("sum", (A, 0)),
        ("array_equal", (A, A)), ("shares_memory", (A, A)),
    ],
)  # fmt: skip
def test_answered_by_numpy(cp, name, arguments):
    found, expected = getattr(cp, name)(*arguments), getattr(np, name)(*arguments)
    assert type(found) in (type(expected), type(np.bool_(expected)) if isinstance(expected, bool) else None)
    for one, other in zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]:
        assert not hasattr(one, "get") and np.array_equal(one, other)


def test_filled_where_it_is(cp):
    mine = A.copy()
    cp.fill_diagonal(mine, 9)
    assert mine.tolist() == [[9, 1, 2], [6, 9, 4]]


BASE = "Argument '{}' has incorrect type (expected cupy._core.core._ndarray_base, got numpy.ndarray)"
OBJECT = "'a' must be a cupy.ndarray object, not <class 'numpy.ndarray'>."
CLASS = (
    "Argument 'a' has incorrect type (expected <class 'cupy._core.core._ndarray_base'>, got <class 'numpy.ndarray'>)."
)


@pytest.mark.parametrize(
    ("name", "arguments", "error", "said"),
    [
        *((name, (A,), TypeError, BASE.format("a")) for name in (
            "ascontiguousarray", "asfortranarray", "cumprod", "cumsum", "median", "nanargmax", "nanmean", "nanprod", "nanstd",
            "nansum", "nanvar", "size",
        )),
        *((name, (A, A), TypeError, BASE.format("a")) for name in ("inner", "kron", "may_share_memory", "tensordot", "vdot")),
        *((name, (A, 0), TypeError, BASE.format("a")) for name in ("expand_dims", "rollaxis")),
        ("moveaxis", (A, 0, 1), TypeError, BASE.format("a")), ("apply_along_axis", (len, 0, A), TypeError, BASE.format("a")),
        ("broadcast_to", (K, (2, 3)), TypeError, BASE.format("array")), ("split", (K, 3), TypeError, BASE.format("ary")),
        ("array_split", (K, 2), TypeError, BASE.format("ary")), ("vsplit", (A, 2), TypeError, BASE.format("ary")),
        *((name, (B,), TypeError, OBJECT) for name in ("all", "any", "argwhere", "flatnonzero", "nonzero", "where")),
        *((name, (A,), TypeError, CLASS) for name in ("count_nonzero", "nanmax", "nanmin")),
        ("argmax", (A,), TypeError, "argmax() got an unexpected keyword argument 'dtype'"),
        ("argmin", (A,), TypeError, "argmin() got an unexpected keyword argument 'dtype'"),
        ("digitize", (K, K), NotImplementedError, "Only int or ndarray are supported for a"),
        ("extract", (B, K), TypeError, "extract requires input array to be cupy.ndarray"),
        ("meshgrid", (K, K), ValueError, "input has to be cupy.ndarray"),
        ("ediff1d", (K,), TypeError, "`arr` should be of type cupy.ndarray"),
        ("fft.rfft", (K,), TypeError, "The input array a must be a cupy.ndarray"),
        ("copy", ([1, 2],), TypeError, "list.copy() takes no keyword arguments"),
    ],
)  # fmt: skip
def test_refused(cp, name, arguments, error, said):
    function = cp.fft.rfft if name == "fft.rfft" else getattr(cp, name)
    with pytest.raises(error) as caught:
        function(*arguments)
    assert str(caught.value) == said


def test_device_arrays_are_not_stopped(cp):
    x = cp.asarray(A)
    assert float(cp.kron(x, x).sum()) == 441 and int(cp.argmax(x)) == 3 and cp.transpose(x).shape == (3, 2)
    assert type(cp.copy(x)) is cp.ndarray and cp.where(x > 3)[0].get().tolist() == [1, 1, 1]
