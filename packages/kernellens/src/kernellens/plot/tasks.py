"""`graph`: the tasks of a Dask collection, and which needs which, from left to right."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

from . import axes, palette
from .figure import NARROW, Figure

WIDTH = 700
MOST = 150
"""Tasks: a picture of more shows nothing."""
_ROW, _TOP, _SIZE = 34, 44, 24
_STEP, _SIDE = 40, 12
"""Pixels between two steps that are below each other, and how many circles are side by side in one there."""


def graph(collection: Any, optimized: bool = False, title: str | None = None, note: str | None = None) -> Figure:
    """Draw the graph of a Dask collection: a circle for each task, a line from each to what needs its result.

    Parameters
    ----------
    collection : Dask array, frame or delayed value
        Or any mapping of keys to Dask's tasks.
    optimized : bool
        Draw what a compute would run, after fusion and culling, instead of what was written.
    title, note : str, optional
        Over and under the figure.

    Returns
    -------
    Figure
        Seven hundred pixels wide. Each column has the names of its tasks over it, each circle its chunk's place in it.

    Raises
    ------
    TypeError
        If there is no graph to draw.
    ValueError
        If it has no task, or more than `MOST`.
    """
    needs = _needs(collection, optimized)
    if not needs:
        raise ValueError("There is no task in this graph.")
    if len(needs) > MOST:
        raise ValueError(
            f"This graph has {len(needs)} tasks; a picture of more than {MOST} shows nothing. Take fewer chunks."
        )
    columns = _columns(needs)
    names = Counter(_name(key) for key in needs)
    said = f"{len(needs)} tasks in {len(columns)} steps, from left to right: " + "; ".join(
        ", ".join(f"{count} {name}" for name, count in Counter(_name(key) for key in column).items())
        for column in columns
    )
    said += f". {sum(map(len, needs.values()))} results are handed on."
    alt = f"{title}. {said}" if title else said
    full = _beside(columns)[1] + axes.words_height(title, 15) + axes.words_height(note, 12)
    draw = lambda narrow: _draw(needs, columns, list(names), narrow, title, note)  # noqa: E731
    said = f"{title}\n{said}" if title else said
    return Figure(lambda: draw(False), alt, said, WIDTH, full, narrow=lambda: draw(True))


def _needs(collection: Any, optimized: bool) -> dict[Hashable, list[Hashable]]:
    """Each task with those it needs; a second name of a task is followed to the task."""
    if optimized and not isinstance(collection, Mapping):
        from dask.base import optimize

        (collection,) = optimize(collection)
    made = getattr(collection, "__dask_graph__", None)
    found: Any = collection if isinstance(collection, Mapping) else made() if callable(made) else None
    if found is None:
        raise TypeError(
            f"graph draws a Dask collection, such as da.ones(4, chunks=2) + 1, not a {type(collection).__name__}."
        )
    from dask.core import get_deps

    written: dict[Any, Any] = dict(found)
    tasks: Any = get_deps(written)[0]
    same = {
        key: next(iter(tasks[key])) for key, task in written.items() if type(task).__name__ == "Alias" and tasks[key]
    }

    def real(key: Hashable) -> Hashable:
        while key in same:
            key = same[key]
        return key

    return {
        key: sorted({real(each) for each in needed if real(each) in tasks}, key=_place)
        for key, needed in tasks.items()
        if key not in same
    }


def _columns(needs: Mapping[Hashable, list[Hashable]]) -> list[list[Hashable]]:
    """The keys by how many steps must come before them, each column in an order in which few lines cross."""
    depth: dict[Hashable, int] = {}
    for start in needs:
        stack = [start]
        while stack:
            key = stack[-1]
            missing = [each for each in needs[key] if each not in depth]
            if missing:
                stack += missing
            else:
                depth[stack.pop()] = 1 + max((depth[each] for each in needs[key]), default=-1)
    columns: list[list[Hashable]] = [[] for _ in range(1 + max(depth.values()))]
    for key, at in depth.items():
        columns[at].append(key)
    height: dict[Hashable, float] = {}
    for column in columns:
        middle = {key: sum(height[n] for n in needs[key]) / len(needs[key]) if needs[key] else 0.0 for key in column}
        column.sort(key=lambda key: (middle[key], _place(key)))
        height |= {key: (number + 0.5) / len(column) for number, key in enumerate(column)}
    return columns


def _name(key: Hashable) -> str:
    from dask.utils import key_split

    return key_split(key)


def _place(key: Hashable) -> tuple[Any, ...]:
    """The chunk of a key: (0, 1) of ("add-1f…", 0, 1); in an order that any two keys have."""
    parts = key[1:] if isinstance(key, tuple) else ()
    return tuple(part if isinstance(part, int) else -1 for part in parts), str(key)


def _draw(
    needs: Mapping[Hashable, list[Hashable]],
    columns: list[list[Hashable]],
    names: list[str],
    narrow: bool,
    title: str | None,
    note: str | None,
) -> Any:
    """The steps go from left to right, each below its names, or, where there is little room, from top to bottom."""
    from bokeh.models import Label, Range1d

    width, height, at, heads = _below(columns) if narrow else _beside(columns)
    across, down = Range1d(start=0, end=width), Range1d(start=height, end=0)
    plot = axes.canvas(width, height, x_range=across, y_range=down, min_border=0, frame_align=False)
    plot.min_border_right = plot.min_border_top = 0
    plot.axis.visible = plot.grid.visible = False
    lines = [(at[needed], at[key]) for key, needed in needs.items() for needed in needed]
    dx, dy = (0, _SIZE / 2) if narrow else (_SIZE / 2, 0)
    plot.segment(
        x0=[a[0] + dx for a, _ in lines],
        y0=[a[1] + dy for a, _ in lines],
        x1=[b[0] - dx for _, b in lines],
        y1=[b[1] - dy for _, b in lines],
        line_color=palette.MUTED,
        line_width=1,
    )
    for name in names:
        number = names.index(name)
        mine = [key for key in needs if _name(key) == name]
        plot.scatter(
            [at[key][0] for key in mine],
            [at[key][1] for key in mine],
            size=_SIZE,
            marker=palette.MARKERS[number % 2],
            fill_color=palette.PAPER,
            line_color=palette.SERIES[number % len(palette.SERIES)],
            line_width=2.5,
        )
    said: dict[str, Any] = {"text_font": axes.FONT, "text_color": palette.INK, "text_baseline": "middle"}
    for key, (x, y) in at.items():
        place = ",".join(str(part) for part in key[1:]) if isinstance(key, tuple) else ""
        if len(place) <= 5:
            plot.add_layout(Label(x=x, y=y, text=place, text_font_size="11px", text_align="center", **said))
    ground = {"background_fill_color": palette.PAPER} if narrow else {}
    for x, y, text in heads:
        align = "left" if narrow else "center"
        plot.add_layout(Label(x=x, y=y, text=text, text_font_size="12px", text_align=align, **ground, **said))
    return axes.framed(plot, title, note)


_Arranged = tuple[int, int, dict[Hashable, tuple[float, float]], list[tuple[float, float, str]]]
"""Pixels across and down, the places of the tasks, and the names with theirs."""


def _beside(columns: list[list[Hashable]]) -> _Arranged:
    height = _TOP + _ROW * max(map(len, columns)) + 14
    step = WIDTH / len(columns)
    at: dict[Hashable, tuple[float, float]] = {}
    heads = []
    for number, column in enumerate(columns):
        middle = step * (number + 0.5)
        room = (height - _TOP - 14) / len(column)
        at |= {key: (middle, _TOP + room * (row + 0.5)) for row, key in enumerate(column)}
        names = list(dict.fromkeys(_name(key) for key in column))
        for row, name in enumerate(names[:2]):
            more = " …" if row == 1 and len(names) > 2 else ""
            heads.append((middle, 10 + 15 * row, _cut(name, step) + more))
    return WIDTH, height, at, heads


def _below(columns: list[list[Hashable]]) -> _Arranged:
    at: dict[Hashable, tuple[float, float]] = {}
    heads = []
    y = 0.0
    for column in columns:
        y += 12
        heads.append((4.0, y, _cut(", ".join(dict.fromkeys(_name(key) for key in column)), NARROW)))
        y += 8
        lines = math.ceil(len(column) / _SIDE)
        side = math.ceil(len(column) / lines)
        for row in range(lines):
            y += _ROW
            keys = column[row * side : (row + 1) * side]
            at |= {key: (NARROW * (place + 0.5) / len(keys), y - _ROW / 2) for place, key in enumerate(keys)}
        y += _STEP - 20
    return NARROW, round(y), at, heads


def _cut(name: str, pixels: float) -> str:
    room = max(6, int(pixels / 7))
    return name if len(name) <= room else name[: room - 1] + "…"
