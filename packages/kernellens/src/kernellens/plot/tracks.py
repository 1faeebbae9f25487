"""`lanes`: what the rows of a timeline do, along a common axis of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import axes, palette, quantities
from .figure import NARROW, Figure

WIDTH = 700
LEFT = 118
"""Pixels for the names of the rows."""
_ROW, _FOOT, _SEEN = 34, 58, 1.2
_BELOW = 48
"""Pixels for a row whose name is above its bars."""
Bar = tuple[str, str, str, float, float, int]
"""A row, a kind, a name, a beginning and an end in seconds, and how deep it lies in its row."""

# Kind: colour, how it is filled, and its word for the legend. The colours are those of the drawings: the
# host is orange, the device green, a wire grey. Nothing is told by colour alone.
KINDS: dict[str, tuple[str, str, str]] = {
    "python": (palette.FAINT, " ", "Python"),
    "launch": (palette.ORANGE, " ", "launch"),
    "driver": (palette.PURPLE, "x", "call for memory"),
    "wait": (palette.VERMILLION, "/", "wait"),
    "kernel": (palette.GREEN, " ", "kernel"),
    "copy": (palette.MUTED, ".", "copy"),
    "range": (palette.SKY, " ", "NVTX range"),
    "mark": (palette.SKY, " ", "mark"),
}


def lanes(
    bars: Sequence[Bar],
    title: str | None = None,
    note: str | None = None,
    *,
    below: Sequence[str] = (),
    alt: str,
    text: str | None = None,
) -> Figure:
    """Draw a row for each lane, and in it a bar for each thing that took time.

    Parameters
    ----------
    bars : sequence of (row, kind, name, start, end, depth)
        Seconds. A kind is one of `KINDS`. Bars of a row and kind that are too narrow to be seen are drawn as one.
    title, note : str, optional
        Over and under the figure.
    below : sequence of str
        What it comes to, a line each.
    alt : str
        The picture in words.
    text : str, optional
        The same as plain text.

    Returns
    -------
    Figure
        Seven hundred pixels wide.
    """
    rows = _rows(bars)
    height = _FOOT + _ROW * max(1, len(rows)) + 24
    full = height + axes.words_height(title, 15) + axes.words_height(note, 12)
    full += sum(axes.words_height(line, 13) for line in below)
    end = max((bar[4] for bar in bars), default=0.0) or 1e-6
    shown = joined(bars, end / (WIDTH - LEFT) * _SEEN)
    plain = {"kind": "lanes", "bars": shown, "title": title, "note": note, "below": list(below)}
    draw = lambda: _draw(shown, rows, end, WIDTH, title, note, below)  # noqa: E731
    narrow = lambda: _draw(joined(bars, end / NARROW * _SEEN), rows, end, NARROW, title, note, below)  # noqa: E731
    return Figure(draw, alt, text, WIDTH, full, plain, narrow=narrow)


def _rows(bars: Sequence[Bar]) -> list[tuple[str, int]]:
    """The rows from top to bottom, ranges by their depth: NVTX, the host, then the device."""
    found = dict.fromkeys((bar[0], bar[5]) for bar in bars)
    return sorted(found, key=lambda row: ({"ranges": 0, "host": 1}.get(row[0], 2), row[1]))


def joined(bars: Sequence[Bar], least: float) -> list[Bar]:
    """Bars in order; those of a row and kind that are narrower than `least` and nearer to each other than that are one."""
    made: dict[tuple[str, int, str], list[tuple[Bar, int, float]]] = {}
    for bar in sorted(bars, key=lambda bar: bar[3]):
        row, kind, _, start, end, depth = bar
        mine = made.setdefault((row, depth, kind), [])
        if mine and end - start < least:
            (_, _, name, begun, until, _), count, spent = mine[-1]
            narrow = count > 1 or until - begun < least
            if narrow and start - until < least:
                mine[-1] = (row, kind, name, begun, max(until, end), depth), count + 1, spent + end - start
                continue
        mine.append((bar, 1, end - start))
    return [
        bar if count == 1 else (*bar[:2], _together(bar[2], count, spent), *bar[3:])
        for each in made.values()
        for bar, count, spent in each
    ]


def _together(name: str, count: int, seconds: float) -> str:
    return f"{count} × {name} and the like, {quantities.seconds(seconds)} together"


def _draw(
    bars: list[Bar],
    rows: list[tuple[str, int]],
    end: float,
    width: int,
    title: str | None,
    note: str | None,
    below: Sequence[str],
) -> Any:
    """Where there is little room the names of the rows are above their bars, not beside them."""
    from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, Legend, LegendItem, Range1d

    unit, scale = next(
        ((unit, scale) for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)) if end >= 2 * scale), ("ns", 1e-9)
    )
    last = 1.01 * end / scale
    across = Range1d(start=0, end=last)
    down = Range1d(start=len(rows) - 0.5, end=-0.5)
    beside = width == WIDTH
    row, left, legends = (_ROW, LEFT, 1) if beside else (_BELOW, 12, 2)
    top, bottom = (-0.36, 0.36) if beside else (-0.06, 0.46)  # of a bar, in its row
    height = _FOOT + row * max(1, len(rows)) + 24 * legends
    plot = axes.canvas(width, height, x_range=across, y_range=down)
    plot.min_border_left = left
    plot.xaxis.axis_label = f"time ({unit})"
    plot.xaxis.ticker.desired_num_ticks = 6 if beside else 4
    plot.yaxis.ticker = FixedTicker(ticks=list(range(len(rows))))
    names = {place: name if depth == 0 else "" for place, (name, depth) in enumerate(rows)}
    plot.yaxis.major_label_overrides = names
    plot.yaxis.major_tick_line_color = plot.yaxis.axis_line_color = None
    plot.ygrid.grid_line_color = None
    place = {row: at for at, row in enumerate(rows)}
    wide = last / (width - left - 14)
    items = []
    for kind, (colour, pattern, word) in KINDS.items():
        mine = [bar for bar in bars if bar[1] == kind]
        if not mine:
            continue
        # A bar is at least a pixel wide, or nobody sees it.
        source = ColumnDataSource(
            {
                "left": [bar[3] / scale for bar in mine],
                "right": [max(bar[4] / scale, bar[3] / scale + wide) for bar in mine],
                "top": [place[bar[0], bar[5]] + top for bar in mine],
                "bottom": [place[bar[0], bar[5]] + bottom for bar in mine],
                "name": [bar[2] for bar in mine],
                "took": [quantities.seconds(bar[4] - bar[3]) for bar in mine],
            }
        )
        drawn = plot.quad(
            *("left", "right", "top", "bottom"),
            source=source,
            fill_color=colour,
            line_color=palette.PAPER if len(mine) < 60 else colour,
            line_width=0.5,
            hatch_pattern=pattern,
            hatch_color=palette.PAPER,
            hatch_alpha=0.7,
            hatch_scale=7,
        )
        items.append(LegendItem(label=word, renderers=[drawn]))
        plot.add_tools(HoverTool(renderers=[drawn], tooltips=[("", "@name"), (word, "@took")]))
        _named(plot, mine, place, scale, wide, kind, (top + bottom) / 2)
    legend = Legend(
        items=items, orientation="horizontal", location="left", border_line_color=None, margin=2, spacing=10
    )
    legend.background_fill_color, legend.label_text_color = palette.PAPER, palette.INK
    legend.label_text_font, legend.label_text_font_size = axes.FONT, "12px"
    legend.glyph_width = legend.glyph_height = 14
    if not beside:
        legend.ncols, legend.spacing = 3, 4
        plot.yaxis.visible = False
        _words(plot, [0.0] * len(names), [at - 0.42 for at in names], list(names.values()), "left", "top")
    plot.add_layout(legend, "above")
    return axes.framed(plot, title, note, below)


def _named(
    plot: Any, bars: list[Bar], place: dict[tuple[str, int], int], scale: float, wide: float, kind: str, middle: float
) -> None:
    """Write names into the bars that have room for them."""
    if kind == "python":
        return
    room = {bar: int((bar[4] - bar[3]) / scale / wide / 6.2) - 1 for bar in bars}
    shown = [bar for bar in bars if room[bar] >= 4]
    _words(
        plot,
        [(bar[3] + bar[4]) / 2 / scale for bar in shown],
        [place[bar[0], bar[5]] + middle for bar in shown],
        [bar[2] if len(bar[2]) <= room[bar] else bar[2][: room[bar] - 1] + "…" for bar in shown],
        "center",
        "middle",
    )


def _words(plot: Any, x: list[float], y: list[float], said: list[str], align: str, baseline: str) -> None:
    from bokeh.core.properties import value

    plot.text(
        x,
        y,
        text=said,
        text_align=align,
        text_baseline=baseline,
        text_font=value(axes.FONT),
        text_font_size="11px",
        text_color=palette.INK,
        background_fill_color=palette.PAPER,
        background_fill_alpha=0.75,
    )
