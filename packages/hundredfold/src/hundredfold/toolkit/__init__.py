"""Timing done right: `measure`, `limit`, `compare`, and the `%measure` magics.

>>> from hundredfold import measure, limit
>>> measure(sum, range(1000)).median > 0
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bounds import Limit, limit
    from .comparison import Comparison, compare
    from .result import Measurement, MeasurementInterrupted
    from .timing import measure

_HOMES = {
    "Measurement": "result",
    "MeasurementInterrupted": "result",
    "measure": "timing",
    "Limit": "bounds",
    "limit": "bounds",
    "Comparison": "comparison",
    "compare": "comparison",
}
__all__ = ["Comparison", "Limit", "Measurement", "MeasurementInterrupted", "compare", "limit", "measure"]


def __getattr__(name: str) -> Any:
    # Lazy: a notebook that only loads the extension pays for none of it.
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
