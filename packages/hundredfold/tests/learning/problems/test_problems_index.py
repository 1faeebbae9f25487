"""Finding a problem by its name."""

import sys
from types import SimpleNamespace

import pytest

from hundredfold.learning import problems
from hundredfold.learning.problems.problem import Problem


def test_the_units_six_problems_in_order():
    assert [name for name in problems.ids() if name.startswith("arrays.")] == [
        "arrays.port",
        "arrays.count",
        "arrays.clock",
        "arrays.possible",
        "arrays.worth",
        "arrays.lean",
    ]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("arrays.prot", '"arrays.port"'),
        ("possible", '"arrays.possible"'),
        ("array.clock", '"arrays.clock"'),
        ("arrays.", '"arrays.port"'),
        ("", '"arrays.port"'),
        (len, '"arrays.port"'),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(given, named):
    with pytest.raises(problems.UnknownProblem) as raised:
        problems.find(given)
    assert named in str(raised.value)


@pytest.mark.parametrize("name", ["port", "Arrays.port", "arrays.port.x", "arrays port"])
def test_a_problem_needs_a_name_of_two_parts(name):
    with pytest.raises(ValueError, match=r"unit\.name"):
        Problem(name, "t", "write", ("f",), judge=lambda *_: None)


def test_a_unit_with_a_dash_has_its_problems_in_a_package_without_one(monkeypatch):
    problem = Problem("two-words.sum", "t", "write", ("f",), judge=lambda *_: None)
    monkeypatch.setitem(sys.modules, "hundredfold.learning.problems.two_words", SimpleNamespace(PROBLEMS=(problem,)))
    monkeypatch.setattr(problems, "UNITS", (*problems.UNITS, "two-words"))
    assert problems.find("two-words.sum") is problem
    assert problem.unit == "two-words" and "two-words.sum" in problems.ids()
    with pytest.raises(problems.UnknownProblem, match=r'"two-words\.sum"'):
        problems.find("two_words.sum")


def test_a_problem_is_of_a_known_kind():
    with pytest.raises(ValueError, match="kind"):
        Problem("a.b", "t", "essay", ("f",), judge=lambda *_: None)


def test_importing_the_problems_does_not_import_cupy():
    import subprocess

    code = "import sys; from hundredfold.learning import problems; problems.ids(); sys.exit('cupy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
