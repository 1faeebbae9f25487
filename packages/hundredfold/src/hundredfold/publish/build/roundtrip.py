"""Take an edit made in JupyterLab back into the source.

An instructor changes a lecture, a solution or an exercise where it reads best, in the notebook, and the source follows:
the cells are matched with those the source makes, changed ones are rewritten in the source, all other text of the file
stays byte for byte.  Solution regions are put back around the lines they held.  What cannot be merged without guessing
is refused and named, and nothing is written; the last step checks that the new source makes exactly the edited cells.
"""

from difflib import SequenceMatcher
from pathlib import Path

from . import exercise as regions
from . import identity, store
from .errors import BuildError, MergeError, SourceError, WrongUse
from .products import LICENCE, PRODUCTS, Product, derive, titled
from .sources import Source, SourceCell, parse, read, split

_FOLDERS = {folder: (what, kind) for what, (kind, folder) in PRODUCTS.items()}


def take_back(notebook: Path, root: Path) -> tuple[Path, int]:
    """Write the edits of `notebook` into its source; return the source's path and how many cells changed.

    `notebook` lies in a folder called ``notebooks``, ``exercises`` or ``solutions`` and is called as its source is.

    Raises
    ------
    MergeError
        If an edit cannot be taken back; the message names the cell and says what to do.
    """
    what, path = _belongs(notebook, root)
    edited = store.read(notebook)
    if edited is None:
        raise BuildError(f"{notebook}: there is no such notebook")
    source = read(path)
    text, changed = merge(source, what, edited)
    if changed:
        store.write_text(path, text)
    return path, changed


def merge(source: Source, what: str, edited) -> tuple[str, int]:
    """The source's text with the edits of a notebook, and how many of its cells differ."""
    product = derive(source, what)
    cells = [cell for cell in edited.cells if cell.source.strip() and cell.source != LICENCE]
    if not cells:
        raise MergeError(f"the notebook is empty; if the unit is to go, delete {source.path}")
    for cell in cells:
        if cell.cell_type not in ("code", "markdown"):
            raise MergeError(f"cell {cell.get('id')}: a {cell.cell_type} cell; only code and markdown go into a source")
    matched = identity.match([(c.cell_type, c.source) for c in cells], [cell.key for cell in product.cells])
    _nothing_lost(matched, product, source)
    chunks, changed = [], 0
    for origin, k in _order(matched, product, source):
        if k is None:
            chunks.append(source.cells[origin].raw)  # belongs to the other product only
            continue
        new = cells[k]
        old = None if origin is None else source.cells[origin]
        base = None if origin is None else product.cells[matched[k]]
        if base and (new.source, new.cell_type, _tags(new)) == (base.source, base.kind, base.tags):
            chunks.append(old.raw)
            continue
        changed += 1
        chunks.append(_write_cell(source, what, old, new))
    changed += len(product.cells) - sum(m is not None for m in matched)
    order = [m for m in matched if m is not None]
    changed += order != sorted(order) and not changed
    if not changed:
        return "", 0
    text = source.header + "".join(_spaced(chunks))
    _must_give(text, source, what, cells)
    return text, changed


def _belongs(notebook: Path, root: Path) -> tuple[str, Path]:
    folder = notebook.resolve().parent.name
    if folder not in _FOLDERS:
        raise WrongUse(f"{notebook}: a built notebook lies in notebooks/, exercises/, solutions/ or syllabi/")
    what, kind = _FOLDERS[folder]
    path = root / "sources" / kind / f"{notebook.stem}.py"
    if not path.exists():
        raise WrongUse(f"{notebook}: its source would be sources/{kind}/{path.name}, and there is none")
    return what, path


