"""`graph`: the tasks of a Dask collection, and which needs which, from left to right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

from . import axes, palette
from .figure import Figure

WIDTH = 700
MOST = 150
"""Tasks: a picture of more shows nothing."""
_ROW, _TOP, _SIZE = 34, 44, 24


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
    rows = max(len(column) for column in columns)
    height = _TOP + _ROW * rows + 14
    full = height + axes.words_height(title, 15) + axes.words_height(note, 12)
    draw = lambda: _draw(needs, columns, list(names), height, title, note)  # noqa: E731
    return Figure(draw, alt, f"{title}\n{said}" if title else said, WIDTH, full)


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
    height: int,
    title: str | None,
    note: str | None,
) -> Any:
    from bokeh.models import Label, Range1d

    across, down = Range1d(start=0, end=WIDTH), Range1d(start=height, end=0)
    plot = axes.canvas(WIDTH, height, x_range=across, y_range=down, min_border=0, frame_align=False)
    plot.min_border_right = plot.min_border_top = 0
    plot.axis.visible = plot.grid.visible = False
    step = WIDTH / len(columns)
    at: dict[Hashable, tuple[float, float]] = {}
    for number, column in enumerate(columns):
        room = (height - _TOP - 14) / len(column)
        for row, key in enumerate(column):
            at[key] = (step * (number + 0.5), _TOP + room * (row + 0.5))
    lines = [(at[needed], at[key]) for key, needed in needs.items() for needed in needed]
    plot.segment(
        x0=[a[0] + _SIZE / 2 for a, _ in lines],
        y0=[a[1] for a, _ in lines],
        x1=[b[0] - _SIZE / 2 for _, b in lines],
        y1=[b[1] for _, b in lines],
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
    said: dict[str, Any] = {
        "text_font": axes.FONT,
        "text_color": palette.INK,
        "text_align": "center",
        "text_baseline": "middle",
    }
    for key, (x, y) in at.items():
        place = ",".join(str(part) for part in key[1:]) if isinstance(key, tuple) else ""
        if len(place) <= 5:
            plot.add_layout(Label(x=x, y=y, text=place, text_font_size="10px", **said))
    for number, column in enumerate(columns):
        heads = list(dict.fromkeys(_name(key) for key in column))
        room = max(6, int(step / 7))
        for row, head in enumerate(heads[:2]):
            more = row == 1 and len(heads) > 2
            text = head if len(head) <= room else head[: room - 1] + "…"
            plot.add_layout(
                Label(
                    x=step * (number + 0.5),
                    y=10 + 15 * row,
                    text=text + (" …" if more else ""),
                    text_font_size="12px",
                    **said,
                )
            )
    return axes.framed(plot, title, note)
