"""The modules of a package as its attributes: the real library imports all at once, here each is imported at its first use."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gpusim.importing import finder, names


def submodules(package: str) -> Callable[[str], Any]:
    """Return a package's ``__getattr__``."""
    refuse = names.refuser(package)

    def __getattr__(name: str) -> Any:
        if not name.startswith("_") and finder.has(f"{package}.{name}"):
            return importlib.import_module(f"{package}.{name}")
        return refuse(name)

    return __getattr__
