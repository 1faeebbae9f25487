"""Wrong answers that nobody would notice: what waits in the queue must not depend on what the program does meanwhile."""

import numpy as np
import pytest


@pytest.fixture
def changed():
    """Host arguments that change between the call and the synchronisation."""

    def check(call, argument, expected):
        result = call(argument)
        if isinstance(argument, np.ndarray):
            argument[...] = 0
        else:
            argument.clear()
        assert result.get().tolist() == expected

    return check


@pytest.mark.parametrize("kind", [list, np.array], ids=["list", "array"])
def test_host_arguments_may_change_after_the_call(cp, changed, kind):
    x = cp.arange(3)
    if kind is list:  # CuPy refuses numbers of repeats in a host array
        changed(lambda n: x.repeat(n), kind([1, 2, 3]), [0, 1, 1, 2, 2, 2])
    changed(lambda s: cp.roll(x, s, axis=(0, 0)), kind([1, 1]), [1, 2, 0])
    changed(lambda w: cp.pad(x, w), kind([1, 0]), [0, 0, 1, 2])
    changed(lambda v: cp.pad(x, 1, constant_values=v), kind([5, 6]), [5, 0, 1, 2, 6])
    changed(lambda q: cp.percentile(x, q), kind([50.0, 100.0]), [1.0, 2.0])
    changed(lambda m: cp.random.normal(m, 0.0, 2), kind([1.0, 1000.0]), [1.0, 1000.0])
    changed(lambda n: cp.tile(x, n), kind([2]), [0, 1, 2, 0, 1, 2])


def test_subscripts_and_diagonals_may_change_after_the_call(cp, changed):
    x = cp.arange(6).reshape(2, 3)
    changed(lambda labels: cp.einsum(x, labels, [1]), [0, 1], [3, 5, 7])
    square = cp.zeros((2, 2))
    values = np.array([1.0, 2.0])
    cp.fill_diagonal(square, values)
    values[:] = 9
    assert square.get().tolist() == [[1, 0], [0, 2]]


def test_flipping_a_single_element_waits_for_it(cp):
    for function in (cp.flip, cp.transpose, cp.squeeze):
        x = cp.zeros(())
        x += 7
        assert function(x).get() == 7


def test_floats_become_integers_as_on_a_gpu(cp):
    inf, nan = np.inf, np.nan
    values = cp.array([-1.0, 3e9, 1e20, -1e20, inf, -inf, 2.7, -2.7], "f")
    assert values.astype("I").get().tolist() == [0, 3000000000, 2**32 - 1, 0, 2**32 - 1, 0, 2, 0]
    top, bottom = 2**31 - 1, -(2**31)
    assert values.astype("i").get().tolist() == [-1, top, top, bottom, top, bottom, 2, -2]
    top, bottom = 2**63 - 1, -(2**63)
    assert values.astype("q").get().tolist()[2:6] == [top, bottom, top, bottom]
    assert values.astype("Q").get().tolist()[:6] == [0, 3000000000, 2**64 - 1, 0, 2**64 - 1, 0]
    assert cp.array([-1.0, 300.0]).astype("B").get().tolist() == [0, 44]
    assert cp.array([nan], "f").astype("i").get().tolist() == [0]
    assert cp.array([nan], "d").astype("i").get().tolist() == [-(2**31)]
    assert cp.array([nan], "e").astype("q").get().tolist() == [-(2**63)]
    assert cp.array([2.0**63], "d").astype("Q").get().tolist() == [2**63]
    x = cp.zeros(2, "I")
    x[:] = cp.array([-1.0, inf])
    assert x.get().tolist() == [0, 2**32 - 1]


def test_one_singular_matrix_does_not_spoil_a_stack(cp):
    eye = np.eye(2)
    stack = cp.asarray(np.stack([eye, 0 * eye, 2 * eye]))
    for made in (cp.linalg.inv(stack), cp.linalg.solve(stack, cp.asarray(np.stack([eye] * 3)))):
        assert np.array_equal(made[0].get(), eye) and np.array_equal(made[2].get(), eye / 2)
        assert not np.isfinite(made[1].get()).any()
    x = cp.linalg.solve(stack, cp.ones(2))
    assert x[2].get().tolist() == [0.5, 0.5] and np.isnan(x[1].get()).all()
    with pytest.raises(ValueError, match="multidimensional b"):
        cp.linalg.solve(stack, cp.asarray(eye))
    with pytest.raises(cp.linalg.LinAlgError, match=r"only supports cupy\.ndarray"):
        cp.linalg.solve(stack, np.ones(2))
    lower = cp.linalg.cholesky(cp.asarray(np.stack([4 * eye, -eye])))
    assert np.array_equal(lower[0].get(), 2 * eye)


def test_a_single_element_is_assigned_to_no_axes(cp):
    x = cp.zeros(())
    x[...] = cp.array([5.0])
    assert x.get() == 5
    y = cp.zeros(3)
    y[1] = cp.array([[6.0]])
    assert y.get().tolist() == [0, 6, 0]


def test_integer_indices_beside_an_empty_axis(cp):
    x = cp.zeros((0, 2))
    index = cp.array([[-1], [0]])
    assert x[:, index].shape == np.zeros((0, 2))[:, [[-1], [0]]].shape == (0, 2, 1)
    x[:, index] = cp.ones((0, 2, 1))
    assert x[cp.zeros(0, int)].shape == (0, 2)
    with pytest.raises(IndexError, match="non-empty take from an empty axes"):
        cp.zeros((0,))[cp.array([0])]


def test_broadcast_views_can_be_written_to(cp):
    x = cp.arange(3)
    rows = cp.broadcast_to(x, (2, 3))
    rows[0, 0] = 7
    assert x.get().tolist() == [7, 1, 2] and rows.get().tolist() == [[7, 1, 2]] * 2
    a, b = cp.broadcast_arrays(x, cp.zeros((2, 1)))
    a[1] += 1
    assert x.get().tolist() == [8, 2, 3]
    assert cp.diag(cp.broadcast_to(x, (3, 3))).get().tolist() == [8, 2, 3]


def test_numbers_that_the_type_cannot_hold_raise_at_the_call(cp):
    with pytest.raises(OverflowError):
        cp.arange(-3, 3, dtype=cp.uint8)


def test_unsigned_and_out_of_range_indices_of_put(cp):
    x = cp.zeros(3, int)
    x.put(cp.array([1], "Q"), 9)
    cp.put_along_axis(x, cp.array([5]), cp.array([4]), 0)
    assert x.get().tolist() == [0, 9, 4]


@pytest.mark.parametrize(
    "call",
    [
        lambda cp, h: cp.roll(h, 1),
        lambda cp, h: cp.linalg.norm(h),
        lambda cp, h: cp.median(h),
        lambda cp, h: cp.nanmean(h),
        lambda cp, h: cp.nansum(h),
        lambda cp, h: cp.count_nonzero(h),
        lambda cp, h: cp.stack([cp.ones(3), h]),
    ],
)
def test_host_arrays_are_refused(cp, call):
    with pytest.raises(TypeError, match="Unsupported type <class 'numpy.ndarray'>|Only cupy arrays|has incorrect type"):
        call(cp, np.ones(3))
