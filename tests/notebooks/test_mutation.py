"""Would we notice?  One stored output of every notebook is changed, and nbval must go red at that very cell.

Unit 01's notebooks are run for it. Of the others the same comparison is asked what it makes of the change, with what is
stored in place of what a kernel would say: that the kernels do say it is what the notebooks themselves are tests of. An
exercise stores no outputs; there a cell is made to raise, which shows that its cells are run.
"""

import json
import os
from pathlib import Path

import nbformat
import pytest

from hundredfold.publish.build.normalise import compared, sanitise

ROOT = Path(__file__).parents[2]
NOTEBOOKS = [
    path.relative_to(ROOT)
    for folder in ("notebooks", "solutions", "exercises")
    for path in sorted((ROOT / folder).glob("*.ipynb"))
]


DIGITS = "0123456789"


def spoil(notebook, rules) -> int:
    """Change one digit of one stored output by one, past the sanitising patterns, or a letter where it has no such digit;
    return the code cell's number.

    The first that can be changed after the first cell, whose line names the machine: the cells after it need not run.
    """
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code):
        if number == 0 or "gpu-output" in cell.metadata.get("tags", []):
            continue
        for output in cell.outputs:
            if output.output_type == "error" or not compared([output]):
                continue
            holder, key = (output, "text") if output.output_type == "stream" else (output.data, "text/plain")
            text = holder[key]
            for at in sorted(range(len(text)), key=lambda at: text[at] not in DIGITS):
                letter = text[at]
                other = str((int(letter) + 1) % 10) if letter in DIGITS else "x" if letter != "x" else "y"
                spoilt = text[:at] + other + text[at + 1 :]
                if letter.isalnum() and sanitise(spoilt, rules) != sanitise(text, rules):
                    holder[key] = spoilt
                    return number
    raise AssertionError("this notebook stores no output that could be changed: nothing in it is compared")


def sabotage(notebook) -> int:
    """Make the second code cell raise."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    code[1].source += "\nraise RuntimeError('sabotaged')"
    return 1


RUN = [path for path in NOTEBOOKS if path.stem.startswith("01_")]
COMPARED = [path for path in NOTEBOOKS if path.parts[0] != "exercises"]

STORED = "as stored"  # the folder of the harness with the notebooks as they are

REPLAY = """
import json, os
from collections import Counter
import nbformat

def pytest_collection_finish(session):
    red, at = {}, Counter()
    for item in session.items:
        path = item.path.relative_to(session.config.rootpath).as_posix()
        notebook = nbformat.read(os.path.join(os.environ["STORED"], path), as_version=4)
        said = [cell for cell in notebook.cells if cell.cell_type == "code"][at[path]].outputs
        if not at[path]:
            item.parent.setup_sanitize_files()
        red.setdefault(path, [])
        if item.options["check"] and not item.compare_outputs(said, item.cell.outputs):
            red[path].append(at[path])
        at[path] += 1
    print("RED", json.dumps(red))
"""


@pytest.fixture(scope="module")
def changed(harness, rules):
    """All notebooks, each with its change, in the harness; and the cells that were changed."""
    spoilt = {}
    for path in NOTEBOOKS:
        notebook = nbformat.read(ROOT / path, as_version=4)
        harness.save(f"{STORED}/{path}", notebook)
        spoilt[path] = sabotage(notebook) if path.parts[0] == "exercises" else spoil(notebook, rules)
        harness.save(str(path), notebook)
    return spoilt


@pytest.fixture(scope="module")
def report(harness, changed):
    """One run of those that are run."""
    cache = os.environ.get("GPUSIM_CACHE", str(ROOT / ".cache" / "hundredfold"))
    return harness.run("-n", "2", *map(str, RUN), GPUSIM_CACHE=cache)


@pytest.mark.large
@pytest.mark.parametrize("path", RUN, ids=lambda p: f"{p.parts[0]}-{p.stem}")
def test_a_changed_output_turns_its_notebook_red(report, changed, path):
    outcomes = report.cells(path.as_posix())
    assert outcomes.index("FAILED") == changed[path], report.output
    assert set(outcomes[: changed[path]]) <= {"PASSED"} and set(outcomes[changed[path] + 1 :]) <= {"SKIPPED"}


@pytest.fixture(scope="module")
def red(harness, changed):
    """For each notebook the cells whose changed outputs are told from the stored ones."""
    (harness.root / "replay.py").write_text(REPLAY)
    found = harness.run(
        *("--collect-only", "-q", "-p", "replay"), PYTHONPATH=str(harness.root), STORED=str(harness.root / STORED)
    )
    lines = [line for line in found.output.splitlines() if line.startswith("RED ")]
    assert lines, found.output
    return json.loads(lines[0].removeprefix("RED "))


@pytest.mark.parametrize("path", COMPARED, ids=lambda p: f"{p.parts[0]}-{p.stem}")
def test_a_changed_output_is_told_from_what_is_stored(red, changed, path):
    assert red[path.as_posix()] == [changed[path]]


def test_a_notebook_that_compares_nothing_is_found_out(rules):
    from nbformat.v4 import new_code_cell, new_notebook, new_output

    times = [new_output("stream", text="3 ms\n")]
    with pytest.raises(AssertionError, match="nothing in it is compared"):
        spoil(
            new_notebook(cells=[new_code_cell("a"), new_code_cell("b", outputs=[]), new_code_cell("c", outputs=[])]),
            rules,
        )
    notebook = new_notebook(cells=[new_code_cell("a"), new_code_cell("b", outputs=times)])
    assert spoil(notebook, rules) == 1  # the unit is no longer one
    notebook.cells[1].outputs = [new_output("stream", text="took 3 ms, shape (3, 4)\n")]
    spoil(notebook, rules)
    assert notebook.cells[1].outputs[0].text == "took 3 ms, shape (4, 4)\n", "a known digit rather than a letter"
