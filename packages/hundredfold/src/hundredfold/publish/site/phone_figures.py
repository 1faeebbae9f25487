"""Figures for a phone, as narrow as its page and with letters of its size.

Charts of times and of lines are drawn again from their words, which hold all their numbers; their colours are in
``docs/_static/hundredfold.css``. Of other figures the notebook has a second picture, which the build of the notebook made.
"""

from __future__ import annotations

import html
import math
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hundredfold.learning.reporting.charts import _runs
from hundredfold.learning.reporting.drawing import LETTER, Scale, element, even_ticks, mark, svg, text
from hundredfold.publish.build import figures
from kernellens import plot
from kernellens.plot import axes, palette, quantities
from kernellens.plot.curves import _ends
from kernellens.plot.dots import Row, _row

#: Pixels: a phone's page, the line of a mark and of a name, the frame of a chart of lines.
WIDTH, _MARK, _NAME, _FRAME = 340.0, 24.0, 19.0, 210.0
#: Pixels that a letter needs where a reader has set letters further apart (WCAG 1.4.12), and a word before the next.
_SPACED, _APART = LETTER + 1.6, 6.0

_PICTURE = re.compile(r'(<a class="([^"]*\bimage-reference\b[^"]*)"[^>]*>)(<img [^>]*>)\s*</a>')
_ALT = re.compile(r' alt="([^"]*)"')
_TIME = r"[\d.]+ (?:ns|µs|ms|s|min|h)"
_TIMES = re.compile(r"(?:(.*?)\. )?Times on a logarithmic axis\. ")
_ITEM = re.compile(rf"(.+?): ({_TIME})((?:, [^;.]+)?)(; |\. |\.$)")
_LINES = re.compile(r"(?:(.*?)\. )?Lines of (.+?) against (.+?)\. ")
_VALUE = r"-?[\d.]+(?: (?:ns|µs|ms|s|min|h))?"
_PLACE = r"-?[\d.]+(?: \d{3})*"
_THOUSANDS = re.compile(r"(?<=\d) (?=\d{3}\b)")
_FILE = re.compile(r' src="([^"]*?)_images/([0-9a-f]{64})\.png"')
#: Below this width a page shows what is made for a phone: as in the style sheet.
_PHONE = "(max-width: 600px)"


#: The name of a phone's picture, and its CSS pixels across and down, by the name of the picture in whose place it is.
Pictures = Mapping[str, tuple[str, int, int]]


