"""The course's figures: plain data in, a figure out that also says in words what it shows.

>>> from kernellens import plot
>>> plot.times({"published: NumPy": 0.402, "limit: read once": 889e-6}, title="Before and after")   # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .curves import lines
    from .dots import Row, times
    from .figure import Figure
    from .grey import images
    from .performance import report
    from .tasks import graph
    from .tracks import lanes

_HOMES = {
    "Figure": "figure",
    "Row": "dots",
    "graph": "tasks",
    "images": "grey",
    "lanes": "tracks",
    "lines": "curves",
    "report": "performance",
    "times": "dots",
}
__all__ = ["Figure", "Row", "graph", "images", "lanes", "lines", "report", "times"]


def __getattr__(name: str) -> Any:
    # Lazy: Bokeh takes a second to import, and the words alone need none of it.
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
