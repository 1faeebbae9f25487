"""Where CuPy differs from NumPy: the host kept apart, wrapping indices, 0-d results, refusals by name."""

import copy
import pickle
import warnings

import numpy as np
import pytest

from gpusim.device import queue
from gpusim.importing.errors import NotSimulatedError

CONVERSION = (
    "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly."
)


@pytest.mark.parametrize("convert", [np.asarray, np.array, np.ascontiguousarray])
def test_nothing_becomes_a_host_array_unasked(cp, convert):
    with pytest.raises(TypeError, match="Implicit conversion"):
        convert(cp.ones(3))


def test_the_message_is_cupys(cp):
    with pytest.raises(TypeError) as caught:
        np.asarray(cp.ones(3))
    assert str(caught.value) == CONVERSION


def test_dlpack_does_not_leak_to_the_host(cp):
    assert cp.ones(3).__dlpack_device__() == (2, 0)
    with pytest.raises((RuntimeError, BufferError)):
        np.from_dlpack(cp.ones(3))
    with pytest.raises(TypeError):
        memoryview(cp.ones(3))


@pytest.mark.parametrize(
    "mix",
    [
        lambda cp, d, h: d + h, lambda cp, d, h: h + d, lambda cp, d, h: d < h, lambda cp, d, h: h == d,
        lambda cp, d, h: cp.add(d, h), lambda cp, d, h: np.add(h, d), lambda cp, d, h: d.__iadd__(h),
        lambda cp, d, h: h.__iadd__(d), lambda cp, d, h: cp.where(d > 0, d, h), lambda cp, d, h: cp.dot(d, h),
        lambda cp, d, h: d @ h, lambda cp, d, h: cp.concatenate([d, h]),
        lambda cp, d, h: cp.cumsum(h), lambda cp, d, h: cp.sin(h), lambda cp, d, h: cp.fft.fft(h),
        lambda cp, d, h: cp.interp(d, d, h), lambda cp, d, h: cp.linalg.norm(h) if False else cp.cross(d, h),
    ],
)  # fmt: skip
def test_host_and_device_arrays_do_not_mix(cp, mix):
    with pytest.raises(TypeError):
        mix(cp, cp.ones(3), np.ones(3))


def test_functions_that_call_a_method_take_whatever_has_it(cp):
    # cupy/_math/sumprod.py: `return a.sum(axis, dtype, out, keepdims)`
    assert type(cp.sum(np.ones(3))) is np.float64
    with pytest.raises(AttributeError, match="'list' object has no attribute 'mean'"):
        cp.mean([1, 2])
    with pytest.raises(TypeError, match="must be a cupy.ndarray object"):
        cp.all(np.ones(3))


def test_the_refusal_to_mix_is_cupys(cp):
    with pytest.raises(TypeError, match="Unsupported type <class 'numpy.ndarray'>"):
        cp.ones(3) + np.ones(3)
    with pytest.raises(ValueError, match="non-scalar numpy.ndarray cannot be used for fill"):
        cp.ones(3)[:] = np.ones(3)


def test_numpy_functions_dispatch(cp):
    x = cp.linspace(0, 1, 5)
    for value in (
        np.sin(x),
        np.sum(x),
        np.concatenate([x, x]),
        np.linalg.norm(x),
        np.fft.fft(x),
        np.where(x > 0, x, 1),
    ):
        assert isinstance(value, cp.ndarray)
    assert isinstance(np.float64(2) * x, cp.ndarray) and isinstance(np.add.reduce(x), cp.ndarray)
    with pytest.raises(TypeError):
        np.packbits(x, no_such_argument=1)


def test_reductions_give_arrays_of_no_axes(cp):
    x = cp.ones((2, 3))
    for value in (x.sum(), x.max(), x.all(), x.argmax(), x[0, 0], cp.dot(x[0], x[0]), cp.linalg.norm(x), x.std()):
        assert isinstance(value, cp.ndarray) and value.shape == ()


