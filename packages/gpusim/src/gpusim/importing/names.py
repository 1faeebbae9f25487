"""Refusing by name what a real library has and its simulated version has not.

``<library>/names.json`` lists the public names of the locked version, module by module and class by class, read from the
real library by ``make names``.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import finder
from .errors import NotSimulatedAttribute, NotSimulatedError
from .removed_names import noted


@functools.cache
def real_names(library: str) -> dict[str, frozenset[str]]:
    """Public names of each module and class of a real library: ``{"cudf": {"DataFrame", …}, "cudf.DataFrame": …}``."""
    folder = {"numba": "numba_cuda"}.get(library, library)
    file = Path(__file__).parents[1] / "libraries" / folder / "names.json"
    if not file.exists():  # a module that stands alone, such as pynvml
        return {}
    return {module: frozenset(names.split()) for module, names in json.loads(file.read_text()).items()}


def refuser(module: str) -> Callable[[str], Any]:
    """A module's ``__getattr__``: NotSimulatedAttribute for names that the real module has, else AttributeError.

    ``__all__``, where a module has none, is what there is here of the real module's names.
    """
    library = module.partition(".")[0]

    def __getattr__(name: str) -> Any:
        # Nobody asks a real library for dunders that it has and we have not, but Python's own machinery asks for many.
        theirs = real_names(library)
        if name == "__all__" and module in theirs:
            # Asked for by `from module import *`, where the module has no list of its own.
            return sorted(theirs[module] & vars(sys.modules[module]).keys())
        submodule = f"{module}.{name}"
        if not name.startswith("__") and (
            name in theirs.get(module, ()) or submodule in theirs and not finder.has(submodule)
        ):
            import difflib

            there = [n for n in vars(sys.modules[module]) if not n.startswith("_")]
            near = difflib.get_close_matches(name, there, n=1, cutoff=0.75)
            raise NotSimulatedAttribute(f"{module}.{name}", f"{module}.{near[0]}" if near else None)
        raise noted(AttributeError(f"module {module!r} has no attribute {name!r}"), f"{module}.{name}")

    return __getattr__


def member_refuser(owner: str, error: str = "{owner!r} object has no attribute {name!r}") -> Callable[[Any, str], Any]:
    """A class's ``__getattr__``: NotSimulatedAttribute for members of the real class ``owner`` (``"cudf.DataFrame"``).

    `error` is what the real class says of any other name; Python's own words if it has no ``__getattr__``.
    """
    library, short = owner.partition(".")[0], owner.rpartition(".")[2]

    def __getattr__(self: Any, name: str) -> Any:
        if hasattr(type(self), name):
            # There is one, and its own getter said no (``Series([1]).str``): its words are the real library's.
            return object.__getattribute__(self, name)
        if not name.startswith("_") and name in real_names(library).get(owner, ()):
            import difflib

            there = [n for n in dir(type(self)) if not n.startswith("_")]
            near = difflib.get_close_matches(name, there, n=1, cutoff=0.75)
            raise NotSimulatedAttribute(f"{owner}.{name}", f"{owner}.{near[0]}" if near else None)
        raise noted(AttributeError(error.format(owner=short, name=name)), f"{owner}.{name}")

    return __getattr__


def extension_type(module: str) -> Callable[[type], type]:
    """Decorator of a class that the real library has as a compiled type of `module`: its errors name that module, too."""

    def decorate(cls: type) -> type:
        def __getattr__(self: Any, name: str) -> Any:
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # its own getter said no, in its own words
            raise AttributeError(f"'{module}.{cls.__name__}' object has no attribute {name!r}")

        cls.__module__, cls.__getattr__ = module, __getattr__  # type: ignore[attr-defined]
        return cls

    return decorate


def refused_class(name: str, nearest: str | None = None, note: str | None = None) -> type:
    """A class that exists, so that ``isinstance`` works, and cannot be made."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotSimulatedError(name, nearest, note)

    members = {"__init__": __init__, "__module__": name.rpartition(".")[0], "__doc__": f"{name}, refused."}
    return type(name.rpartition(".")[2], (), members)


def refused(name: str, nearest: str | None = None, note: str | None = None) -> Callable[..., Any]:
    """A function that exists, so that it can be imported, and raises NotSimulatedError when it is called."""

    def function(*args: Any, **kwargs: Any) -> Any:
        raise NotSimulatedError(name, nearest, note)

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = f"{name}, refused."
    return function
