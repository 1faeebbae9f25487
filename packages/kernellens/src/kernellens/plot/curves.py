"""`lines`: series over a common axis, each labelled where it ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from . import axes, palette, quantities
from .figure import NARROW, Figure

WIDTH, HEIGHT, LOW = 700, 380, 280  # the last on a phone
_SIGNS = "●■▲◆▼✚"  # `palette.MARKERS` as letters
_BESIDE = 17  # pixels that two labels need between them


def lines(
    x: Sequence[float],
    series: Mapping[str, Sequence[float]],
    xlabel: str = "",
    ylabel: str = "",
    xlog: bool = False,
    ylog: bool = False,
    marks: Mapping[str, float] | None = None,
    title: str | None = None,
    *,
    note: str | None = None,
    brief: bool = False,
) -> Figure:
    """Draw one line for each series, with its name at its right end.

    Parameters
    ----------
    x : sequence of n numbers
        Increasing.
    series : dict of label to sequence of n numbers
        A NaN leaves a gap. At most six.
    xlabel, ylabel : str
        What the axes hold; where `ylabel` is "seconds", ticks and words are times with their units.
    xlog, ylog : bool
        Logarithmic axes; their numbers must be positive.
    marks : dict of label to x, optional
        Places on the horizontal axis to point out, such as the size of a cache.
    title, note : str, optional
        Over and under the figure.
    brief : bool
        The plain text names the lines and leaves their numbers to the text alternative: for rounding errors and fits, of
        which the tests of notebooks, that compare plain text, must not expect the same digits on every machine.

    Returns
    -------
    Figure
        Seven hundred pixels wide.

    Raises
    ------
    ValueError
        If a series has another length than `x`, there are none or more than six, or a logarithmic axis would need the logarithm
        of something that has none.
    """
    xs = [float(value) for value in x]
    table = {str(label): [float(value) for value in values] for label, values in series.items()}
    _check(xs, table, xlog, ylog)
    if note is None:
        note = axes.here_note([label for label in table if "here" in label])
    marks = dict(marks or {})
    said = _say(xs, table, xlabel, ylabel, marks, note)
    alt = f"{title}. " if title else ""
    alt += f"Lines of {ylabel or 'values'} against {xlabel or 'x'}. " + " ".join(said)
    named = [f"Lines: {', '.join(table)}.", *([note] if note else [])]
    text = "\n".join([*([title] if title else []), *(named if brief else said)])
    height = HEIGHT + axes.words_height(title, 15) + axes.words_height(note, 12)
    plain = {"kind": "lines", "x": xs, "series": table, "xlabel": xlabel, "ylabel": ylabel, "xlog": xlog, "ylog": ylog}
    plain |= {"marks": marks, "title": title, "note": note}
    draw = lambda narrow: _draw(xs, table, xlabel, ylabel, xlog, ylog, marks, title, note, narrow)  # noqa: E731
    return Figure(lambda: draw(False), alt, text, WIDTH, height, plain, narrow=lambda: draw(True))


def _check(xs: list[float], table: dict[str, list[float]], xlog: bool, ylog: bool) -> None:
    if not 1 <= len(table) <= len(palette.SERIES):
        raise ValueError(f"lines draws one to {len(palette.SERIES)} series, not {len(table)}.")
    if len(xs) < 2:
        raise ValueError("lines needs at least two places on the horizontal axis.")
    for label, values in table.items():
        if len(values) != len(xs):
            raise ValueError(f"{label!r} has {len(values)} values for {len(xs)} places.")
        if ylog and any(value <= 0 for value in values):
            raise ValueError(f"{label!r}: a logarithmic axis needs positive values.")
        if all(math.isnan(value) for value in values):
            raise ValueError(f"{label!r} has no value at all.")
    if xlog and min(xs) <= 0:
        raise ValueError(f"A logarithmic axis needs positive places, not {min(xs)!r}.")


def _say(
    xs: list[float], table: dict[str, list[float]], xlabel: str, ylabel: str, marks: dict[str, float], note: str | None
) -> list[str]:
    write = quantities.seconds if ylabel == "seconds" else quantities.number
    at = xlabel or "x"
    said = [
        f"{label}: "
        + ", ".join(f"{write(v)} at {quantities.count_or_number(p)}" for p, v in zip(xs, values, strict=True) if v == v)
        + f" {at}."
        for label, values in table.items()
    ]
    said += [f"{label} is marked at {quantities.count_or_number(place)} {at}." for label, place in marks.items()]
    return [*said, note] if note else said


def _draw(
    xs: list[float],
    table: dict[str, list[float]],
    xlabel: str,
    ylabel: str,
    xlog: bool,
    ylog: bool,
    marks: dict[str, float],
    title: str | None,
    note: str | None,
    narrow: bool,
) -> Any:
    """The names stand at the right ends of the lines or, where there is little room, above them all."""
    from bokeh.models import Label, Range1d, Span

    # The names at the right ends need room inside the frame: some 9 pixels a letter of the 600 it has.
    room = 0 if narrow else min(0.5, (20 + 9 * max(len(label) for label in table)) / 600)
    left, right = _ends(xs, xlog, 0.03, 0.03 + room / (1 - room))
    low, high = _ends([v for values in table.values() for v in values if v == v], ylog, 0.05, 0.05)
    plot = axes.canvas(
        NARROW if narrow else WIDTH,
        LOW if narrow else HEIGHT,
        x_axis_type="log" if xlog else "linear",
        y_axis_type="log" if ylog else "linear",
        x_range=Range1d(start=left, end=right),
        y_range=Range1d(start=low, end=high),
    )
    upright = "" if ylabel == "seconds" else ylabel
    plot.xaxis.axis_label, plot.yaxis.axis_label = xlabel, "" if narrow else upright
    axes.ticks(plot.xaxis[0], left, max(xs) * 1.001, xlog, None, 4 if narrow else 7)
    plot.xaxis[0].bounds = plot.xgrid[0].bounds = (left, max(xs))  # the names stand where no tick should
    axes.ticks(plot.yaxis[0], low, high, ylog, ylabel)
    for label, place in marks.items():
        beyond = narrow and _share(place, left, right, xlog) > 0.5
        plot.add_layout(Span(location=place, dimension="height", line_color=palette.MUTED, line_dash="dashed"))
        plot.add_layout(
            Label(
                x=place,
                y=high,
                y_offset=-4,
                x_offset=-5 if beyond else 5,
                text_align="right" if beyond else "left",
                text=label,
                text_baseline="top",
                text_font=axes.FONT,
                text_font_size="12px",
                text_color=palette.MUTED,
            )
        )
    ends = {}
    for (label, values), colour, marker in zip(table.items(), palette.SERIES, palette.MARKERS, strict=False):
        plot.line(xs, values, line_color=colour, line_width=2.5)
        plot.scatter(xs, values, marker=marker, size=9, line_color=colour, fill_color=colour)
        last = max(i for i, value in enumerate(values) if value == value)
        ends[label] = (xs[last], values[last], colour)
    if narrow:
        key = [(f"{sign} {label}", colour) for sign, label, colour in zip(_SIGNS, table, palette.SERIES, strict=False)]
        return axes.framed(plot, title, note, key=[*key, (upright, palette.MUTED)])
    frame = HEIGHT - 70
    moved = _apart({label: _share(value, low, high, ylog) * frame for label, (_, value, _) in ends.items()}, frame)
    for label, (place, value, colour) in ends.items():
        plot.add_layout(
            Label(
                x=place,
                y=value,
                x_offset=11,
                y_offset=moved[label] - _share(value, low, high, ylog) * frame,
                text=label,
                text_baseline="middle",
                text_font=axes.FONT,
                text_font_size="13px",
                text_font_style="bold",
                text_color=colour,
            )
        )
    return axes.framed(plot, title, note)


def _ends(values: list[float], log: bool, before: float, after: float) -> tuple[float, float]:
    """Return the ends of an axis: all values, and some air on both sides, given as shares of their span."""
    low, high = min(values), max(values)
    if log:
        low, high = math.log10(low), math.log10(high)
    span = (high - low) or 1.0
    low, high = low - before * span, high + after * span
    return (10**low, 10**high) if log else (low, high)


def _share(value: float, low: float, high: float, log: bool) -> float:
    """How far up the axis a value stands, 0 to 1."""
    if log:
        value, low, high = math.log10(value), math.log10(low), math.log10(high)
    return (value - low) / (high - low)


def _apart(heights: dict[str, float], frame: float) -> dict[str, float]:
    """Move labels, given by their heights in pixels, so that none covers another or leaves the frame; their order stays."""
    order = sorted(heights, key=lambda label: heights[label])
    moved = dict(heights)
    for _ in range(50):
        for under, over in zip(order, order[1:], strict=False):
            lack = _BESIDE - (moved[over] - moved[under])
            if lack > 0:
                moved[under] -= lack / 2
                moved[over] += lack / 2
    ceiling = frame - _BESIDE / 2
    for label in reversed(order):
        moved[label] = min(moved[label], ceiling)
        ceiling = moved[label] - _BESIDE
    floor = _BESIDE / 2
    for label in order:
        moved[label] = max(moved[label], floor)
        floor = moved[label] + _BESIDE
    return moved
