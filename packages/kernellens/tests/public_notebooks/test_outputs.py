"""The list of what public notebooks print is whole, its page is what it says, and a run finds what is not as listed."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

HERE = Path(__file__).parent
PYTHON = sys.executable


@pytest.fixture(scope="module")
def module():
    spec = importlib.util.spec_from_file_location("public_notebooks_outputs", HERE / "outputs.py")
    made = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def listed(module):
    return json.loads(module.LIST.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def entries(listed):
    return listed["notebooks"]


def test_the_page_is_made_from_the_list(module, listed):
    assert module.PAGE.read_text(encoding="utf-8") == module.page(listed)


def test_each_has_its_source_and_each_difference_a_reason(entries):
    assert len({(entry["repository"], entry["path"]) for entry in entries}) == len(entries)
    for entry in entries:
        assert len(entry["commit"]) == 40 and entry["licence"], entry["path"]
        assert all(entry["differ"].values()), entry["path"]


def test_enough_agree(module, entries):
    total = module.counts(entries)
    assert total["notebooks"] >= 70
    assert total["cells"] >= 700
    assert total["agree"] >= 0.97 * total["cells"]


def test_what_stopped_a_notebook_names_no_path_of_this_machine(module):
    said = "cannot import name 'autojit' from 'numba' (/home/me/numba/__init__.py)"
    outcome = {"status": "raised", "cell": 7, "error": "ImportError", "message": said}
    assert module.stopped(outcome) == "cell 7: ImportError: cannot import name 'autojit' from 'numba'"


@pytest.fixture
def ours(tmp_path):
    """A checkout with a notebook of ours, of which one cell agrees and one differs, and a list that says otherwise."""
    cells = [nbformat.v4.new_code_cell(source) for source in ("import cupy", "print(cupy.arange(4).sum())", "print(7)")]
    for cell, printed in zip(cells[1:], ("6\n", "8\n"), strict=True):
        cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=printed)]
    (tmp_path / "a+b").mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "a+b" / "n.ipynb")
    entry = {"repository": "a/b", "path": "n.ipynb", "agree": 2, "differ": {}}
    (tmp_path / "list.json").write_text(json.dumps({"notebooks": [entry]}))
    return tmp_path


def test_a_run_says_what_is_not_as_listed_and_can_write_it(ours, module):
    line = [PYTHON, str(HERE / "outputs.py"), "--checkouts", str(ours), "--list", str(ours / "list.json"), "--write"]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[0] == "1 cells agree, 2 are listed; cell 3 differs: a/b:n.ipynb"
    (entry,) = json.loads((ours / "list.json").read_text())["notebooks"]
    assert (entry["agree"], entry["differ"], entry["stopped"]) == (1, {"3": ""}, "")
    assert module.wrong(entry, entry) == ["cell 3 differs"]
    assert module.wrong(entry | {"differ": {"3": "it is wrong"}}, entry) == []
