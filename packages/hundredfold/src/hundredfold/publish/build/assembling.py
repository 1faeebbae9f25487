"""Build one notebook: decide what must run, run it, keep what is still true, write it."""

from dataclasses import dataclass
from pathlib import Path

from gpusim import hardware

from . import execute, figures, identity, normalise, store
from .products import Product


@dataclass
class Built:
    """What a build did with one notebook; `missing` are ids of cells whose output only a GPU can give."""

    path: Path
    changed: bool
    ran: bool
    renewed: int
    missing: list[str]


def build(product: Product, root: Path, *, refresh: bool = False, gpu: bool | None = None) -> Built:
    """Build the notebook of one product and write it.

    A cell's stored output is kept where its source is the same and a fresh run says the same, measurements aside.  If
    no code cell is new or changed, nothing is run at all.  `refresh` runs everything and keeps nothing but what only a
    GPU can renew: the output of a cell tagged ``gpu-output`` comes from a run with a GPU, or stays as it is.
    """

    def has_gpu() -> bool:  # asked only where it matters: it costs a child process
        return _has_gpu() if gpu is None else gpu

    path = product.path(root)
    old = store.read(path)
    old_cells = list(old.cells) if old else []
    matched = identity.match([cell.key for cell in product.cells], [(c.cell_type, c.source) for c in old_cells])
    names = identity.ids(matched, [c.get("id", "") for c in old_cells], product.source.slug)
    if not product.executed:
        return Built(path, store.write(path, store.assemble(product, names, {})), False, 0, [])

    kept = _kept(product, old_cells, matched)
    code = [i for i, cell in enumerate(product.cells) if cell.kind == "code"]
    order = [matched[i] for i in code if matched[i] is not None]
    edited = [i for i in code if matched[i] is None or old_cells[matched[i]].source != product.cells[i].source]
    gone = sum(cell.cell_type == "code" for cell in old_cells) > len(order)
    waiting = [i for i in code if i not in kept and ("gpu-output" not in product.cells[i].tags or has_gpu())]
    run = refresh or bool(edited) or gone or order != sorted(order) or bool(waiting)
    if run:
        fresh = execute.run(product, path.parent)
        kept, renewed = _choose(product, kept, fresh, refresh, has_gpu(), root)
    else:
        renewed = 0
    missing = [names[i] for i in code if i not in kept]
    changed = store.write(path, store.assemble(product, names, kept))
    return Built(path, changed, run, renewed, missing)


def _kept(product: Product, old_cells: list, matched: list[int | None]) -> dict[int, list]:
    """Stored outputs of the cells whose source did not change."""
    kept = {}
    for i, (cell, m) in enumerate(zip(product.cells, matched, strict=True)):
        if cell.kind != "code" or m is None:
            continue
        stored = old_cells[m]
        if stored.source == cell.source and stored.execution_count is not None:
            kept[i] = [output.copy() for output in stored.outputs]
    return kept


def _choose(product, kept, fresh, refresh, gpu, root) -> tuple[dict[int, list], int]:
    """For each cell the stored or the fresh output; and how many are fresh."""
    chosen, new, rules = {}, {}, _rules(root)
    for i, outputs in fresh.items():
        if "gpu-output" in product.cells[i].tags and not gpu:
            if i in kept:
                chosen[i] = kept[i]
        elif i in kept and not refresh and normalise.same(kept[i], outputs, rules):
            chosen[i] = kept[i]
        else:
            chosen[i] = new[i] = outputs
    figures.replace(new, root)
    return chosen, len(new)


def _rules(root: Path):
    return normalise.patterns(root / "tests" / "sanitize.cfg")


def _has_gpu() -> bool:
    return hardware.mode() == "gpu"
