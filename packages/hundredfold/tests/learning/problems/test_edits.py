"""Wrong answers as edits of right ones."""

import inspect
import linecache
import traceback

import pytest
from answers.edits import EditError, edit
from answers.later import Later, cuda, later

FACTOR = 2


def scaled(values, by=1):
    total = 0
    for value in values:
        total += value * by
        total += 0
        total += 0
    return total * FACTOR


@later
def kernel(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


def made(*changes, **how):
    return edit(scaled, *changes, reason="value", **how).answer


def test_a_text_is_another():
    assert made(("value * by", "value + by"))([1, 2], 3) == (4 + 5) * FACTOR
    assert scaled([1, 2], 3) == 9 * FACTOR


def test_changes_are_made_in_order():
    assert made(("* by", "* 5"), ("* 5", "* 7"))([1]) == 7 * FACTOR


def test_every_place_of_a_text_is_another():
    assert made(every=("total += 0", "total += 1"))([0]) == 2 * FACTOR


@pytest.mark.parametrize("which", ["drop_first", "drop_last"])
def test_one_of_several_lines_is_left_out(which):
    source = inspect.getsource(made(**{which: "total += 0"}))
    assert source.count("total += 0") == 1
    assert ("total += value * by\n        total += 0" in source) and source.count("\n") == 6


def test_a_statement_is_put_under_another_with_its_block():
    answer = made(under=("for value", "if by > 1:"))
    assert answer([1]) == 0 and answer([1], 2) == 2 * FACTOR
    assert "    if by > 1:\n        for value in values:\n            total += value * by\n" in inspect.getsource(
        answer
    )
    assert inspect.getsource(answer).endswith("\n    return total * FACTOR\n")


def test_a_kernel_stays_one():
    answer = edit(kernel, ("i < out.size", "True"), reason="bounds").answer
    assert isinstance(answer, Later)
    assert "if True:" in inspect.getsource(answer.py_func)


def test_what_is_raised_shows_the_edited_line():
    answer = made(("return total * FACTOR", "return total / 0"))
    with pytest.raises(ZeroDivisionError) as raised:
        answer([1])
    frame = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert linecache.getline(frame.filename, frame.lineno).strip() == "return total / 0"


def test_two_edits_of_one_function_have_two_sources():
    first, second = made(("* by", "* 5")), made(("* by", "* 7"))
    assert "* 5" in inspect.getsource(first) and "* 7" in inspect.getsource(second)


def test_its_reason_is_one_of_the_list():
    assert edit(scaled, ("* by", ""), reason="factor").reason == "factor"
    with pytest.raises(ValueError, match="not a reason"):
        edit(scaled, ("* by", ""), reason="because")


def inner():
    far = 3

    def near(x):
        return x * far

    return near


BAD = {
    "does not have the text 'nowhere'": lambda: made(("nowhere", "")),
    "has the text 'total' 5 times; say more of it, or use every=": lambda: made(("total", "sum")),
    "has no line 'return'": lambda: made(drop="return"),
    "has the line 'total [+]= 0' 2 times; use drop_first": lambda: made(drop="total += 0"),
    "2 lines of the source begin with 'total [+]= 0'": lambda: made(under=("total += 0", "if by:")),
    "after the edit of scaled this is no Python": lambda: made(("return", "retrun")),
    "a lambda cannot be edited": lambda: edit(lambda x: x, ("x", "y"), reason="value"),
    "uses names of the function around it": lambda: edit(inner(), ("x *", "x +"), reason="value"),
    "len has no source": lambda: edit(len, ("x", "y"), reason="value"),
    "takes text to change": lambda: edit(scaled, reason="value"),
}


@pytest.mark.parametrize("said", BAD)
def test_an_edit_that_does_not_fit_says_so(said):
    with pytest.raises(EditError, match=said):
        BAD[said]()
