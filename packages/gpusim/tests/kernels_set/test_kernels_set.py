"""Every kernel of the set, run compiled, interpreted and traced: each gives what NumPy says, and all give the same."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from kernels_set import registry  # noqa: E402

OURS = ("compiled", "interpreted", "traced")
NAMES = registry.names()
#: All that is asked of one kernel goes to one worker, which keeps its answers.
EACH = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in NAMES]
large = pytest.mark.large("name", by=registry.module_of)


@pytest.fixture(scope="session", autouse=True)
def _same_list_everywhere(ways):
    """What is read from the sources is what the modules register."""
    assert sorted(NAMES) == ways("interpreted").ask("?")


@large
@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("way", OURS)
def test_kernel(ways, way, name):
    done = ways(way).ask(name)
    assert not done["error"], done["error"]
    deserved = way == "traced" and done["rules"].traced
    assert bool(done["found"]) == bool(deserved), done["found"] or f"no {deserved} was found"
    assert done["cases"] or deserved
    wrong = [f"{label}: {said}" for label, _, said in done["cases"] if said]
    assert not wrong, "\n".join(wrong)


@large
@pytest.mark.parametrize("name", EACH)
def test_three_ways_agree(ways, name):
    answers = {way: ways(way).ask(name) for way in OURS}
    rules = answers[OURS[0]]["rules"]
    results = {way: {label: after for label, after, _ in answer["cases"]} for way, answer in answers.items()}
    first = results[OURS[0]]
    for way in OURS[1:]:
        # A case that the trace found fault with has no result there.
        assert set(results[way]) == set(first) or (way == "traced" and rules.traced)
        for label, other in results[way].items():
            said = registry.same(rules, first[label], other)
            assert not said, f"{label}: {OURS[0]} and {way} differ: {said}"


@pytest.mark.large
def test_the_set_is_as_large_as_promised(ways):
    rules = {name: ways("interpreted").ask(name)["rules"] for name in NAMES}
    published = {name for name, rule in rules.items() if rule.source}
    assert len(NAMES) >= 60
    assert len(published) >= 20
    assert {rules[name].source for name in published} >= {"numba/numba", "fbpic/fbpic", "stumpy-dev/stumpy"}


def _functions(text: str):
    """Every function of a module: its name and its source, decorators included, out of its indentation."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield node.name, textwrap.dedent("\n".join(lines[start - 1 : node.end_lineno]))


PUBLISHED = json.loads((HERE / "published" / "published.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_kernels_stand_unchanged(name):
    facts = PUBLISHED[name]
    module = name.partition(".")[0]
    ours = [
        code
        for found, code in _functions((HERE / "published" / f"{module}.py").read_text(encoding="utf-8"))
        if found == facts["function"]
    ]
    assert facts["sha256"] in {hashlib.sha256(code.encode()).hexdigest() for code in ours}
    assert facts["licence"] and facts["repository"] in (HERE / "LICENCES.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name, facts in PUBLISHED.items() if facts["repository"] == "numba/numba"])
def test_numbas_kernels_are_those_of_the_numba_installed(name):
    """Numba is here to compare with; the others are held by their hashes alone."""
    numba = Path(importlib.util.find_spec("numba").origin).parent
    facts = PUBLISHED[name]
    theirs = (numba.parent / facts["path"]).read_text(encoding="utf-8")
    found = {
        hashlib.sha256(code.encode()).hexdigest()
        for function, code in _functions(theirs)
        if function == facts["function"]
    }
    assert facts["sha256"] in found


# The judge is judged: a result that is off must be told.


def _entry(**options):
    return registry.Entry("x", "y", None, None, None, **options)


@pytest.mark.parametrize(
    ("mine", "right"),
    [
        (np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-15])),
        (np.array([np.nan, 2.0]), np.array([0.0, 2.0])),
        (np.array([1, 2], "u1"), np.array([1, 3])),
        (np.array([1, 2]), np.array([[1, 2]])),
        (np.array(["2020-01-01"], "M8[D]"), np.array(["2020-01-02"], "M8[D]")),
        (np.array([(1, 2)], "i4,i4"), np.array([(1, 3)], "i4,i4")),
    ],
)
def test_a_wrong_value_is_told(mine, right):
    assert registry.judge(_entry(), [mine], [right])
    assert not registry.judge(_entry(), [mine], [mine.copy()])


def test_ways_that_differ_by_a_bit_are_told():
    a, b = [np.array([0.0, np.nan])], [np.array([-0.0, np.nan])]
    rules = registry.Rules("", True, 0.0, 0.0)
    assert registry.same(rules, a, b)
    assert not registry.same(rules, a, [a[0].copy()])
    assert not registry.same(registry.Rules("", False, 0.0, 1e-9), a, b)


def test_an_entry_that_cannot_be_had_costs_no_other(ways):
    way = ways("interpreted")
    assert "KeyError" in way.ask("no such kernel")["error"]
    assert not way.ask("saxpy")["error"]
