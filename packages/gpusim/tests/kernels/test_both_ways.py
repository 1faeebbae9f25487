"""Constructs that numba-cuda compiles, compiled and interpreted here: each kernel gives what the same Python gives.

That numba-cuda takes them was asked of numba-cuda 0.30.4; most are lines of `compiler_sweep` too.
"""

import math
import pickle

import numpy as np
import pytest

from gpusim.kernels.faults import OutOfBoundsError, UncompilableError


@pytest.fixture(params=[pytest.param("compiled", marks=pytest.mark.large), "interpreted"])
def given(request, launch, monkeypatch):
    """What a kernel writes into an array of some length, from an array x."""
    monkeypatch.setenv("GPUSIM_KERNELS", request.param)

    def run(kernel, x, n, dtype=np.float64):
        out = np.zeros(n, dtype)
        launch(kernel, 1, 1, x, out)
        return out.tolist()

    return run


X = np.array([1.5, 2.5, -3.5, 4.0])


def test_a_device_function_takes_any_number_of_arguments(given, device_function):
    def total(first, *rest):
        s = first
        for r in rest:
            s += r
        return s + 10 * len(rest)

    total = device_function(total)

    def passed_on(*values):
        return total(1, *values) + values[0]

    passed_on = device_function(passed_on)

    def kernel(x, out):
        out[0] = total(x[0], x[1])
        out[1] = total(x[0], x[1], x[2])
        out[2] = passed_on(5, 6)
        pair = (x[0], x[1])
        out[3] = total(*pair)
        out[4] = max(*pair)

    assert given(kernel, X, 5) == [14.0, 20.5, 37.0, 14.0, 2.5]


def test_a_tuple_of_unknown_length_is_not_spread(given, device_function):
    def total(*values):
        return values[0]

    total = device_function(total)

    def kernel(x, out):
        pair = (x[0], x[1])
        if x[0] > 5:
            pair = (x[1], x[0])
        out[0] = total(*pair)

    with pytest.raises(UncompilableError, match=r"total takes \*args.*one by one"):
        given(kernel, X, 1)


def test_a_tuple_that_is_set_anew_is_not_the_arguments(given, device_function):
    def weighed(a, b):
        return 10 * a + b

    weighed = device_function(weighed)

    def turned(*values):
        values = (values[1], values[0])
        return weighed(*values)

    turned = device_function(turned)

    def kernel(x, out):
        out[0] = turned(1, 2)

    try:
        found = given(kernel, X, 1)
    except UncompilableError as error:  # interpreted, which has no call with a star that is known too late
        assert "name the arguments" in str(error)
    else:
        assert found == [21]


def test_an_argument_that_becomes_a_tuple_is_not_spread_as_that(given, device_function):
    def total(a, b):
        return a + b

    total = device_function(total)

    def kernel(x, out):
        out[0] = total(*x)
        x = (1.0, 2.0)
        out[1] = x[0]

    with pytest.raises(UncompilableError):
        given(kernel, X, 2)


def test_loops_over_short_lists_and_slices_of_tuples(given):
    def kernel(x, out):
        for a, b in [(1, 2), (3, 4)]:
            out[0] += a * b
        for a in [x[0], x[1]]:
            out[1] += a
        whole = (1, 2, 3, 4)
        for a in whole[1:3]:
            out[2] += a
        out[3] = whole[::2][1] + len(whole[:-1]) + len(x.shape[1:])
        for k in range(2.9):
            out[4] += k + 1
        out[5] = x[1.9:].size

    assert given(kernel, X, 6) == [14, 4, 5, 6, 3, 3]


def test_pythons_types_of_numbers_are_those_of_64_bits(given):
    def kernel(x, out):
        out[0] = isinstance(1, int) + 10 * isinstance(np.int32(1), int) + 100 * isinstance(np.uint64(1), int)
        out[1] = isinstance(x[0], float) + 10 * isinstance(np.float32(1), float) + 100 * isinstance(True, int)
        out[2] = isinstance(1j, complex) + 10 * isinstance(np.complex64(1), complex) + 100 * isinstance(True, bool)

    assert given(kernel, X, 3) == [1, 1, 101]


