"""The picture of a schedule explorer's find: two different answers side by side, and where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernellens import report
from kernellens.plot import axes, palette
from kernellens.plot.figure import Figure

from . import panels

if TYPE_CHECKING:
    from kernellens.ordering import Answer, Difference, Schedules

COLUMNS, ROWS = 8, 16
"""Elements of an array that are shown: enough to see how answers differ, few enough to read their values."""
_HOW = {
    "values": "other values",
    "rounding": "the last digits only: sums whose terms come in another order round differently, which by itself is no race",
    "order": "the same values in other places: as atomics hand them out in the order in which threads come",
}


def verdict(of: Schedules) -> str:
    """What the orders came to, in a sentence or two."""
    if of.agree:
        answer = of.answers[0]
        if answer.fault is not None:
            return f"All {of.tried} orders stop with the same error: {str(answer.fault).splitlines()[0]}"
        said = f"All {of.tried} orders give the same answer. That is no proof: a GPU has many more orders."
        if of.races:
            said += " And the trace finds a race: these orders only did not show it."
        return said
    said = f"{of.tried} orders give {len(of.answers)} different answers."
    if of.differences and all(d.how == "rounding" for d in of.differences):
        return (
            said
            + " They differ in the last digits only: floating-point sums in another order, which by itself is no race."
        )
    if of.differences and all(d.how == "order" for d in of.differences):
        return said + " They hold the same values in other places: the result depends on which thread comes first."
    return said + " A GPU may give any of them, or another: the result depends on which thread comes first."


def pair(of: Schedules) -> tuple[int, int]:
    """The two answers that are shown first: the first order's, and the one that differs from it most."""
    from kernellens.ordering import _arrays, _same

    first = of.answers[0].results

    def apart(answer: Answer) -> int:
        both = zip(_arrays(first), _arrays(answer.results), strict=True)
        return sum(int(np.count_nonzero(~_same(a, b))) for (_, a), (_, b) in both)

    return 0, max(range(len(of.answers)), key=lambda k: apart(of.answers[k]))


def text(of: Schedules) -> str:
    """The find as plain text: the verdict, then two answers side by side."""
    parts = [report.launched(of), verdict(of)]
    for difference in of.differences:
        parts += ["", *_table(of, difference)]
    for answer in of.answers:
        if answer.fault is not None and not of.agree:
            parts += ["", f"{_name(answer)} stops: {str(answer.fault).splitlines()[0]}"]
    if not of.agree:
        parts += [""] + [f"{_name(answer)} ({_times(answer)}): {answer.order.sentence}." for answer in of.answers]
    parts += [f"{f.severity}: race in line {f.line}: {f.sentence.splitlines()[0]}" for f in of.races[:3]]
    return "\n".join(parts)


def _name(answer: Answer) -> str:
    return f"order {answer.order.seed}"


def _times(answer: Answer) -> str:
    return f"{answer.orders} order{'s' if answer.orders > 1 else ''} like it"


def _value(item: Any) -> str:
    if isinstance(item, (np.floating, np.complexfloating)):
        return f"{item:.9g}"
    return str(item)


def _array(of: Schedules, difference: Difference, answer: Answer) -> np.ndarray:
    value = answer.results[difference.position]
    if isinstance(value, tuple):  # the first array of that tuple that has the shape
        value = next(v for v in value if isinstance(v, np.ndarray) and v.ndim == difference.indices.shape[1])
    return value


def _table(of: Schedules, difference: Difference) -> list[str]:
    """Elements that differ, one a line, as two answers have them."""
    left, right = (of.answers[k] for k in pair(of))
    a, b = (_array(of, difference, answer) for answer in (left, right))
    count = report.count(len(difference.indices))
    lines = [f"{difference.name}: {count} of {report.count(a.size)} elements differ ({_HOW[difference.how]})"]
    lines.append(f"  {'':<14} {_name(left):>14}  {_name(right):>14}")
    for index in difference.indices[:10]:
        at = tuple(int(i) for i in index)
        name = f"{difference.name}[{', '.join(map(str, at))}]"
        lines.append(f"  {name:<14} {_value(a[at]):>14}  {_value(b[at]):>14}")
    if len(difference.indices) > 10:
        lines.append(f"  … and {report.count(len(difference.indices) - 10)} more")
    return lines


def figure(of: Schedules) -> Figure:
    """Return the picture."""
    said = text(of)
    alt = f"{of.kernel}. {verdict(of)} " + " ".join(
        f"{d.name} differs in {len(d.indices)} elements, first at {tuple(int(i) for i in d.indices[0])}."
        for d in of.differences
    )
    height = 120 if of.agree else 420
    return Figure(lambda: _layout(of), alt.strip(), said, panels.WIDTH, height, narrow=True)


def _layout(of: Schedules) -> Any:
    head = f"{report.launched(of)}, in {of.tried} orders"
    colour = palette.INK if of.agree else palette.VERMILLION
    parts = [panels.words(panels.escape(head), size=15, strong=True)]
    parts.append(
        panels.words(f'<span style="color:{colour}">{"" if of.agree else "✕ "}</span>{panels.escape(verdict(of))}')
    )
    parts += [
        panels.words(
            f'<b style="color:{palette.VERMILLION}">race in line {f.line}</b> {panels.escape(f.sentence.splitlines()[0])}'
        )
        for f in of.races[:2]
    ]
    if of.differences:
        parts += _sides(of)
    return panels.sheet_of(*parts)


