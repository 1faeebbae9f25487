"""Recorded runs of clusters, replayed in the Dask panel: a page of the scheduler's dashboard for each, beside those of the run that goes on.

A run is what `hundredfold record` keeps in `recordings/panels/` (`record.panel`). Without one there is no page. HUNDREDFOLD_PANELS names
a folder with more of them, such as one's own.
"""

from __future__ import annotations

import functools
import html
import importlib
import itertools
import json
import logging
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hundredfold import paths

FOLDER = "HUNDREDFOLD_PANELS"
_DASHBOARD = "distributed.dashboard.scheduler"
_STEP = 50  # ms between two pictures of a replay


def files() -> list[Path]:
    """The recorded runs that are to be had, in the order of their names."""
    folders = [paths.data_dir("recordings") / "panels"]
    if os.environ.get(FOLDER):
        folders.append(Path(os.environ[FOLDER]))
    return [file for folder in folders for file in sorted(folder.glob("*.json")) if file.name != "schema.json"]


def offer(load: bool = False) -> None:
    """Give the dashboards of this process' next clusters a page for each recorded run; nothing is imported where there is none.

    The Dask panel lists whatever page begins with "individual-". With `load` Dask's dashboard is imported for it, else it has to be there.
    """
    found = files()
    if load and found:
        importlib.import_module(_DASHBOARD)
    dashboard = sys.modules.get(_DASHBOARD)
    if dashboard is None:
        return
    taken: set[str] = set()
    for file in found:
        try:
            run = _read(str(file), file.stat().st_mtime_ns)
        except (OSError, ValueError, RecursionError) as error:
            logging.getLogger("hundredfold").warning("%s is no recorded run, and is not replayed: %s", file, error)
            continue
        name = next(each for each in _names(run) if each not in taken)
        taken.add(name)
        dashboard.applications.setdefault(f"/individual-{name}", functools.partial(_page, run))


def watch() -> None:
    """Offer them to each cluster of this process, when it serves its first page."""
    from gpusim.importing import local_cluster

    if offer not in local_cluster.BEFORE_PAGES:
        local_cluster.BEFORE_PAGES.append(offer)


@functools.cache
def _read(file: str, _changed: int) -> dict[str, Any]:
    from hundredfold.toolkit.record import panel

    run = json.loads(Path(file).read_text(encoding="utf-8"))
    panel.check(run)
    return run


def _names(run: dict[str, Any]) -> Iterator[str]:
    """What its page is called, as short as a button of the panel is wide; and further names, where another run of that day has it."""
    machine = run["machine"]
    where = machine.get("gpu") or f"{len(run['workers'])} GPUs"
    name = re.sub(r"[^a-z0-9]+", "-", f"{run['kind']} {where} {run['source']['date']}".lower()).strip("-")
    yield name
    yield from (f"{name}-{number}" for number in itertools.count(2))


