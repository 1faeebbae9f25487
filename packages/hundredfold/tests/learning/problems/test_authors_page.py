"""What the authors' page shows works as it is printed there."""

import importlib.util
import re
import sys
from pathlib import Path

import answers
import pytest

from hundredfold.learning import problems
from hundredfold.learning.problems import facts, properties
from hundredfold.learning.problems.kernels import shares
from hundredfold.learning.problems.problem import Problem
from hundredfold.learning.problems.reasons import REASONS

PAGE = (Path(__file__).parents[5] / "docs" / "contributing" / "problems.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


MODULES = (
    "hundredfold.learning.problems.arrays.scale",
    "answers.arrays.scale",
    "hundredfold.learning.problems.arrays.worth_more",
)
"""What the examples are: a problem of unit 01, its answers, and decisions."""


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """The examples as the modules that they would be."""
    folder = tmp_path_factory.mktemp("page")
    try:
        for number, (name, text) in enumerate(zip(MODULES, SHOWN, strict=True)):
            path = folder / f"shown{number}.py"
            path.write_text(text, encoding="utf-8")
            spec = importlib.util.spec_from_file_location(name, path)
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        yield [sys.modules[name] for name in MODULES]
    finally:
        for name in MODULES:
            sys.modules.pop(name, None)


@pytest.fixture(params=[0, 2], ids=["function", "decisions"])
def shown(request, modules):
    return next(value for value in vars(modules[request.param]).values() if isinstance(value, Problem))


def test_each_wrong_answer_is_refused_for_its_reason(device, shown):
    wrong = answers.wrong(shown)
    for name, each in wrong.items():
        verdict = problems._judge(shown, (each.answer,))
        assert (verdict.outcome, verdict.reason) == ("wrong", each.reason), (name, verdict.why)
        if name in shown.mistakes:
            assert shown.mistakes[name].why in verdict.why
    assert len({each.reason for each in wrong.values()}) >= 5 and len(wrong) >= 5
    assert set(shown.mistakes) <= set(wrong)


def test_each_right_answer_is_accepted(device, shown):
    right = answers.right(shown)
    assert len(right) >= 2
    for name, answer in right.items():
        verdict = problems._judge(shown, (answer,))
        assert verdict.right, (name, verdict.why)


def test_the_names_in_its_tables_are_there():
    for name in re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE):
        assert name == "edit" or any(hasattr(module, name) for module in (properties, facts, shares)), name
    for reason in re.findall(r'reason="([\w-]+)"', PAGE):
        assert reason in REASONS
