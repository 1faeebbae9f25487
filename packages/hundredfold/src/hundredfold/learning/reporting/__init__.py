"""One page on what a learner measured: milestones, measurements beside their limits, figures, the machine. HTML that asks for nothing.

>>> from hundredfold import report
>>> report("my-capstone.html", title="How far does a delay travel?", author="Ada")         # doctest: +SKIP
my-capstone.html: 6 of 6 milestones, 4 measurements, 2 figures.

The page holds all that it shows and forbids itself the rest (a content security policy): no script, no font, no picture from elsewhere.

- `facts`: what the machine, the progress file and the log of measurements say.
- `drawing`, `charts`, `pictures`: figures as SVG and PNG.
- `numbers`: the measurements as data in the page, which the site's results read back when the page is dropped there.
- `page`: the HTML. `place`: where it goes, and that it replaces nobody else's.
- `rubric`: what a capstone is judged by, as data.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {"Report": "making", "report": "making", "rubric": "rubrics"}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
