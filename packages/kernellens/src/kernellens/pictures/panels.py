"""The pieces that pictures of the lens are put together from: panels of cells, words, controls, all in one style."""

from __future__ import annotations

import html
from functools import cache
from importlib import resources
from typing import Any

from kernellens.plot import axes, palette

WIDTH = 700
SIDE = 330
"""Pixels that a panel is wide at most: two stand beside each other, and one fits a telephone."""
_FRAME, _TALL = 270, 300

COLOURS = {
    "read": palette.SKY,
    "written": palette.ORANGE,
    "both": palette.PURPLE,
    "halo": palette.GREEN,
    "wrong": palette.VERMILLION,
    "none": palette.PAPER,
    "ink": palette.INK,
    "muted": palette.MUTED,
    "faint": palette.FAINT,
}
"""What colours say; all but reads have a sign besides, and what is wrong is a cross."""

CSS = f"""
:host {{ color: {palette.INK}; font-family: {axes.FONT}; font-size: 13px; --color: {palette.INK}; }}
.bk-input, select.bk-input {{ color: {palette.INK}; background-color: {palette.PAPER}; border-color: {palette.MUTED}; }}
select.bk-input {{ appearance: auto !important; background-image: none !important; padding-right: 4px; }}
.bk-input option {{ color: {palette.INK}; background-color: {palette.PAPER}; }}
.bk-btn {{ color: {palette.INK}; background-color: {palette.PAPER}; border-color: {palette.MUTED}; }}
.bk-tab {{ color: {palette.MUTED}; background-color: {palette.PAPER}; border-color: {palette.FAINT}; font-size: 13px; padding: 4px 9px; }}
.bk-tab.bk-active {{ color: {palette.INK}; background-color: {palette.PAPER}; border-color: {palette.MUTED}; font-weight: bold; }}
.bk-clearfix {{ display: block !important; }}
.bk-header {{ border-color: {palette.MUTED}; }}
.bk-slider-title, label {{ color: {palette.INK}; }}
.noUi-target {{ background: {palette.FAINT}; border-color: {palette.MUTED}; }}
"""


def sheet() -> Any:
    """The style of widgets, in colours that a dark page exchanges."""
    from bokeh.models import InlineStyleSheet

    return InlineStyleSheet(css=CSS)


@cache
def script(name: str) -> str:
    """The text of a script of this package, without the comments and the indentation that a notebook need not keep."""
    lines = resources.files("kernellens.pictures").joinpath(name).read_text(encoding="utf-8").splitlines()
    return "".join(f"{line.strip()}\n" for line in lines if line.strip() and not line.lstrip().startswith("//"))


def words(text: str = "", *, size: int = 13, strong: bool = False, colour: str = palette.INK, height: int = 0) -> Any:
    """A line of HTML as wide as the picture."""
    from bokeh.models import Div

    style: dict[str, str | None] = {
        "font-family": axes.FONT,
        "font-size": f"{size}px",
        "line-height": "1.4",
        "color": colour,
    }
    if strong:
        style["font-weight"] = "bold"
    if height:
        style["min-height"] = f"{height}px"
    return Div(text=text, styles=style, sizing_mode="stretch_width", margin=(2, 8, 2, 8), stylesheets=[sheet()])


def legend(whole: bool = False) -> Any:
    """What the colours and patterns mean, in the picture of a block or of the whole launch."""
    entries = [
        (palette.SKY, "", "read"),
        (palette.GREEN, "•", "read, not of the block’s own part (halo)"),
        (palette.ORANGE, "–", "written"),
        (palette.PURPLE, "+", "read and written, or atomic"),
    ]
    if whole:
        entries = [entries[0], entries[2], entries[3]]
    parts = [
        f'<span style="white-space:nowrap;margin-right:12px"><span style="display:inline-block;width:13px;height:13px;'
        f"line-height:12px;text-align:center;vertical-align:-2px;border:1px solid {palette.MUTED};background:{fill};"
        f'font-weight:bold">{"" if whole else sign}</span> {name}</span>'
        for fill, sign, name in entries
    ]
    parts.append(f'<span style="white-space:nowrap"><b style="color:{palette.VERMILLION}">✕</b> wrong</span> ')
    if not whole:
        parts.append('<span style="white-space:nowrap">▢ one thread’s: thin reads, thick writes</span>')
    return words(" ".join(parts), size=12)