def test_an_array_and_a_part_of_one_are_filled(given):
    def kernel(x, out):
        out.fill(7)
        middle = out[1:3]
        middle.fill(x[3])

    assert given(kernel, X, 4) == [7, 4, 4, 7]


def test_numbers_of_one_type_are_stored_into_a_part_of_an_array(given):
    def kernel(x, out):
        out[:2] = (1.0, 2.0)
        pair = (x[0], x[1])
        out[3:5] = pair
        out[5::2] = (8, 9)

    assert given(kernel, X, 8) == [1, 2, 0, 1.5, 2.5, 8, 0, 9]


def mixed(x, out):
    out[:2] = (x[0], 1)


def too_many(x, out):
    out[:2] = (1.0, 2.0, 3.0)


@pytest.mark.parametrize(("kernel", "error"), [(mixed, UncompilableError), (too_many, ValueError)])
def test_what_does_not_fit_into_a_part_of_an_array(given, kernel, error):
    with pytest.raises(error):
        given(kernel, X, 8)


def test_the_bounds_of_a_part_of_a_tuple_are_constants_in_variables(given):
    two = 2

    def kernel(x, out):
        low = 1
        nothing = None
        out[0] = len((1, 2, 3, 4)[low:])
        out[1] = (1, 2, 3, 4)[low:two][0] + len((1, 2, 3)[nothing:two])
        last = -1
        out[2] = len((1, 2, 3, 4)[:last])
        out[3] = x[low:two].size

    assert given(kernel, X, 4) == [3, 4, 3, 1]


def by_an_argument(x, out):
    out[0] = len((1, 2, 3)[: x.size])


def by_a_sum(x, out):
    k = 1
    out[0] = len((1, 2, 3)[k + 1 : 3])


def in_a_loop(x, out):
    for k in range(2):
        out[0] = len((1, 2, 3)[k:])


def by_one_of_two(x, out):
    k = 1
    if x.size > 2:
        k = 2
    out[0] = len((1, 2, 3)[::k])


@pytest.mark.parametrize("kernel", [by_an_argument, by_a_sum, in_a_loop, by_one_of_two])
def test_a_part_of_a_tuple_of_unknown_length_is_refused(given, kernel):
    # As numba-cuda 0.30.4 has it: a constant is one that is written there, and not one that is computed.
    with pytest.raises(UncompilableError, match="needs bounds that are constants|no indexing for UniTuple"):
        given(kernel, X, 1)


def past_a_tuple(x, out):
    t = (1.0, 2.0)
    out[0] = t[5]


def past_a_shape(x, out):
    k = -3
    out[0] = (1, 2)[k] + x.shape[0]


@pytest.mark.parametrize("kernel", [past_a_tuple, past_a_shape])
def test_an_item_that_a_tuple_does_not_have_is_refused(given, kernel):
    with pytest.raises(UncompilableError, match="^A tuple of 2 has no item"):
        given(kernel, X, 1)


def test_an_item_past_the_arguments_is_refused(given, device_function):
    def last(*args):
        return args[5]

    last = device_function(last)

    def kernel(x, out):
        out[0] = last(x[0], x[1])

    with pytest.raises(UncompilableError, match="^A tuple of 2 has no item 5"):
        given(kernel, X, 1)


def test_an_item_of_a_tuple_by_a_number_that_is_too_large(given):
    def kernel(x, out):
        out[0] = (1.0, 2.0)[x.size]

    with pytest.raises(OutOfBoundsError, match=r"\[4\] does not exist: .*has 2 items.*\n.*line 2 of kernel"):
        given(kernel, X, 1)


def test_the_item_of_an_array(given):
    def kernel(x, out):
        out[0] = x[1:2].item()
        if x.size > 4:
            out[1] = x.item()

    assert given(kernel, X, 2) == [2.5, 0]
    with pytest.raises(ValueError, match=r"kernel.*line .*can only convert an array of size 1"):
        given(kernel, np.ones(5), 2)


