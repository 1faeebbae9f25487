"""Solution and starter regions: what an exercise shows in place of its solution.

The markers are nbgrader's own, so that the same sources serve institutions that grade with it::

    ### BEGIN SOLUTION … ### END SOLUTION    kept in the solution, a stub in the exercise
    ### BEGIN STARTER … ### END STARTER      commented lines, shown uncommented in the exercise only
    answer = ...                             directly above a solution: shown in the exercise only

The stub says how long the answer is about and adds ``...`` only where Python would not parse without a statement, so
that an exercise runs from top to bottom unsolved.
"""

import ast
import re
from dataclasses import dataclass

from .errors import SourceError
from .sources import SourceCell

_MARKER = re.compile(r"^(\s*)#+\s*(BEGIN|END)\s+(SOLUTION|STARTER)\s*$")
#: Names that have no value yet.
_GAP = re.compile(r"\s*(?:\w+ = )+\.\.\.$")
_ALMOST = re.compile(r"^\s*#+\s*(BEGIN|END)\s+(SOLUTION|STARTER)\b", re.IGNORECASE)


@dataclass
class Region:
    """Lines `begin` … `end` of a cell (both markers included), as indices."""

    what: str
    begin: int
    end: int
    indent: str


@dataclass
class Lines:
    """Text with, for each line, the index of the cell's line it came from."""

    text: list[str]
    origin: list[int]

    def add(self, text: str, origin: int) -> None:
        self.text.append(text)
        self.origin.append(origin)


def regions(cell: SourceCell, path) -> list[Region]:
    """The regions of a cell, in order.

    Raises
    ------
    SourceError
        For a marker without its partner, nested regions, a marker in a markdown cell, a misspelt marker, a starter
        line that is not commented.
    """
    found: list[Region] = []
    open_: tuple[str, int, str] | None = None
    lines = cell.source.split("\n")
    for i, line in enumerate(lines):
        marker = _MARKER.match(line)
        if not marker:
            if _ALMOST.match(line):
                raise SourceError(path, cell.lines[i], "a region marker stands alone on its line, in capitals")
            continue
        indent, edge, what = marker.groups()
        if cell.kind != "code":
            raise SourceError(
                path, cell.lines[i], "regions belong in code cells; tag a markdown cell `solution-only` instead"
            )
        if edge == "BEGIN":
            if open_:
                raise SourceError(path, cell.lines[i], f"BEGIN {what} inside a {open_[0]} region; close that first")
            open_ = (what, i, indent)
        else:
            if not open_ or open_[0] != what:
                raise SourceError(path, cell.lines[i], f"END {what} without its BEGIN in this cell")
            found.append(Region(what, open_[1], i, open_[2]))
            open_ = None
    if open_:
        raise SourceError(path, cell.lines[open_[1]], f"BEGIN {open_[0]} without its END in this cell")
    for region in found:
        if region.what == "STARTER":
            for i in range(region.begin + 1, region.end):
                if lines[i].strip() and not lines[i].lstrip().startswith("#"):
                    raise SourceError(path, cell.lines[i], "a starter line is commented with `# `")
    return found


def solution(cell: SourceCell, path) -> Lines:
    """The cell as the solutions show it: solution lines without their markers, no starter lines, no names without a value above them."""
    hidden, lines = set(), cell.source.split("\n")
    for region in regions(cell, path):
        if region.what == "STARTER":
            hidden |= set(range(region.begin, region.end + 1))
            continue
        hidden |= {region.begin, region.end}
        above = region.begin - 1
        while above >= 0 and _GAP.match(lines[above]):
            hidden.add(above)
            above -= 1
    out = Lines([], [])
    for i, line in enumerate(lines):
        if i not in hidden:
            out.add(line, i)
    return out


def exercise(cell: SourceCell, path) -> Lines:
    """The cell as a learner meets it: stubs in place of solutions, starter lines uncommented."""
    found = regions(cell, path)
    gaps = [r for k, r in enumerate(found) if r.what == "SOLUTION" and not _starter_follows(cell, found, k)]
    need = [True] * len(gaps)
    for k in range(len(gaps)):
        need[k] = False
        need[k] = not _parses("\n".join(_render(cell, found, gaps, need).text))
    return _render(cell, found, gaps, need)


def _render(cell: SourceCell, found: list[Region], gaps: list[Region], statement: list[bool]) -> Lines:
    lines = cell.source.split("\n")
    out, i = Lines([], []), 0
    for region in found:
        for j in range(i, region.begin):
            out.add(lines[j], j)
        if region.what == "STARTER":
            for j in range(region.begin + 1, region.end):
                out.add(uncomment(lines[j]), j)
        elif region in gaps:
            out.add(f"{region.indent}# your code here ({_length(lines[region.begin + 1 : region.end])})", region.begin)
            if statement[gaps.index(region)]:
                out.add(f"{region.indent}...", region.begin)
        i = region.end + 1
    for j in range(i, len(lines)):
        out.add(lines[j], j)
    return out


def uncomment(line: str) -> str:
    """A starter line without its `# `."""
    return re.sub(r"^(\s*)# ?", r"\1", line).rstrip()


def comment(line: str, indent: str) -> str:
    """A line of code as a starter line at `indent`."""
    if not line.strip():
        return f"{indent}#"
    inner = line[len(indent) :] if line.startswith(indent) else line.lstrip()
    return f"{indent}# {inner}"


def _starter_follows(cell: SourceCell, found: list[Region], k: int) -> bool:
    """Whether the next region is a starter with nothing but blank lines between."""
    if k + 1 == len(found) or found[k + 1].what != "STARTER":
        return False
    between = cell.source.split("\n")[found[k].end + 1 : found[k + 1].begin]
    return not any(line.strip() for line in between)


def _length(lines: list[str]) -> str:
    count = sum(1 for line in lines if line.strip() and not line.strip().startswith("#"))
    return f"about {count} line{'' if count == 1 else 's'}"


def _parses(code: str) -> bool:
    """Whether Python takes the cell, IPython's magics aside."""
    from IPython.core.inputtransformer2 import TransformerManager

    try:
        ast.parse(TransformerManager().transform_cell(code))
    except SyntaxError:
        return False
    return True