def test_python_scalars_are_weak_and_numpy_scalars_are_not(cp):
    x = cp.ones(3, "float32")
    assert (x * 2.5).dtype == "float32" and (2.5 * x).dtype == "float32"
    assert (x * np.float64(2.5)).dtype == "float64" and (np.float64(2.5) * x).dtype == "float64"
    assert (cp.ones(3, "int8") + 1).dtype == "int8" and (cp.ones(3, "uint8") + 1.0).dtype == "float64"
    with pytest.raises(OverflowError):
        cp.ones(3, "int8") + 300


def test_true_division_of_small_integers_is_in_double(cp):
    assert (cp.ones(3, "int8") / cp.ones(3, "int8")).dtype == "float64"


def test_integer_indices_wrap_around(cp):
    x = cp.arange(3)
    assert x[[1, 3]].tolist() == [1, 0]
    assert x[cp.array([-4, 5])].tolist() == [2, 2]
    assert x.take(cp.array([7])).tolist() == [1]
    x[[1, 3]] = 10
    assert x.tolist() == [10, 10, 2]
    with pytest.raises(IndexError, match="Index 3 is out of bounds for axis 0 with size 3"):
        x[3]
    with pytest.raises(IndexError, match="too many indices for array"):
        x[0, 0]
    with pytest.raises(IndexError, match="integer or boolean"):
        x[cp.array([0.5])]
    with pytest.raises(IndexError, match="boolean index did not match"):
        x[cp.array([True, False])]


def test_setting_by_mask_and_by_repeated_indices(cp):
    x = cp.zeros(4)
    x[cp.array([True, False, True, False])] = cp.array([5.0, 6.0])
    assert x.tolist() == [5, 0, 6, 0]
    x[x > 5] = -1
    assert x.tolist() == [5, 0, -1, 0]
    counts = cp.zeros(3)
    cp.add.at(counts, cp.array([0, 0, 2]), 1)
    assert counts.tolist() == [2, 0, 1]
    y = cp.zeros((2, 3))
    y[:, [0, 2]] = cp.array([[1.0], [2.0]])
    assert y.tolist() == [[1, 0, 1], [2, 0, 2]]
    with pytest.raises(ValueError, match="broadcast"):
        y[:, [0, 2]] = cp.ones((2, 3))


def test_integers_to_negative_powers_do_not_raise(cp):
    assert (cp.array([-1, 1, 2, 0]) ** cp.array([-3, -1, -1, -1])).tolist() == [-1, 1, 0, 0]


def test_ufunc_outputs_are_in_row_major_order(cp):
    x = cp.ones((3, 4), order="F")
    assert cp.sin(x).flags.c_contiguous and (x + x.T.T).flags.c_contiguous
    assert x.copy(order="K").flags.f_contiguous and cp.zeros_like(x).flags.f_contiguous


def test_boolean_arithmetic_is_refused_as_in_cupy(cp):
    flags = cp.array([True])
    for wrong in (lambda: -flags, lambda: flags - flags):
        with pytest.raises(TypeError, match="boolean"):
            wrong()


def test_outputs_are_checked(cp):
    x = cp.ones(3)
    with pytest.raises(TypeError, match="Unsupported type <class 'numpy.ndarray'>"):
        cp.sin(x, out=np.ones(3))
    with pytest.raises(ValueError, match="Out shape is mismatched"):
        cp.sin(x, out=cp.ones(1))
    with pytest.raises(TypeError, match="Cannot cast output operand"):
        cp.sin(x, out=cp.ones(3, int))
    with pytest.raises(TypeError, match="Cannot cast output operand"):
        ints = cp.ones(3, int)
        ints += 0.5
    halves = cp.empty(3, "float32")
    assert cp.sin(x, out=halves) is halves and halves.dtype == "float32"
    with pytest.raises(ValueError, match="could not be broadcast together with shapes"):
        x + cp.ones(4)
    with pytest.raises(TypeError, match="Wrong arguments"):
        cp.sin(x, where=True)


def test_comparing_with_what_is_no_number(cp):
    x = cp.arange(3)
    assert not (x == None).any() and (x != None).all()  # noqa: E711
    with pytest.raises(TypeError):
        x < None  # noqa: B015


