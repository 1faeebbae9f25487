"""`times`: some times beside each other on a logarithmic axis, each a mark with its label."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from . import axes, palette, quantities
from .figure import NARROW, Figure

WIDTH, ROW, FRAME = 700, 30, 50
_LETTER, _LINE = 7, 21  # pixels of a letter, and of a line on a phone
_SHORTEST = 1.2  # decades: less would blow up a difference of a few per cent


@dataclass(frozen=True)
class Row:
    """One mark of `times`.

    `label` stands on the left, `seconds` is where the mark stands, `group` ("published", "here", "recorded", "estimate" or "limit")
    decides its colour and shape, `remark` is written behind the time. A `doubtful` time is drawn hollow.
    """

    label: str
    seconds: float
    group: str = "here"
    remark: str = ""
    doubtful: bool = False


def times(
    rows: Mapping[str, float] | Iterable[Row],
    title: str | None = None,
    *,
    note: str | None = None,
    below: Sequence[str] = (),
) -> Figure:
    """Draw times as labelled marks on a logarithmic axis, the first on top.

    Parameters
    ----------
    rows : dict of label to seconds, or list of Row
        In a dict the word before a colon says what a row is: "published: NumPy", "limit: read x once", "recorded: H200",
        "estimate: H200"; every other time counts as taken here.
    title : str, optional
        Over the figure.
    note : str, optional
        Under it; by default where the times taken here come from. Empty for none.
    below : sequence of str
        Sentences between the figure and the note: what it comes to.

    Returns
    -------
    Figure
        Seven hundred pixels wide. Limits are also drawn as dashed lines across all rows.

    Raises
    ------
    ValueError
        If there is no row, or a time is not a positive number.
    """
    marks = [_row(str(label), value) for label, value in rows.items()] if isinstance(rows, Mapping) else list(rows)
    if not marks:
        raise ValueError("times needs at least one time.")
    for mark in marks:
        if not (isinstance(mark.seconds, (int, float)) and 0 < mark.seconds < math.inf):
            raise ValueError(f"{mark.label!r}: a positive number of seconds is needed, not {mark.seconds!r}.")
        if mark.group not in palette.GROUPS:
            raise ValueError(f"{mark.label!r}: group must be one of {', '.join(palette.GROUPS)}, not {mark.group!r}.")
    if note is None:
        note = axes.here_note([mark.label for mark in marks if mark.group == "here"])
    height = FRAME + ROW * len(marks)
    whole = (
        height
        + axes.words_height(title, 15)
        + axes.words_height(note, 12)
        + sum(axes.words_height(line, 13) for line in below)
    )
    text = _text(marks, title, note, below)
    plain = {"kind": "times", "rows": marks, "title": title, "note": note, "below": list(below)}
    alt = _alt(marks, title, note, below)
    draw = lambda narrow: _draw(marks, title, note, below, narrow)  # noqa: E731
    return Figure(lambda: draw(False), alt, text, WIDTH, whole, plain, narrow=lambda: draw(True))


def _row(label: str, seconds: float) -> Row:
    first = label.partition(":")[0].strip().lower() if ":" in label else ""
    if re.match(r"\d{4}\b", first):
        first = "published"  # "2019 suite: ..." was not taken here either
    return Row(label, float(seconds), first if first in palette.GROUPS else "here")


def _behind(mark: Row) -> str:
    return quantities.seconds(mark.seconds) + (f", {mark.remark}" if mark.remark else "")


def table(marks: list[Row]) -> list[str]:
    """Return a line for each mark. The time comes last, so that its own width moves nothing else."""
    wide = max(len(mark.label) for mark in marks)
    return [f"{mark.label:<{wide}}  {_behind(mark)}" for mark in marks]


def _text(marks: list[Row], title: str | None, note: str | None, below: Sequence[str]) -> str:
    return "\n".join(
        [
            *([title, ""] if title else []),
            *table(marks),
            *(["", *below] if below else []),
            *(["", note] if note else []),
        ]
    )


def _alt(marks: list[Row], title: str | None, note: str | None, below: Sequence[str]) -> str:
    start = f"{title}. " if title else ""
    listed = "; ".join(f"{mark.label}: {_behind(mark)}" for mark in marks)
    return f"{start}Times on a logarithmic axis. {listed}. " + " ".join([*below, *([note] if note else [])])


def _draw(marks: list[Row], title: str | None, note: str | None, below: Sequence[str], narrow: bool) -> Any:
    """The labels stand beside the marks or, where there is little room, above them."""
    from bokeh.core.properties import value
    from bokeh.models import FixedTicker, Range1d, Span

    names = [textwrap.wrap(mark.label, NARROW // _LETTER - 3) if narrow else [] for mark in marks]
    # Places, not names, on the vertical axis: two rows may have the same label.
    places = list(accumulate(len(lines) + 1 for lines in names))
    width, row = (NARROW, _LINE) if narrow else (WIDTH, ROW)
    low, high = _span(marks, narrow)
    across, down = Range1d(start=low, end=high), Range1d(start=places[-1] + 0.6, end=0.4)
    plot = axes.canvas(width, FRAME + row * places[-1], x_axis_type="log", x_range=across, y_range=down)
    plot.yaxis.ticker = FixedTicker(ticks=places)
    plot.yaxis.major_label_overrides = {place: mark.label for place, mark in zip(places, marks, strict=True)}
    plot.yaxis.visible = not narrow
    axes.ticks(plot.xaxis[0], low, high, log=True, unit="seconds", most=5 if narrow else 7)
    plot.ygrid.grid_line_dash = "dotted"
    plot.yaxis.major_tick_line_color = plot.yaxis.axis_line_color = None
    for mark in marks:
        if mark.group == "limit":
            line = Span(location=mark.seconds, dimension="height", line_color=palette.MUTED, line_dash="dashed")
            line.level = "underlay"
            plot.add_layout(line)
    words = {
        "text_baseline": "middle",
        "text_font": value(axes.FONT),
        "text_font_size": "13px",
        "text_color": palette.INK,
        # The words must stay readable where a limit's line passes under them.
        "background_fill_color": palette.PAPER,
        "background_fill_alpha": 0.8,
    }
    named: list[tuple[int, str]] = []
    for place, mark, lines in zip(places, marks, names, strict=True):
        colour, shape = palette.GROUPS[mark.group]
        fill = palette.PAPER if mark.doubtful else colour
        upright = {"angle": math.pi / 2, "line_width": 4} if shape == "dash" else {"line_width": 2}
        plot.scatter([mark.seconds], [place], marker=shape, size=14, line_color=colour, fill_color=fill, **upright)
        share = math.log(mark.seconds / low) / math.log(high / low)
        left = narrow and share * (NARROW - 28) + 20 + _LETTER * len(_behind(mark)) > NARROW - 28
        side = {"x_offset": -13, "text_align": "right"} if left else {"x_offset": 13}
        plot.text([mark.seconds], [place], text=[_behind(mark)], **side, **words)
        named += [(place - up, line) for up, line in enumerate(reversed(lines), 1)]
    plot.text([low] * len(named), [y for y, _ in named], text=[line for _, line in named], **words)
    return axes.framed(plot, title, note, below)


def _span(marks: list[Row], narrow: bool) -> tuple[float, float]:
    """Return the ends of the axis: all marks, some air on the left, and on the right room for the longest words, which a narrow one does without."""
    low = math.log10(min(mark.seconds for mark in marks))
    high = math.log10(max(mark.seconds for mark in marks))
    if high - low < _SHORTEST:
        low, high = (low + high - _SHORTEST) / 2, (low + high + _SHORTEST) / 2
    wide = WIDTH - 40 - _LETTER * max(len(mark.label) for mark in marks)  # about what the frame gets, in pixels
    low -= 0.05 * (high - low)
    # Each label needs 7 pixels a letter to the right of its mark.
    ends = [high + (0.05 if narrow else 0.03) * (high - low)]
    for mark in [] if narrow else marks:
        taken = min(0.8, (24 + _LETTER * len(_behind(mark))) / max(wide, 200))
        ends.append(low + (math.log10(mark.seconds) - low) / (1 - taken))
    return 10**low, 10 ** max(ends)
