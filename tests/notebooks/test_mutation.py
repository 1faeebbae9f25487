"""Would we notice?  One stored output of every notebook is changed, and nbval must go red at that very cell.

An exercise stores no outputs; there a cell is made to raise, which shows that its cells are run.
"""

import os
from pathlib import Path

import nbformat
import pytest

from hundredfold.build.normalise import compared, sanitise

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


@pytest.fixture(scope="module")
def report(harness, rules):
    """All notebooks, each with its change, in one run; and the cells that were changed."""
    spoilt = {}
    for path in NOTEBOOKS:
        notebook = nbformat.read(ROOT / path, as_version=4)
        spoilt[path] = sabotage(notebook) if path.parts[0] == "exercises" else spoil(notebook, rules)
        harness.save(str(path), notebook)
    cache = os.environ.get("HUNDREDFOLD_CACHE", str(ROOT / ".cache" / "hundredfold"))
    return harness.run("-n", "2", HUNDREDFOLD_CACHE=cache), spoilt


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: f"{p.parts[0]}-{p.stem}")
def test_a_changed_output_turns_its_notebook_red(report, path):
    run, spoilt = report
    outcomes = run.cells(path.as_posix())
    assert outcomes.index("FAILED") == spoilt[path], run.output
    assert set(outcomes[: spoilt[path]]) <= {"PASSED"} and set(outcomes[spoilt[path] + 1 :]) <= {"SKIPPED"}


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
