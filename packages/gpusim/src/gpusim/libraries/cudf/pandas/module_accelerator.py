"""Pandas' name taken over: modules that import it from here on get proxies; pandas, cuDF and this package get the real one."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.abc
import importlib.machinery
import inspect
import os
import sys
import threading
import types
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from gpusim import own

from .fast_slow_proxy import FunctionProxy, final_types, real_functions

PREFIX = "_slow_lib_"
# Functions of pandas that cuDF's of the same name does alike; the others are computed by pandas, see `_final.made`.
DIRECT = {
    "concat",
    "merge",
    "melt",
    "pivot",
    "pivot_table",
    "get_dummies",
    "merge_asof",
    "isna",
    "isnull",
    "notna",
    "notnull",
}


class ModuleAccelerator(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The finder for ``pandas`` and everything below it."""

    instance: ModuleAccelerator | None = None

    def __init__(self, fast_lib: str, slow_lib: str) -> None:
        self.fast_lib, self.slow_lib = fast_lib, slow_lib
        self.disabled_in: dict[int, int] = defaultdict(int)
        fast, slow = importlib.import_module(fast_lib), importlib.import_module(slow_lib)
        # Folders whose modules get the real pandas: its own, the whole package this library belongs to, and those made on it.
        import pyarrow

        theirs = tuple(os.path.join(str(place), "") for place in (*slow.__path__, *pyarrow.__path__))
        self.real_for = (*theirs, *own.folders())
        self.fast = None if "CUDF_PANDAS_FALLBACK_MODE" in os.environ else fast
        for name in [one for one in sys.modules if one == slow_lib or one.startswith(slow_lib + ".")]:
            if name != "pandas._config.config":
                sys.modules[PREFIX + name] = sys.modules.pop(name)

    @classmethod
    def install(cls, destination_module: str, fast_lib: str, slow_lib: str) -> ModuleAccelerator:
        """Install the finder, once."""
        if destination_module != slow_lib:
            raise RuntimeError(f"Destination module '{destination_module}' must match'{slow_lib}' for this to work.")
        if cls.instance is None:
            from . import wrappers

            wrappers.setup()
            cls.instance = cls(fast_lib, slow_lib)
            sys.meta_path.insert(0, cls.instance)
        return cls.instance

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """Answer for pandas' modules, and for the real ones under their other name."""
        if fullname == self.slow_lib or fullname.startswith(self.slow_lib + "."):
            if self._real_for_caller():
                real = self._real(fullname)
                if not hasattr(real, "__path__"):
                    return importlib.machinery.ModuleSpec(fullname, self)
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def _real_for_caller(self) -> bool:
        return False

    def create_module(self, spec: Any) -> Any:
        """Leave it to Python."""
        return None

    def _real(self, fullname: str) -> Any:
        """Return the real module, imported if it is not yet."""
        if PREFIX + fullname in sys.modules:
            return sys.modules[PREFIX + fullname]
        # Import it under its own name, with the real parents in place for as long as that takes.
        with self.disabled():
            mine = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == self.slow_lib
                    and name != "pandas._config.config"}  # fmt: skip
            real = {
                name.removeprefix(PREFIX): module for name, module in sys.modules.items() if name.startswith(PREFIX)
            }
            sys.modules.update(real)
            place = sys.meta_path.index(self)
            del sys.meta_path[place]
            try:
                return importlib.import_module(fullname)
            finally:
                sys.meta_path.insert(place, self)
                for name in [one for one in sys.modules if one.partition(".")[0] == self.slow_lib]:
                    if name != "pandas._config.config":
                        sys.modules[PREFIX + name] = sys.modules.pop(name)
                sys.modules.update(mine)

    def exec_module(self, module: types.ModuleType) -> None:
        """Fill a module of proxies."""
        real = self._real(module.__name__)
        module.__dict__["_fsproxy_slow"] = real
        if self.fast is not None and module.__name__ == self.slow_lib:
            module.__dict__["_fsproxy_fast"] = self.fast
        for name in ("__file__", "__doc__", "__version__", "__all__"):
            if name in real.__dict__:
                module.__dict__[name] = real.__dict__[name]
        if hasattr(real, "__path__"):
            module.__path__ = real.__path__
        else:
            module.__path__ = []
        module.__dir__ = lambda: dir(real)
        module.__getattr__ = functools.partial(_lookup, accelerator=self, real=real, module=module)

    @contextlib.contextmanager
    def disabled(self) -> Iterator[None]:
        """In this block (and thread) everybody gets the real pandas."""
        me = threading.get_ident()
        self.disabled_in[me] += 1
        try:
            yield
        finally:
            self.disabled_in[me] -= 1

    def wants_real(self, file: str) -> bool:
        """Whether code of a file gets the real pandas now."""
        return (
            self.disabled_in[threading.get_ident()] > 0
            or self.disabled_in[threading.main_thread().ident] > 0
            or file.startswith(self.real_for)
        )


def _lookup(name: str, *, accelerator: ModuleAccelerator, real: types.ModuleType, module: types.ModuleType) -> Any:
    found = getattr(real, name)  # AttributeError in the real module's words
    if isinstance(found, types.ModuleType):
        if found.__name__.partition(".")[0] != accelerator.slow_lib or found.__name__ == "pandas._config.config":
            return found
        if accelerator.wants_real(sys._getframe(1).f_code.co_filename):
            return found
        return importlib.import_module(found.__name__)
    if accelerator.wants_real(sys._getframe(1).f_code.co_filename) or accelerator.fast is None:
        return found
    return proxied(found, name, accelerator, top=module.__name__ == accelerator.slow_lib)


def proxied(found: Any, name: str, accelerator: ModuleAccelerator, top: bool) -> Any:
    """Return what stands for an attribute of a module of pandas."""
    if isinstance(found, type):
        return final_types.get(found, found)
    if not isinstance(found, (types.FunctionType, types.BuiltinFunctionType)) or not str(
        getattr(found, "__module__", "")
    ).startswith("pandas"):
        return found
    if found not in real_functions:
        from ._final import Maker

        fast = getattr(accelerator.fast, name, None) if top else None
        if fast is not None and name in DIRECT:
            real_functions[found] = FunctionProxy(name, fast, found)
        else:
            real_functions[found] = Maker(name, found, fast, _taker(fast))
    return real_functions[found]


def _taker(fast: Any) -> Any:
    """Return what says whether cuDF takes some arguments, by its signature."""
    if fast is None:
        return None
    try:
        return inspect.signature(fast).bind
    except (TypeError, ValueError):
        return None


@contextlib.contextmanager
def disable_module_accelerator() -> Iterator[None]:
    """In this block everybody gets the real pandas."""
    if ModuleAccelerator.instance is None:
        yield
        return
    with ModuleAccelerator.instance.disabled():
        yield
