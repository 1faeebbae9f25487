"""Kernels around a learner's function, written as source that inspect and the engine can read."""

from __future__ import annotations

import itertools
import linecache
from typing import Any

from ._device_names import top

_number = itertools.count()


def function(name: str, source: str, names: dict[str, Any]) -> Any:
    """Compile the source of one function, which sees ``names`` as its globals, and keep the source readable."""
    filename = f"<hundredfold {name} {next(_number)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space = {"__name__": "numba.cuda", "_grid": top["grid"], **names}
    exec(compile(source, filename, "exec"), space)
    return space[name]


def identifier(name: str) -> str:
    """A function's name as part of another's: a lambda has none that could be."""
    return name if name.isidentifier() else "function"
