"""Notebooks on disk: read with clear messages, written whole or not at all."""

from pathlib import Path

from hundredfold import paths

from .errors import BuildError
from .products import Product


def read(path: Path):
    """The notebook at `path` as nbformat reads it, or None if there is none.

    Raises
    ------
    BuildError
        If the file is not a notebook (a merge conflict in it, for one).
    """
    import nbformat

    if not path.exists():
        return None
    try:
        return nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    except Exception as error:  # whatever the JSON or the schema reader says
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BuildError(f"{path}: not a readable notebook ({reason}); delete it and build it again") from None


def assemble(product: Product, ids: list[str], outputs: dict[int, list]):
    """The notebook of a product; `outputs[i]` are those of its i-th cell, absent for a cell that was not run.

    A code cell that was run carries its place among the code cells as execution count.
    """
    from nbformat import v4

    notebook = v4.new_notebook(metadata=product.metadata)
    count = 0
    for i, (cell, name) in enumerate(zip(product.cells, ids, strict=True)):
        if cell.kind == "markdown":
            notebook.cells.append(v4.new_markdown_cell(cell.source, id=name, metadata=cell.metadata))
            continue
        count += 1
        new = v4.new_code_cell(cell.source, id=name, metadata=cell.metadata)
        if i in outputs:
            new.execution_count = count
            new.outputs = outputs[i]
            for output in new.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count
        notebook.cells.append(new)
    return notebook


def dumps(notebook) -> str:
    """The file's text, laid out as JupyterLab does."""
    import nbformat

    return nbformat.writes(notebook, version=4) + "\n"


def write(path: Path, notebook) -> bool:
    """Write a notebook; True if that changed the file."""
    import nbformat

    nbformat.validate(notebook)
    return write_text(path, dumps(notebook))


def write_text(path: Path, text: str) -> bool:
    """Write a file in one step, so that an interruption or a full disk leaves the old one; True if it changed."""
    data = text.encode("utf-8")
    if path.exists() and path.read_bytes() == data:
        return False
    try:
        paths.write_whole(path, data, path.stat().st_mode & 0o777 if path.exists() else 0o644, sync=True)
    except OSError as error:
        raise BuildError(f"{path}: could not be written ({error.strerror}); the old file is untouched") from None
    return True