def test_a_tuple_cannot_be_sliced_in_steps_of_zero(given):
    def kernel(x, out):
        out[0] = (1, 2, 3)[::0][0]

    with pytest.raises(UncompilableError, match="slice step cannot be zero"):
        given(kernel, X, 1)


def test_a_lambda_with_a_star_is_refused_as_a_lambda(given):
    def kernel(x, out):
        out[0] = (lambda a, *b: a)(x[0])

    with pytest.raises(UncompilableError, match="^A lambda takes more than plain arguments"):
        given(kernel, X, 1)


def test_a_lambda_that_is_called_where_it_stands(given):
    def kernel(x, out):
        k = 3
        out[0] = (lambda a: a * k + 1)(x[0])
        out[1] = (lambda a, b: (lambda c: c + a)(b))(1, 2)

    assert given(kernel, X, 2) == [5.5, 3]


def test_floor_and_ceil_as_the_operand_and_the_index_of_an_atomic(given, cuda):
    def kernel(x, out):
        cuda.atomic.add(out, 0, math.floor(x[1]))
        cuda.atomic.max(out, 1, math.ceil(x[1]))
        cuda.atomic.add(out, math.floor(x[1]), 7)

    for dtype in (np.float64, np.int32, np.uint64):
        assert given(kernel, X, 3, dtype) == [2, 3, 7]


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64, np.uint8])
def test_sums_and_means_of_an_array_are_numbas(given, dtype):
    def kernel(x, out):
        out[0] = x.sum() / 3
        out[1] = x.mean() / 3
        out[2] = x.std()
        out[3] = x.prod()
        out[4] = x.argmax() * 10 + np.argmin(x)
        out[5] = x.all() * 2 + x.any()
        out[6] = np.sum(x) + np.mean(x)
        out[7] = sum(x) / 3
        out[8] = max(x) - min(x)
        out[9] = x[:1].item() + x.real[1]

    x = (np.arange(1, 6) * 1.1).astype(dtype)
    wide = x.astype(np.float64)
    wanted = [wide.sum() / 3, wide.mean() / 3, wide.std(), wide.prod(), 40, 3]
    wanted += [wide.sum() + wide.mean(), wide.sum() / 3, wide.max() - wide.min(), wide[0] + wide[1]]
    rough = 1e-6 if dtype == np.float32 else 1e-15
    assert given(kernel, x, 10) == pytest.approx(wanted, rel=rough)


def test_the_mean_of_whole_numbers_is_of_their_exact_sum(given):
    def kernel(x, out):
        out[0] = x.mean()

    assert given(kernel, np.full(4, 2**30, np.int32), 1) == [2.0**30]


def test_questions_about_types_are_answered_while_compiling(given):
    def kernel(x, out):
        out[0] = isinstance(len(x), int) + 2 * isinstance(x[0], float) + 4 * isinstance(x[0], int)
        out[1] = hasattr(x, "shape") + 2 * hasattr(x, "a")
        out[2] = x[slice(1, 3)].size
        out[3] = x[0] is len(x)

    assert given(kernel, X, 4) == [3, 1, 2, 0]


