"""Cases that are drawn by property, and facts that are read from accounts."""

from fractions import Fraction

import answers
import numpy as np
import pytest

from hundredfold.learning import problems
from hundredfold.learning.problems import facts, properties
from hundredfold.learning.problems.cases import Case
from hundredfold.learning.problems.functions import FunctionJudge
from hundredfold.learning.problems.kernels.judging import KernelJudge
from hundredfold.learning.problems.numbers import NumbersJudge
from hundredfold.learning.problems.problem import Problem
from hundredfold.learning.problems.properties import Attempt, Drawn, Property, Strategy
from hundredfold.learning.problems.verdict import Refusal

BY_PROPERTY = [name for name in problems.ids() if getattr(problems.find(name).judge, "drawn", None) is not None]


def drawn(*which, size=(7, 4)):
    return Drawn(lambda rng, size: (rng.standard_normal(size),), size, *which)


def only(prop, seed=3):
    (case,) = drawn(prop).cases(seed)
    (x,) = case.host()
    return x


def test_a_seed_gives_the_same_case_again_and_another_seed_another():
    case, other = drawn(properties.other_data()).cases(1)[0], drawn(properties.other_data()).cases(2)[0]
    assert np.array_equal(case.host()[0], case.host()[0])
    assert not np.array_equal(case.host()[0], other.host()[0])
    assert case.name == "other data (seed 1)"


def test_a_case_stays_as_it_is_when_another_property_comes():
    alone = drawn(properties.nans()).cases(1)[0]
    second = drawn(properties.tiny(), properties.nans()).cases(1)[1]
    assert alone.name == second.name
    assert np.array_equal(alone.host()[0], second.host()[0], equal_nan=True)


def test_each_property_is_what_it_says():
    assert only(properties.sizes((0, 3))).shape == (0, 3)
    assert only(properties.dtypes("float32")).dtype == np.float32
    whole = only(properties.dtypes("int8"))
    assert whole.dtype == np.int8 and np.abs(whole).max() == 100 and len(np.unique(whole)) > 9
    assert only(properties.dtypes("uint8")).min() == 0
    assert (only(properties.full_range("int32")).min(), only(properties.full_range("int32")).max()) == (
        -(2**31),
        2**31 - 1,
    )
    assert only(properties.full_range("uint8")).dtype == np.uint8
    assert np.isnan(only(properties.nans())).sum() == 1
    assert np.isposinf(only(properties.infinities())).sum() == 1
    assert len(np.unique(only(properties.constants()))) == 1
    assert 0 < np.abs(only(properties.tiny())).max() < 1e-8
    huge = only(properties.huge())
    assert huge.mean() > 9e7 and 0.1 < huge.std() < 10
    ties = only(properties.ties(), seed=1)
    assert (np.diff(ties, axis=0) >= 0).all() and len(np.unique(ties)) == 2


def test_what_loses_no_digits_is_drawn_in_each_dtype_of_floats_too():
    two = drawn(
        properties.constants(hint="All alike."),
        properties.nans(),
        properties.tiny(),
        properties.dtypes("float32", "int8", rtol=1e-3),
    )
    cases = {case.name: case for case in two.cases(1)[5:]}
    assert list(cases) == ["the same number everywhere, in float32 (seed 1)", "NaN in it, in float32 (seed 1)"]
    same, nan = cases.values()
    assert {same.host()[0].dtype, nan.host()[0].dtype} == {np.dtype("float32")}
    assert len(np.unique(same.host()[0])) == np.isnan(nan.host()[0]).sum() == 1
    assert same.rtol == nan.rtol == 1e-3 and same.hint == "All alike."


def test_a_layout_has_the_same_numbers_in_other_steps():
    wide, turned = drawn(properties.layouts()).cases(1)
    for case in (wide, turned):
        (x,) = case.host()
        assert x.shape == (7, 4) and not x.flags.c_contiguous
    assert turned.host()[0].flags.f_contiguous