def label(run: dict[str, Any]) -> str:
    """What it is, where and when, in a sentence or two."""
    machine = run["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine.get("versions", {}).items())
    said = f"{run['title']}, {run['source']['date']}, {len(run['workers'])} workers: {run['workload']['what']}; {run['seconds']:.3g} s"
    if run["kind"] == "simulated":
        said += ". Simulated: these times are a CPU's and say nothing of a GPU"
    return f"{said}. {versions}." if versions else f"{said}."


def _page(run: dict[str, Any], scheduler: Any, extra: Any, doc: Any) -> None:  # as Dask calls it
    doc.add_root(layout(run))
    doc.title = f"Hundredfold: {run['title']}"


def layout(run: dict[str, Any]) -> Any:
    """The task stream over the memory of each worker, on one axis of time, with a button that plays both as they went."""
    from bokeh.layouts import column, row
    from bokeh.models import BoxAnnotation, Button, CustomJS, Div, Range1d, Slider

    end = max(run["seconds"], max(task[4] + task[5] for task in run["tasks"]) / 1e6)
    across = Range1d(0, end, bounds=(0, end))
    # What lies after the moment that is shown is covered.
    covers = [
        BoxAnnotation(left=end, fill_color="#ffffff", fill_alpha=1.0, line_alpha=0.0, level="overlay") for _ in "ab"
    ]
    plots = [_stream(run, across, covers[0]), _memory(run, across, covers[1])]
    slider = Slider(
        start=0, end=end, step=end / 500, value=end, title="second", format="0.00", sizing_mode="stretch_width"
    )
    slider.js_on_change(
        "value", CustomJS(args={"covers": covers}, code="for (const each of covers) each.left = cb_obj.value")
    )
    button = Button(label="Play", width=90)
    code = """
        if (window.hundredfoldReplay) { clearInterval(window.hundredfoldReplay); window.hundredfoldReplay = null; button.label = "Play"; return }
        if (slider.value >= slider.end) slider.value = 0
        const from = performance.now() - 1000 * slider.value
        button.label = "Stop"
        window.hundredfoldReplay = setInterval(() => {
            slider.value = Math.min(slider.end, (performance.now() - from) / 1000)
            if (slider.value < slider.end) return
            clearInterval(window.hundredfoldReplay); window.hundredfoldReplay = null; button.label = "Play"
        }, step)"""
    button.js_on_click(CustomJS(args={"slider": slider, "button": button, "step": _STEP}, code=code))
    words = Div(
        text=html.escape(label(run)), sizing_mode="stretch_width", styles={"font": "13px Helvetica, Arial, sans-serif"}
    )
    return column(
        words, row(button, slider, sizing_mode="stretch_width"), *plots, sizing_mode="stretch_both", name="replay"
    )


def _figure(title: str, across: Any, **more: Any) -> Any:
    from bokeh.plotting import figure

    plot = figure(title=title, x_range=across, tools="xwheel_zoom,xpan,reset", sizing_mode="stretch_both", **more)
    plot.toolbar.logo = None
    plot.xaxis.axis_label = "seconds"
    plot.grid.grid_line_alpha = 0.4
    return plot


def _stream(run: dict[str, Any], across: Any, cover: Any) -> Any:
    """Dask's own colours and names for what a thread did."""
    from bokeh.models import ColumnDataSource, HoverTool
    from distributed.diagnostics.progress_stream import color_of
    from distributed.diagnostics.task_stream import alphas, colors, prefix

    lanes = [f"{worker['name']}.{thread}" for worker in run["workers"] for thread in range(worker["threads"])]
    first = [sum(worker["threads"] for worker in run["workers"][:place]) for place in range(len(run["workers"]))]
    found: dict[str, list[Any]] = {name: [] for name in ("lane", "left", "right", "name", "color", "alpha", "took")}
    for worker, thread, function, action, start, took in run["tasks"]:
        did, name = run["actions"][action], run["functions"][function]
        found["lane"].append(lanes[first[worker] + thread])
        found["left"].append(start / 1e6)
        found["right"].append((start + took) / 1e6)
        found["name"].append(prefix[did] + name)
        found["color"].append(color_of(name) if did == "compute" else colors[did])
        found["alpha"].append(alphas[did])
        found["took"].append(f"{took / 1e3:.3g} ms")
    plot = _figure("Task Stream", across, y_range=lanes[::-1])
    plot.hbar(
        y="lane", left="left", right="right", height=0.8, fill_color="color", line_color="color", fill_alpha="alpha",
        line_alpha=0.6, source=ColumnDataSource(found), name="tasks",
    )  # fmt: skip
    plot.add_tools(HoverTool(tooltips=[("", "@name"), ("", "@took")]))
    plot.yaxis.axis_label = "worker.thread"
    plot.add_layout(cover)
    return plot


def _memory(run: dict[str, Any], across: Any, cover: Any) -> Any:
    """The device's memory of each worker where it is known, else its main memory."""
    from kernellens.plot import palette

    device = all("device" in each for each in run["memory"])
    plot = _figure("Memory that arrays on the GPUs hold" if device else "Main memory in use", across)
    for place, each in enumerate(run["memory"]):
        at, sizes = ([value / 1e6 for value in each[name]] for name in ("at", "device" if device else "host"))
        name = f"worker {run['workers'][place]['name']}"
        plot.step(
            at, sizes, mode="after", line_width=2, color=palette.SERIES[place % len(palette.SERIES)], legend_label=name
        )
    plot.y_range.start = 0
    plot.yaxis.axis_label = "MB"
    plot.legend.location, plot.legend.orientation = "top_left", "horizontal"
    plot.legend.background_fill_alpha = 0.6
    plot.add_layout(cover)
    return plot
