"""A difference is told in the words of what went wrong."""

import numpy as np
import pytest

from hundredfold.learning import problems
from hundredfold.learning.problems.differences import FACTORS, explain, pair, same
from hundredfold.learning.problems.numbers import NumbersJudge
from hundredfold.learning.problems.verdict import Refusal, in_case

WANTED = np.arange(1.0, 26.0).reshape(5, 5) ** 2


def reason(got, expected=WANTED, **tolerance):
    with pytest.raises(Refusal) as refused:
        explain(np.asarray(got), np.asarray(expected), **tolerance)
    return refused.value.reason, refused.value.why


def bordered():
    got = WANTED.copy()
    got[0, :] = 0
    return got


def with_nan():
    got = WANTED.copy()
    got[1, 2] = np.nan
    return got


def one_wrong():
    got = WANTED.copy()
    got[3, 1] = 7
    return got


@pytest.mark.parametrize(
    ("got", "expected_reason"),
    [
        (bordered(), "border"),
        (with_nan(), "nan"),
        (WANTED.T, "transposed"),
        (np.roll(WANTED, 1, axis=1), "shifted"),
        (np.roll(WANTED, -1, axis=0), "shifted"),
        (WANTED[::-1], "order"),
        (-WANTED, "sign"),
        (WANTED * 1e3, "unit"),
        (WANTED / 1e3, "unit"),
        (WANTED * 8, "unit"),
        (WANTED / 2**30, "unit"),
        (WANTED * 1.7, "factor"),
        (WANTED + 2, "offset"),
        (one_wrong(), "value"),
    ],
)
def test_each_pattern_has_its_reason(got, expected_reason):
    assert reason(got)[0] == expected_reason


def test_the_first_wrong_value_is_named_with_its_index():
    _, why = reason(one_wrong())
    assert why == "1 of its 25 values are wrong; the first, at [3, 1], is 7; expected was 289."


def test_a_scalar_has_no_index():
    assert reason(2.5, 3.0)[1] == "it is 2.5; expected was 3."


def test_numbers_that_look_alike_get_all_their_digits():
    assert pair(1.00000001, 1.0) == ("1.00000001", "1.0")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (np.s_[0, :], "all that is wrong is in the first row: "),
        (np.s_[2:4, -1], "all that is wrong is in the last column: "),
        (np.s_[::4, :], "inside all is right, only the border is wrong: "),
    ],
)
def test_it_is_said_where_on_the_border_it_is_wrong(wrong, said):
    got = WANTED.copy()
    got[wrong] = 0
    assert reason(got)[1].startswith(said)


def test_in_a_row_of_values_the_border_is_the_first_or_the_last_one():
    assert reason([1.0, 2.0, 3.0, 0.0], [1.0, 2.0, 3.0, 4.0])[1].startswith("only the last value is wrong: ")


def test_values_that_are_off_by_a_share_are_not_off_by_an_amount():
    """Both are much smaller than what a comparison of floats lets pass."""
    assert reason(WANTED * (1 + 1e-9), rtol=1e-12)[0] == "value"
    assert reason(WANTED + 1e-9, rtol=1e-15)[0] == "offset"


def test_nan_is_right_where_nan_is_expected():
    explain(with_nan(), with_nan())
    assert reason(WANTED, with_nan())[0] == "nan"
    with pytest.raises(Refusal) as lost:
        explain(WANTED, with_nan())
    assert "let NaN stay NaN" in lost.value.advice
    with pytest.raises(Refusal) as lost, in_case("zeros", "0 / 0 is NaN."):
        explain(WANTED, with_nan())
    assert lost.value.advice == "0 / 0 is NaN."


def test_what_is_close_enough_passes():
    explain(WANTED * (1 + 1e-9), WANTED, rtol=1e-7)
    assert reason(WANTED * (1 + 1e-5), WANTED, rtol=1e-7)[0] == "value"  # "1 times what it should be" says nothing
    assert reason(WANTED * 1.01, WANTED, rtol=1e-7)[0] == "factor"


def test_equal_numbers_show_no_factor():
    """Two blocks of the same numbers: a sum of one warp in place of eight is no matter of units."""
    assert reason(np.full(2, 16.0), np.full(2, 128.0), rtol=1e-9)[0] == "value"
    assert reason(np.full(1, 16.0), np.full(1, 128.0), rtol=1e-9)[0] == "unit"


def test_the_zero_answer_is_no_factor():
    assert reason(np.zeros_like(WANTED))[0] == "value"


def test_integers_and_booleans_are_compared():
    assert reason(np.array([1, 5, 3, 9]), np.array([1, 2, 3, 9]))[0] == "value"
    assert reason(np.array([True, False]), np.array([True, True]))[0] == "value"


def test_empty_arrays_are_equal():
    explain(np.empty((0, 4)), np.empty((0, 4)))


def test_same_needs_the_same_shape():
    assert same([1.0, 2.0], [1.0, 2.0], 1e-7, 0)
    assert not same([1.0, 2.0], [[1.0, 2.0]], 1e-7, 0)
    assert not same(np.array(["a"]), np.array([1.0]), 1e-7, 0)


def test_what_is_no_number_is_refused():
    assert reason(np.array([None, 1.0]), np.array([1.0, 1.0]))[0] == "dtype"


def test_a_ratio_or_a_count_is_not_told_of_bytes_or_seconds():
    for id in problems.ids():
        problem = problems.find(id)
        if not isinstance(problem.judge, NumbersJudge):
            continue
        for at, quantity in enumerate(problem.judge.quantities):
            if quantity.unit in ("bytes", "s"):
                continue
            for factor, meaning in FACTORS.items():
                answers = [each.value for each in problem.judge.quantities]
                answers[at] *= factor
                try:
                    problem.judge(problem, tuple(answers))
                except Refusal as refusal:
                    assert meaning not in refusal.why, f"{id}: {quantity.name} = {answers[at]}: {refusal.why}"


@pytest.mark.parametrize("factor", [2**30 / 1e9, 1e9 / 2**30])
@pytest.mark.parametrize("off", [0.99, 1.01])
def test_a_count_that_is_a_little_wrong_is_not_told_of_units(factor, off):
    """8 MB for each of 19 columns in place of 143 MB, or 12 row groups in place of 11, is within two percent of 2³⁰ for 10⁹."""
    problem = problems.find("polars.reads")
    right = [quantity.value for quantity in problem.judge.quantities]
    for wrong, told in ((factor * off, False), (factor, True)):
        with pytest.raises(Refusal) as refusal:
            problem.judge(problem, (right[0] * wrong, *right[1:]))
        assert (FACTORS[factor] in refusal.value.why) is told