class Panel:
    """A plot of square cells, with outlines and crosses over them.

    Parameters
    ----------
    title : str
    rows, columns : int
        The most that it shows.
    wrapped : int
        Items of a row that is part of one dimension; 0 where rows are a dimension.
    plain : bool
        Whether axes say places: they do not where slices stand beside each other.
    labels : tuple of str
        Along x and y.
    """

    def __init__(
        self, title: str, rows: int, columns: int, *, wrapped: int = 0, plain: bool = True, labels: tuple = ("", "")
    ) -> None:
        from bokeh.core.properties import value
        from bokeh.models import BasicTicker, ColumnDataSource, CustomJSTickFormatter, Range1d, Rect, Scatter, Text

        cell = max(1.0, min(22.0, _FRAME / columns, _TALL / rows))
        wide, high = round(cell * columns), round(cell * rows)
        # A title needs its width even over a single cell.
        left, below = (46, 24 + 17 * bool(labels[0])) if plain else (14, 8)
        size = (max(wide, 160) + left + 12, high + 26 + below)
        ends = (size[0] - left - 12) / cell, high / cell
        across, down = Range1d(start=-0.5, end=ends[0] - 0.5), Range1d(start=ends[1] - 0.5, end=-0.5)
        self.plot = axes.canvas(*size, x_range=across, y_range=down)
        plot = self.plot
        plot.frame_align = False
        plot.title.text, plot.title.text_font, plot.title.text_font_size = title, axes.FONT, "13px"
        plot.title.text_color = palette.INK
        plot.grid.visible = False
        plot.outline_line_color = palette.FAINT
        plot.min_border_left, plot.min_border_right, plot.min_border_top, plot.min_border_bottom = left, 12, 26, below
        for axis in plot.axis:
            axis.ticker = BasicTicker(min_interval=1, num_minor_ticks=0, desired_num_ticks=5)
            axis.major_label_text_font_size = axis.axis_label_text_font_size = "11px"
            axis.visible = plain
        plot.xaxis.axis_label, plot.yaxis.axis_label = (label or None for label in labels)
        if wrapped:
            plot.yaxis.formatter = CustomJSTickFormatter(code=f"return tick < 0 ? '' : tick * {wrapped}")
        plot.xaxis.formatter = CustomJSTickFormatter(code="return tick")
        if not wrapped:
            plot.yaxis.formatter = CustomJSTickFormatter(code="return tick")
        self.cells = ColumnDataSource({name: [] for name in ("x", "y", "colour", "strength")})
        self.signs = ColumnDataSource({"x": [], "y": [], "sign": []})
        self.read, self.written, self.wrong = (ColumnDataSource({"x": [], "y": []}) for _ in range(3))
        self.labels = ColumnDataSource({"x": [], "y": [], "text": []})
        small = cell < 6
        # Glyphs by themselves: plot.rect() and its like make three of each, for selections that there are none of here.
        box = {"x": "x", "y": "y", "width": 1, "height": 1}
        edge = {"line_color": palette.FAINT, "line_width": 0 if small else 1}
        plot.add_glyph(self.cells, Rect(**box, **edge, fill_color="colour", fill_alpha="strength"))
        sign = {"marker": "sign", "size": min(7, 0.45 * cell), "line_color": palette.INK, "fill_color": palette.INK}
        plot.add_glyph(self.signs, Scatter(x="x", y="y", **sign), visible=not small)
        for source, width in ((self.read, 2), (self.written, 4)):
            plot.add_glyph(source, Rect(**box, fill_color=None, line_color=palette.INK, line_width=width))
        # On a ground of its own: vermillion on orange is not much to see for all eyes.
        for colour, width in ((palette.PAPER, 7), (palette.VERMILLION, 3)):
            cross = {"marker": "x", "size": max(9, min(16, 0.8 * cell)), "line_width": width, "line_color": colour}
            plot.add_glyph(self.wrong, Scatter(x="x", y="y", **cross))
        font = {
            "text_font": value(axes.FONT),
            "text_font_size": "11px",
            "text_baseline": "top",
            "text_color": palette.INK,
        }
        ground = {"background_fill_color": palette.PAPER, "background_fill_alpha": 0.85}
        plot.add_glyph(self.labels, Text(x="x", y="y", text="text", **font, **ground))

    def models(self) -> dict[str, Any]:
        """What the script needs."""
        return {
            "plot": self.plot,
            "cells": self.cells,
            "signs": self.signs,
            "read": self.read,
            "written": self.written,
            "wrong": self.wrong,
            "labels": self.labels,
        }


def escape(text: str) -> str:
    """Text as HTML shows it."""
    return html.escape(text)


def flow(*children: Any) -> Any:
    """Put panels beside each other, as many as the page is wide enough for."""
    from bokeh.models import Row

    return Row(*children, spacing=8, sizing_mode="stretch_width", styles={"flex-wrap": "wrap", "width": "100%"})


def sheet_of(*children: Any) -> Any:
    """Put pieces under each other on the picture's ground."""
    from bokeh.models import Column

    return Column(
        *children,
        spacing=2,
        sizing_mode="stretch_width",
        max_width=WIDTH,
        styles={"background-color": palette.PAPER, "width": "100%"},
    )
