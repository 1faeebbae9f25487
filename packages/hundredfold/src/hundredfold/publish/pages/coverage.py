"""What becomes of every public name of the real libraries: simulated, refused by name, or missing; and tested or not."""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpusim.importing.names import real_names

LIBRARIES = ("cupy", "cupyx", "cudf", "dask_cudf", "pylibcudf", "cuml", "rmm", "dask_cuda", "numba_cuda")


@dataclass
class Namespace:
    """A module or class of a real library.

    Attributes
    ----------
    name : str
        Such as ``cupy.linalg`` or ``cudf.DataFrame``.
    is_class : bool
        Whether the simulated library has a class of this name.
    simulated, refused, missing : list of str
        Its public names, each in one of the three. `missing` are names that the simulated library neither has nor knows.
    tested : set of str
        Those of `simulated` that a test of ours names.
    """

    name: str
    is_class: bool = False
    simulated: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    tested: set[str] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.simulated) + len(self.refused) + len(self.missing)

    @property
    def share(self) -> float:
        """The share of the names that is simulated, 0 to 1."""
        return len(self.simulated) / max(len(self), 1)


def namespaces(library: str, tests: Path) -> list[Namespace]:
    """Look at one simulated library, which has to be in place (`gpusim.activate`).

    Parameters
    ----------
    library : str
        One of `LIBRARIES`.
    tests : Path
        The folder of gpusim's tests.
    """
    named = _words_of_tests(tests, library)
    found = []
    for name, members in real_names(library).items():
        owner = _owner(name)
        space = Namespace(name, inspect.isclass(owner))
        for member in sorted(members):
            fate = _fate(owner, member)
            getattr(space, fate).append(member)
            if fate == "simulated" and member in named:
                space.tested.add(member)
        found.append(space)
    return found


_NOWHERE = object()


def _owner(name: str) -> Any:
    """The simulated library's module or class of a dotted name, or `_NOWHERE` with whether it is refused."""
    parent, _, short = name.rpartition(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            there = importlib.import_module(parent) if parent else None
            if there is not None:
                # A class first: as modules, the finder refuses them.
                value = getattr(there, short, None) if short in dir(there) else there.__getattr__(short)
                if inspect.isclass(value):
                    return NotImplementedError if _is_refused(value) else value
        except NotImplementedError:
            return NotImplementedError
        except (AttributeError, TypeError, ImportError):
            pass
        try:
            return importlib.import_module(name)
        except NotImplementedError:
            return NotImplementedError
        except Exception:
            return _NOWHERE


def _fate(owner: Any, member: str) -> str:
    if owner is _NOWHERE:
        return "missing"
    if owner is NotImplementedError:
        return "refused"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = inspect.getattr_static(owner, member) if inspect.isclass(owner) else getattr(owner, member)
    except NotImplementedError:
        return "refused"
    except AttributeError:
        # A class refuses its members when an instance is asked for them.
        return "refused" if inspect.isclass(owner) and "__getattr__" in dir(owner) else "missing"
    return "refused" if _is_refused(value) else "simulated"


def _is_refused(value: Any) -> bool:
    """Whether a class only exists so that ``isinstance`` can ask for it (see `gpusim.importing.names.refused_class`)."""
    return str(getattr(value, "__doc__", None)).endswith(", refused.")


def _words_of_tests(tests: Path, library: str) -> set[str]:
    """Every word that stands after a dot or in a string of the tests that are about a library."""
    folders = [tests / "conformance", *sorted((tests / "libraries").glob(f"*{library.removesuffix('x')}*"))]
    if library == "cupyx":
        folders += sorted((tests / "libraries").glob("*c_kernels*"))
    words: set[str] = set()
    for folder in folders:
        for file in [*folder.rglob("*.py"), *folder.rglob("*.yaml")]:
            words.update(re.findall(r"[A-Za-z_]\w*", file.read_text(encoding="utf-8")))
    return words
