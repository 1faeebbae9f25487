"""What kernels do in the processes that a tried program starts: each writes down its own, beside the program's report.

A worker of a pool is ended without a word, so it writes at once what it sees.  A process that runs no kernel does nothing
and imports nothing.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections import deque
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

ENGINE = "gpusim.kernels.reported"
PARENT = "KERNELLENS_TRIAL_PROCESS"
"""The number of the tried program's own process, which reports for itself."""

_launches: list[dict] = []


def expect() -> None:
    """Look on from the moment at which this process comes to run kernels."""
    if ENGINE in sys.modules:
        _begin()
    else:
        sys.meta_path.insert(0, _Engine())
    os.register_at_fork(after_in_child=_begin)


def own() -> None:
    """Say that this process is the program's own."""
    os.environ[PARENT] = str(os.getpid())


def reports(report: Path) -> list[dict[str, Any]]:
    """What such processes wrote beside a report, in the order of their numbers."""
    found = []
    for path in sorted(report.parent.glob(f"{report.name}.*.child")):
        try:
            found.append(json.loads(path.read_text(encoding="utf-8")))
        except ValueError:  # ended while it wrote
            continue
    return found


class _Engine(MetaPathFinder):
    """Sees the engine being imported."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != ENGINE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        run = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            run(module)
            _begin(module)

        spec.loader.exec_module = exec_module
        return spec


class _Kept(deque):
    """A list of findings that is written down whenever it grows."""

    def append(self, each: Any) -> None:
        super().append(each)
        _write()


def _begin(engine: Any = None) -> None:
    engine = engine or sys.modules.get(ENGINE)
    if engine is None or os.environ.get(PARENT, "") in ("", str(os.getpid())):
        return
    _launches.clear()  # a forked process has its parent's
    engine.reports, engine.watchers[:] = _Kept(maxlen=engine.reports.maxlen), [_look]


def _look(run: Any, log: Any, found: list) -> None:
    from . import inside

    if os.environ.get(inside.LENS):
        from kernellens import watching

        _launches.append(watching.seen(run, log, found))
    _write()


def _write() -> None:
    from . import inside

    report = os.environ.get(inside.REPORT)
    if not report:
        return
    engine = sys.modules[ENGINE]
    text = json.dumps({"findings": [each._asdict() for each in engine.reports], "launches": _launches})
    path = f"{report}.{os.getpid():010}.child"
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)
