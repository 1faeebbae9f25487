"""The exercises as an nbgrader course, for institutions that grade them.

nbgrader is no dependency of ours.  What it needs is metadata of its schema 3 on the cells, its own solution markers,
which our sources use, and four settings; all is written here.
"""

import re
from pathlib import Path

from .sources import Source

CHECK = re.compile(r"check\(\s*[\"']([^\"']+)[\"']\s*[,)]")

CONFIG = """\
# Written by `hundredfold build --nbgrader`. See nbgrader's documentation for all settings.
c = get_config()
c.CourseDirectory.course_id = "hundredfold"
# The stub must not raise: an exercise runs from top to bottom unsolved.
c.ClearSolutions.code_stub = {"python": "# your code here\\n..."}
# The first kernel of a session compiles; nbgrader's 30 s are not enough for that.
c.Execute.timeout = 300
# Runs of the exercises need no GPU: without one, the lab simulates.
"""


def graded(grade_id: str, points: float) -> dict:
    """Metadata of a cell that gives points: locked, so that a learner's edit is undone before grading."""
    return _cell(grade_id, grade=True, solution=False, locked=True) | {"points": points}


def solved(grade_id: str) -> dict:
    """Metadata of a cell that a learner fills in."""
    return _cell(grade_id, grade=False, solution=True, locked=False)


def _cell(grade_id: str, *, grade: bool, solution: bool, locked: bool) -> dict:
    return {
        "cell_type": "code",
        "grade": grade,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }


def write(sources: list[Source], directory: Path) -> list[Path]:
    """Write nbgrader's source tree: ``DIR/nbgrader_config.py`` and ``DIR/source/SLUG/NN_slug.ipynb``.

    The notebooks keep the solution markers, for `nbgrader generate_assignment` to strip.  Starter lines stay
    commented, under a line that says to uncomment them: uncommented they would overrule the solution above them.
    """
    from . import identity, store
    from .products import derive

    written = [directory / "nbgrader_config.py"]
    store.write_text(written[0], CONFIG)
    for source in sources:
        product = derive(source, "exercise")
        for cell in product.cells:
            cell.source = _marked(source.cells[cell.origin].source)
        names = identity.ids([None] * len(product.cells), [], source.slug)
        path = directory / "source" / source.slug / f"{source.stem}.ipynb"
        store.write(path, store.assemble(product, names, {}))
        written.append(path)
    return written


def _marked(text: str) -> str:
    """The cell with its solution markers, its starter markers told as prose."""
    text = re.sub(r"(?m)^(\s*)#+\s*BEGIN STARTER\s*$", r"\1# Uncomment these lines and repair them:", text)
    text = re.sub(r"(?m)^\s*#+\s*END STARTER\s*$\n?", "", text)
    return text.rstrip("\n")
