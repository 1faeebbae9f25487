"""The gap in an exercise and the check below it say the same number of lines."""

import re
from pathlib import Path

import nbformat
import pytest

from hundredfold.learning import problems

ROOT = Path(__file__).parents[2]
STUB = re.compile(r"# your code here \(about (\d+) lines?\)")
CHECK = re.compile(r'^check\("([\w.-]+)"')


@pytest.mark.parametrize("path", sorted((ROOT / "exercises").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_gap_is_as_long_as_its_problem_says(path):
    gap, told = None, {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            if cell.source.startswith("## ") or "\n## " in cell.source:
                gap = None  # of a cell before it that nothing checks: a picture of one's own
        elif stub := STUB.search(cell.source):
            gap = int(stub[1])
        elif check := CHECK.match(cell.source):
            if gap is not None:  # where starter code is given there is no gap to count
                told[check[1]] = gap
            gap = None
    assert told, "no gap was found: has the stub's text changed?"
    assert told == {name: problems.find(name).lines for name in told}
