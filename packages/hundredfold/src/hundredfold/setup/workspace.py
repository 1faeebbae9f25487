"""The three packages of a checkout, as their pyproject.toml say: what is installed, and what they ask for together."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

PACKAGES = ("gpusim", "kernellens", "hundredfold")
"""Each needs those before it."""


def folder(root: Path, name: str) -> Path:
    """Where a package is in the checkout at `root`."""
    return root / "packages" / name


def settings(root: Path, name: str) -> dict[str, Any]:
    """What a package's pyproject.toml says."""
    return tomllib.loads((folder(root, name) / "pyproject.toml").read_text(encoding="utf-8"))


def dependencies(root: Path, extra: str | None = None) -> list[str]:
    """What the course asks for, with all that the other two ask for in its place of them.

    Parameters
    ----------
    root : Path
        A checkout.
    extra : str, optional
        Only what this extra of the course's adds; without one, what it needs in any case.

    Returns
    -------
    list of str
        Requirements, each once, none of them one of `PACKAGES`.
    """
    projects = {name: settings(root, name)["project"] for name in PACKAGES}
    return flattened("hundredfold" if extra is None else f"hundredfold[{extra}]", projects, base=extra is None)


def flattened(requirement: str, projects: dict[str, dict[str, Any]], base: bool = True) -> list[str]:
    """What a requirement of one of our packages, such as ``gpusim[cudf]``, comes to without them."""
    name, _, extras = re.fullmatch(r"([\w-]+)(\[([\w,-]*)\])?.*", requirement).groups()
    project = projects[name]
    asked = list(project["dependencies"]) if base else []
    for extra in filter(None, (extras or "").split(",")):
        asked += project["optional-dependencies"][extra]
    found: dict[str, None] = {}
    for each in asked:
        theirs = re.match(r"[\w.-]+", each)[0]
        if theirs == name:  # an extra that names others of the same package
            found.update(dict.fromkeys(flattened(each, projects, base=False)))
        elif theirs in projects:
            found.update(dict.fromkeys(flattened(each, projects, base)))
        else:
            found[each] = None
    return list(found)
