"""What the course's figures share: size, fonts, axes in times or numbers, and the note of where they were measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from . import palette, quantities

FONT = "Helvetica, Arial, sans-serif"
_LONG = {60.0: "1 min", 600.0: "10 min", 3600.0: "1 h", 36000.0: "10 h", 360000.0: "100 h"}
_FINER = {60.0 * minutes: f"{minutes} min" for minutes in (1, 2, 5, 10, 20, 30)} | {
    3600.0 * hours: f"{hours} h" for hours in (1, 2, 5, 10, 20, 50, 100)
}


def canvas(width: int, height: int, **ranges: Any) -> Any:
    """Return an empty Bokeh figure in the course's style, without tools."""
    from bokeh.plotting import figure

    plot = figure(width=width, height=height, toolbar_location=None, tools="", **ranges)
    plot.background_fill_color = plot.border_fill_color = palette.PAPER
    plot.outline_line_color = None
    plot.min_border_right, plot.min_border_top = 14, 8
    for axis in plot.axis:
        axis.axis_line_color = axis.major_tick_line_color = palette.MUTED
        axis.minor_tick_line_color = None
        axis.major_label_text_color = axis.axis_label_text_color = palette.INK
        axis.major_label_text_font = axis.axis_label_text_font = FONT
        axis.major_label_text_font_size = axis.axis_label_text_font_size = "13px"
        axis.axis_label_text_font_style = "normal"
        axis.major_tick_in = 0
    for grid in plot.grid:
        grid.grid_line_color = palette.FAINT
    return plot


def framed(
    plot: Any,
    title: str | None,
    note: str | None,
    below: Sequence[str] = (),
    key: Sequence[tuple[str, str]] = (),
) -> Any:
    """Return the plot with a title and a key, of words and their colours, over it, and under it what it comes to and a note.

    They are HTML, so that long ones wrap.
    """
    from bokeh.layouts import column

    above = [_words(title, plot.width, f"font-weight:bold;font-size:15px;color:{palette.INK}")] if title else []
    above += [
        _words(line, plot.width, f"font-size:13px;font-weight:bold;color:{colour}") for line, colour in key if line
    ]
    under = [_words(line, plot.width, f"font-size:13px;color:{palette.INK}") for line in below]
    under += [_words(note, plot.width, f"font-size:12px;color:{palette.MUTED}")] if note else []
    return column(*above, plot, *under, width=plot.width, spacing=0, styles={"background-color": palette.PAPER})


def _words(text: str, width: int, style: str) -> Any:
    import html

    from bokeh.models import Div

    inner = f'<div style="font-family:{FONT};line-height:1.35;padding:4px 12px;{style}">{html.escape(text)}</div>'
    return Div(text=inner, width=width, margin=0)


def words_height(text: str | None, size: float) -> int:
    """Return about how many pixels high `framed` sets these words."""
    if not text:
        return 0
    letters = (700 - 24) / (0.55 * size)
    return round(8 + 1.35 * size * math.ceil(len(text) / letters))


def ticks(axis: Any, low: float, high: float, log: bool, unit: str | None, most: int = 7) -> None:
    """Put about `most` ticks with readable labels on an axis: times for the unit "seconds", plain numbers for others."""
    from bokeh.models import FixedTicker

    if not log:
        axis.ticker.desired_num_ticks = most - 1
        return
    named = (
        time_ticks(low, high, most)
        if unit == "seconds"
        else {place: quantities.plain(place) for place in log_ticks(low, high, most)}
    )
    axis.ticker = FixedTicker(ticks=list(named), minor_ticks=[])
    axis.major_label_overrides = named


def time_ticks(low: float, high: float, most: int = 7) -> dict[float, str]:
    """Return places for times and their names: decades up to ten seconds, then minutes and hours, as people count them."""
    ladder = {float(f"1e{power}"): quantities.seconds(float(f"1e{power}")) for power in range(-10, 2)} | _LONG
    named = {place: name for place, name in ladder.items() if low <= place <= high}
    if len(named) < 3:
        finer = {float(f"{digit}e{power}") for power in range(-10, 1) for digit in (1, 2, 5)} | {10.0, 20.0}
        ladder = {place: quantities.seconds(place) for place in sorted(finer)} | _FINER
        named = {place: name for place, name in ladder.items() if low <= place <= high}
    if len(named) < 2:
        return {place: quantities.seconds(place) for place in (low, high)}
    return dict(list(named.items())[:: math.ceil(len(named) / most)])


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return at most about `most` round places between `low` and `high`: powers of ten, or 1, 2, 5 where these are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    finer = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
    finer = [place for place in finer if low <= place <= high]
    tens = [place for place in finer if f"{place:e}".startswith("1.")]
    if len(tens) > 2 or len(tens) == 2 and len(finer) > 1.3 * most:
        return tens[:: math.ceil(len(tens) / most)]
    return finer if len(finer) >= 2 else [low, high]


def here_note(labels: list[str]) -> str | None:
    """Return the note that says where the times of these rows, taken here, come from; None where there is no such row.

    The place stands in parentheses, as behind every measured time.
    """
    from gpusim import hardware

    if not labels:
        return None
    mode = hardware.mode()
    if mode == "simulated":
        return "Times taken here (simulated on this CPU)"
    return (
        f"Times taken here (on {hardware.probe().usable[0].name})"
        if mode == "gpu"
        else "Times taken here (on this CPU)"
    )
