"""Which Python the stages run with: the one named, one made of a bundle's pieces, the checkout's, or this one as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from . import bundle

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
#: Ignored by git: what is carried to a machine and what is made of it there.
PLACE = ROOT / ".gpu"

#: Where the packages and the tests that the stages share are imported from: none is installed where only a bundle is.
PATH = os.pathsep.join(
    map(
        str,
        [
            HERE.parent,
            *sorted((ROOT / "packages").glob("*/src")),
            ROOT / "packages" / "gpusim" / "tests",
            ROOT / "packages" / "kernellens" / "tests",
        ],
    )
)

#: What the stages may need, by the name that is imported; asked of the chosen Python without importing any.
ASKED = (
    "bokeh", "click", "cloudpickle", "cudf", "cupy", "dask", "dask_cuda", "dask_cudf", "distributed", "duckdb", "filelock", "ipykernel",
    "jsonschema", "nbval", "numba", "numba_cuda", "numpy", "pandas", "polars", "pytest", "rich", "rmm", "scipy", "yaml",
)  # fmt: skip


def choose(named: str | None, say: Callable[[str], None], place: Path = PLACE) -> str:
    """The interpreter; what is missing of a bundle is said.

    Raises
    ------
    bundle.BadBundle
    """
    if named:
        return named
    made = place / "venv"
    had, groups = bundle.unpacked(made)
    found = bundle.look(place / "pieces", groups)
    if found is not None and had not in ("", found.manifest["id"]):
        raise bundle.BadBundle(f"{made} was made of another bundle: remove it, and carry all pieces of this one.")
    if found is not None:
        _fits(found)
        _unpack(found, made, groups, say)
        return str(made / "bin" / "python")
    if groups:
        return str(made / "bin" / "python")
    venv = ROOT / ".venv" / "bin" / "python"
    if venv.exists() and _works(str(venv)):
        return str(venv)
    say(
        f"There is neither a .venv nor a bundle here: {sys.executable} runs what it has packages for. With a network, "
        "`python lab.py setup` makes the .venv; without one, tests/gpu/pack makes a bundle elsewhere (tests/gpu/README.md)."
    )
    return sys.executable


def _fits(found: bundle.Bundle) -> None:
    wants = found.manifest["python"]
    if wants != f"{sys.version_info[0]}.{sys.version_info[1]}":
        raise bundle.BadBundle(
            f"The bundle is for Python {wants} and this is {sys.version.split()[0]}: start tests/gpu/run with that Python, or "
            f"make the bundle with tests/gpu/pack --python-version {sys.version_info[0]}.{sys.version_info[1]}."
        )


def _unpack(found: bundle.Bundle, made: Path, groups: set[str], say: Callable[[str], None]) -> None:
    site = _make(made)
    for group in found.whole:
        if group["name"] not in groups:
            bundle.unpack(found, group, site)
            groups = {*groups, group["name"]}
            _span(site)
            bundle.note(made, found, groups)
            say(f"Unpacked the group {group['name']!r}: {len(group['packages'])} packages.")
    for sentence in found.said():
        say(sentence)


def _make(made: Path) -> Path:
    """An environment whose own packages come before those of this Python, which it has too; its site-packages."""
    site = made / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    if not (made / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(made)], check=True)
        # This Python may be an environment itself, which --system-site-packages would not see. A bare path would leave out the
        # .pth files that lie there, and without its own numba-cuda is not `numba.cuda`.
        lines = [f"import site; site.addsitedir({each!r})\n" for each in _outer()]
        # cuda.pathfinder, by which CuPy and Numba find CUDA's libraries, looks in `site.getsitepackages()` and not on the path.
        lines.append(f"import site; site.PREFIXES += [{sys.prefix!r}] * ({sys.prefix!r} not in site.PREFIXES)\n")
        (site / "zz-outer.pth").write_text("".join(lines), encoding="utf-8")
    return site


def _outer() -> list[str]:
    """The folders in which this Python has its packages."""
    return [each for each in sys.path if each.endswith(("site-packages", "dist-packages")) and Path(each).is_dir()]


def _span(site: Path) -> None:
    """A package such as `nvidia` that spreads over ours and the outer folders is found in all: a plain folder of ours would lose against theirs."""
    outer = _outer()
    for folder in [each for each in site.iterdir() if each.is_dir() and each.name.isidentifier()]:
        if not (folder / "__init__.py").exists() and any(
            (Path(each) / folder.name / "__init__.py").exists() for each in outer
        ):
            (folder / "__init__.py").write_text(
                "__path__ = __import__('pkgutil').extend_path(__path__, __name__)\n", encoding="utf-8"
            )


def _works(python: str) -> bool:
    try:
        return (
            subprocess.run([python, "-c", "import numpy"], capture_output=True, timeout=60, check=False).returncode == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def packages(python: str) -> set[str]:
    """Which of `ASKED` that Python can import, as far as it tells without importing them."""
    code = f"import importlib.util, json; print(json.dumps([n for n in {ASKED!r} if importlib.util.find_spec(n)]))"
    env = {name: value for name, value in os.environ.items() if name != "GPUSIM_SIMULATE"}
    asked = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=120, check=False, env=env)
    return set(json.loads(asked.stdout)) if asked.returncode == 0 else set()
