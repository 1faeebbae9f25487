"""Environments beside `.venv`, for tests that need what the lab has to do without: made from the same lock."""

from __future__ import annotations

import json
import os
from pathlib import Path

from hundredfold.setup import workspace

from . import ROOT, on_disk, read_only, uv
from .environment import LOG, PYTHON, STAMP, VENV, install, key_of, one_at_a_time, own, python_version, requirements


def compiler() -> Path:
    """Make `.compiler` hold what the extra `compiler` adds, at the lock's versions, and return its Python.

    Apart from `.venv`: where numba-cuda is installed, `numba.cuda` is another module, and what is tested is the lab without it.
    """
    wanted = [*workspace.dependencies(ROOT, "compiler"), "numpy"]
    lock = ROOT / "requirements" / "compiler.txt"
    return _made(".compiler", [lock], [["install", "--constraint", str(lock), *wanted]])


def interop() -> Path:
    """Make `.interop` hold what `.venv` holds for its tests, and JAX and Xarray, and return its Python.

    Apart from `.venv`: the course has to do without them, and uses them where they are.
    """
    return _lab_and("interop")


def clusters() -> Path:
    """Make `.clusters` hold what `.venv` holds for its tests, and what reaches schedulers of other kinds, and return its Python."""
    return _lab_and("clusters")


def grading() -> Path:
    """Make `.grading` hold what `.venv` holds for its tests, nbgrader and nbgitpuller, and return its Python."""
    return _lab_and("grading")


def docs() -> Path:
    """Make `.docs` hold what `.venv` holds for its tests, and Sphinx with what the site needs, and return its Python."""
    return _lab_and("docs")


def checks() -> Path:
    """Make `.checks` hold what checks licences, the citation, archives and the conda recipe, and return its Python.

    Apart from `.venv`, and not at its versions: cffconvert wants an older jsonschema.
    """
    lock = ROOT / "requirements" / "checks.txt"
    return _made(".checks", [lock], [["sync", "--require-hashes", str(lock)]])


def public_packages() -> Path:
    """Make `.packages` hold gpusim, pytest and what the tests of public packages import, and return its Python.

    Apart from `.venv`, and not from the lock: some of them need an older NumPy.
    """
    wanted, project = ROOT / "tests" / "public_packages" / "requirements.txt", ROOT / "packages" / "gpusim"
    install = ["install", "--requirement", str(wanted), "--editable", str(project), "pytest"]
    return _made(".packages", [wanted, project / "pyproject.toml"], [install])


def public_notebooks() -> Path:
    """Make `.notebooks` hold what `.venv` holds for its tests, and what public notebooks import, and return its Python."""
    locks = requirements("cpu", ["test"])
    wanted = ROOT / "packages" / "kernellens" / "tests" / "public_notebooks" / "requirements.txt"
    held = [word for lock in locks for word in ("--constraint", str(lock))]
    return _made(".notebooks", [*locks, wanted], [*_lab(locks), ["install", *held, "--requirement", str(wanted)]])


def _lab_and(group: str) -> Path:
    files = requirements("cpu", ["test", group])
    return _made(f".{group}", files, _lab(files))


def _lab(files: list[Path]) -> list[list[str]]:
    """The commands of `uv pip` that install the lab from locks."""
    sync = ["sync", "--require-hashes", *map(str, files)]
    return [sync, ["install", "--no-deps", "--no-build-isolation", "--offline", *own(editable=True)]]


def _made(name: str, files: list[Path], steps: list[list[str]]) -> Path:
    """Make an environment by these commands of `uv pip`, afresh where its stamp says other files or other commands."""
    place = ROOT / name
    python, stamp = place / PYTHON.relative_to(VENV), place / STAMP.name
    wanted = json.dumps([key_of([name], files), python_version(), steps])
    if not os.access(ROOT, os.W_OK):
        raise read_only(ROOT)
    try:
        with one_at_a_time():
            if python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
                return python
            print(f"Setting up {name}. The first time this takes a minute or two.", flush=True)
            installer = uv.find() or uv.bring(LOG)
            uv.run(installer, ["venv", "--quiet", "--clear", "--no-project", "--python", str(PYTHON), str(place)], LOG)
            for command, *arguments in steps:
                install(installer, ["pip", command, "--python", str(python), *arguments])
            stamp.write_text(wanted, encoding="utf-8")
    except OSError as error:
        raise on_disk(error) or error from None
    return python
