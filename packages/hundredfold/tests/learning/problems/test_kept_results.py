"""A right answer that keeps its first result is refused, whatever it keeps it by."""

import answers
import pytest
from answers.kept import by_cut, by_place, by_shape, kept

from hundredfold.learning import problems
from hundredfold.learning.problems.capstone import lazily
from hundredfold.learning.problems.compiling.judging import CompiledJudge
from hundredfold.learning.problems.dask_arrays import judging
from hundredfold.learning.problems.dask_dataframes.judging import LazyFrameJudge
from hundredfold.learning.problems.frames.judging import TableJudge
from hundredfold.learning.problems.functions import FunctionJudge
from hundredfold.learning.problems.kernels.judging import KernelJudge
from hundredfold.learning.problems.polars.judging import QueryJudge
from hundredfold.learning.problems.verdict import WRONG

ALL = [problems.find(name) for name in problems.ids()]
FUNCTIONS = [
    p
    for p in ALL
    if isinstance(p.judge, (FunctionJudge, TableJudge)) and not isinstance(p.judge, (CompiledJudge, KernelJudge))
]


@pytest.mark.large("problem", by=lambda problem: type(problem.judge))
@pytest.mark.parametrize(
    ("problem", "key"),
    [
        pytest.param(problem, key, id=f"{problem.id}-{name}")
        for problem in FUNCTIONS
        for name, key in {"by shape": by_shape, "by place": by_place}.items()
        # A query never changes: what is kept for the same one is right.
        if not (key is by_place and isinstance(problem.judge, QueryJudge))
    ],
)
def test_a_result_that_is_kept_is_refused(device, problem, key):
    right = next(iter(answers.right(problem).values()))
    verdict = answers.judge(problem.id, kept(right, key))
    assert verdict.outcome == WRONG


@pytest.mark.large("problem", by=lambda problem: type(problem.judge))
@pytest.mark.parametrize(
    "problem",
    [p for p in ALL if isinstance(p.judge, (lazily.LazyJudge, judging.LazyJudge, LazyFrameJudge))],
    ids=lambda problem: problem.id,
)
def test_a_plan_that_is_kept_is_refused(device, problem):
    right = next(iter(answers.right(problem).values()))
    verdict = answers.judge(problem.id, kept(right, by_cut))
    assert verdict.outcome == WRONG
