"""What reviews found missing: flat assignment, casts, deletion, structures, random parameters, views of foreign memory."""

import numpy as np
import pytest


def test_flat_repeats_what_is_assigned(cp):
    x = cp.arange(6).reshape(2, 3).T
    x.flat[...] = cp.array([1, 2])
    assert x.tolist() == [[1, 2], [1, 2], [1, 2]]
    x.flat[1::2] = cp.array([7, 8])
    assert x.ravel().tolist() == [1, 7, 1, 8, 1, 7]
    with pytest.raises(IndexError, match="unsupported iterator index"):
        x.flat[(0,)]
    assert [int(v) for v in cp.arange(3).flat] == [0, 1, 2]


def test_elements_cannot_be_deleted(cp):
    with pytest.raises(NotImplementedError, match="Subscript deletion not supported by ndarray"):
        del cp.arange(3)[0]


@pytest.mark.parametrize(
    "write",
    [
        lambda cp, x, y: cp.copyto(y, x, casting="unsafe"),
        lambda cp, x, y: y.__setitem__(..., x),
        lambda cp, x, y: y.__setitem__(cp.arange(4), x),
        lambda cp, x, y: cp.add(x, 0.0, out=y, casting="unsafe"),
        lambda cp, x, y: y.__setitem__(cp.ones(4, bool), x),
    ],
)
def test_floats_are_clamped_wherever_they_become_integers(cp, write):
    x, y = cp.array([-1.5, 1e10, np.nan, 3.9], "f"), cp.zeros(4, "u4")
    write(cp, x, y)
    assert y.tolist() == [0, 2**32 - 1, 0, 3]


def test_fields_of_structures(cp):
    a = cp.array([(1, 2.0), (3, 4.0)], dtype="i8,f8")
    assert a["f1"].tolist() == [2, 4] and (a == a).tolist() == [True, True]
    a["f0"] = cp.array([7, 8])
    assert a.get()["f0"].tolist() == [7, 8]
    assert a[["f0", "f1"]].astype("f8,i8").get().tolist() == [(7.0, 2), (8.0, 4)]
    with pytest.raises(TypeError, match="Cannot compare structured or void"):
        a == cp.array(1)  # noqa: B015
    assert cp.make_aligned_dtype("?,c8").itemsize == 16


def test_numbers_of_repeats_may_lie_on_the_device(cp):
    assert cp.arange(3).repeat(cp.array([1, 0, 2])).tolist() == [0, 2, 2]
    with pytest.raises(TypeError, match="does not accept numpy.ndarray"):
        cp.arange(2).repeat(np.array([1, 2]))


def test_einsum_of_one_array_is_a_view_and_takes_no_out(cp):
    x = cp.arange(9).reshape(3, 3)
    diagonal = cp.einsum("ii->i", x)
    diagonal[...] = 0
    assert int(x.trace()) == 0
    with pytest.raises(TypeError, match="Did not understand the following kwargs"):
        cp.einsum("ij->ji", x, out=x)
    with pytest.raises(ValueError, match="never appeared in an input"):
        cp.einsum("i->ij", cp.ones(2))


def test_what_shows_device_memory_is_an_argument(cp):
    x = cp.arange(3.0)

    class Shows:
        __cuda_array_interface__ = x.__cuda_array_interface__

    assert cp.add(Shows(), 1).tolist() == [1, 2, 3] and (x + Shows()).tolist() == [0, 2, 4]
    assert cp.asnumpy(Shows()).tolist() == [0, 1, 2]
    y = cp.asarray(Shows())
    y[0] = 5
    assert float(x[0]) == 5


def test_parameters_of_distributions(cp):
    rng = cp.random.RandomState(1)
    with pytest.raises(ValueError, match="scale < 0"):
        rng.exponential(-1.0)
    with pytest.raises(ValueError, match="p > 1"):
        rng.negative_binomial(3, cp.array([0.5, 1.5]))
    with pytest.raises(TypeError, match="Seed must be an integer"):
        rng.seed(1.5)
    with pytest.raises(NotImplementedError):
        rng.choice(4, 2, replace=False, p=[0.1, 0.2, 0.3, 0.4])
    assert cp.isnan(rng.standard_t(cp.array([-1.0, 3.0]))).tolist() == [True, False]  # nothing raises later
    assert rng.noncentral_f(dfnum=2.0, dfden=3.0, nonc=1.0, size=4, dtype="f").dtype == "f"
    with pytest.raises(ValueError, match="size must match out.shape"):
        cp.random.default_rng(1).random(3, out=cp.zeros(4))


def test_vectorize(cp):
    @cp.vectorize
    def f(x, y):
        if x > y:
            return cp.sqrt(x)
        return y * 2

    x, y = cp.array([4.0, 1.0]), cp.array([1.0, 3.0])
    assert f(x, y).tolist() == [2, 6] and f(x.astype("f"), y.astype("f")).dtype == "f"
    with pytest.raises(NotImplementedError):
        cp.vectorize(lambda x: x, excluded={0})


def test_names_that_numpy_2_dropped(cp, capsys):
    with pytest.raises(RuntimeError, match="This function has been removed in NumPy v2"):
        cp.find_common_type([], [])
    assert cp.byte_bounds(cp.zeros(4)[1:])[1] - cp.byte_bounds(cp.zeros(4)[1:])[0] == 24
    cp.who({"x": cp.zeros((2, 3)), "h": np.zeros(9)})
    out = capsys.readouterr().out
    assert "2 x 3" in out and "Upper bound on total bytes  =       48" in out
    assert cp.polynomial.polynomial.polyval(cp.array([2.0]), cp.array([1, 2, 3])).tolist() == [17]
    assert cp.fft.config.get_plan_cache().get_curr_size() == 0


def test_a_result_that_is_a_view_of_a_temporary_argument_is_copied_in_time(cp):
    for _ in range(3):
        counts, edges = cp.histogram(cp.array([1.5, 2.5, 2.7]), cp.array([1.0, 2.0, 3.0]))
        assert counts.tolist() == [1, 2] and edges.tolist() == [1, 2, 3]


def test_a_row_of_elements_is_contiguous(simulating):
    """cupy_tests/manipulation_tests/test_shape.py, `test_ravel_non_contiguous` and `test_ravel_broadcasted`."""
    simulating("""
        import cupy
        for order in "CFAK":
            for array in (cupy.arange(10)[::2], cupy.broadcast_to(cupy.array([1]), (10,)), cupy.zeros((3, 4))[:, ::-1]):
                flat = array.ravel(order)
                assert flat.flags.c_contiguous and flat.shape == (array.size,), order
    """)
