"""Whose code is whose: a program's frames and modules are told from the simulator's, and from those of packages made on it."""

from __future__ import annotations

import functools
import importlib.util
import os

PACKAGES = ("gpusim", "kernellens", "hundredfold")
"""This one and those that are made on it, whether they are installed or not."""


@functools.cache
def folders() -> tuple[str, ...]:
    """The folders of those that are installed, each with the separator at its end; nothing is imported.

    A folder that only has the name (a namespace package, as a clone of the project is) is a program's own.
    """
    specs = [importlib.util.find_spec(name) for name in PACKAGES]
    found = [place for spec in specs if spec and spec.origin for place in spec.submodule_search_locations or ()]
    return tuple(
        dict.fromkeys(os.path.join(way(place), "") for place in found for way in (os.path.abspath, os.path.realpath))
    )


def is_own(module: str) -> bool:
    """Whether a module of this dotted name is one of theirs."""
    return module.partition(".")[0] in PACKAGES
