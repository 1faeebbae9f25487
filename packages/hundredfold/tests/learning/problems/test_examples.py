"""The smallest case that an answer fails, as code that a learner can run."""

import answers
import numpy as np
import pytest

from hundredfold.learning import checking, problems
from hundredfold.learning.problems import examples, judging, properties
from hundredfold.learning.problems.cases import Case
from hundredfold.learning.problems.functions import FunctionJudge
from hundredfold.learning.problems.problem import Mistake, Problem


def doubled(*cases, **more):
    judge = FunctionJudge(tuple(Case(f"{n} numbers", lambda n=n: (np.arange(float(n)),)) for n in cases), fresh=True)
    return Problem("arrays.doubled", "t", "write", ("double",), judge, specification=lambda x: 2 * x, **more)


def test_the_smallest_of_the_cases_that_fail_is_shown(device):
    def wrong(x):
        return 2 * x if x.size in (9, 2) else x * x + 5

    verdict = judging.judge(doubled(9, 40, 2, 30, 3, 5), (wrong,))
    assert verdict.case == "3 numbers" and verdict.why.startswith("with 3 numbers: 3 of its 3 values are wrong")
    assert verdict.example == "x = cp.array([0.0, 1.0, 2.0])\ndouble(x)" and not verdict.diagnosed
    text = checking._card(doubled(3, hints=("Times two.",)), verdict).text()
    assert text.splitlines()[-4:] == [
        "  The check does not know what causes this. This is the smallest of its cases that fails:",
        "    x = cp.array([0.0, 1.0, 2.0])",
        "    double(x)",
        '  More: hint("arrays.doubled")',
    ]


def test_a_smaller_case_that_fails_for_another_reason_is_not_shown(device):
    def wrong(x):
        return x if x.size == 3 else x * x + 1

    assert judging.judge(doubled(5, 3), (wrong,)).case == "5 numbers"


def test_the_hint_of_a_smaller_case_is_not_shown(device):
    """The answer fails without it as well: what that case is about is not why."""
    cases = (
        Case("5 numbers", lambda: (np.arange(5.0),)),
        Case("3 numbers", lambda: (np.arange(3.0),), hint="There may be three numbers."),
    )
    problem = Problem("arrays.doubled", "t", "write", ("double",), FunctionJudge(cases), specification=lambda x: 2 * x)
    verdict = judging.judge(problem, (lambda x: x * x + 5,))
    assert verdict.case == "3 numbers" and not verdict.advice and verdict.example


def test_a_mistake_that_is_known_is_told_and_no_example_shown(device):
    squares = {"squares": Mistake("value", "these are the squares.", gives=lambda x: x * x)}
    verdict = judging.judge(doubled(5, 3, mistakes=squares), (lambda x: x * x,))
    assert verdict.why == "with 5 numbers: these are the squares." and verdict.diagnosed and not verdict.example


def test_a_hint_for_the_reason_stands_in_place_of_an_example(device):
    verdict = judging.judge(doubled(5, 3, advice={"value": "Add it to itself."}), (lambda x: x * x + 1,))
    assert verdict.advice == "Add it to itself." and not verdict.example and verdict.case == "5 numbers"


def test_what_is_no_small_array_is_asked_for_by_its_name(device):
    """Also what lies in other steps, or comes of a seed."""
    problem = problems.find("arrays.port")
    for name in ("1009 rows", "a transposed matrix", "other data (seed 1)", "other data (seed 712003)"):
        (x,) = problems.arguments("arrays.port", name)
        assert isinstance(x, device.ndarray) and x.ndim == 2
    code = examples.code(problem, (None,), "1009 rows")
    assert code.splitlines()[1:] == ['x, = problems.arguments("arrays.port", "1009 rows")', "standardise(x)"]
    with pytest.raises(LookupError, match="no case of the name 'one'"):
        problems.arguments("arrays.port", "one")
    with pytest.raises(LookupError, match="no case"):
        problems.arguments("arrays.possible", "one")


KINDS = (
    "arrays.port",
    "protocols.anywhere",
    "compiling.follow",
    "kernels.smooth",
    "kernels.fastest",
    "memory.leak",
) + (
    *(
        "merges.asof",
        "dataframes.port",
        "dask-arrays.smooth",
        "dask-dataframes.carriers",
        "capstone.pairs",
        "polars.port",
    ),
)


@pytest.mark.parametrize("name", [name for name in KINDS if name in problems.ids()])
def test_the_code_runs(device, name, monkeypatch):
    """One problem of each kind of judge, with its first case, its smallest and one that is drawn."""
    monkeypatch.setenv("GPUSIM_KERNELS", "interpreted")
    problem = problems.find(name)
    given = answers.given(problem, next(iter(answers.right(problem).values())))
    cases = properties.all_cases(problem.judge)
    for case in {cases[0].name, min(cases, key=examples._size).name, cases[-1].name}:
        code = examples.code(problem, given, case)
        exec(code, {"cp": device, "np": np, **dict(zip(problem.answers, given, strict=True))})
