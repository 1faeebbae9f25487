"""The tab with all of a launch: its grid of blocks, and what has been done to each part of each array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.kernels.sanitizer.log import ATOMIC, READ, WRITE, Log
from kernellens import report
from kernellens.plot import axes, palette

from . import panels, plain
from .positions import Window, grid, of_threads
from .steps import Steps, _flat, memories

if TYPE_CHECKING:
    from kernellens.result import Trace

SIDE = 128
"""Rows and columns of the picture of an array: where there are more, a dot stands for several elements."""
MOST = 3
"""Arrays that are drawn."""
EXACT = 1 << 26
"""Elements of an array up to which it is counted how many were read and written."""


def tab(trace: Trace, made: Steps, blocks: list[int], chooser: Any) -> Any:
    """Return the tab; a click on a block chooses it in the other tabs."""
    from bokeh.models import CustomJS

    gridded = _grid(trace, made, blocks)
    tap = CustomJS(
        args={"chooser": chooser, "cells": gridded.cells},
        code="""
        const {x, y, name} = cells.data, column = Math.round(cb_obj.x), row = Math.round(cb_obj.y);
        for (let k = 0; k < x.length; k++) if (x[k] === column && y[k] === row && name[k]) chooser.value = name[k];
        """,
    )
    gridded.plot.js_on_event("tap", tap)
    drawn, said = [], []
    for memory, flags, counts in touched(made.log):
        if counts is not None:
            read, written = counts
            of = report.count(memory.size)
            said.append(
                f"{panels.escape(memory.name)}: {report.count(read)} of {of} elements read, "
                f"{report.count(written)} written"
            )
        if len(drawn) < MOST:
            drawn.append(_array(plain.memory(memory), flags))
    note = _note(trace, len(blocks))
    return panels.sheet_of(
        panels.words(note),
        panels.flow(gridded.plot, *drawn),
        panels.words(". ".join(said) + "." if said else ""),
        panels.legend(whole=True),
    )


def _note(trace: Trace, shown: int) -> str:
    total = int(np.prod(trace.griddim))
    count = report.count
    if trace.blocks < total:
        said = f"{count(trace.blocks)} of {count(total)} blocks were traced; what the others do is not shown."
    else:
        said = f"All {count(total)} blocks." if total > 1 else "One block."
    outside = any(finding.kind == "out-of-bounds" for finding in trace.errors)
    if outside and trace.log is not None and not len(trace.log.outside):
        said += " The run here ended with the error: what would have come after it is missing."
    if 1 < shown:
        said += " A click on a coloured block shows it."
    if shown < trace.blocks:
        said += f" {count(trace.blocks - shown)} grey ones are more than this picture holds."
    return said


def _grid(trace: Trace, made: Steps, blocks: list[int]) -> panels.Panel:
    """The grid: which blocks were traced, which can be looked at, and where something is wrong."""
    arranged = of_threads(trace.griddim)
    step = max(1, -(-arranged.rows // 40), -(-arranged.columns // 40))
    # More slices than anybody looks at are left out.
    view = Window((0, min(arranged.slices, 16)), (0, arranged.rows), (0, arranged.columns), step, step)
    panel = panels.Panel(
        f"Grid, {report.dims(trace.griddim)} blocks" + (f" ({step} × {step} a cell)" if step > 1 else ""),
        *view.extent,
        wrapped=arranged.columns if arranged.wrapped and step == 1 else 0,
        plain=arranged.slices == 1 and step == 1,
        labels=("blockIdx.x", "blockIdx.y" if arranged.rows > 1 and not arranged.wrapped else ""),
    )
    cells: dict[tuple[int, int], tuple[int, str]] = {}
    total = int(np.prod(trace.griddim, dtype=np.int64))
    linear = np.arange(total) if total <= 1 << 16 else made.log.blocks
    if total > 1 << 16:  # an empty field for all of them, then those that were traced
        high, wide = view.extent
        cells = {(row, column): (0, "") for row in range(high) for column in range(wide)}
    rows, columns, there = _at(view, arranged, linear)
    traced, named = np.isin(linear, made.log.blocks), {block: k for k, block in enumerate(blocks)}
    for block, row, column, inside, looked in zip(
        linear.tolist(), rows.tolist(), columns.tolist(), there.tolist(), traced.tolist(), strict=True
    ):
        if not inside:
            continue
        rank, name = 2 if block in named else int(looked), ""
        if block in named:
            name = block_name(block, trace.griddim)
        cells[row, column] = max(cells.get((row, column), (0, "")), (rank, name))
    fill = (palette.PAPER, palette.FAINT, palette.SKY)
    panel.cells.data = {
        "x": [column for _, column in cells],
        "y": [row for row, _ in cells],
        "colour": [fill[rank] for rank, _ in cells.values()],
        "strength": [1] * len(cells),
        "name": [name for _, name in cells.values()],
    }
    x, y, _ = trace.griddim
    wrong = {w.block for f in trace.errors if f.severity == "error" for w in f.threads}
    ids = np.array([b[0] + x * (b[1] + y * b[2]) for b in wrong], np.int64)
    rows, columns, there = _at(view, arranged, ids)
    panel.wrong.data = {"x": columns[there].tolist(), "y": rows[there].tolist()}
    return panel


def block_name(block: int, griddim: tuple[int, int, int]) -> str:
    """A block as the list of them has it."""
    x, y, _ = griddim
    return f"block {plain.triple((block % x, block // x % y, block // (x * y)), griddim)}"


def _at(view: Window, arranged: Any, items: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row and column in a picture of items, and whether they are in it."""
    slice_, row, column = arranged.split(items)
    high, wide = (n + 1 for n in view.cells)
    row = (slice_ // view.across) * high + row // view.down
    column = slice_ % view.across * wide + column // view.right
    return row, column, slice_ < view.slices[1]


def touched(log: Log) -> list[tuple[Any, np.ndarray, tuple[int, int] | None]]:
    """What a launch did to each array in global memory.

    Returns
    -------
    list of (Memory, numpy.ndarray, (int, int) or None)
        The array; a picture of it, uint8: 0 not touched, 1 read, 2 written, 3 both, 4 no element; how many elements were
        read and written, where they were counted.
    """

    known, which = memories(log)
    kinds = log.kinds
    views: dict[int, tuple[Any, Window]] = {}
    pictures: dict[int, np.ndarray] = {}
    exact: dict[int, np.ndarray] = {}
    for number, memory in enumerate(known):
        if memory.space != "global" or not memory.size:
            continue
        arranged = grid(memory.shape)
        if arranged.wrapped:  # rows as long as the picture is wide
            columns = 32 if memory.size <= 32 * SIDE else SIDE * -(-memory.size // SIDE**2)
            arranged = type(arranged)(1, -(-memory.size // columns), columns, memory.size, True)
        step = 1
        while True:
            view = Window((0, min(arranged.slices, 16)), (0, arranged.rows), (0, arranged.columns), step, step)
            if max(view.extent) <= SIDE:
                break
            step += max(1, (max(view.extent) - SIDE) // SIDE * step)
        views[number] = (arranged, view)
        pictures[number] = np.zeros(view.extent, np.uint8)
        if memory.size <= EXACT:
            exact[number] = np.zeros(memory.size, np.uint8)
    for _, records in log.pieces():
        kind = kinds[records["site"]]
        array = which[np.minimum(records["array"], len(which) - 1)]
        for number in views:
            for bit, wanted in ((1, (READ,)), (2, (WRITE,)), (3, (ATOMIC,))):
                mine = (array == number) & np.isin(kind, wanted) & (records["array"] < len(log.arrays))
                if not mine.any():
                    continue
                elements = _flat(log, known, records[mine], array[mine])
                if number in exact:
                    exact[number][elements] |= bit
                else:
                    _mark(pictures[number], *views[number], elements, bit)
    found = []
    for number, (arranged, view) in views.items():
        counts = None
        if number in exact:
            flags = exact[number]
            if not flags.any():
                continue
            counts = (int(np.count_nonzero(flags & 1)), int(np.count_nonzero(flags & 2)))
            for bit in (1, 2):
                _mark(pictures[number], arranged, view, np.flatnonzero(flags & bit), bit)
        picture = pictures[number]
        if view.slices[1] - view.slices[0] > 1:
            every = np.zeros(picture.shape, bool)
            high, wide = view.cells
            for z in range(*view.slices):
                top, left = z // view.across * (high + 1), z % view.across * (wide + 1)
                every[top : top + high, left : left + wide] = True
            picture[~every] = 4
        found.append((known[number], picture, counts))
    return found


def _mark(picture: np.ndarray, arranged: Any, view: Window, elements: np.ndarray, bit: int) -> None:
    rows, columns, there = _at(view, arranged, elements)
    seen = np.zeros(picture.shape, bool)
    seen[rows[there], columns[there]] = True
    picture |= seen.astype(np.uint8) * np.uint8(bit)


def _array(title: str, picture: np.ndarray) -> Any:
    from bokeh.models import LinearColorMapper, Range1d

    rows, columns = picture.shape
    cell = min(12.0, 270 / columns, 270 / rows)
    wide, high = max(160, round(cell * columns)), max(12, round(cell * rows))
    side = max(columns / wide, rows / high)
    plot = axes.canvas(
        *(wide + 24, high + 38),
        x_range=Range1d(start=0, end=side * wide),
        y_range=Range1d(start=side * high, end=0),
        frame_align=False,
    )
    plot.frame_width, plot.frame_height = wide, high
    plot.title.text, plot.title.text_font, plot.title.text_font_size = title, axes.FONT, "13px"
    plot.title.text_color = palette.INK
    plot.axis.visible = plot.grid.visible = False
    plot.outline_line_color = palette.FAINT
    colours = [palette.PAPER, palette.SKY, palette.ORANGE, palette.PURPLE, palette.FAINT]
    mapper = LinearColorMapper(palette=colours, low=0, high=4)
    plot.image([picture], x=0, y=0, dw=columns, dh=rows, color_mapper=mapper)
    return plot
