"""``colab/NN_slug.ipynb``: a lecture with one more first cell, which installs the project from its public address; the exercises as
``colab/NN_slug_exercises.ipynb``.

Colab's own kernel, server and widgets belong to its page and must not be replaced, so what of the project is only for a lab of its
own is left out: the project is installed without its dependencies, and those that the notebooks use beside it.
"""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

from hundredfold import paths
from hundredfold.setup.workspace import PACKAGES, dependencies

from . import Address

#: What Colab has of its own, or what only JupyterLab needs.
LEFT_OUT = {
    "jupyterlab", "jupyter-server", "ipykernel", "dask-labextension", "jupyter-server-proxy", "nbclient", "jupytext",
}  # fmt: skip
KINDS = {"notebooks": "", "exercises": "_exercises"}

_CELL = """\
# On Colab: installs the course, once for each session (a minute or two). Elsewhere you do not need this cell.
import importlib.metadata, importlib.util, shutil, subprocess, sys

if importlib.util.find_spec("hundredfold") is None:
    needed = {needed}
    if shutil.which("nvidia-smi"):  # with a GPU: its libraries, for CUDA 12
        needed += {cu12}
    for wanted in (needed, ["--no-deps", *{ours}]):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
        done = subprocess.run(pip, capture_output=True, text=True)
        if done.returncode:
            sys.exit("The course could not be installed: " + done.stderr[-2000:])
    stale = [name for name in {watched} if name in sys.modules and sys.modules[name].__version__ != importlib.metadata.version(name)]
    if stale:
        sys.exit("Installed. Now choose Runtime > Restart session, and run this notebook again from its first cell.")
"""
_WATCHED = ["numpy", "pandas", "scipy", "pyarrow", "numba"]


def cell(where: Address, needed: list[str], cu12: list[str]) -> str:
    """The first cell's source: what the course needs, and what its extra for CUDA 12 adds."""
    needed = [each for each in needed if _name(each) not in LEFT_OUT]
    cu12 = [each.partition(";")[0].strip() for each in cu12]
    ours = [where.requirement(name) for name in PACKAGES]
    return _CELL.format(needed=_listed(needed, 4), cu12=_listed(cu12, 8), ours=_listed(ours, 4), watched=_WATCHED)


def notebooks(where: Address, root: Path) -> dict[str, dict[str, Any]]:
    """The notebooks by their file's name."""
    first = cell(where, dependencies(root), dependencies(root, "cu12"))
    made = {}
    for folder, ending in KINDS.items():
        for file in sorted((root / folder).glob("[0-9]*_*.ipynb")):
            notebook = json.loads(file.read_text(encoding="utf-8"))
            made[f"{file.stem}{ending}.ipynb"] = _with(notebook, first, where, folder)
    return made


def write(where: Address, root: Path) -> list[Path]:
    """Write ``colab/`` in the checkout `root`; files of units that are gone are removed. Returns what changed."""
    folder, changed = root / "colab", []
    made = notebooks(where, root)
    folder.mkdir(exist_ok=True)
    for name, notebook in made.items():
        file = folder / name
        text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            changed.append(file)
    for file in folder.glob("*.ipynb"):
        if file.name not in made:
            file.unlink()
            changed.append(file)
    return changed


def _with(notebook: dict[str, Any], first: str, where: Address, folder: str) -> dict[str, Any]:
    """A notebook for Colab: the cell before all others, links to its neighbours made absolute, no outputs."""
    made = copy.deepcopy(notebook)
    slug = made["metadata"]["hundredfold"]["slug"]
    for each in made["cells"]:
        if each["cell_type"] == "code":
            each["outputs"], each["execution_count"] = [], None
        else:
            each["source"] = _absolute("".join(each["source"]), where, folder)
    made["cells"].insert(
        0,
        {
            "cell_type": "code",
            "id": f"{slug}-colab",
            "metadata": {},
            "source": first.rstrip("\n"),
            "outputs": [],
            "execution_count": None,
        },
    )
    made["metadata"]["colab"] = {"provenance": []}
    return made


def _absolute(text: str, where: Address, folder: str) -> str:
    """Links into the repository lead out of Colab: to the neighbour in ``colab/`` where it has one, else to the repository."""

    def whole(match: re.Match[str]) -> str:
        parts = [part for part in (folder, *match[1].split("/")) if part != "."]
        path: list[str] = []
        for part in parts:
            path = path[:-1] if part == ".." else [*path, part]
        stem = path[-1].removesuffix(".ipynb")
        if len(path) == 2 and path[0] in KINDS and path[1].endswith(".ipynb"):
            there = where.colab(stem + KINDS[path[0]])
            if there:
                return f"]({there})"
        kind = "raw" if stem.endswith((".svg", ".png")) else "blob"  # a picture is shown, not linked to
        return f"]({where.url}/{kind}/{where.branch}/{'/'.join(path)})"

    return re.sub(r"\]\((?![a-z]+:|#|/)([^)\s]+)\)", whole, text)


def _name(requirement: str) -> str:
    return re.match(r"[A-Za-z0-9._-]+", requirement)[0].lower().replace("_", "-")


def _listed(items: list[str], indent: int) -> str:
    inner = ",\n".join(f"{' ' * (indent + 4)}{json.dumps(item)}" for item in items)
    return f"[\n{inner},\n{' ' * indent}]"


def root() -> Path:
    """The checkout whose notebooks these are.

    Raises
    ------
    FileNotFoundError
        Where the project is installed without one.
    """
    found = paths.repository()
    if found is None:
        raise FileNotFoundError("Colab's notebooks are made in a checkout of the course; this is an installed copy.")
    return found
