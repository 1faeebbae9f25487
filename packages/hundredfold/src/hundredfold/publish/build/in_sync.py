"""Do the committed notebooks say what their sources say?  Answered without a kernel, in milliseconds a notebook."""

import json
from pathlib import Path

from . import store
from .products import PRODUCTS, Product, products
from .sources import find, read


def differences(product: Product, root: Path) -> list[str]:
    """One line for each thing in which the committed notebook of `product` differs from its source."""
    path = product.path(root)
    notebook = store.read(path)
    shown = path.relative_to(root)
    if notebook is None:
        return [f"{shown}: not built"]
    found = []
    if dict(notebook.metadata) != product.metadata:
        found.append(f"{shown}: notebook metadata differs")
    if len(notebook.cells) != len(product.cells):
        found.append(f"{shown}: {len(notebook.cells)} cells, the source has {len(product.cells)}")
    for cell, stored in zip(product.cells, notebook.cells, strict=False):
        if (stored.cell_type, stored.source) != cell.key or dict(stored.metadata) != cell.metadata:
            line = cell.lines[0] if cell.lines else product.source.cells[cell.origin].marker_line
            place = f"{product.source.path.relative_to(root)}:{line}"
            found.append(f"{shown}: cell {stored.get('id')} differs from {place}")
            break  # after an insertion every later cell differs; one line says it
    # From the file itself: nbformat fixes double ids in what it reads.
    names = [cell.get("id", "") for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    if len(set(names)) != len(names) or not all(names):
        found.append(f"{shown}: cell ids are missing or not unique")
    return found + _counts(product, notebook, shown)


def _counts(product: Product, notebook, shown: Path) -> list[str]:
    """Executed notebooks carry counts 1..n; an exercise carries neither counts nor outputs."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not product.executed:
        if any(cell.execution_count is not None or cell.outputs for cell in code):
            return [f"{shown}: an exercise is committed without outputs"]
        return []
    for n, cell in enumerate(code, 1):
        without = cell.execution_count is None and not cell.outputs and "gpu-output" in cell.metadata.get("tags", [])
        if cell.execution_count != n and not without:
            return [f"{shown}: cell {cell.get('id')} was not run by the build"]
    return []


def orphans(root: Path) -> list[str]:
    """One line for each notebook in a built folder that no source makes."""
    made = {product.path(root) for path in find(root) for product in products(read(path))}
    return [
        f"{path.relative_to(root)}: no source makes it; delete it, or take it back with --from"
        for _, folder in PRODUCTS.values()
        for path in sorted((root / folder).glob("*.ipynb"))
        if path not in made
    ]
