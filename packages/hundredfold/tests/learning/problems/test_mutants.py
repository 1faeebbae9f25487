"""Mutants of right answers are refused, or are right as well for a reason that somebody gave; the authors' page has the score."""

import mutation
import pytest
from equivalent import EQUIVALENT

from hundredfold.learning import problems

SMOKE = ("memory.leak", "deploying.script")
"""One whose answer is code and one whose answer is a script, which take seconds."""
ROWS = [line for line in mutation.PAGE.read_text(encoding="utf-8").splitlines() if line.count("|") == 5]
TIMED = ("arrays.clock",)
"""Problems in which a busy machine may refuse what is right."""


@pytest.mark.large
@pytest.mark.counted("problems whose mutants are refused")
@pytest.mark.parametrize(
    "problem", [pytest.param(name, marks=[pytest.mark.smoke] * (name in SMOKE)) for name in mutation.coded()]
)
def test_the_mutants_of_right_answers_are_refused(device, problem, monkeypatch):
    monkeypatch.setenv("GPUSIM_KERNELS", "interpreted")
    score = mutation.judged(problem)
    assert not score.accepted, "\n".join(f"{each.name}\n{each.source}" for each in score.accepted)
    if problem not in TIMED:
        assert not score.stale, "argued as right, and refused or no longer a mutant"
        assert score.row(problem) in ROWS, "python mutation.py PROBLEM --page writes it"


def test_the_page_has_a_row_for_each_problem_and_their_sum():
    rows = [row.strip("|").split("|") for row in ROWS if row.startswith("| ") and " | " in row]
    found = {name.strip(): [cell.strip() for cell in cells] for name, *cells in rows}
    missing = set(mutation.coded()) - set(found)
    assert not missing, "python mutation.py PROBLEM --page writes a row"
    counted = {name: [int(cell) for cell in found[name][:2]] for name in mutation.coded()}
    assert {name: equivalent for name, (_, equivalent) in counted.items() if equivalent} == {
        name: len(argued) for name, argued in EQUIVALENT.items()
    }
    mutants, equivalent = map(sum, zip(*counted.values(), strict=True))
    assert found["all"][:2] == [str(mutants), str(equivalent)]
    assert equivalent <= 0.15 * mutants


def test_each_argument_is_about_a_problem_and_has_words():
    assert set(EQUIVALENT) <= set(problems.ids())
    assert all(why.endswith(".") and " " in why for argued in EQUIVALENT.values() for why in argued.values())