def pictures(root: Path) -> Pictures:
    """The pictures for a phone of a checkout."""
    found = {}
    for wide, name in figures.of_phones(root).items():
        width, height = figures.size((root / figures.PHONE / name).read_bytes())
        found[wide] = (name, width // figures.SCALE, height // figures.SCALE)
    return found


def beside(page: str, narrow: Pictures) -> str:
    """A page's HTML in which each figure of a cell has what a phone shows of it; `narrow` as `pictures` returns it."""

    def given(found: re.Match[str]) -> str:
        alt = _ALT.search(found[3])
        words = html.unescape(alt[1]) if alt else ""
        drawing = drawn(words, "hf-log-x" in found[2], "hf-log-y" in found[2])
        if drawing is None:
            file = _FILE.search(found[3])
            if file is None or file[2] not in narrow:
                return found[0]
            name, width, height = narrow[file[2]]
            size = f'width="{width}" height="{height}"'
            source = f'<source media="{_PHONE}" srcset="{file[1]}_static/phone/{name}" {size}>'
            return f"{found[1]}<picture>{source}{found[3]}</picture></a>"
        link = found[1].replace(f'class="{found[2]}"', f'class="{found[2]} hf-wide"', 1)
        return f'{link}{found[3]}</a><div class="hf-phone hf-small">{drawing}</div>'

    return _PICTURE.sub(given, page)


def drawn(words: str, xlog: bool, ylog: bool) -> str | None:
    """HTML of a figure of `plot.times` or `plot.lines`, given its text alternative; None for one of another kind."""
    if figure := parsed_times(words):
        return _framed(figure["title"], _times(figure["rows"], words), figure["note"])
    if figure := parsed_lines(words):
        return _framed(figure["title"], _lines(figure, xlog, ylog, words), figure["note"])
    return None


def parsed_times(words: str) -> dict[str, Any] | None:
    """The arguments `rows`, `title`, `note` of `plot.times` that give these words; None where none do."""
    if not (begin := _TIMES.match(words)):
        return None
    rows, at = [], begin.end()
    while item := _ITEM.match(words, at):
        row, remark = _row(item[1], _number(item[2])), item[3].removeprefix(", ")
        rows.append(Row(row.label, row.seconds, row.group, remark, remark.startswith(("doubtful", "impossible"))))
        at = item.end()
        if item[4] != "; ":
            break
    found = {"rows": rows, "title": begin[1], "note": words[at:]}
    return found if rows and _same(plot.times(**found).alt, words) else None


def parsed_lines(words: str) -> dict[str, Any] | None:
    """The arguments of `plot.lines` that give these words, its axes' kinds aside; None where none do."""
    if not (begin := _LINES.match(words)):
        return None
    title, ylabel, xlabel = begin.groups()
    series: dict[str, dict[float, float]] = {}
    marks: dict[str, float] = {}
    behind, at = rf" {re.escape(xlabel)}\.(?: |$)", begin.end()
    one = re.compile(rf"(.+?): ((?:{_VALUE} at {_PLACE}, )*{_VALUE} at {_PLACE}){behind}")
    marked = re.compile(rf"(.+?) is marked at ({_PLACE}){behind}")
    while found := one.match(words, at) or marked.match(words, at):
        if found.re is one:
            pairs = [pair.split(" at ") for pair in found[2].split(", ")]
            series[found[1]] = {_number(place): _number(value) for value, place in pairs}
        else:
            marks[found[1]] = _number(found[2])
        at = found.end()
    places = sorted({place for values in series.values() for place in values})
    made: dict[str, Any] = {"title": title, "xlabel": "" if xlabel == "x" else xlabel, "note": words[at:]}
    made |= {"ylabel": "" if ylabel == "values" else ylabel, "x": places, "marks": marks}
    made["series"] = {label: [values.get(place, math.nan) for place in places] for label, values in series.items()}
    drawable = 1 <= len(series) <= len(palette.SERIES) and len(places) > 1
    return made if drawable and _same(plot.lines(**made).alt, words) else None


def _same(made: str, words: str) -> bool:
    """Whether words are the same, the spaces within numbers aside."""
    return _THOUSANDS.sub("", made).strip() == _THOUSANDS.sub("", words).strip()


def _number(written: str) -> float:
    """A number of the course's words, seconds where it has a unit of time."""
    unit = re.search(r" ([nµm]?s|min|h)$", written)
    scale = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}[unit[1]] if unit else 1.0
    return float((written[: unit.start()] if unit else written).replace(" ", "")) * scale


def _framed(title: str | None, picture: str, note: str) -> str:
    above = f"<p><strong>{html.escape(title)}</strong></p>" if title else ""
    return above + picture + (f"<p>{html.escape(note)}</p>" if note else "")


def _group(row: Row) -> str:
    """The class that gives a mark its colour; times taken here have that of a learner's own."""
    return f"mark-{'yours' if row.group == 'here' else row.group}"


def _times(rows: list[Row], words: str) -> str:
    """Marks on a common logarithmic axis, each below its name."""
    low, high = _ends([row.seconds for row in rows], True, 0.04, 0.04)
    if math.log10(high / low) < 1.2:
        middle = math.sqrt(low * high)
        low, high = middle / 4, middle * 4
    names = [textwrap.wrap(row.label, int(WIDTH / _SPACED)) for row in rows]
    bottom = sum(_MARK + _NAME * len(lines) for lines in names)
    scale = Scale(low, high, 12, WIDTH - 12, log=True)
    parts = [*_below(scale, 0, bottom, axes.time_ticks(low, high, 5))]
    for row in rows:
        if row.group == "limit":
            parts.append(element("line", x1=scale(row.seconds), x2=scale(row.seconds), y1=0.0, y2=bottom, cls="marked"))
    y = 0.0
    for row, lines in zip(rows, names, strict=True):
        for line in lines:
            parts.append(text(0, y := y + _NAME, line))
        y += _MARK
        said = quantities.seconds(row.seconds) + (f", {row.remark}" if row.remark else "")
        x = scale(row.seconds)
        fits = x + 13 + _SPACED * len(said) < WIDTH
        parts.append(mark(palette.GROUPS[row.group][1], x, y - 4, _group(row), row.doubtful))
        parts.append(text(x + 12 if fits else x - 12, y - 4, said, anchor="start" if fits else "end"))
    return svg(WIDTH, bottom + 26, words, *parts)