def _nothing_lost(matched: list[int | None], product: Product, source: Source) -> None:
    """Refuse where a cell is gone whose solution, points or other metadata no notebook shows."""
    for k, cell in enumerate(product.cells):
        old = source.cells[cell.origin]
        hidden = set(old.metadata) - {"tags"} or (old.kind == "code" and regions.regions(old, source.path))
        if k not in matched and hidden:
            raise MergeError(
                f"{source.path}:{old.marker_line}: this cell is not found in the notebook, and the source says more of it "
                "than the notebook shows; remove or rewrite it in the source"
            )


def _order(matched: list[int | None], product: Product, source: Source) -> list[tuple[int | None, int | None]]:
    """The cells of the new source in order, each as (index in the old source, index in the notebook).

    A new cell has no first; a cell that only the other product shows has no second, and stays behind the cell it
    stood behind.
    """
    shown = {cell.origin for cell in product.cells}
    present = {product.cells[m].origin for m in matched if m is not None}
    hidden: dict[int, list] = {}
    anchor = -1
    for i in range(len(source.cells)):
        if i not in shown:
            hidden.setdefault(anchor, []).append((i, None))
        elif i in present:
            anchor = i
    order = hidden.get(-1, [])
    for k, m in enumerate(matched):
        origin = None if m is None else product.cells[m].origin
        order += [(origin, k), *hidden.get(origin, [])]
    return order


def _tags(cell) -> list[str]:
    return list(cell.metadata.get("tags", []))


def _write_cell(source: Source, what: str, old: SourceCell | None, new) -> str:
    """The text of a changed or new cell in the source."""
    metadata = {k: v for k, v in (old.metadata if old else {}).items() if k != "tags"}
    if _tags(new):
        metadata["tags"] = _tags(new)
    text = titled(new.source, "solutions", "exercises") if what == "solution" else new.source
    if old and old.kind == "code" and regions.regions(old, source.path):
        if new.cell_type != "code":
            raise MergeError(
                f"{source.path}:{old.marker_line}: a cell with a solution cannot become a {new.cell_type} cell"
            )
        text = _with_regions(source, what, old, new.source)
    elif old is None and source.kind == "exercises" and what == "exercise" and "# your code here" in text:
        raise MergeError(f"{source.path}: a new gap needs its solution; add the cell in solutions/ or in the source")
    body = _as_percent(new.cell_type, text, metadata)
    if old and metadata == old.metadata and new.cell_type == old.kind:
        # The marker line as the author wrote it: order and quoting of options are theirs.
        body = old.raw.split("\n", 1)[0] + "\n" + body.split("\n", 1)[1]
    return body


def _as_percent(kind: str, text: str, metadata: dict) -> str:
    """One cell as jupytext writes it, magics commented."""
    import jupytext
    from nbformat import v4

    make = v4.new_code_cell if kind == "code" else v4.new_markdown_cell
    # Without a cell before it, a markdown cell could become a file header; without one after, its end is cut.
    notebook = v4.new_notebook(cells=[v4.new_code_cell("0"), make(text, metadata=metadata), v4.new_code_cell("0")])
    notebook.metadata = {"jupytext": {"notebook_metadata_filter": "-all", "cell_metadata_filter": "all"}}
    written = jupytext.writes(notebook, fmt="py:percent")
    chunks = split(written)[1]
    if len(chunks) != 3:
        raise MergeError("a line of a cell begins with `# %%`, which begins a cell in the source; reword it")
    return chunks[1][1].rstrip("\n") + "\n\n"


