"""``colab/NN_slug.ipynb``: a lecture with one more first cell, which installs the project from its public address; the exercises as
``colab/NN_slug_exercises.ipynb``; and ``colab/record.ipynb``, which records the GPU of the session.

Colab's own kernel, server and widgets belong to its page and must not be replaced, so what of the project is only for a lab of its
own is left out: the project is installed without its dependencies, and those that the notebooks use beside it.
"""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

from gpusim.hardware.packages import NEEDS
from hundredfold import paths
from hundredfold.setup.workspace import PACKAGES, dependencies

from . import Address

#: What Colab has of its own, or what only JupyterLab needs.
LEFT_OUT = {
    "jupyterlab", "jupyter-server", "ipykernel", "dask-labextension", "jupyter-server-proxy", "nbclient", "jupytext",
}  # fmt: skip
KINDS = {"notebooks": "", "exercises": "_exercises"}

#: The notebook that records a GPU there.
RECORD = "record.ipynb"

_CELL = """\
# On Colab: installs the course, once for each session (a minute or two). Elsewhere you do not need this cell.
import importlib.metadata, importlib.util, shutil, subprocess, sys

if importlib.util.find_spec("hundredfold") is None:
    needed = {needed}
    libraries = {{
        "12": {cu12},
        "13": {cu13},
    }}
    driver = ""
    if shutil.which("nvidia-smi"):
        asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        driver = subprocess.run(asked, capture_output=True, text=True).stdout.partition(".")[0].strip()
    series = int(driver) if driver.isdigit() else 0  # 550 of 550.54.15
    there = {{each.metadata["Name"] for each in importlib.metadata.distributions()}}
    fits = [cuda for cuda, oldest in {drivers} if series >= oldest]
    # Two versions of CuPy would disturb each other, so the one that is there decides, if the driver runs it.
    fits = [cuda for cuda in fits if f"cupy-cuda{{cuda}}x" in there] or fits
    if fits:
        print(f"Driver {{series}}: the libraries for CUDA {{fits[0]}}.")
        needed += libraries[fits[0]]
    elif series:
        print(f"Driver {{series}} is older than {oldest}: the course simulates a GPU.")
    else:
        print("No GPU in this session: the course simulates one. For a real one: Runtime > Change runtime type > T4 GPU.")
    for wanted in (needed, ["--no-deps", *{ours}]):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
        done = subprocess.run(pip, capture_output=True, text=True)
        if done.returncode:
            sys.exit("The course could not be installed: " + done.stderr[-2000:])
    stale = [name for name in {watched} if name in sys.modules and sys.modules[name].__version__ != importlib.metadata.version(name)]
    if stale:
        sys.exit("Installed. Now choose Runtime > Restart session, and run this notebook again from its first cell.")
"""
_RECORD = (
    (
        "markdown",
        "# Record a T4\n\nThis notebook measures the course's main workloads on the GPU of this session, and keeps the times in a file. It takes about 20 minutes. "
        "First choose *Runtime > Change runtime type > T4 GPU*, then *Runtime > Run all*. Leave the page open meanwhile.",
    ),
    (
        "code",
        'import cupy\n\nprint(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(), cupy.__file__)  # of this session, not simulated',
    ),
    ("code", '!hundredfold record --minutes 20 --name "T4 on Google Colab" --output t4-colab.json'),
    (
        "markdown",
        "If time ran out, run the cell above again: it goes on where it was. The next cell brings the file to your computer.",
    ),
    ("code", 'from google.colab import files\n\nfiles.download("t4-colab.json")'),
    (
        "markdown",
        "**Hand it in:** [a form]({form}) asks for this file. We read it, and publish it under CC0 with the name that you give.",
    ),
)
_WATCHED = ["numpy", "pandas", "scipy", "pyarrow", "numba"]


def cell(where: Address, needed: list[str], cu12: list[str], cu13: list[str]) -> str:
    """The first cell's source: what the course needs, and what its extras for CUDA 12 and 13 add."""
    needed = [each for each in needed if _name(each) not in LEFT_OUT]
    cu12, cu13 = ([each.partition(";")[0].strip() for each in extra] for extra in (cu12, cu13))
    ours = [where.requirement(name) for name in PACKAGES]
    return _CELL.format(
        needed=_listed(needed, 4),
        cu12=_listed(cu12, 8),
        cu13=_listed(cu13, 8),
        ours=_listed(ours, 4),
        watched=_WATCHED,
        drivers=[(str(need.cuda[0]), need.driver) for need in NEEDS],  # the newest first
        oldest=NEEDS[-1].driver,
    )


def notebooks(where: Address, root: Path) -> dict[str, dict[str, Any]]:
    """The notebooks by their file's name."""
    first = cell(where, dependencies(root), dependencies(root, "cu12"), dependencies(root, "cu13"))
    made = {RECORD: _with(_recording(where), first, where, "notebooks")}
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


def _recording(where: Address) -> dict[str, Any]:
    """The notebook that records a GPU there."""
    cells = []
    for place, (kind, source) in enumerate(_RECORD):
        text = source.replace("{form}", where.form("recording"))
        code = {"outputs": [], "execution_count": None} if kind == "code" else {}
        cells.append({"cell_type": kind, "id": f"record-{place}", "metadata": {}, "source": text, **code})
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return {
        "cells": cells,
        "metadata": {"hundredfold": {"slug": "record"}, **kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


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
    made["metadata"]["colab"] = {"provenance": [], "gpuType": "T4"}
    made["metadata"]["accelerator"] = "GPU"
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
