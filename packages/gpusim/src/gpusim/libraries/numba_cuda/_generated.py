"""Kernels around a learner's function, written as source that inspect and the engine can read."""

from __future__ import annotations

import itertools
import linecache
from typing import Any

from ._device_names import top

_number = itertools.count()


def function(name: str, source: str, names: dict[str, Any]) -> Any:
    """Compile the source of one function, which sees ``names`` as its globals, and keep the source readable."""
    filename = f"<gpusim {name} {next(_number)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space = {"__name__": "numba.cuda", "_grid": top["grid"], **names}
    exec(compile(source, filename, "exec"), space)
    return space[name]


def identifier(name: str) -> str:
    """A function's name as part of another's: a lambda has none that could be."""
    return name if name.isidentifier() else "function"


def casting(core: Any, kinds: tuple, restype: Any) -> Any:
    """A function that calls a device function in its declared types; None if nothing is to be cast."""
    from numba.core import types

    numbers = (types.Number, types.Boolean)
    arguments = [f"a{i}" for i in range(len(kinds))]
    given = [f"_t{i}(a{i})" if isinstance(kind, numbers) else f"a{i}" for i, kind in enumerate(kinds)]
    result = f"_core({', '.join(given)})"
    if isinstance(restype, numbers):
        result = f"_result({result})"
    elif given == arguments:
        return None
    name = identifier(core.__name__)
    source = f"def {name}({', '.join(arguments)}):\n    return {result}\n"
    return function(name, source, {"_core": core, "_result": restype, **{f"_t{i}": k for i, k in enumerate(kinds)}})
