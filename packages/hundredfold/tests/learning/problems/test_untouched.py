"""Telling "not attempted" from an answer."""

import pytest

from hundredfold.learning.problems.untouched import empty, untouched


def dots(x): ...


def documented(x):
    """Do it."""
    # your code here (about 3 lines)
    ...


def passes(x):
    pass


def returns_none(x):
    return None


def returns_dots(x):
    return ...


def closes_over():
    y = 1

    def inner(x):
        y  # noqa: B018

    return inner


@pytest.mark.parametrize("function", [dots, documented, passes, returns_none, returns_dots, lambda x: None])
def test_an_empty_body_is_untouched(function):
    assert untouched(function)


@pytest.mark.parametrize("value", [None, ...])
def test_a_gap_is_untouched(value):
    assert untouched(value)


@pytest.mark.parametrize(
    "answer",
    [0, 0.0, False, "", {}, len, lambda x: x, lambda x: 0, lambda x: (), lambda x: "no", closes_over(), type, print],
)
def test_an_answer_is_not_untouched(answer):
    assert not untouched(answer)


def test_a_constant_beside_a_docstring_is_an_answer():
    def five(x):
        "five"
        return 5

    assert not empty(five)


def test_an_empty_function_without_source_is_seen():
    space = {}
    exec("def f(x):\n    'doc'\n    ...", space)
    assert empty(space["f"])


def test_an_empty_compiled_function_is_untouched():
    import numba

    assert untouched(numba.njit(dots))
    assert not untouched(numba.njit(lambda x: x + 1))
