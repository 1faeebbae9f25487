"""The cells of a notebook as its source says they must be, before any is run.

One source of exercises has two products: the exercise, with gaps, and the solution.  A lecture has one.  Everything
here is a pure function of the source; ids, which also depend on the committed notebook, are given in `identity`.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from hundredfold.publish import REUSE

from . import exercise as regions
from .errors import SourceError
from .sources import Source, SourceCell

#: product: (the kind of source it is made from, the folder it is written to)
PRODUCTS = {
    "lecture": ("lectures", "notebooks"),
    "exercise": ("exercises", "exercises"),
    "solution": ("exercises", "solutions"),
    "guide": ("guides", "syllabi"),
}
LICENCE = f"*{REUSE}*"
_LEFT_OUT = {"exercise": "solution-only", "solution": "exercise-only", "lecture": None, "guide": None}


@dataclass
class Cell:
    """One cell of a product; `origin` is its index in the source, `lines` the file's line number for each line."""

    kind: str
    source: str
    metadata: dict
    origin: int
    lines: list[int] = field(default_factory=list)

    @property
    def tags(self) -> list[str]:
        return self.metadata.get("tags", [])

    @property
    def key(self) -> tuple[str, str]:
        """What makes two cells the same cell."""
        return self.kind, self.source


@dataclass
class Product:
    """One notebook to be."""

    what: str
    source: Source
    cells: list[Cell]

    def path(self, root: Path) -> Path:
        return root / PRODUCTS[self.what][1] / f"{self.source.stem}.ipynb"

    @property
    def executed(self) -> bool:
        """Whether it is committed with outputs."""
        return self.what != "exercise"

    @property
    def metadata(self) -> dict:
        """The notebook's metadata: nothing of the machine that built it."""
        return {
            "hundredfold": {**self.source.metadata, "product": self.what},
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }


def products(source: Source) -> list[Product]:
    """The notebooks made from one source, each with a last cell that no source has: what a reader may do with it."""
    made = [derive(source, what) for what, (kind, _) in PRODUCTS.items() if kind == source.kind]
    for product in made:
        product.cells.append(Cell("markdown", LICENCE, {}, len(source.cells) - 1))
    return made


def derive(source: Source, what: str) -> Product:
    """The cells of one product of a source.

    Raises
    ------
    SourceError
        For misplaced regions, or nbgrader ids that are not unique.
    """
    cells, grade_ids = [], _grade_ids(source) if source.kind == "exercises" else {}
    for i, cell in enumerate(source.cells):
        if _LEFT_OUT[what] in cell.tags:
            continue
        found = regions.regions(cell, source.path)
        if found and source.kind != "exercises":
            raise SourceError(source.path, cell.lines[found[0].begin], "a lecture has no solution regions")
        if what == "exercise":
            text = regions.exercise(cell, source.path)
        else:
            text = regions.solution(cell, source.path)
        if what == "solution" and cell.kind == "markdown":
            text.text = titled("\n".join(text.text), "exercises", "solutions").split("\n")
        metadata = {k: v for k, v in cell.metadata.items() if k != "points"}
        if i in grade_ids:
            metadata["nbgrader"] = grade_ids[i]
        cells.append(Cell(cell.kind, "\n".join(text.text), metadata, i, [cell.lines[k] for k in text.origin]))
    return Product(what, source, cells)


def titled(text: str, was: str, now: str) -> str:
    """A cell's text, where it is a notebook's title that ends in ``: exercises`` or ``: solutions`` with the other of the two."""
    return re.sub(rf"\A(# .*): {was}$", rf"\1: {now}", text, count=1, flags=re.MULTILINE)


def _grade_ids(source: Source) -> dict[int, dict]:
    """nbgrader's metadata for each cell of an exercise source that has any.

    A check is named after the problem it checks (``arrays.port`` becomes ``arrays-port``), a solution after the check
    that follows it (``arrays-port-answer``), so that an insertion elsewhere renames nothing.
    """
    out: dict[int, dict] = {}
    used: set[str] = set()
    waiting: list[int] = []

    def unique(name: str) -> str:
        n, candidate = 1, name
        while candidate in used:
            n += 1
            candidate = f"{name}-{n}"
        used.add(candidate)
        return candidate

    def answer(name: str) -> None:
        for k in waiting:
            out[k] = solved(unique(f"{name}-answer"))
        waiting.clear()

    for i, cell in enumerate(source.cells):
        if cell.kind != "code":
            continue
        if name := _checked(cell, source.path):
            if regions.regions(cell, source.path):
                raise SourceError(source.path, cell.lines[0], "a cell that checks has no region; use two cells")
            answer(name)
            out[i] = graded(unique(name), _points(cell, source.path))
        elif regions.regions(cell, source.path):
            waiting.append(i)
    answer(source.slug)
    return out


def _checked(cell: SourceCell, path) -> str | None:
    """The name of the problem that a cell checks, as an nbgrader id; None if it checks none."""
    first = next((k for k, line in enumerate(cell.source.split("\n")) if line.strip() and line.strip()[0] != "#"), None)
    if first is None or not cell.source.split("\n")[first].startswith("check("):
        return None
    name = CHECK.match("\n".join(cell.source.split("\n")[first:]))
    if not name:
        raise SourceError(path, cell.lines[first], 'the first argument of check is a literal string, "unit.problem"')
    return re.sub(r"[^A-Za-z0-9_-]", "-", name[1])


def _points(cell: SourceCell, path) -> float:
    points = cell.metadata.get("points", 1)
    if isinstance(points, bool) or not isinstance(points, int | float) or points < 0:
        raise SourceError(path, cell.marker_line, f"points={points!r}: a number of points, 0 or more")
    return points


# What makes a notebook's cells an assignment's: metadata of nbgrader's schema 3, and which problem a cell checks.
#
# nbgrader is no dependency of ours; `hundredfold assignment` makes its course from the notebooks that carry this.

CHECK = re.compile(r"check\(\s*[\"']([^\"']+)[\"']\s*[,)]")


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
