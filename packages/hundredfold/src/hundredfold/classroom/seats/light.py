"""What a learner's server does not load, since it never uses it.

JupyterHub's server for one user imports the hub's database with it (SQLAlchemy, Alembic, the tables), of which it needs no more than
the names of a few classes. Without it the import takes half the processor time, and the server 55 MB instead of 94 (PSS, right after
the import), which counts where thirty learners press the button together.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, ClassVar

HUB_ONLY = (
    "sqlalchemy",
    "sqlalchemy.exc",
    "jupyterhub.orm",
    "jupyterhub.roles",
    "jupyterhub.handlers",
    "jupyterhub.handlers.pages",
)
"""Modules of which a learner's server asks for names alone, in `except` and `isinstance`; parents first."""


class _Nobody(ModuleType):
    """A module of which every name is a class without an instance: nothing is one of them, and nothing raises one."""

    __path__: ClassVar[list[str]] = []  # a package, of which what is not here is not found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Exception,), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


def server() -> None:
    """Import JupyterHub's server for one user without what it never uses.

    Where a version of JupyterHub needs more of the hub's modules than their names, it is imported whole, as without this.
    """
    before = set(sys.modules)
    try:
        with _nobody_in([name for name in HUB_ONLY if name not in before]):
            import jupyterhub.singleuser
    except Exception:
        for name in set(sys.modules) - before:
            if name.partition(".")[0] == "jupyterhub":
                del sys.modules[name]
        import jupyterhub.singleuser  # noqa: F401


@contextmanager
def _nobody_in(names: list[str]) -> Iterator[None]:
    """While this lasts, importing these modules gives modules in which nobody is."""
    made = {name: _Nobody(name) for name in names}
    sys.modules.update(made)
    try:
        yield
    finally:
        for name, module in made.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
