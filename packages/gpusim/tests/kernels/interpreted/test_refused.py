"""What a kernel cannot do is refused when it is launched, in a sentence, with the line."""

import numpy as np
import pytest

from gpusim.kernels.faults import DivisionFault, UncompilableError

from .conftest import cuda, launch


def listed(x):
    a = [1, 2]
    x[0] = a[0]


def compared(x):
    x[0] = sum([v + 1 for v in x])


def keyed(x):
    x[0] = {1: 2}[1]


def tried(x):
    try:
        x[0] = 1
    except ValueError:
        pass


def opened(x):
    with x:
        pass


def yielded(x):
    yield x


def imported(x):
    import math  # noqa: F401

    x[0] = 1


def formatted(x):
    y = f"{x}"
    x[0] = y


def returned(x):
    return x[0]


def whole(x):
    x[:] = x + 1


def summed(x):
    x[0] = x.cumsum()[0]


def made(x):
    y = np.zeros(3)
    x[0] = y[0]


def ragged(x):
    y = 1
    if x[0] > 0:
        y = (1, 2)
    x[0] = y


def unassigned(x):
    x[0] = y  # noqa: F821
    y = 1  # noqa: F841


def indexed(x):
    x[0.5] = 1


def crowded(x):
    x[0, 1] = 1


def sized(x):
    n = x.shape[0]
    cuda.shared.array(n, np.float32)


def named(x):
    x[0] = x.nothing


def membership(x):
    x[0] = x in x


def shuffled(x):
    x[0] = cuda.shfl_sync(-1, True, 0)


def added(x):
    cuda.atomic.add(x, (0, 0), 1)


def locked(x):
    cuda.atomic.cas(x, 0, 1, 2)


def rooted(x):
    x[0] = cuda.cbrt(1j)


def added_once(x):
    x[0] = cuda.fma(None, 1, 2)


def early(x, t):
    x[0] = min(t[0], 5)


def equal_texts(x):
    x[0] = (1, 2) == ("a", 2)


def half_known(x):
    x[0] = (1, None) == (1, 2)


def zipped(x):
    for _ in zip():  # noqa: B905
        x[0] = 1


def reshaped(x):
    x[0] = x.reshape("a")[0]


@pytest.mark.parametrize(
    "kernel, line, says",
    [
        (listed, 2, "a list"),
        (compared, 2, "a list comprehension"),
        (keyed, 2, "a dictionary"),
        (tried, 2, "try"),
        (opened, 2, "with"),
        (yielded, 2, "yield"),
        (imported, 2, "import"),
        (formatted, 2, "a formatted string"),
        (returned, 2, "cannot return a value"),
        (whole, 2, "with elements"),
        (summed, 2, "no method cumsum"),
        (made, 2, "np.zeros makes a new array"),
        (ragged, 4, "on one way"),
        (unassigned, 2, "before anything is assigned"),
        (indexed, 2, "An index is an integer"),
        (crowded, 2, "2 indices for an array of 1 dimension"),
        (sized, 3, "not a constant"),
        (named, 2, "no nothing"),
        (membership, 2, "`in`"),
        (shuffled, 2, "only supports"),
        (added, 2, "2 indices"),
        (locked, 2, "int32, int64, uint32, uint64"),
        (rooted, 2, "a complex number cannot become float64"),
        (added_once, 2, "None cannot become float64"),
        (early, 2, "min does not take datetime64[s] and int64"),
        (equal_texts, 2, "no int64 == 'a'"),
        (reshaped, 2, "whole numbers"),
    ],
)
def test_refused_with_the_line(kernel, line, says):
    x = np.full(4, 7.0)
    arguments = (x, np.zeros(2, "M8[s]"))[: kernel.__code__.co_argcount]
    with pytest.raises(UncompilableError) as told:
        launch(kernel, 1, 1, *arguments)
    assert says in str(told.value)
    assert told.value.line == line
    assert told.value.kernel == kernel.__name__
    assert (x == 7).all()


def test_tuples_of_what_is_no_number_are_compared():
    x = np.full(4, 7.0)
    launch(half_known, 1, 1, x)
    assert x[0] == 0
    launch(zipped, 1, 1, x)
    assert x[0] == 0, "a zip of nothing has no turn"

    def nested(x):
        x[1] = ((1,), 2) == ((1,), 2)
        x[2] = ((1,), None) != ((3,), None)

    launch(nested, 1, 1, x)
    assert x[1] == x[2] == 1


@pytest.mark.parametrize("value", [[1, 2], {1: 2}, object(), "text", np.array(["a"]), np.array([None])])
def test_arguments_that_no_kernel_takes(value):
    def kernel(x):
        x[0] = 1

    with pytest.raises(UncompilableError, match="argument x"):
        launch(kernel, 1, 1, value)


def test_the_error_names_the_device_function():
    def wrong(a):
        return [a]

    wrong = cuda.device(wrong)

    def kernel(x):
        x[0] = wrong(x[0])

    with pytest.raises(UncompilableError, match=r"line 2 of wrong .*`return \[a\]`"):
        launch(kernel, 1, 1, np.zeros(1))


def test_division_by_zero_is_a_fault_with_debug_only():
    def kernel(x, y):
        i = cuda.grid(1)
        y[i] = 1 // x[i] + 7 % x[i]

    x, y = np.array([1, 2, 0, 3]), np.zeros(4, "i8")
    launch(kernel, 1, 4, x, y)
    np.testing.assert_array_equal(y, [1, 1, 0, 1])
    with pytest.raises(DivisionFault) as told:
        launch(kernel, 1, 4, x, y, debug=True)
    assert told.value.thread == (2, 0, 0) and told.value.line == 3


def test_a_raise_ends_the_thread_and_is_told_with_debug_only():
    def kernel(x):
        i = cuda.grid(1)
        if i == 2:
            raise ValueError("two")
        assert i != 3
        x[i] = 1

    x = np.zeros(5)
    launch(kernel, 1, 5, x)
    np.testing.assert_array_equal(x, [1, 1, 0, 0, 1])
    with pytest.raises(ValueError, match="two"):
        launch(kernel, 1, 5, x, debug=True)
