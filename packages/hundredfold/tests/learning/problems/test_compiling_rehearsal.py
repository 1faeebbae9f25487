"""A rehearsal finds what a run of compiled code does not show, and nothing where nothing is."""

import numba
import numpy as np
import pytest
from numba import njit, prange

from hundredfold.learning.problems.compiling.rehearsal import rehearse

X = np.arange(24, dtype=np.float64)
PICTURE = np.arange(30, dtype=np.int8).reshape(5, 6)

SAFE, RACY = [], []


def safe(kernel):
    SAFE.append(pytest.param(kernel, id=kernel.py_func.__name__))
    return kernel


def racy(kernel):
    RACY.append(pytest.param(kernel, id=kernel.py_func.__name__))
    return kernel


@safe
@njit(parallel=True)
def a_plain_variable(x):
    total = 0.0
    for i in prange(x.size):
        total += x[i]
    return total


@safe
@njit(parallel=True)
def own_element(x):
    y = np.empty_like(x)
    for i in prange(x.size):
        y[i] = x[i] + x[i - 1]
    return y


@safe
@njit(parallel=True)
def own_element_of_the_argument(x):
    for i in prange(x.size):
        x[i] = 2 * x[i]
    return x


@safe
@njit(parallel=True)
def own_row_by_a_view(x):
    parts = numba.get_num_threads()
    counts = np.zeros((parts, 3))
    for t in prange(parts):
        row = counts[t]
        row[0] += x[t]
        row += 1
    return counts


@safe
@njit(parallel=True)
def whole_array_reduction(x):
    total = np.zeros(2)
    for i in prange(x.size):
        total += np.ones(2) * x[i]
    return total


@safe
@njit(parallel=True)
def by_thread_number(x):
    counts = np.zeros(numba.get_num_threads())
    for i in prange(x.size):
        counts[numba.get_thread_id()] += x[i]
    return counts.sum()


@safe
@njit(parallel=True)
def arrays_of_its_own(x):
    """Each iteration's array may lie where another's lay before."""
    y = np.zeros(x.size)
    for i in prange(x.size):
        mine = np.zeros(4)
        mine[i % 4] += x[i]
        y[i] = mine.sum()
    return y


@safe
@njit(parallel=True)
def an_inner_prange(x):
    y = np.zeros((4, 6))
    for i in prange(4):
        for j in prange(6):
            y[i, j] += x[6 * i + j]
    return y


@safe
@njit
def prange_without_threads(x):
    total = np.zeros(1)
    for i in prange(x.size):
        total[0] += x[i]
    return total


@safe
@njit(parallel=True)
def one_loop_after_the_other(x):
    y = np.zeros(x.size)
    for i in prange(x.size):
        y[i] = x[i]
    for i in prange(x.size):
        y[x.size - 1 - i] += 1
    return y


@njit
def add_into(y, k, value):
    y[k] += value


@safe
@njit(parallel=True)
def a_helper_on_own_elements(x):
    y = np.zeros(x.size)
    for i in prange(x.size):
        add_into(y, i, x[i])
    return y


@racy
@njit(parallel=True)
def one_element(x):
    total = np.zeros(1)
    for i in prange(x.size):
        total[0] += x[i]
    return total[0]


@racy
@njit(parallel=True)
def a_helper_on_one_element(x):
    y = np.zeros(2)
    for i in prange(x.size):
        add_into(y, 1, x[i])
    return y


@racy
@njit(parallel=True)
def a_slice(x):
    """Numba's documentation has this one: `y += …` is a reduction, `y[:] += …` is none."""
    y = np.zeros(4)
    for i in prange(x.size):
        y[:] += x[i]
    return y


@racy
@njit(parallel=True)
def by_remainder(x):
    y = np.zeros(numba.get_num_threads())
    for i in prange(x.size):
        y[i % y.size] += x[i]
    return y


@racy
@njit(parallel=True)
def the_neighbour_is_read(x):
    for i in prange(1, x.size):
        x[i] = x[i - 1] + 1
    return x


@racy
@njit(parallel=True)
def the_neighbour_is_written(x):
    y = np.zeros(x.size + 1)
    for i in prange(x.size):
        y[i] = x[i]
        y[i + 1] = x[i]
    return y


@racy
@njit(parallel=True)
def written_last_read_first(x):
    y = np.zeros(x.size)
    for i in prange(x.size):
        if i == x.size - 1:
            y[0] = 1.0
        else:
            y[i] = y[0]
    return y


