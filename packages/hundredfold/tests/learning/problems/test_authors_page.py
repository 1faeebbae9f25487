"""What the authors' page shows works as it is printed there."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from hundredfold.learning import problems
from hundredfold.learning.problems import facts, properties
from hundredfold.learning.problems.kernels import shares
from hundredfold.learning.problems.problem import Problem
from hundredfold.learning.problems.reasons import REASONS

PAGE = (Path(__file__).parents[5] / "docs" / "contributing" / "problems.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module", params=range(len(SHOWN)))
def shown(request, tmp_path_factory):
    """A problem of the page, as a module of unit 01."""
    path = tmp_path_factory.mktemp("page") / f"shown{request.param}.py"
    path.write_text(SHOWN[request.param], encoding="utf-8")
    name = f"hundredfold.learning.problems.arrays.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        yield next(value for value in vars(module).values() if isinstance(value, Problem))
    finally:
        del sys.modules[name]


def test_there_are_examples_of_a_function_and_of_decisions():
    assert len(SHOWN) == 2


def test_each_wrong_answer_is_refused_for_its_reason(device, shown):
    for name, wrong in shown.wrong.items():
        verdict = problems._judge(shown, (wrong.answer,))
        assert (verdict.outcome, verdict.reason) == ("wrong", wrong.reason), (name, verdict.why)
    assert len({wrong.reason for wrong in shown.wrong.values()}) >= 5 and len(shown.wrong) >= 5


def test_each_right_answer_is_accepted(device, shown):
    assert len(shown.right) >= 2
    for name, answer in shown.right.items():
        verdict = problems._judge(shown, (answer,))
        assert verdict.right, (name, verdict.why)


def test_the_names_in_its_tables_are_there():
    for name in re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE):
        assert name == "edit" or any(hasattr(module, name) for module in (properties, facts, shares)), name
    for reason in re.findall(r'reason="([\w-]+)"', PAGE):
        assert reason in REASONS