def test_truth_and_conversion_of_single_elements(cp):
    assert bool(cp.array([1])) and int(cp.array(3)) == 3 and float(cp.array([2.5])[0]) == 2.5
    with pytest.raises(ValueError, match="truth value of an array with more than one element"):
        bool(cp.ones(2))
    with pytest.raises(ValueError, match="can only convert an array of size 1"):
        cp.ones(2).item()
    with pytest.raises(TypeError):
        hash(cp.ones(1))
    with pytest.raises(TypeError):
        range(cp.array(3))  # CuPy's arrays have no __index__


def test_ends_of_a_slice_may_be_arrays(cp):
    """They have no __index__, but int() takes them, and CuPy falls back to it (``_extract_slice_element`` in internal.pyx)."""
    x, i = cp.arange(12).reshape(3, 4), cp.array(1)
    assert x[i:, : i + 1].tolist() == [[4, 5], [8, 9]] and x[:: i + 1].tolist() == x[::2].tolist()
    assert x[i:, [0, 3]].tolist() == [[4, 7], [8, 11]]
    x[:i] = -1
    x[i:, cp.array([0])] = -2
    assert x.tolist() == [[-1] * 4, [-2, 5, 6, 7], [-2, 9, 10, 11]]
    for wrong in (object(), cp.arange(2)):
        with pytest.raises(TypeError, match="slice.stop must be int or None or have __index__ method"):
            x[:wrong]


def test_unsupported_types_are_refused(cp):
    for wrong in (np.array(["a"]), np.array([object()]), np.array(["2020"], "datetime64[Y]")):
        with pytest.raises(ValueError, match="Unsupported dtype"):
            cp.asarray(wrong)
    assert cp.asarray(np.array([1], ">i4")).dtype == "<i4"  # big-endian numbers are turned round on the host
    with pytest.raises(ValueError, match="big-endian byte-order"):
        cp.zeros(3, ">i4")


def test_an_array_says_that_it_is_cupys(cp):
    assert cp.ndarray.__module__ == "cupy" and type(cp.ones(1)) is cp.ndarray
    assert cp.get_array_module(cp.ones(1)) is cp and cp.get_array_module(np.ones(1)) is np
    assert cp.__version__ == "14.2.0+gpusim" and cp.is_available() and cp.cuda.is_available()


def test_arrays_can_be_pickled_and_copied(cp):
    x = cp.asfortranarray(cp.arange(6.0).reshape(2, 3))
    for twin in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert isinstance(twin, cp.ndarray) and (twin == x).all() and not cp.shares_memory(twin, x)
    assert pickle.loads(pickle.dumps(x)).flags.f_contiguous
    assert pickle.loads(pickle.dumps(cp.sin)) is cp.sin


def test_get_and_set(cp):
    x = cp.zeros((2, 3))
    out = np.empty((2, 3))
    assert x.get(out=out) is out and not out.any()
    x.set(np.ones((2, 3)))
    assert x.get(order="F").flags.f_contiguous and x.get().sum() == 6
    with pytest.raises(TypeError, match="cannot be set to float64 array"):
        x.set(np.ones((2, 3), "f4"))
    with pytest.raises(ValueError, match="Shape mismatch"):
        x.set(np.ones((3, 2)))
    with pytest.raises(TypeError, match="Only numpy.ndarray can be set"):
        x.set(x)
    host = x.get()
    host[:] = 9
    assert float(x.sum()) == 6  # a copy


def test_lists_of_device_arrays_are_stacked(cp):
    x = cp.array([cp.arange(3), cp.arange(3) + 1])
    assert x.shape == (2, 3) and cp.array([x.sum(), x.max()]).tolist() == [9, 3]


def test_views(cp):
    x = cp.arange(12.0).reshape(3, 4)
    assert x.reshape(-1).base is x.base and cp.shares_memory(x.T, x) and x.diagonal().base is not None
    x.T[0, 0] = 99
    assert float(x[0, 0]) == 99
    z = cp.zeros(3, complex)
    z.real = 2
    z.imag[1] = 5
    assert z.tolist() == [2, 2 + 5j, 2]
    assert x.view("int64").dtype == "int64" and x.view("float32").shape == (3, 8)
    x.diagonal()[...] = 0
    assert float(x.trace()) == 0
    x.shape = (4, 3)
    assert x.shape == (4, 3)
    with pytest.raises(ValueError, match="cannot reshape array of size 12"):
        x.reshape(5, 2)


