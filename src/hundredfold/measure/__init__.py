"""Timing done right: `measure`, `limit`, `compare`, and the `%measure` magics.

>>> from hundredfold import measure, limit
>>> measure(sum, range(1000)).median > 0
True

The module itself can be called, so that `from hundredfold import measure` gives what it says whether or not this package was
imported before (importing it binds its name in `hundredfold`).
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

_HOMES = {
    "Measurement": "result",
    "MeasurementInterrupted": "result",
    "measure": "timing",
    "Limit": "bounds",
    "limit": "bounds",
    "Comparison": "comparison",
    "compare": "comparison",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    # Lazy: a notebook that only loads the extension pays for none of it.
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Callable(types.ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from .timing import measure

        return measure(*args, **kwargs)

    # help(measure) and the editor's tooltip show the function's.
    @property
    def __signature__(self) -> Any:
        import inspect

        from .timing import measure

        return inspect.signature(measure)


sys.modules[__name__].__class__ = _Callable