def _with_regions(source: Source, what: str, old: SourceCell, text: str) -> str:
    """The edited text of a cell with its region markers put back.

    The lines the product showed are compared with the edited ones.  A change within a region, or outside of all, stays
    there; lines added at a region's very edge go into the region.  A change that reaches over an edge is refused.
    """
    path, lines = source.path, old.source.split("\n")
    shown = regions.solution(old, path) if what == "solution" else regions.exercise(old, path)
    edited = text.split("\n")
    where = _membership(old, path)
    out: dict[int, list[str]] = {i: [line] for i, line in enumerate(lines)}
    matcher = SequenceMatcher(None, shown.text, edited, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        touched = sorted({where[shown.origin[i]] for i in range(i1, i2)}, key=str)
        if len(touched) > 1:
            raise MergeError(
                f"{path}:{old.lines[shown.origin[i1]]}: an edit reaches over the edge of a region; edit the source"
            )
        region = touched[0] if touched else _home(i1, shown, where, lines, old, path, what)
        if region is not None and what == "exercise" and region[0] == "SOLUTION":
            raise MergeError(
                f"{path}:{old.lines[region[1]]}: the gap of an exercise holds a learner's answer; "
                "change its solution in solutions/ or in the source"
            )
        new = edited[j1:j2]
        if region is not None and region[0] == "STARTER":
            new = [regions.comment(line, region[3]) for line in new]
        if i1 < i2:
            first = shown.origin[i1]
            for i in range(i1, i2):
                out[shown.origin[i]] = []
            out[first] = new
        else:
            _insert(out, new, i1, shown, region, where)
    return "\n".join(line for i in sorted(out) for line in out[i])


def _membership(old: SourceCell, path) -> dict[int, tuple | None]:
    """For each line of a cell the region (what, begin, end, indent) that it lies in, or None."""
    where: dict[int, tuple | None] = dict.fromkeys(range(len(old.source.split("\n"))))
    for region in regions.regions(old, path):
        for i in range(region.begin, region.end + 1):
            where[i] = (region.what, region.begin, region.end, region.indent)
    return where


def _home(i: int, shown, where, lines, old: SourceCell, path, what: str):
    """The region that lines inserted before the i-th shown line belong to.

    At the edge of a region shown here, in it: what an instructor adds to a solution is solution.
    """
    before = where[shown.origin[i - 1]] if i else None
    after = where[shown.origin[i]] if i < len(shown.origin) else None
    inside = [region for region in (before, after) if region is not None]
    if what == "exercise":  # the stub marks the gap; lines beside it are the exercise's own text
        inside = [region for region in inside if region[0] != "SOLUTION"] if before != after else inside
    if len(set(inside)) > 1:
        raise MergeError(
            f"{path}:{old.lines[inside[0][2]]}: lines between two regions could belong to either; edit the source"
        )
    return inside[0] if inside else None


def _insert(out, new: list[str], i: int, shown, region, where) -> None:
    """Put lines before the i-th shown line, on the right side of the region's marker."""
    if i and where[shown.origin[i - 1]] == region:
        before = shown.origin[i - 1]
        out[before] = out[before] + new
    elif i < len(shown.origin):
        after = shown.origin[i]
        if region is None and where[after] is not None:
            after = where[after][1]
        out[after] = new + out[after]
    else:
        last = max(out)
        out[last] = out[last] + new


def _spaced(chunks: list[str]) -> list[str]:
    """Cells with a blank line between them; the file ends with one line end."""
    return [c if c.endswith("\n\n") else c.rstrip("\n") + "\n\n" for c in chunks[:-1]] + [
        chunks[-1].rstrip("\n") + "\n"
    ]


def _must_give(text: str, source: Source, what: str, cells: list) -> None:
    """Refuse a merge whose result does not make exactly the edited cells."""
    try:
        again = derive(parse(text, source.path), what)
    except SourceError as error:
        raise MergeError(f"the edit would make the source invalid ({error}); edit the source") from None
    got = [(cell.kind, cell.source, cell.tags) for cell in again.cells]
    for cell, made in zip(cells, got, strict=False):
        if (cell.cell_type, cell.source.rstrip("\n"), _tags(cell)) != (made[0], made[1].rstrip("\n"), made[2]):
            raise MergeError(f"cell {cell.get('id')}: its edit cannot be expressed in the source; edit {source.path}")
    if len(got) != len(cells):
        raise MergeError(f"the edit cannot be expressed in the source; edit {source.path}")