def test_a_property_of_ones_own_is_a_change_of_ordinary_arguments():
    first = Property((Strategy("zeros in front", change=lambda rng, args: (np.append(0.0, args[0]),)),), "Look there.")
    (case,) = drawn(first).cases(1)
    assert case.host()[0][0] == 0 and case.hint == "Look there."


def tried(failed=(), seed=None, cases=("first", "second")):
    """The names of the cases in the order in which an attempt meets them."""
    judge = FunctionJudge(
        tuple(Case(name, lambda: (np.zeros(1),)) for name in cases),
        drawn=drawn(properties.nans(), properties.tiny()),
    )
    with properties.judging(Attempt(seed, failed)):
        return [case.name for case in properties.all_cases(judge)]


def test_grading_and_a_first_attempt_have_the_same_cases():
    assert tried() == ["first", "second", "NaN in it (seed 1)", "numbers of about 1e-09 (seed 1)"]
    judge = FunctionJudge((Case("first", lambda: (np.zeros(1),)),), drawn=drawn(properties.nans()))
    assert [case.name for case in properties.all_cases(judge)] == ["first", "NaN in it (seed 1)"]


def test_a_later_attempt_has_cases_of_its_own_besides():
    assert tried(seed=7)[2:] == [
        *("NaN in it (seed 1)", "numbers of about 1e-09 (seed 1)"),
        *("NaN in it (seed 7)", "numbers of about 1e-09 (seed 7)"),
    ]
    assert len({properties.seed_of(name, number) for name in problems.ids() for number in range(5)}) > 400


def test_what_refused_an_attempt_is_tried_first_at_the_next_one():
    """After the first case, by which it is seen whether anything was attempted."""
    assert tried(("second",), 7)[:3] == ["first", "second", "NaN in it (seed 1)"]
    assert tried(("Dask, NaN in it (seed 3)", "no longer there", "first"), 7)[:3] == [
        *("first", "NaN in it (seed 3)", "second"),
    ]


def judged(answer, *which, attempt=properties.GRADING, **settings):
    judge = FunctionJudge(
        (Case("3 numbers", lambda: (np.arange(3.0),)),),
        drawn=Drawn(lambda rng, size: (rng.standard_normal(size),), 5, *which),
        **settings,
    )
    problem = Problem("arrays.doubled", "t", "write", ("f",), judge, specification=lambda x: 2 * x)
    try:
        with properties.judging(attempt):
            return judge(problem, (answer,))
    except Refusal as refusal:
        return refusal


def test_a_refusal_says_which_property_and_gives_its_hint(device):
    wrong = judged(lambda x: x * 2 if x.size == 3 else x, properties.other_data(hint="Other data."))
    assert (wrong.reason, wrong.case, wrong.advice) == ("factor", "other data (seed 1)", "Other data.")


def test_an_attempt_has_cases_that_grading_has_not(device):
    own = Drawn(lambda rng, size: (rng.standard_normal(size),), 5, properties.other_data()).cases(4)[0].host()[0]

    def wrong(x):
        return x if float(x[0]) == own[0] else 2 * x

    assert judged(wrong, properties.other_data()).what
    assert judged(wrong, properties.other_data(), attempt=Attempt(4)).case == "other data (seed 4)"


def test_a_result_that_a_second_call_writes_over_is_refused(device):
    kept = {}

    def cached(x):
        out = kept.setdefault(x.shape, device.empty_like(x))
        out[...] = x * 2
        return out

    assert judged(cached).what
    wrong = judged(cached, properties.second_call())
    assert wrong.reason == "reused" and "until the second call wrote over it" in wrong.why
    assert judged(lambda x: x * 2, properties.second_call()).what


def test_what_follows_from_an_infinity_is_nan_or_infinite_but_nothing_finite(device):
    infinite = properties.infinities()
    assert judged(lambda x: x * 2, infinite).what
    assert judged(lambda x: device.where(device.isinf(x), device.nan, x * 2), infinite).what
    assert judged(lambda x: device.where(device.isinf(x), 0, x * 2), infinite).reason == "value"
    assert judged(lambda x: device.where(device.isinf(x).any(), device.nan, x * 2), infinite).reason == "nan"


