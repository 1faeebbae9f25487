"""Small pieces of SVG: elements, text, axes. Colours are classes, so that the page's style sheet decides them, by day, by night and on paper."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable

from kernellens.plot import axes, quantities

LETTER = 7.2  # pixels that a letter of 13 px is wide, about


def element(name: str, *inside: str, **attributes: object) -> str:
    """Return an element: `cls` is its class, ``_`` in a name becomes ``-``, numbers are rounded to tenths of a pixel."""
    written = "".join(
        f' {"class" if key == "cls" else key.replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}/>" if not inside else f"<{name}{written}>{''.join(inside)}</{name}>"


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".rstrip("0").rstrip(".")
    return html.escape(str(value), quote=True)


def text(x: float, y: float, said: str, cls: str = "ink", anchor: str = "start") -> str:
    """Return words at a place, their middle at y."""
    return element(
        "text", html.escape(said), x=float(x), y=float(y), cls=cls, text_anchor=anchor, dominant_baseline="middle"
    )


def svg(width: float, height: float, alt: str, *parts: str) -> str:
    """Return a picture that says what it shows: a role and words for those who do not see it."""
    return element(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        role="img",
        aria_label=alt,
        style=f"width:{width:.0f}px",
    )


def mark(shape: str, x: float, y: float, cls: str, hollow: bool = False) -> str:
    """Return a mark of a shape: circle, square, triangle, diamond, dash."""
    cls = f"{cls} {'hollow' if hollow else 'solid'}"
    if shape == "circle":
        return element("circle", cx=x, cy=y, r=6.0, cls=cls)
    if shape == "square":
        return element("rect", x=x - 5.5, y=y - 5.5, width=11.0, height=11.0, cls=cls)
    if shape == "dash":
        return element("rect", x=x - 2.0, y=y - 9.0, width=4.0, height=18.0, cls=cls)
    corners = {
        "triangle": [(0, -6.5), (6.5, 5.5), (-6.5, 5.5)],
        "inverted_triangle": [(0, 6.5), (6.5, -5.5), (-6.5, -5.5)],
        "diamond": [(0, -7), (6, 0), (0, 7), (-6, 0)],
        "plus": [
            (-2, -6),
            (2, -6),
            (2, -2),
            (6, -2),
            (6, 2),
            (2, 2),
            (2, 6),
            (-2, 6),
            (-2, 2),
            (-6, 2),
            (-6, -2),
            (-2, -2),
        ],
    }[shape]
    return element("polygon", points=" ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners), cls=cls)


def sign(shape: str, cls: str, hollow: bool = False) -> str:
    """Return a mark alone, for a key beside words; who does not see it hears the words."""
    drawn = mark(shape, 9.0, 9.0, cls, hollow)
    return element("svg", drawn, viewBox="0 0 18 18", style="width:18px", aria_hidden="true")


class Scale:
    """Where a number stands, between two ends in pixels."""

    def __init__(self, low: float, high: float, begin: float, end: float, log: bool) -> None:
        self.low, self.high, self.log = low, high, log
        self.begin, self.end = begin, end

    def __call__(self, value: float) -> float:
        low, high = (math.log10(each) if self.log else each for each in (self.low, self.high))
        place = math.log10(value) if self.log else value
        return self.begin + (place - low) / ((high - low) or 1.0) * (self.end - self.begin)

    def ticks(self, unit: str = "") -> dict[float, str]:
        """Return round numbers between the ends, and how each is written."""
        if unit == "seconds" and self.log:
            return axes.time_ticks(self.low, self.high)
        places = axes.log_ticks(self.low, self.high) if self.log else even_ticks(self.low, self.high)
        write: Callable[[float], str] = (
            quantities.seconds if unit == "seconds" else quantities.plain if self.log else quantities.number
        )
        return {place: write(place) for place in places}


def even_ticks(low: float, high: float) -> list[float]:
    """Return about six round numbers between two, evenly spaced by 1, 2 or 5 times a power of ten."""
    span = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(span / 6))
    step = next(power * digit for digit in (1, 2, 5, 10) if span / (power * digit) <= 6)
    first = math.ceil(low / step - 1e-9)
    return [round(step * n, 12) for n in range(first, math.floor(high / step + 1e-9) + 1)]


def across(scale: Scale, top: float, bottom: float, unit: str = "") -> Iterable[str]:
    """Yield the grid and the labels of a horizontal axis."""
    for place, name in scale.ticks(unit).items():
        yield element("line", x1=scale(place), x2=scale(place), y1=top, y2=bottom, cls="grid")
        yield text(scale(place), bottom + 14, name, anchor="middle")


def upright(scale: Scale, left: float, right: float, unit: str = "") -> Iterable[str]:
    """Yield the grid and the labels of a vertical axis."""
    for place, name in scale.ticks(unit).items():
        yield element("line", x1=left, x2=right, y1=scale(place), y2=scale(place), cls="grid")
        yield text(left - 8, scale(place), name, anchor="end")