def _lines(figure: dict[str, Any], xlog: bool, ylog: bool, words: str) -> str:
    """Lines with their names above them, since they have no room at the ends."""
    x, series, unit = figure["x"], figure["series"], figure["ylabel"]
    numbers = [value for values in series.values() for value in values if value == value]
    xlog, ylog = xlog and min(x) > 0, ylog and min(numbers) > 0
    top = 8 + _NAME * len(series) + (_NAME if unit != "seconds" else 0)
    bottom = top + _FRAME
    low, high = _ends(numbers, ylog, 0.05, 0.05)
    upright = Scale(low, high, bottom, top, ylog)
    if not ylog:
        named = {
            place: quantities.seconds(place) if unit == "seconds" else quantities.number(place)
            for place in even_ticks(low, high, 5)
        }
    elif unit == "seconds":
        named = axes.time_ticks(low, high, 6)
    else:
        named = {place: quantities.plain(place) for place in axes.log_ticks(low, high, 6)}
    left = 12 + LETTER * max(map(len, named.values()))
    across = Scale(*_ends(x, xlog, 0.03, 0.04), left, WIDTH - 8, xlog)
    places = axes.log_ticks(min(x), max(x), 4) if xlog else even_ticks(min(x), max(x), 4)
    write = quantities.plain if xlog else quantities.count_or_number
    parts = [*_below(across, top, bottom, {place: write(place) for place in places})]
    for place, name in named.items():
        parts.append(element("line", x1=left, x2=WIDTH, y1=upright(place), y2=upright(place), cls="grid"))
        parts.append(text(left - 7, upright(place), name, anchor="end"))
    for label, place in figure["marks"].items():
        parts.append(element("line", x1=across(place), x2=across(place), y1=top, y2=bottom, cls="marked"))
        fits = across(place) + 5 + _SPACED * len(label) < WIDTH
        parts.append(text(across(place) + (5 if fits else -5), top + 8, label, anchor="start" if fits else "end"))
    for number, (label, values) in enumerate(series.items()):
        cls = f"series{number}"
        points = [(across(a), upright(b)) if b == b else None for a, b in zip(x, values, strict=True)]
        for run in _runs(points):
            parts.append(element("polyline", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in run), cls=f"line {cls}"))
        parts += [mark(palette.MARKERS[number], *point, cls) for point in points if point]
        parts.append(mark(palette.MARKERS[number], 10, 10 + _NAME * number, cls))
        parts.append(text(24, 10 + _NAME * number, label))
    if unit and unit != "seconds":
        parts.append(text(0, top - _NAME / 2, unit))
    parts.append(text((left + WIDTH) / 2, bottom + 34, figure["xlabel"], anchor="middle"))
    return svg(WIDTH, bottom + 46, words, *parts)


def _below(scale: Scale, top: float, bottom: float, named: dict[float, str]) -> list[str]:
    """The grid and the labels of a horizontal axis; those at the ends stay within the picture, and one without room is left out."""
    parts, taken = [], 0.0
    for place, name in named.items():
        half = _SPACED * len(name) / 2
        middle = min(max(scale(place), half), WIDTH - half)
        parts.append(element("line", x1=scale(place), x2=scale(place), y1=top, y2=bottom, cls="grid"))
        if middle - half >= taken:
            parts.append(text(middle, bottom + 14, name, anchor="middle"))
            taken = middle + half + _APART
    return parts
