"""`report`: the page that Dask's `performance_report` writes, as a figure of the notebook."""

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path
from typing import Any

from . import axes
from .figure import NARROW, Figure

WIDTH, HEIGHT = 700, 460
_DATA = re.compile(r'<script type="application/json"[^>]*>(.*?)</script>', re.DOTALL)
_OPEN = "Task Stream"


def report(file: str | os.PathLike[str]) -> Figure:
    """Show a performance report of Dask's where it was made: its tabs, live in the lab, a picture where no script runs.

    The page that `distributed.performance_report` writes is a Bokeh document. Here the document is taken out of the page, so
    that a notebook needs neither the page's own BokehJS (8 MB, or the network) nor the file.

    Parameters
    ----------
    file : path
        What `performance_report(filename=…)` wrote.

    Returns
    -------
    Figure
        Seven hundred pixels wide, with the task stream in front. Its words are those of the report's summary.

    Raises
    ------
    ValueError
        If the file holds no such report.
    """
    found = _DATA.search(Path(file).read_text(encoding="utf-8"))
    try:
        documents = json.loads(found[1]) if found else {}
    except ValueError:
        documents = {}
    if len(documents) != 1:
        raise ValueError(f"{Path(file).name} is no report as performance_report writes it.")
    (data,) = documents.values()
    summary = _summary(data)
    if summary is None:
        raise ValueError(f"{Path(file).name} has no summary: it is no report as performance_report writes it.")
    duration = re.search(r"Duration: (.+?)\s*$", summary, re.MULTILINE)
    text = f"Dask performance report, {duration[1]}" if duration else "Dask performance report"
    alt = f"Dask's performance report with its tabs, the task stream in front. {_one_line(summary)}"
    draw = lambda width: _layout(data, _one_line(summary), width)  # noqa: E731
    return Figure(lambda: draw(WIDTH), alt, text, WIDTH, HEIGHT + 60, chart=False, narrow=lambda: draw(NARROW))


def _layout(data: Any, said: str, width: int) -> Any:
    from bokeh.document import Document
    from bokeh.models import TimedeltaTickFormatter

    document = Document.from_json(data)
    tabs: Any = document.roots[0]
    document.clear()  # a model can be embedded only where no document owns it
    for formatter in tabs.select({"type": TimedeltaTickFormatter}):
        formatter.context = None  # the days since 1970, which tell nobody anything
    tabs.sizing_mode, tabs.width, tabs.height = "fixed", width, HEIGHT
    named = [tab.title for tab in tabs.tabs]
    tabs.active = named.index(_OPEN) if _OPEN in named else 0
    return axes.framed(tabs, "Dask Performance Report", said.partition("; Address")[0])


def _summary(data: dict[str, Any]) -> str | None:
    """The text of the report's first tab, without its tags."""
    texts: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            inner = value.get("text")
            if isinstance(inner, str) and "Performance Report" in inner:
                texts.append(inner)
            for each in value.values():
                walk(each)
        elif isinstance(value, list):
            for each in value:
                walk(each)

    walk(data)
    return re.sub(r"<[^>]+>", "", html.unescape(texts[0])) if texts else None


def _one_line(summary: str) -> str:
    said = [line.strip() for line in summary.partition("Calling Code")[0].splitlines()]
    return "; ".join(line for line in said if ":" in line) + "."