@racy
@njit(parallel=True)
def one_row(x):
    y = np.zeros((2, 3))
    for i in prange(x.size):
        row = y[1]
        row[2] += x[i]
    return y


@pytest.mark.parametrize("kernel", SAFE)
def test_what_is_safe_is_called_safe(kernel):
    found = rehearse(kernel, (X,))
    assert found is not None and found.race is None and found.outside is None


@pytest.mark.parametrize("kernel", RACY)
def test_a_race_is_found(kernel):
    found = rehearse(kernel, (X,))
    assert found.race is not None and found.parallel
    assert found.race.first != found.race.second


def test_the_argument_is_left_alone():
    before = X.copy()
    rehearse(own_element_of_the_argument, (X,))
    assert np.array_equal(X, before)


def test_a_race_names_the_element_and_the_line():
    access = rehearse(one_element, (X,)).race.access
    assert access.index == (0,) and access.shape == (1,) and access.writes is False  # read first, by `+=`
    assert access.line == "total[0] += x[i]"


def test_a_prange_counts_only_in_a_function_compiled_for_threads():
    assert rehearse(a_plain_variable, (X,)).parallel
    assert not rehearse(prange_without_threads, (X,)).parallel


@njit
def past_the_end(x):
    return x[x.size]


@njit
def written_past_the_end(x):
    x[x.shape[0], 0] = 1


@njit
def too_far_before(x):
    return x[-x.size - 1]


@njit
def the_other_end(x):
    return x[0] + x[-1]


def test_out_of_bounds_is_found_before_it_happens():
    read = rehearse(past_the_end, (X,)).outside
    assert read.index == (24,) and read.shape == (24,) and not read.writes and read.line == "return x[x.size]"
    written = rehearse(written_past_the_end, (PICTURE,)).outside
    assert written.index == (5, 0) and written.writes
    assert rehearse(too_far_before, (X,)).outside.index == (-25,)
    assert rehearse(past_the_end, (np.empty(0),)).outside.index == (0,)


def test_a_negative_index_is_taken_down_and_no_error():
    found = rehearse(the_other_end, (X,))
    assert found.outside is None and found.wrapped.index == (-1,)
    assert rehearse(a_plain_variable, (X,)).wrapped is None


@njit
def by_value(v):
    """The index is a sum of int8: 100 + 100 + 56 must not go round, as it does not in compiled code."""
    counts = np.zeros(512, np.int64)
    counts[v[0, 0] + v[0, 1] + 56] += 1
    return counts


def test_small_integers_promote_as_in_numba():
    v = np.full((1, 2), 100, np.int8)
    assert rehearse(by_value, (v,)).wrapped is None
    assert by_value(v)[256] == 1


@njit
def types_by_name(x):
    y = x.astype(np.float64)
    k = np.zeros(1, dtype=np.int32)
    return y[np.int8(1)] + k[0] + numba.float64(2) + np.float32(3)


def test_types_may_be_used_as_dtypes_and_called():
    assert rehearse(types_by_name, (X,)) is not None


def plain_wrapper(x):
    return float(one_element(x))


def test_a_function_that_calls_compiled_ones_is_followed():
    assert rehearse(plain_wrapper, (X,)).race is not None


def closure():
    scale = 2.0
    total = np.zeros(1)

    @njit(parallel=True)
    def inner(x):
        y = np.zeros(1)
        for i in prange(x.size):
            y[0] += scale * x[i]
        return y

    return inner, total


def test_closures_are_followed():
    assert rehearse(closure()[0], (X,)).race is not None


@njit
def makes_an_array(x):
    return np.abs(x[1:] - x[:-1]).sum()


@njit
def makes_a_small_one(x):
    ends = np.empty(2)
    ends[:] = x[-2:]
    return ends.sum() + x[1:].size


def test_the_largest_array_that_is_made_is_found():
    found = rehearse(makes_an_array, (X,))
    assert found.made == X.size - 1 and found.compiled
    assert rehearse(makes_a_small_one, (X,)).made == 2, "a part of the argument is no new array"
    assert rehearse(a_plain_variable, (X,)).made == 0
    assert not rehearse(plain_difference, (X,)).compiled


def plain_difference(x):
    return x[1:] - x[:-1]


@njit
def raises(x):
    raise ValueError("no")


@pytest.mark.parametrize("function", [raises, len, np.sum, numba.vectorize(lambda a: a)])
def test_what_cannot_be_rehearsed_gives_none(function):
    assert rehearse(function, (X,)) is None
