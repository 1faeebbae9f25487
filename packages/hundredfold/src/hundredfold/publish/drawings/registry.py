"""Which drawings there are, and how one is made."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from .canvas import Canvas

#: The modules that have them.
THEMES = (
    "memory",
    "buffers",
    "protocols",
    "compiled",
    "kernels",
    "launches",
    "tiles",
    "dataframes",
    "merges",
    "learning",
    "dask_arrays",
    "clusters",
    "svd",
    "dask_dataframes",
    "deploying",
    "capstone",
    "profiling",
    "polars",
    "architecture",
)

_known: dict[str, Drawing] = {}


@dataclass(frozen=True)
class Drawing:
    """One drawing: its name, its alternative text (a sentence or two that say what it shows), its height, what draws it, and what to say where it can be touched."""

    name: str
    alt: str
    height: float
    draw: Callable[[Canvas], None]
    touch: str = ""

    def svg(self) -> str:
        """The file's text."""
        canvas = Canvas(self.height)
        self.draw(canvas)
        return canvas.svg(self.alt)

    def markdown(self, folder: str = "drawings") -> str:
        """The line that shows it in a notebook."""
        return f"![{self.alt}]({folder}/{self.name}.svg)"


def drawing(
    name: str, alt: str, height: float, touch: str = ""
) -> Callable[[Callable[[Canvas], None]], Callable[[Canvas], None]]:
    """Make a function that draws on a canvas a drawing of the course. One with spots has a sentence `touch` that says what to do.

    Raises
    ------
    ValueError
        If another drawing has the name already.
    """

    def known(draw: Callable[[Canvas], None]) -> Callable[[Canvas], None]:
        if name in _known:
            raise ValueError(
                f"There is a drawing {name!r} already, in {_known[name].draw.__module__}: choose another name."
            )
        _known[name] = Drawing(name, alt, height, draw, touch)
        return draw

    return known


@cache
def _all() -> dict[str, Drawing]:
    for theme in THEMES:
        importlib.import_module(f"{__package__}.{theme}")
    return dict(sorted(_known.items()))


def names() -> list[str]:
    """The names of all drawings."""
    return list(_all())


def find(name: str) -> Drawing:
    """The drawing of a name.

    Raises
    ------
    KeyError
        If there is none.
    """
    return _all()[name]
