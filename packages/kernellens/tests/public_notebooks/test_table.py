"""The list of public notebooks is whole, says why each is left out, and its page is what it says."""

import importlib.util
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def table():
    spec = importlib.util.spec_from_file_location("public_notebooks_table", HERE / "table.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_from_the_list(table):
    assert (HERE / "README.md").read_text(encoding="utf-8") == table.page(table.load())


def test_each_has_an_outcome_and_what_is_left_out_says_what_it_needs(table):
    for entry in table.load()["programs"]:
        assert len(entry["commit"]) == 40, entry["path"]
        if entry.get("left_out"):
            assert table.NEEDS.search(entry["left_out"]), entry["left_out"]
        else:
            assert entry["status"], entry["path"]
        if table.fate(entry) == "failed":
            assert entry["why_not"], entry["path"]


def test_the_shares_by_hand(table):
    def entry(**more):
        return {"repository": "a/b", "path": "c.py", "status": "failed", **more}

    entries = [entry(status="ran")] * 6 + [entry(left_out="line 1 (network)")] * 2
    entries += [entry(real_refuses="gone")] + [entry(status="ran", real_refuses="not any more"), entry()]
    found = table.count(entries)
    assert (found.tried, found.left_out, found.older, found.ran, found.failed) == (11, 2, 1, 7, 1)
    assert found.shares(True) == (3 / 11, 7 / 8)
    assert found.shares(False) == (2 / 11, 7 / 9)
    assert not table.reached(entries)
