"""What a drawing is made of: boxes, texts, arrows and the cells of an array, each in the colour of the thing that it stands for.

A drawing is an SVG of fixed width. It has its own paper, and a style for light and for dark pages: a browser chooses by the page that shows it.
A text that would not fit is refused when the drawing is made, so that no drawing is clipped.

A drawing may have spots: pointed at or tapped, a spot shows what belongs to it. It is done by the drawing's style alone, without a script. A page that shows
the file as a picture shows it still; one that embeds it (`publish.site.live`, the lab) lets it be touched.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

from kernellens.plot.palette import BLUE, DARK, FAINT, GREEN, INK, MUTED, ORANGE, PAPER, PURPLE, SKY, VERMILLION

#: The colour of each thing, in all units.
THINGS = {
    "host": ORANGE,
    "device": GREEN,
    "memory": BLUE,
    "thread": SKY,
    "warp": PURPLE,
    "block": VERMILLION,
    "wire": MUTED,
}
WIDTH = 500  #: of every drawing, in its own units
SMALL, NORMAL, LARGE = 15, 16, 18  #: sizes of letters; at 375 px the small ones are 11 px
TINT, STRONG = 0.22, 0.45  #: how much of a thing's colour is in its box, and in what is meant
_SHOWN = 620  # CSS pixels on a wide page
_DASHBOARD = Path(__file__).parent / "dashboard"

_SANS = "Helvetica Neue,Arial,Liberation Sans,sans-serif"
_MONO = "SFMono-Regular,Menlo,Consolas,Liberation Mono,monospace"


#: A spot; what it tells; what is shown while none tells. A spot that is pointed at comes before one that has the keyboard.
_LIVE = (
    "svg{max-width:100%;height:auto;color-scheme:light dark}.spot{outline:none;cursor:pointer}.told{visibility:hidden}"
    f".hit{{fill:{INK};fill-opacity:0}}"
    ".spot:hover .told{visibility:visible}.spot:focus .told{visibility:visible}"
    "svg:has(.spot:hover) .spot:focus:not(:hover) .told{visibility:hidden}"
    "svg:has(.spot:hover) .still{visibility:hidden}svg:has(.spot:focus) .still{visibility:hidden}"
)


def _style(live: bool) -> str:
    light = [
        f".paper{{fill:{PAPER}}}.ink{{fill:{INK}}}.muted{{fill:{MUTED}}}.empty{{fill:{PAPER};stroke:{MUTED}}}",
        f".rule{{stroke:{MUTED};fill:none}}.mark{{stroke:{INK};fill:none}}.head{{fill:{INK}}}.hatch{{stroke:{MUTED}}}",
        *(f".{name}{{fill:{colour};stroke:{colour};fill-opacity:{TINT}}}" for name, colour in THINGS.items()),
        f".strong{{fill-opacity:{STRONG}}}.faint{{stroke:{FAINT}}}",
        f"text{{font-family:{_SANS};font-size:{NORMAL}px;stroke:none}}.mono{{font-family:{_MONO}}}",
        f".small{{font-size:{SMALL}px}}.large{{font-size:{LARGE}px}}.bold{{font-weight:700}}",
        ".middle{text-anchor:middle}.end{text-anchor:end}",
        _LIVE if live else "",
    ]
    dark = [
        f".paper{{fill:{DARK[PAPER]}}}.ink,.head{{fill:{DARK[INK]}}}.muted{{fill:{DARK[MUTED]}}}",
        f".empty{{fill:{DARK[PAPER]};stroke:{DARK[MUTED]}}}.rule,.hatch{{stroke:{DARK[MUTED]}}}.mark{{stroke:{DARK[INK]}}}",
        f".memory{{fill:{DARK[BLUE]};stroke:{DARK[BLUE]}}}.wire{{fill:{DARK[MUTED]};stroke:{DARK[MUTED]}}}",
        f".faint{{stroke:{DARK[FAINT]}}}",
    ]
    return "".join(light) + "@media (prefers-color-scheme:dark){" + "".join(dark) + "}"


def width_of(text: str, size: float, mono: bool = False, bold: bool = False) -> float:
    """How wide a text is in the widest of the fonts that it may be shown in, DejaVu Sans: in the drawing's units, a little too wide."""
    if mono:
        return 0.61 * size * len(text)
    wide = sum(next((w for letters, w in _WIDTHS if c in letters), 0.62) for c in text)
    return wide * size * (1.12 if bold else 1.0)


_WIDTHS = (
    ("ijl'|", 0.29),
    (" .,:;!()[]", 0.37),
    ("frtIJ-/", 0.42),
    ("mwMW@%", 0.96),
    ("ABCDEFGHKLNOPQRSTUVXYZ=+×→…·*²", 0.74),
)


