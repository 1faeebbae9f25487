"""The threat page claims nothing that no test tries, and no test of isolation is missing on it."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[5]
PAGE = (ROOT / "docs" / "administrators" / "threats.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`((?:tests|packages)/[\w/]+\.py)::(\w+)`", PAGE))


def named_in(file):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_every_test_that_the_page_names_exists():
    assert len(NAMED) > 25
    missing = [f"{file}::{name}" for file, name in sorted(NAMED) if name not in named_in(file)]
    assert missing == []


def test_every_row_of_its_tables_names_a_test():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| Mallory")]
    assert len(rows) > 20
    assert [row for row in rows if "tests/" not in row] == []


@pytest.mark.parametrize("file", ["tests/hub/test_isolation.py", "tests/hub/test_hostile.py"])
def test_every_test_of_an_attack_stands_on_it(file):
    assert named_in(file) - {name for where, name in NAMED if where == file} == set()


def test_nothing_is_named_in_another_way():
    """A name that is broken over lines or has no file would escape the tests above."""
    words = set(re.findall(r"\btest_\w+", PAGE)) - {name for _, name in NAMED}
    assert words <= {Path(file).stem for file, _ in NAMED}
