"""Every known wrong answer of every unit is refused for its own reason, every known right one is accepted.

A unit that adds problems is held to this by being named in `hundredfold.learning.problems.UNITS`.
"""

import dataclasses

import pytest

from hundredfold.learning import problems
from hundredfold.learning.problems.kernels.judging import KernelJudge
from hundredfold.learning.problems.problem import as_tuple
from hundredfold.learning.problems.reasons import REASONS
from hundredfold.learning.problems.untouched import untouched
from hundredfold.learning.problems.verdict import RIGHT, WRONG, Refusal

KERNELS = ("kernels", "fast-kernels")
"""The units whose answers are kernels."""
ALL = [problems.find(name) for name in problems.ids()]
for wrong in (wrong for problem in ALL for wrong in problem.wrong.values()):
    wrong.answer  # an edit is made when it is asked for; one that does not fit its answer is an error here  # noqa: B018
WRONG_ANSWERS = [pytest.param(p, w, id=f"{p.id}-{name}") for p in ALL for name, w in p.wrong.items()]
RIGHT_ANSWERS = [
    pytest.param(p, a, not n, id=f"{p.id}-{name}") for p in ALL for n, (name, a) in enumerate(p.right.items())
]


def interpreted(problem, monkeypatch):
    """Judge a kernel without a compiler, which takes seconds for each."""
    if problem.unit in KERNELS or isinstance(problem.judge, KernelJudge):
        monkeypatch.setenv("GPUSIM_KERNELS", "interpreted")


@pytest.mark.large("wrong", by=lambda wrong: wrong.reason)
@pytest.mark.counted("known wrong answers refused, each for its own reason")
@pytest.mark.parametrize(("problem", "wrong"), WRONG_ANSWERS)
def test_a_known_wrong_answer_is_refused_for_its_own_reason(device, problem, wrong, monkeypatch):
    if wrong.reason != "typing":
        interpreted(problem, monkeypatch)
    verdict = problems.judge(problem.id, *as_tuple(problem, wrong.answer))
    assert (verdict.outcome, verdict.reason) == (WRONG, wrong.reason), verdict.why
    assert verdict.why


@pytest.mark.large("problem", by=lambda problem: (problem.unit, type(problem.judge)))
@pytest.mark.counted("known right answers accepted")
@pytest.mark.parametrize(("problem", "answer", "first"), RIGHT_ANSWERS)
def test_a_known_right_answer_is_accepted(device, problem, answer, first, monkeypatch):
    if not first:  # the first of each problem is compiled, as the solutions are
        interpreted(problem, monkeypatch)
    verdict = problems.judge(problem.id, *as_tuple(problem, answer))
    assert verdict.outcome == RIGHT, verdict.why
    assert verdict.verified


@pytest.mark.parametrize("problem", ALL, ids=lambda problem: problem.id)
def test_a_problem_is_complete(problem):
    assert len(problem.wrong) >= 5
    assert len(problem.right) >= 2
    assert len({wrong.reason for wrong in problem.wrong.values()}) >= 5
    assert len(problem.hints) >= 2
    assert all(text == text.strip() and text.endswith((".", "?")) for text in problem.hints)
    assert not any(untouched(a) for w in problem.wrong.values() for a in as_tuple(problem, w.answer))


def _fails(*arguments):
    return 1 / 0


RECOGNISING = {type(p.judge).__name__: p for p in reversed(ALL) if any(wrong.gives for wrong in p.wrong.values())}


@pytest.mark.parametrize("judge", RECOGNISING)
def test_a_mistake_that_cannot_be_computed_for_a_case_is_not_recognised(device, judge, monkeypatch):
    """Cases are drawn: a formula written for ordinary arguments meets no rows, or all equal."""
    problem = RECOGNISING[judge]
    interpreted(problem, monkeypatch)
    answer = next(wrong.answer for wrong in problem.wrong.values() if wrong.gives)
    failing = {"failing": problems.Wrong(None, "value", gives=_fails, why="never said.")}
    problem = dataclasses.replace(problem, wrong=failing)
    with pytest.raises(Refusal) as refused:
        problem.judge(problem, as_tuple(problem, answer))
    assert "never said" not in refused.value.why


@pytest.mark.parametrize("problem", ALL, ids=lambda problem: problem.id)
def test_what_is_recognised_says_why(problem):
    assert all(wrong.why for wrong in problem.wrong.values() if wrong.gives is not None)


def test_a_unit_has_the_kinds_of_problem_the_course_promises():
    """A capstone has tracks to choose from: each of them is held to it, with the milestones that they share."""
    for unit in problems.UNITS:
        for track, of_track in problems.ways(unit).items():
            kinds = [problem.kind for problem in of_track]
            assert 4 <= len(kinds) <= 6, (unit, track)
            assert {"repair", "predict", "decide"} <= set(kinds), (unit, track)
            assert kinds[-1] == "open", (unit, track)


def test_every_problem_is_on_a_way_through_its_unit():
    for unit in problems.UNITS:
        on_ways = {problem.id for of_track in problems.ways(unit).values() for problem in of_track}
        assert on_ways == {problem.id for problem in ALL if problem.unit == unit}


def test_a_reason_that_is_not_in_the_list_is_refused():
    with pytest.raises(ValueError, match="not a reason"):
        problems.Wrong(None, "because")


def test_reasons_are_said_in_words():
    assert all(meaning and not meaning.endswith(".") for meaning in REASONS.values())
