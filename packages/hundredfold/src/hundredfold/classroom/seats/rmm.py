"""RMM held to its seat: `apply` puts a limit under whatever takes memory through RMM, cuDF and ``cudf.pandas`` among it.

`startup.pth` beside this file calls it in every process of a seat, before anything of the learner's runs, and so does what makes a
notebook ready (`hundredfold.start`), since the simulated libraries' finder is put before all others there.

RMM reads no limit from the environment. ``cudf.pandas`` takes a pool of 80 % of what is free unless a resource of its process
is set already (cudf/pandas/__init__.py, `install`), so the limit is set as soon as somebody imports RMM, and not before: a
process that never does has no CUDA context from us.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys
import warnings
from types import ModuleType
from typing import Any

VARIABLE = "HUNDREDFOLD_SEAT_MEMORY"


def apply() -> None:
    """Hold RMM to `HUNDREDFOLD_SEAT_MEMORY` bytes in this process, now or when it is imported; unset, nothing happens."""
    limit = os.environ.get(VARIABLE, "")
    if not limit.isdecimal():
        return
    there = [each for each in sys.meta_path if isinstance(each, _Watcher)]
    if "rmm" in sys.modules:  # also past a watcher: another finder was put before it, as the simulated libraries' is
        sys.meta_path[:] = [each for each in sys.meta_path if each not in there]
        _hold(sys.modules["rmm"], int(limit))
    elif there:
        sys.meta_path.sort(key=lambda finder: finder is not there[0])  # first again, all others as they were
    else:
        sys.meta_path.insert(0, _Watcher(int(limit)))


def dask_setup(worker: object) -> None:
    """Dask's hook for a preloaded module: workers are held to it as kernels are."""
    apply()


def _hold(rmm: ModuleType, limit: int) -> None:
    import rmm.mr as mr

    current = mr.get_current_device_resource()
    if isinstance(current, mr.LimitingResourceAdaptor):
        return
    mr.set_current_device_resource(mr.LimitingResourceAdaptor(current, limit))
    # What is ignored is what this is for; the learner did not choose it.
    warnings.filterwarnings("ignore", message=".*already configured memory resource.*", category=UserWarning)


class _Watcher(importlib.abc.MetaPathFinder):
    """Sees `import rmm`, lets the other finders find it, and sets the limit once it is there."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> Any:
        if fullname != "rmm":
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                sys.meta_path.remove(self)
                spec.loader = _Loader(spec.loader, self.limit)
                return spec
        return None


class _Loader(importlib.abc.Loader):
    def __init__(self, inner: Any, limit: int) -> None:
        self.inner, self.limit = inner, limit

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self.inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__.loader = module.__loader__ = self.inner
        self.inner.exec_module(module)
        _hold(module, self.limit)
