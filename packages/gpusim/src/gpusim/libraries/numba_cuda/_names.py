"""Refusing by name what the real numba-cuda has and the stand-in has not.

``names.json`` lists the public names of the locked numba-cuda, read from the real library.
"""

from __future__ import annotations

import difflib
import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gpusim.importing.errors import NotSimulatedAttribute, NotSimulatedError


@functools.cache
def real_names() -> dict[str, frozenset[str]]:
    """Public names of each module of the real library."""
    text = (Path(__file__).parent / "names.json").read_text()
    return {module: frozenset(names.split()) for module, names in json.loads(text).items()}


def refuser(module: str) -> Callable[[str], Any]:
    """A module's ``__getattr__``: NotSimulatedAttribute for names that the real module has, else AttributeError."""

    def __getattr__(name: str) -> Any:
        if name in real_names().get(module, ()) or f"{module}.{name}" in real_names():
            there = [n for n in vars(sys.modules[module]) if not n.startswith("_")]
            near = difflib.get_close_matches(name, there, n=1, cutoff=0.75)
            raise NotSimulatedAttribute(f"{module}.{name}", f"{module}.{near[0]}" if near else None)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return __getattr__


def refused(name: str, nearest: str | None = None, note: str | None = None) -> Callable[..., Any]:
    """A function that exists, so that it can be imported, and raises NotSimulatedError when it is called."""

    def function(*args: Any, **kwargs: Any) -> Any:
        raise NotSimulatedError(name, nearest, note)

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = f"{name}, refused."
    return function


def refused_class(name: str, nearest: str | None = None, note: str | None = None) -> type:
    """A class that exists, so that ``isinstance`` works, and cannot be made."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotSimulatedError(name, nearest, note)

    module, _, short = name.rpartition(".")
    return type(short, (), {"__init__": __init__, "__module__": module, "__doc__": f"{name}, refused."})