class Canvas:
    """An SVG that grows element by element."""

    def __init__(self, height: float) -> None:
        self.height = height
        self.live = False  #: whether it has spots
        self._parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        at: str = "start",
        size: str = "",
        colour: str = "ink",
        bold: bool = False,
        mono: bool = False,
        room: float | None = None,
    ) -> None:
        """Write a line of text on the base line `y`; `at` is where `x` is in it: start, middle or end.

        Raises
        ------
        ValueError
            If it is wider than `room`, or does not lie on the paper.
        """
        letters = {"small": SMALL, "large": LARGE}.get(size, NORMAL)
        wide = width_of(text, letters, mono, bold)
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[at]
        if (
            (room is not None and wide > room)
            or left < 2
            or left + wide > WIDTH - 2
            or not letters <= y <= self.height - 3
        ):
            raise ValueError(f"“{text}” does not fit: about {wide:.0f} wide at x = {left:.0f}, y = {y:.0f}.")
        classes = [colour, size, *(["bold"] if bold else []), *(["mono"] if mono else []), at if at != "start" else ""]
        self._add("text", {"class": " ".join(filter(None, classes)), "x": x, "y": y}, text)

    def box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        thing: str = "empty",
        *lines: str,
        strong: bool = False,
        size: str = "",
        mono: bool = False,
        bold: bool = False,
        round: float = 5,
        dashed: bool = False,
    ) -> None:
        """A box of a thing's colour with lines of text in its middle."""
        dash = {"stroke-dasharray": "5 4"} if dashed else {}
        look = f"{thing} strong" if strong else thing
        self._add(
            "rect", {"class": look, "x": x, "y": y, "width": w, "height": h, "rx": round, "stroke-width": 1.5, **dash}
        )
        letters = {"small": SMALL, "large": LARGE}.get(size, NORMAL)
        first = y + h / 2 + letters * 0.35 - (len(lines) - 1) * letters * 0.6
        for k, line in enumerate(lines):
            self.text(
                x + w / 2,
                first + k * letters * 1.2,
                line,
                at="middle",
                size=size,
                mono=mono,
                bold=bold and k == 0,
                room=w - 4,
            )

    def key(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        thing: str,
        words: str,
        *,
        strong: bool = False,
        round: float = 0,
        size: str = "",
    ) -> None:
        """A small box of a thing's colour, and beside it what it means."""
        self.box(x, y, w, h, thing, strong=strong, round=round)
        self.text(x + w + 8, y + h / 2 + 6, words, size=size)

    def frame(self, x: float, y: float, w: float, h: float, thing: str, title: str) -> None:
        """A large box with its name at its top left."""
        self.box(x, y, w, h, thing, round=8)
        self.text(x + 10, y + 22, title, bold=True, room=w - 14)

    def hatch(self, x: float, y: float, w: float, h: float, step: float = 7) -> None:
        """Strokes over a box: what comes along and is not used, or is idle."""
        strokes, at = [], -h + step / 2
        while at < w:
            a, b = max(at, 0.0), min(at + h, w)
            strokes.append(f"M{_n(x + a)} {_n(y + h - (a - at))}L{_n(x + b)} {_n(y + h - (b - at))}")
            at += step
        self._add("path", {"class": "hatch", "d": "".join(strokes), "fill": "none", "stroke-width": 1})

    def waste(self, x: float, y: float, w: float, h: float, step: float = 7) -> None:
        """A box that is hatched."""
        self.box(x, y, w, h, round=0)
        self.hatch(x, y, w, h, step)

    def line(self, *points: tuple[float, float], look: str = "rule", dashed: bool = False, thick: float = 1.5) -> None:
        """A line through some points."""
        d = "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        dash = {"stroke-dasharray": "5 4"} if dashed else {}
        self._add("path", {"class": look, "d": d, "fill": "none", "stroke-width": thick, **dash})

    def outline(self, x: float, y: float, w: float, h: float, thick: float = 3) -> None:
        """A thick line around what is meant."""
        self.line((x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y), look="mark", thick=thick)

    def area(self, *points: tuple[float, float], thing: str, strong: bool = False) -> None:
        """A shape with these corners in a thing's colour, such as the triangle of a matrix."""
        d = "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points) + "Z"
        self._add("path", {"class": f"{thing} strong" if strong else thing, "d": d, "stroke-width": 1.5})

    def arrow(self, x1: float, y1: float, x2: float, y2: float, *, both: bool = False, thick: float = 2) -> None:
        """An arrow from the first point to the second, or with a head at either end."""
        length = math.hypot(x2 - x1, y2 - y1)
        along = (x2 - x1) / length, (y2 - y1) / length
        reach = 5 + 1.8 * thick
        tips = [((x2, y2), along)] + ([((x1, y1), (-along[0], -along[1]))] if both else [])
        back = reach if both else 0
        self.line(
            (x1 + along[0] * back, y1 + along[1] * back),
            (x2 - along[0] * reach, y2 - along[1] * reach),
            look="mark",
            thick=thick,
        )
        for (x, y), (dx, dy) in tips:
            side = 3 + 1.3 * thick
            base = (x - dx * reach, y - dy * reach)
            corners = [(x, y), (base[0] - dy * side, base[1] + dx * side), (base[0] + dy * side, base[1] - dx * side)]
            self._add("path", {"class": "head", "d": "M" + "L".join(f"{_n(a)} {_n(b)}" for a, b in corners) + "Z"})

    def cells(self, x: float, y: float, w: float, h: float, things: list[str]) -> None:
        """The elements of an array side by side, each `w` wide; "waste" is hatched, "" left out, "thread!" strong."""
        for k, thing in enumerate(things):
            if thing == "waste":
                self.waste(x + k * w, y, w, h, step=5)
            elif thing:
                self.box(x + k * w, y, w, h, thing.rstrip("!"), strong=thing.endswith("!"), round=0)

    def span(self, x1: float, x2: float, y: float) -> None:
        """A bracket under a stretch."""
        self.line((x1, y - 6), (x1, y), (x2, y), (x2, y - 6), look="mark")

    @contextmanager
    def spot(self, told: str, *places: tuple[float, float, float, float]) -> Iterator[None]:
        """A spot of the rectangles (x, y, width, height) `places`: what is drawn in the block is shown while it is pointed at, and `told` is read out."""
        self.live = True
        self._parts.append(f'<g class="spot" tabindex="0" role="img" aria-label="{escape(told)}">')
        for x, y, w, h in places:
            self._add("rect", {"class": "hit", "x": x, "y": y, "width": w, "height": h})
        self._parts.append('<g class="told">')
        yield
        self._parts.append("</g></g>")

    @contextmanager
    def still(self) -> Iterator[None]:
        """What is drawn in the block is shown while no spot is pointed at."""
        self._parts.append('<g class="still">')
        yield
        self._parts.append("</g>")

    def screenshot(self, name: str, y: float, title: str, labels: dict[int, str]) -> None:
        """A plot of Dask's dashboard from a screenshot, `dashboard/NAME.png`: its letters would be too small on a phone, and are written anew.

        `y` is where the plot begins, below its `title`; `labels` are those of its axis, by the pixel of the screenshot that each is below.
        """
        png = (_DASHBOARD / f"{name}.png").read_bytes()
        across, down = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
        left, scale = 14, (WIDTH - 28) / across
        self.text(left, y - 10, title, bold=True)
        place = {"x": left, "y": y, "width": across * scale, "height": down * scale}
        self._add("image", place | {"href": f"data:image/png;base64,{base64.b64encode(png).decode()}"})
        for at, label in labels.items():
            middle = max(left + at * scale, left + width_of(label, SMALL) / 2)
            self.text(middle, y + down * scale + 18, label, at="middle", size="small")

    def cross(self, x: float, y: float, reach: float = 7) -> None:
        """A cross: what is wrong, or cannot be."""
        self.line((x - reach, y - reach), (x + reach, y + reach), look="mark", thick=3)
        self.line((x - reach, y + reach), (x + reach, y - reach), look="mark", thick=3)

    def tick(self, x: float, y: float, reach: float = 7) -> None:
        """A tick: what is right."""
        self.line((x - reach, y), (x - reach / 3, y + reach), (x + reach, y - reach), look="mark", thick=3)

    def svg(self, title: str) -> str:
        """The drawing as a file; `title` is read out where it is shown by itself."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {_n(self.height)}" width="{_SHOWN}" '
            f'height="{_n(self.height * _SHOWN / WIDTH)}" role="{"group" if self.live else "img"}">'
        )
        paper = f'<rect class="paper" width="{WIDTH}" height="{_n(self.height)}" rx="6"/>'
        parts = [
            head,
            f"<title>{escape(title)}</title>",
            f"<style>{_style(self.live)}</style>",
            paper,
            *self._parts,
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def _add(self, name: str, attributes: dict[str, object], text: str | None = None) -> None:
        said = " ".join(
            f'{key}="{_n(value) if isinstance(value, float | int) else value}"' for key, value in attributes.items()
        )
        self._parts.append(f"<{name} {said}/>" if text is None else f"<{name} {said}>{escape(text)}</{name}>")


def _n(value: float) -> str:
    """A number, the same everywhere: two digits after the point at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