def test_print_writes_floats_as_c_does(given, capfd):
    """numba-cuda hands `print` to the GPU's vprintf, with %f for floats (numba_cuda/numba/cuda/printimpl.py)."""

    def kernel(x, out):
        print(1.5, x[1], np.float32(0.1), 3, "text", x[0] > 0)
        print((x[0], 2), x[0] * 1e300 * 1e300)

    given(kernel, X, 1)
    assert capfd.readouterr().out == "1.500000 2.500000 0.100000 3 text True\n(1.500000, 2) inf\n"


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_an_exception_of_a_kernel_says_which_thread(launch, cuda, monkeypatch, way):
    """As numba_cuda/numba/cuda/dispatcher.py has it: ``tid=[z, y, x] ctaid=[z, y, x]: words``."""
    monkeypatch.setenv("GPUSIM_KERNELS", way)

    def refusing(x, out):
        if cuda.grid(1) == 37:
            raise ValueError("bad", 3)

    def checking(x, out):
        i = cuda.grid(1)
        assert i != 37, "no"

    line = refusing.__code__.co_firstlineno + 2
    with pytest.raises(
        ValueError, match=rf"function 'refusing', file .*, line {line}, tid=\[0, 0, 5\] ctaid=\[0, 0, 1\]: bad"
    ):
        launch(refusing, 2, 32, X, np.zeros(1), debug=True, opt=False)
    with pytest.raises(AssertionError, match=r"tid=\[0, 0, 5\] ctaid=\[0, 0, 1\]: no"):
        launch(checking, 2, 32, X, np.zeros(1), debug=True, opt=False)


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_an_error_about_types_is_numbas_and_shown_under_its_name(launch, monkeypatch, way):
    from numba.core.errors import TypingError

    monkeypatch.setenv("GPUSIM_KERNELS", way)

    def kernel(x, out):
        out[0] = x.foo

    with pytest.raises(TypingError, match="foo") as told:
        launch(kernel, 1, 1, X, np.zeros(1))
    assert type(told.value).__name__ == "TypingError" and isinstance(told.value, UncompilableError)
    assert isinstance(pickle.loads(pickle.dumps(told.value)), TypingError)


def test_what_numba_cuda_refuses_the_interpreter_refuses(launch, cuda, monkeypatch):
    monkeypatch.setenv("GPUSIM_KERNELS", "interpreted")

    def whole(x, out):
        out[:] = x

    def one(x, out):
        out[0] = min(x[0])

    def builtin(x, out):
        s = cuda.shared.array(4, float)
        out[0] = s[0]

    for kernel, said in ((whole, "write a loop"), (one, "min takes two numbers"), (builtin, "np.float64, not float")):
        with pytest.raises(UncompilableError, match=said):
            launch(kernel, 1, 1, X, np.zeros(4))


def test_float16_computes_in_16_bits_and_mixes_as_numba_cuda_types_it(launch, cuda):
    """PTX's add.f16, mul.f16 and div in float32; float16 with an int32 is a float64, with an int8 a float16."""

    def kernel(x, scale, out, wide, matched):
        i = cuda.grid(1)
        out[i] = x[i] * scale + x[i] / np.float16(3)
        wide[i, 0] = x[i] * np.int8(3)
        wide[i, 1] = x[i] * np.float32(0.1)
        wide[i, 2] = x[i] * np.int32(3)
        wide[i, 3] = -abs(x[i]) < np.float16(-1) and x[i] != x[0]
        matched[i] = cuda.match_any_sync(-1, x[i] > np.float16(1))

    x = (np.arange(32) / 7).astype(np.float16)
    out, wide, matched = np.zeros(32, np.float16), np.zeros((32, 4)), np.zeros(32, np.int64)
    launch(kernel, 1, 32, x, np.float16(1.1), out, wide, matched)
    assert out.tolist() == (x * np.float16(1.1) + x / np.float16(3)).tolist()
    assert wide[:, 0].tolist() == (x * np.float16(3)).tolist()
    assert wide[:, 1].tolist() == (x.astype(np.float32) * np.float32(0.1)).tolist()
    assert wide[:, 2].tolist() == (x.astype(np.float64) * 3).tolist()
    assert wide[:, 3].tolist() == ((-abs(x) < -1) & (x != x[0])).tolist()
    many = int(sum(1 << k for k in range(32) if x[k] > 1))
    assert (matched[-1] & 0xFFFFFFFF) == many


def test_a_ufunc_of_a_float16_is_refused(launch):
    def kernel(x, out):
        out[0] = np.sin(x[0])

    with pytest.raises(UncompilableError, match=r"np.sin does not take float16.*np.float32\(x\)"):
        launch(kernel, 1, 1, np.ones(2, np.float16), np.zeros(2))