def _sides(of: Schedules) -> list[Any]:
    from bokeh.models import CustomJS, Select

    names = [f"{_name(answer)}: {_times(answer)}" for answer in of.answers]
    entries = [_entry(of, difference) for difference in of.differences]
    chosen = pair(of)
    sheets: dict[str, Any] = {"stylesheets": [panels.sheet()]}
    array = Select(title="Array", value=entries[0]["name"], options=[e["name"] for e in entries], width=160, **sheets)
    sides, selects, orders = [], [], []
    for k, title in zip(chosen, ("One answer", "Another"), strict=True):
        selects.append(Select(title=title, value=names[k], options=[*names], width=200, **sheets))
        sides.append(_Side(max(e["rows"] for e in entries), max(e["columns"] for e in entries)))
        orders.append(panels.words(size=12, colour=palette.MUTED))
    note = panels.words()
    callback = CustomJS(
        args={
            "entries": entries,
            "names": names,
            "sentences": [answer.order.sentence for answer in of.answers],
            "array": array,
            "selects": selects,
            "sides": [side.models() for side in sides],
            "orders": orders,
            "note": note,
            "colours": [palette.SKY, palette.ORANGE],
            "none": palette.PAPER,
            "ink": palette.INK,
        },
        code=panels.script("answers.js"),
    )
    for widget in (array, *selects):
        widget.js_on_change("value", callback)
    for side in sides:
        side.plot.js_on_change("inner_width", callback)
    first = [array] if len(entries) > 1 else []
    halves = [_half(*half) for half in zip(selects, sides, orders, strict=True)]
    return [*([panels.flow(*first)] if first else []), panels.flow(*halves), note]


def _half(select: Any, side: _Side, order: Any) -> Any:
    from bokeh.models import Column

    return Column(select, side.plot, order, width=max(panels.SIDE, side.plot.width), spacing=2)


def _entry(of: Schedules, difference: Difference) -> dict[str, Any]:
    """What the script needs of an array: some elements around the first that differ, as each answer has them."""
    arrays = [_array(of, difference, answer) for answer in of.answers]
    shape = arrays[0].shape
    first = difference.indices[0]
    if len(shape) <= 1:
        size = arrays[0].size
        start = max(0, (int(first[0]) if len(first) else 0) // COLUMNS * COLUMNS - COLUMNS)
        items = list(range(start, min(size, start + ROWS * COLUMNS)))
        places = [((i - start) // COLUMNS, (i - start) % COLUMNS, (i,) if shape else ()) for i in items]
    else:
        row, column = (max(0, int(first[k]) - 2) for k in (-2, -1))
        rest = tuple(int(i) for i in first[:-2])
        places = [
            (y - row, x - column, (*rest, y, x))
            for y in range(row, min(shape[-2], row + ROWS))
            for x in range(column, min(shape[-1], column + COLUMNS))
        ]
    return {
        "name": difference.name,
        "rows": max(p[0] for p in places) + 1,
        "columns": max(p[1] for p in places) + 1,
        "y": [p[0] for p in places],
        "x": [p[1] for p in places],
        "index": [f"{difference.name}[{', '.join(map(str, p[2]))}]" for p in places],
        "values": [[_value(array[p[2]]) for p in places] for array in arrays],
        "note": f"{difference.name}: {report.count(len(difference.indices))} of {report.count(arrays[0].size)} elements "
        f"differ between orders: {_HOW[difference.how]}."
        + (f" The first {len(places)} around them are shown." if len(places) < arrays[0].size else ""),
    }


class _Side:
    """One answer's values in cells."""

    def __init__(self, rows: int, columns: int) -> None:
        from bokeh.core.properties import value
        from bokeh.models import ColumnDataSource, HoverTool, Range1d

        wide, high = 40 * columns, 24 * rows
        self.plot = axes.canvas(
            *(wide + 14, high + 14),
            x_range=Range1d(start=-0.5, end=columns - 0.5),
            y_range=Range1d(start=rows - 0.5, end=-0.5),
        )
        plot = self.plot
        plot.min_border_left = plot.min_border_right = plot.min_border_top = plot.min_border_bottom = 7
        plot.axis.visible = plot.grid.visible = False
        plot.frame_align = False
        self.cells = ColumnDataSource(
            {name: [] for name in ("x", "y", "value", "shown", "index", "colour", "style", "ink")}
        )
        cells = plot.rect("x", "y", 1, 1, source=self.cells, fill_color="colour", line_color=palette.FAINT)
        plot.text(
            *("x", "y", "shown"),
            source=self.cells,
            text_font=value(axes.FONT),
            text_font_size="11px",
            text_font_style="style",
            text_align="center",
            text_baseline="middle",
            text_color="ink",
        )
        plot.add_tools(HoverTool(renderers=[cells], tooltips="@index = @value"))

    def models(self) -> dict[str, Any]:
        """What the script needs."""
        return {"plot": self.plot, "cells": self.cells}
