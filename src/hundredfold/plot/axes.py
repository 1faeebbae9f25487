"""What the course's figures share: size, fonts, axes in times or numbers, and the note of where they were measured."""

from __future__ import annotations

import math
from typing import Any

from . import palette, words

FONT = "Helvetica, Arial, sans-serif"


def canvas(title: str | None, width: int, height: int, **ranges: Any) -> Any:
    """Return an empty Bokeh figure in the course's style, without tools."""
    from bokeh.models import Title
    from bokeh.plotting import figure

    plot = figure(width=width, height=height, toolbar_location=None, tools="", **ranges)
    plot.background_fill_color = plot.border_fill_color = palette.PAPER
    plot.outline_line_color = None
    plot.min_border_right, plot.min_border_left, plot.min_border_top = 14, 14, 10
    if title:
        plot.add_layout(
            Title(
                text=title,
                text_font=FONT,
                text_font_size="15px",
                text_font_style="bold",
                text_color=palette.INK,
                offset=0,
                standoff=12,
            ),
            "above",
        )
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


def footnote(plot: Any, note: str) -> None:
    """Write a line under the plot."""
    from bokeh.models import Title

    plot.add_layout(
        Title(
            text=note,
            text_font=FONT,
            text_font_size="12px",
            text_font_style="normal",
            text_color=palette.MUTED,
            standoff=6,
        ),
        "below",
    )


def ticks(axis: Any, low: float, high: float, log: bool, unit: str | None) -> None:
    """Put ticks with readable labels on an axis: times for the unit "seconds", plain numbers for others."""
    from bokeh.models import FixedTicker

    if not log:
        return
    places = log_ticks(low, high)
    write = words.seconds if unit == "seconds" else words.plain
    axis.ticker = FixedTicker(ticks=places, minor_ticks=[])
    axis.major_label_overrides = {place: write(place) for place in places}


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return at most about `most` round places between `low` and `high`: powers of ten, or 1, 2, 5 where these are few."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    step = max(1, math.ceil((last - first) / most))
    places = [float(f"1e{power}") for power in range(first, last + 1, step)]
    places = [place for place in places if low <= place <= high]
    if len(places) >= 3:
        return places
    finer = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in (1, 2, 5)]
    return [place for place in finer if low <= place <= high] or [low, high]


def here_note(labels: list[str]) -> str | None:
    """Return the note that times taken here come from a simulated GPU; None where they do not."""
    from hundredfold import machine

    if machine.mode() != "simulated" or not labels:
        return None
    return "Times taken here: the GPU is simulated on this CPU. They are no GPU's times."
