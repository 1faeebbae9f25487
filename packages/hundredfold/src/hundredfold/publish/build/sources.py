"""Read a source file: jupytext py:percent, with every cell's place in the file.

jupytext parses; it does not tell on which line a cell stands.  We need that for error messages and for writing an edit
back without touching the rest of the file, so the cell markers are found once more here and the two are paired.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from .errors import SourceError

MARKER = re.compile(r"^# %%(?:\s.*)?$")
FILE_NAME = re.compile(r"^(\d\d)_([a-z0-9]+(?:-[a-z0-9]+)*)\.py$")
KINDS = ("lectures", "exercises", "guides")

# Cells and whole files carry only this metadata into a notebook; the rest is jupytext's own bookkeeping.
_CELL_BOOKKEEPING = ("lines_to_next_cell", "lines_to_end_of_cell_marker")


@dataclass
class SourceCell:
    """One cell of a source.

    `source` is the cell's text as a notebook shows it (magics uncommented), `lines[i]` the line number in the file of
    its i-th line, `raw` the file's own text from the cell's marker to the next one.
    """

    kind: str
    source: str
    metadata: dict
    lines: list[int]
    raw: str
    marker_line: int

    @property
    def tags(self) -> list[str]:
        return list(self.metadata.get("tags", []))


@dataclass
class Source:
    """A source file: `kind` is one of `KINDS`, `metadata` what the front matter says of the unit."""

    path: Path
    kind: str
    number: str
    slug: str
    metadata: dict
    header: str
    cells: list[SourceCell] = field(default_factory=list)

    @property
    def stem(self) -> str:
        """The file name all notebooks of this source share, such as ``01_arrays``."""
        return f"{self.number}_{self.slug}"


def find(root: Path) -> list[Path]:
    """All source files under `root`, lectures before exercises, in unit order."""
    return [p for kind in KINDS for p in sorted((root / "sources" / kind).glob("*.py"))]


def read(path: Path) -> Source:
    """Read one source file.

    Raises
    ------
    SourceError
        If the name, the front matter or the cells do not have the form the build needs.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors on Windows put a mark before the text
    except UnicodeDecodeError:
        raise SourceError(path, None, "is not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise SourceError(path, None, f"cannot be read: {error.strerror}") from None
    return parse(text, path)


def parse(text: str, path: Path) -> Source:
    """Parse the text of a source; `path` says what it is and stands in messages."""
    import jupytext

    name = FILE_NAME.match(path.name)
    if not name or path.parent.name not in KINDS:
        raise SourceError(path, None, "a source is sources/lectures/NN_slug.py, or so in exercises/ or guides/")
    text = text.replace("\r\n", "\n")
    header, chunks = split(text)
    if not chunks:
        raise SourceError(path, None, "holds no cells; each begins with a line `# %%`")
    try:
        notebook = jupytext.reads(text, fmt="py:percent")
    except Exception as error:  # jupytext passes on whatever its YAML parser raised
        raise SourceError(path, 1, f"the front matter cannot be read: {error}") from None
    if len(notebook.cells) != len(chunks):
        stray = _first_stray(header)
        if stray is None:
            raise SourceError(
                path, None, "a line within a string reads `# %%`, as if a cell began there; write it otherwise"
            )
        raise SourceError(path, stray, "there is text before the first `# %%`; begin every cell with one")
    source = Source(path, path.parent.name, name[1], name[2], _unit(notebook.metadata, path, name), header)
    for cell, (line, raw) in zip(notebook.cells, chunks, strict=True):
        if cell.cell_type not in ("code", "markdown"):
            raise SourceError(path, line, f"a {cell.cell_type} cell; only code and markdown cells are built")
        metadata = {k: v for k, v in cell.metadata.items() if k not in _CELL_BOOKKEEPING}
        text = _text(cell, raw)
        source.cells.append(SourceCell(cell.cell_type, text, metadata, _line_numbers(text, raw, line), raw, line))
    return source


def split(text: str) -> tuple[str, list[tuple[int, str]]]:
    """The text before the first marker, and for each cell its marker's line number and its raw text."""
    lines = text.splitlines(keepends=True)
    starts = [i for i, line in enumerate(lines) if MARKER.match(line.rstrip("\n"))]
    ends = [*starts[1:], len(lines)][: len(starts)]
    header = "".join(lines[: starts[0]]) if starts else text
    return header, [(s + 1, "".join(lines[s:e])) for s, e in zip(starts, ends, strict=True)]


def _text(cell, raw: str) -> str:
    """A cell's text. In Markdown jupytext takes a line `# #!/bin/bash` for a magic and drops its `#`, so that is read plainly."""
    body = raw.strip("\n").split("\n")[1:]
    if cell.cell_type == "code" or not body or not all(line.startswith("#") for line in body):
        return cell.source
    return "\n".join(line[1:].removeprefix(" ") for line in body)


def _line_numbers(source: str, raw: str, marker_line: int) -> list[int]:
    """Line numbers of a cell's lines; where jupytext reshaped the text (docstring markdown), the marker's line."""
    body = raw.split("\n")[1:]
    count = len(source.split("\n"))
    lead = next((i for i, line in enumerate(body) if line.strip()), 0)
    used = "\n".join(body).rstrip("\n").count("\n") + 1
    if used == count:
        lead = 0
    elif used - lead != count:
        return [marker_line] * count
    return [marker_line + 1 + lead + i for i in range(count)]


def _first_stray(header: str) -> int | None:
    """The first line of real text after the front matter, if there is any."""
    fences = 0
    for i, line in enumerate(header.splitlines(), 1):
        if line.strip() == "# ---":
            fences += 1
        elif fences != 1 and line.strip():
            return i
    return None


def _unit(metadata: dict, path: Path, name: re.Match) -> dict:
    """The checked `hundredfold` entry of the front matter, with the slug from the file name."""
    unit = metadata.get("hundredfold")
    wanted = "`hundredfold:` with unit, title, teaching and exercises (minutes)"
    if not isinstance(unit, dict):
        raise SourceError(path, 1, f"the front matter needs {wanted}")
    for key, kind in (("unit", int), ("title", str), ("teaching", int), ("exercises", int)):
        if not isinstance(unit.get(key), kind) or isinstance(unit[key], bool):
            raise SourceError(path, 1, f"`{key}` is missing or no {kind.__name__}; the front matter needs {wanted}")
    if unit["unit"] != int(name[1]):
        raise SourceError(path, 1, f"the front matter says unit {unit['unit']}, the file name {int(name[1])}")
    if unit.get("slug", name[2]) != name[2]:
        raise SourceError(path, 1, f"the front matter says slug {unit['slug']!r}, the file name {name[2]!r}")
    if not isinstance(unit.get("dashboard", False), bool):
        raise SourceError(path, 1, "`dashboard` says whether Dask's plots open beside the unit: true or false")
    return {**unit, "slug": name[2]}