def test_a_kernel_has_no_second_call():
    with pytest.raises(ValueError, match="no second call"):
        KernelJudge((), drawn=drawn(properties.second_call()))


def test_a_fact_is_said_where_it_was_seen(device):
    stays = facts.crossings("the data never left the device", to_host=8)
    assert judged(lambda x: x * 2, facts=(stays,), verified="twice").what.endswith(
        "twice, and the data never left the device."
    )
    wrong = judged(lambda x: device.asarray(x.get() * 2), facts=(stays,))
    assert wrong.reason == "transfer" and "24 bytes went from the device to the host" in wrong.why


def test_launches_are_counted(simulated):
    one = facts.at_most_launches("in one kernel", 1, hint="Fuse them.")
    assert judged(lambda x: x * 2, facts=(one,)).what.endswith("; in one kernel.")
    wrong = judged(lambda x: x + x * 1, facts=(one,))
    assert (wrong.reason, wrong.advice) == (
        "kernels",
        "Fuse them.",
    ) and "it takes 2 kernels; 1 are enough." in wrong.why


def test_what_nobody_looked_at_is_not_said():
    seen = facts.Seen((facts.crossings("nothing crossed"), facts.at_most_launches("in one kernel", 1)))
    seen.look(facts.Account(to_host=0, to_device=0, launches=1), ())
    assert seen.said("right") == "right, nothing crossed, and in one kernel"
    seen.look(facts.Account(to_host=0, to_device=0), ())  # on a GPU, say
    assert seen.said("right") == "right, and nothing crossed"
    assert facts.Seen(()).said("") == ""
    assert facts.Seen((facts.crossings("nothing crossed"),)).said("right") == "right"


def test_what_one_thread_reads_is_held_against_its_share():
    seen = facts.Seen((facts.shared_reads("shared", lambda x: (len(x) // 4,)),))
    seen.look(facts.Account(by_one=[("x", 2), ("out", 9)]), (np.zeros(8),))
    with pytest.raises(Refusal, match="one thread reads 3 elements of `x`; its share of the work is 2"):
        seen.look(facts.Account(by_one=[("x", 3)]), (np.zeros(8),))


@pytest.mark.large
@pytest.mark.counted("right answers accepted by other seeds")
@pytest.mark.parametrize("attempt", range(2, 6))
@pytest.mark.parametrize("problem", BY_PROPERTY)
def test_no_seed_refuses_what_is_right(device, problem, attempt, monkeypatch):
    monkeypatch.setattr(properties, "SEEDS", (properties.seed_of(problem, attempt),))
    monkeypatch.setenv("GPUSIM_KERNELS", "interpreted")
    for answer in answers.right(problems.find(problem)).values():
        verdict = answers.judge(problem, answer)
        assert verdict.right, verdict.why


NUMBERS = [name for name in problems.ids() if isinstance(problems.find(name).judge, NumbersJudge)]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_predicted_number_is_right_in_any_type_and_to_its_tolerance_only(name):
    """The properties of a number: how it is written, and its digits."""
    problem = problems.find(name)
    rng = np.random.default_rng([1, len(name)])
    right = [each.value for each in problem.judge.quantities]
    near = [each.value * (1 + each.rtol * rng.uniform(-0.9, 0.9)) for each in problem.judge.quantities]
    for kind in (float, np.float64, Fraction, np.array):
        assert problems.judge(name, *map(kind, near)).right
    for place, each in enumerate(problem.judge.quantities):
        for factor in (1 + 1.5 * each.rtol, 1 - 1.5 * each.rtol, 1000, 1 / 1000, 8):
            given = [*right[:place], each.value * factor, *right[place + 1 :]]
            verdict = problems.judge(name, *given)
            assert verdict.outcome == "wrong" and each.name in verdict.why, (each.name, factor)
        for nothing in (float("nan"), float("inf"), 0, -each.value, "1"):
            assert problems.judge(name, *right[:place], nothing, *right[place + 1 :]).outcome == "wrong"
