"""Every known wrong answer of every unit is refused for its own reason, every known right one is accepted.

They are in the package `answers`. A unit that adds problems is held to this by being named in
`hundredfold.learning.problems.UNITS`.
"""

import dataclasses
from pathlib import Path

import answers
import pytest

from hundredfold.learning import problems
from hundredfold.learning.problems.kernels.judging import KernelJudge
from hundredfold.learning.problems.reasons import REASONS
from hundredfold.learning.problems.untouched import untouched
from hundredfold.learning.problems.verdict import RIGHT, WRONG, Refusal

KERNELS = ("kernels", "fast-kernels")
"""The units whose answers are kernels."""
ALL = [problems.find(name) for name in problems.ids()]
WRONG_ANSWERS = [pytest.param(p, w, id=f"{p.id}-{name}") for p in ALL for name, w in answers.wrong(p).items()]
RIGHT_ANSWERS = [
    pytest.param(p, a, not n, id=f"{p.id}-{name}") for p in ALL for n, (name, a) in enumerate(answers.right(p).items())
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
    verdict = answers.judge(problem.id, wrong.answer)
    assert (verdict.outcome, verdict.reason) == (WRONG, wrong.reason), verdict.why
    assert verdict.why


@pytest.mark.large("problem", by=lambda problem: (problem.unit, type(problem.judge)))
@pytest.mark.counted("known right answers accepted")
@pytest.mark.parametrize(("problem", "answer", "first"), RIGHT_ANSWERS)
def test_a_known_right_answer_is_accepted(device, problem, answer, first, monkeypatch):
    if not first:  # the first of each problem is compiled, as the solutions are
        interpreted(problem, monkeypatch)
    verdict = answers.judge(problem.id, answer)
    assert verdict.outcome == RIGHT, verdict.why
    assert verdict.verified


@pytest.mark.parametrize("problem", ALL, ids=lambda problem: problem.id)
def test_a_problem_is_complete(problem):
    wrong = answers.wrong(problem).values()
    assert len(wrong) >= 5
    assert len(answers.right(problem)) >= 2
    assert len({each.reason for each in wrong}) >= 5
    assert len(problem.hints) >= 2
    assert all(text == text.strip() and text.endswith((".", "?")) for text in problem.hints)
    several = len(problem.answers) > 1
    assert not any(untouched(part) for each in wrong for part in (each.answer if several else (each.answer,)))


def test_each_module_of_answers_belongs_to_a_problem():
    """A module that is named otherwise than its problem would be looked at by nobody."""
    folder = Path(answers.__file__).parent
    written = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.glob("*/*.py")}
    assert written <= {problem.id.replace("-", "_").replace(".", "/") for problem in ALL}


@pytest.mark.parametrize("problem", ALL, ids=lambda problem: problem.id)
def test_each_mistake_has_a_wrong_answer_of_its_name(problem):
    wrong = answers.wrong(problem)
    assert {name: mistake.reason for name, mistake in problem.mistakes.items()} == {
        name: wrong[name].reason for name in problem.mistakes
    }


@pytest.mark.parametrize("problem", ALL, ids=lambda problem: problem.id)
def test_advice_is_for_reasons_that_an_answer_is_refused_for(problem):
    assert set(problem.advice) <= {each.reason for each in answers.wrong(problem).values()}


def _fails(*arguments):
    return 1 / 0


RECOGNISING = {
    type(p.judge).__name__: p for p in reversed(ALL) if any(mistake.gives for mistake in p.mistakes.values())
}


@pytest.mark.parametrize("judge", RECOGNISING)
def test_a_mistake_that_cannot_be_computed_for_a_case_is_not_recognised(device, judge, monkeypatch):
    """Cases are drawn: a formula written for ordinary arguments meets no rows, or all equal."""
    problem = RECOGNISING[judge]
    interpreted(problem, monkeypatch)
    answer = next(answers.wrong(problem)[name].answer for name, mistake in problem.mistakes.items() if mistake.gives)
    failing = {"failing": problems.Mistake("value", "never said.", gives=_fails)}
    problem = dataclasses.replace(problem, mistakes=failing)
    with pytest.raises(Refusal) as refused:
        problem.judge(problem, answers.given(problem, answer))
    assert "never said" not in refused.value.why


@pytest.mark.parametrize("problem", ALL, ids=lambda problem: problem.id)
def test_what_is_recognised_says_why(problem):
    assert all(mistake.why for mistake in problem.mistakes.values())


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
        problems.Mistake("because", "it is.")


def test_reasons_are_said_in_words():
    assert all(meaning and not meaning.endswith(".") for meaning in REASONS.values())
