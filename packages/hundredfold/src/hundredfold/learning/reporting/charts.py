"""The charts of a report, as SVG: measurements beside their limits, and the course's own kinds of figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hundredfold.toolkit.measurement_log import Entry
from kernellens.plot import palette, quantities
from kernellens.plot.curves import _apart, _ends

from .drawing import LETTER, Scale, across, element, mark, svg, text, upright

WIDTH = 700.0
_ROW = 34.0


def beside_limits(entries: Sequence[Entry]) -> tuple[str, str]:
    """Draw measurements on a logarithmic axis, each beside its limit; return the SVG and its words. At least one is needed."""
    rows = [(entry.name, _marks(entry), _said(entry)) for entry in entries]
    alt = "Times on a logarithmic axis, each beside the least that it could be. " + " ".join(
        f"{name}: {said}." for name, _, said in rows
    )
    return _rows(rows, alt), alt


def _marks(entry: Entry) -> list[tuple[float, str, bool]]:
    found = [(entry.limit, "limit", False)] if entry.limit is not None else []
    return [*found, (entry.seconds, "here", bool(entry.doubt))]


def _said(entry: Entry) -> str:
    said = quantities.seconds(entry.seconds)
    return said if entry.share is None else f"{said}, {quantities.share(entry.share)} of its limit"


def times(rows: Sequence[Any], title: str | None, note: str | None, below: Sequence[str]) -> str:
    """Draw what `plot.times` draws; its words stand around the picture, on the page."""
    drawn = [
        (
            row.label,
            [(row.seconds, row.group, row.doubtful)],
            quantities.seconds(row.seconds) + (f", {row.remark}" if row.remark else ""),
        )
        for row in rows
    ]
    listed = "; ".join(f"{label}: {said}" for label, _, said in drawn)
    return _rows(
        drawn,
        " ".join(filter(None, [f"{title}." if title else "", f"Times on a logarithmic axis. {listed}.", *below, note])),
    )


def _rows(rows: Sequence[tuple[str, list[tuple[float, str, bool]], str]], alt: str) -> str:
    """Rows of marks on a common logarithmic axis of seconds, words behind each row's last mark."""
    wide = min(max(len(name) for name, *_ in rows), 34) * LETTER + 20
    values = [seconds for _, marks, _ in rows for seconds, *_ in marks]
    low, high = _ends(values, True, 0.06, 0.06)
    if math.log10(high / low) < 1.2:
        middle = math.sqrt(low * high)
        low, high = middle / 4, middle * 4
    room = min(0.5, (max(len(said) for *_, said in rows) * LETTER + 24) / (WIDTH - wide))
    high = 10 ** (math.log10(low) + math.log10(high / low) / (1 - room))
    bottom = 12 + _ROW * len(rows)
    scale = Scale(low, high, wide, WIDTH - 10, log=True)
    parts = list(across(scale, 6, bottom, "seconds"))
    for place, (name, marks, said) in enumerate(rows):
        y = 12 + _ROW * (place + 0.5)
        parts.append(text(wide - 12, y, name if len(name) <= 34 else name[:33] + "…", anchor="end"))
        if len(marks) > 1:
            ends = [scale(seconds) for seconds, *_ in marks]
            parts.append(element("line", x1=min(ends), x2=max(ends), y1=y, y2=y, cls="between"))
        for seconds, group, doubtful in marks:
            parts.append(mark(palette.GROUPS[group][1], scale(seconds), y, group, doubtful))
        parts.append(text(max(scale(seconds) for seconds, *_ in marks) + 13, y, said))
    return svg(WIDTH, bottom + 28, alt, *parts)


def lines(
    x: Sequence[float],
    series: Mapping[str, Sequence[float]],
    xlabel: str,
    ylabel: str,
    xlog: bool,
    ylog: bool,
    marks: Mapping[str, float],
    alt: str,
) -> str:
    """Draw what `plot.lines` draws."""
    room = min(0.45, (24 + LETTER * max(len(label) for label in series)) / 600)
    left, top, bottom = 78.0, 22.0, 330.0
    numbers = [v for values in series.values() for v in values if v == v]
    across_ends = _ends(list(x), xlog, 0.03, 0.03 + room / (1 - room))
    xs = Scale(*across_ends, left, WIDTH - 10, xlog)
    ys = Scale(*_ends(numbers, ylog, 0.05, 0.05), bottom, top, ylog)
    # The names at the right ends stand where no tick should.
    shown = Scale(xs.low, max(x) * (1.001 if xlog or max(x) >= 0 else 0.999), left, xs(max(x)), xlog)
    parts = [*across(shown, top, bottom), *upright(ys, left, WIDTH - 10, ylabel)]
    for label, place in marks.items():
        parts.append(element("line", x1=xs(place), x2=xs(place), y1=top, y2=bottom, cls="marked"))
        parts.append(text(xs(place) + 5, top + 8, label, cls="muted"))
    ends = {}
    for number, (label, values) in enumerate(series.items()):
        cls = f"series{number}"
        points = [(xs(a), ys(b)) if b == b else None for a, b in zip(x, values, strict=True)]
        for run in _runs(points):
            parts.append(element("polyline", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in run), cls=f"line {cls}"))
        parts += [mark(palette.MARKERS[number], *point, cls) for point in points if point]
        ends[label] = (*next(point for point in reversed(points) if point), cls)
    moved = _apart({label: bottom - y for label, (_, y, _) in ends.items()}, bottom - top)
    parts += [
        text(place + 12, bottom - moved[label], label, cls=f"name {cls}") for label, (place, _, cls) in ends.items()
    ]
    if ylabel and ylabel != "seconds":
        parts.append(text(4, 9, ylabel))
    parts.append(text((left + xs(max(x))) / 2, bottom + 36, xlabel, anchor="middle"))
    return svg(WIDTH, bottom + 50, alt, *parts)


def _runs(points: Sequence[tuple[float, float] | None]) -> list[list[tuple[float, float]]]:
    """The pieces of a line between its gaps, of two points or more."""
    runs: list[list[tuple[float, float]]] = [[]]
    for point in points:
        if point is None:
            runs.append([])
        else:
            runs[-1].append(point)
    return [run for run in runs if len(run) > 1]