def test_casts_do_not_warn_except_of_a_lost_imaginary_part(cp):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cp.array([1.5, 300.0]).astype("int8")
        queue.run()
    with pytest.warns(cp.ComplexWarning):
        assert cp.array([1 + 2j]).astype(float).tolist() == [1.0]


def test_what_is_missing_is_refused_by_name_and_nonsense_is_not_known(cp):
    with pytest.raises(NotSimulatedError, match="cupy.cuda.runtime.graphLaunch needs a GPU"):
        cp.cuda.runtime.graphLaunch  # noqa: B018
    assert not hasattr(cp.cuda.runtime, "graphLaunch")
    with pytest.raises(AttributeError) as caught:
        cp.no_such_thing  # noqa: B018
    assert not isinstance(caught.value, NotSimulatedError)
    with pytest.raises(ImportError, match="cupy.cublas needs a GPU"):
        import cupy.cublas  # noqa: F401


def test_random_numbers(cp):
    rng = cp.random.default_rng(3)
    x = rng.random((1000,))
    assert x.dtype == "float64" and 0.4 < float(x.mean()) < 0.6
    assert (cp.random.default_rng(3).random(1000) == x).all()
    assert rng.random(4, dtype="float32").dtype == "float32"
    assert set(rng.integers(0, 3, 200).tolist()) == {0, 1, 2}
    state = cp.random.RandomState(5)
    y = state.normal(10, 2, (2000,))
    assert 9.8 < float(y.mean()) < 10.2 and 1.8 < float(y.std()) < 2.2
    assert state.randint(5, size=(2, 2)).shape == (2, 2)
    assert sorted(cp.random.permutation(10).tolist()) == list(range(10))
    z = cp.arange(10)
    cp.random.shuffle(z)
    assert sorted(z.tolist()) == list(range(10))
    assert cp.random.rand(2, 3).shape == (2, 3) and cp.random.random().shape == ()
    assert cp.random.choice(5, 3, replace=False).size == 3 and cp.random.uniform(2, 3, 5).min() >= 2
    for name, arguments in {
        "poisson": (3.0,),
        "exponential": (2.0,),
        "gamma": (2.0, 1.0),
        "binomial": (5, 0.5),
    }.items():
        assert getattr(cp.random, name)(*arguments, size=(4,)).shape == (4,)
    with pytest.raises(ValueError, match="low >= high"):
        cp.random.randint(3, 3)
    with pytest.raises(TypeError, match="float32 and float64"):
        cp.random.random(3, dtype="int32")


def test_assertions_compare_host_and_device(cp):
    cp.testing.assert_allclose(cp.ones(3), np.ones(3))
    cp.testing.assert_array_equal(cp.arange(3), [0, 1, 2])
    with pytest.raises(AssertionError):
        cp.testing.assert_allclose(cp.ones(3), np.zeros(3))


def test_saving_and_loading(cp, tmp_path):
    x = cp.arange(6.0)
    cp.save(tmp_path / "x.npy", x)
    assert (cp.load(tmp_path / "x.npy") == x).all()
    cp.savez(tmp_path / "x.npz", a=x)
    with cp.load(tmp_path / "x.npz") as file:
        assert isinstance(file["a"], cp.ndarray)


def test_in_place_functions(cp):
    x = cp.zeros((3, 3))
    cp.fill_diagonal(x, 2)
    cp.copyto(x, cp.ones((3, 3)), where=x == 0)
    assert x.tolist() == [[2, 1, 1], [1, 2, 1], [1, 1, 2]]
    cp.put(x, [0, 9], [7, 8])
    assert float(x[0, 0]) == 8  # 9 wraps around
    cp.putmask(x, x > 2, 0 * x)
    cp.place(x, x == 0, cp.array([3.0]))
    x.sort(axis=1)
    assert x.tolist() == [[1, 1, 3], [1, 1, 2], [1, 1, 2]]


def test_allclose_takes_host_arrays(cp):
    assert bool(cp.allclose(np.arange(3.0), cp.arange(3.0))) and not bool(cp.allclose([1.0, 2.0], cp.ones(2)))
