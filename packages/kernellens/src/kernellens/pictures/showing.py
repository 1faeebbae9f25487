"""`show`: the picture of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernellens import report
from kernellens.plot import palette
from kernellens.plot.figure import Figure

from . import grid_tab, panels, plain, request_tab, script
from .marks import marks
from .positions import WRAP, Window, of_threads
from .positions import whole as whole_of
from .steps import Steps, steps

if TYPE_CHECKING:
    from kernellens.result import Trace

MOST_FINDINGS = 4
"""Findings that are written over a picture; the text has all of them."""
TABS = {"block": "One block", "warp": "One warp’s request", "launch": "The whole launch"}


def show(trace: Trace, tab: str = "block") -> Figure:
    """Draw what a launch did: its threads, the elements they touch, the requests of its warps, and what is wrong.

    In a notebook the picture answers to the pointer: over a thread it outlines what that thread reads and writes, over an
    element it says who touches it; a slider replays the block's barrier intervals.  Printed, it is plain text.

    Parameters
    ----------
    trace : Trace
        As `trace` returns it; what `schedules` returns has a picture of its own, which is shown.
    tab : {"block", "warp", "launch"}
        What is open at first, and on a page without a script for good: what each thread of a block touches, which sectors
        and banks one warp's request takes (first the request that wastes most), or all blocks.

    Returns
    -------
    Figure
        Seven hundred pixels wide at most, narrower where the page is; under 300 kB.

    Raises
    ------
    TypeError
        For anything but a trace.
    ValueError
        For a tab that there is not.
    """
    given: Any = trace
    if hasattr(given, "answers"):
        return given.figure()
    if not hasattr(trace, "log"):
        raise TypeError(
            f"show takes a trace, not {type(trace).__name__}: lens.show(lens.trace(kernel, griddim, blockdim, ...))."
        )
    if tab not in TABS:
        raise ValueError(f"tab is {', '.join(TABS)}: which is to be open at first; not {tab!r}.")
    made: Steps | None = None
    if trace.log is not None and len(trace.log):
        made = steps(trace.log, first=wrong_blocks(trace))
    return Figure(
        lambda: _layout(trace, made, tab),
        plain.alt(trace, made),
        plain.text(trace, made),
        panels.WIDTH,
        640 if made else 120,
        {"kind": "show", "trace": trace},
        narrow=True,
    )


def wrong_blocks(trace: Trace) -> list[int]:
    """Blocks that something is wrong in, linear."""
    x, y, _ = trace.griddim
    worst = sorted(trace.errors, key=lambda finding: finding.severity != "error")
    found = [who.block for finding in worst for who in finding.threads]
    return list(dict.fromkeys(b[0] + x * (b[1] + y * b[2]) for b in found))


def _layout(trace: Trace, made: Steps | None, tab: str) -> Any:
    parts = [panels.words(panels.escape(plain.heading(trace)), size=15, strong=True), _findings(trace)]
    if made is None:
        return panels.sheet_of(*parts)
    return panels.sheet_of(*parts, _tabs(trace, made, tab))


def _tabs(trace: Trace, made: Steps, tab: str) -> Any:
    from bokeh.models import CustomJS, TabPanel, Tabs

    rows, pool, ranges, blocks = script.pack(made)
    data = script.facts(made, marks(made, trace.errors, blocks), ranges, blocks)
    asked, asking = request_tab.tab(trace, made, data)
    block, shown = _block(made, data, blocks)
    models = {**shown, **asking}
    callback = CustomJS(
        args={
            "facts": script.text(data),
            "rows": rows,
            "pool": pool,
            "own": {},
            "colours": panels.COLOURS,
            **{name: model.models() if hasattr(model, "models") else model for name, model in models.items()},
        },
        code="".join(panels.script(name) for name in ("show.js", "requests.js", "events.js")),
    )
    _connect(callback, models)
    children = (block, asked, grid_tab.tab(trace, made, blocks, models["chooser"]))
    tabs = [TabPanel(child=child, title=title) for child, title in zip(children, TABS.values(), strict=True)]
    result = Tabs(tabs=tabs, active=[*TABS].index(tab), sizing_mode="stretch_width", stylesheets=[panels.sheet()])
    models["chooser"].js_on_change(
        "value", CustomJS(args={"tabs": result}, code="if (tabs.active === 2) tabs.active = 0")
    )
    return result


def _connect(callback: Any, models: dict[str, Any]) -> None:
    for name in ("chooser", "slider", "liner", "warper", "turn"):
        models[name].js_on_change("value", callback)
    models["replay"].js_on_event("button_click", callback)
    for plot in (models["threads"].plot, *(panel["plot"] for panel in models["panels"])):
        for event in ("mousemove", "mouseleave", "tap"):
            plot.js_on_event(event, callback)
        # When it has been laid out: only then is known how much room there is.
        plot.js_on_change("inner_width", callback)
    for panel in (models["sectors"], models["banks"]):
        panel.plot.js_on_change("inner_width", callback)


def _findings(trace: Trace) -> Any:
    """What is wrong, in red, each with the line of the source."""
    if not trace.errors:
        return panels.words("Nothing wrong was found.", colour=palette.MUTED)
    lines = []
    for finding in trace.errors[:MOST_FINDINGS]:
        colour, sign = (palette.VERMILLION, "✕") if finding.severity == "error" else (palette.INK, "!")
        first = finding.sentence.split("\n")[0]
        lines.append(
            f'<div style="margin:2px 0"><b style="color:{colour}">{sign} {finding.severity}: {finding.kind}</b> '
            f"{panels.escape(first)}{_source(trace, finding)}</div>"
        )
    left = len(trace.errors) - MOST_FINDINGS
    if left > 0:
        lines.append(f"<div>… and {left} more: print the picture, or the trace, to read all.</div>")
    return panels.words("".join(lines))


def _source(trace: Trace, finding: Any) -> str:
    """The line of the source that a finding is about, as a row of code."""
    if finding.line is None or trace.function is None or finding.function:
        return ""
    try:
        line = trace.function.line(finding.line).strip()
    except (IndexError, AttributeError):
        return ""
    return (
        f'<div style="font-family:monospace;border-left:4px solid {palette.VERMILLION};padding:1px 8px;margin:2px 0 2px 8px;'
        f'overflow-wrap:anywhere"><span style="color:{palette.MUTED}">line {finding.line}</span> {panels.escape(line)}</div>'
    )


def _block(made: Steps, data: dict, blocks: list[int]) -> tuple[Any, dict[str, Any]]:
    """The tab of one block, and its models by the names that the script has for them."""
    from bokeh.models import Button, Select, Slider

    threads = of_threads(made.log.blockdim)
    height, width = threads.rows, threads.columns
    first = panels.Panel(
        f"Threads of the block, {report.dims(made.log.blockdim)}",
        *whole_of(threads).extent,
        wrapped=width if threads.wrapped else 0,
        plain=threads.slices == 1,
        labels=("threadIdx.x", "threadIdx.y" if height > 1 and not threads.wrapped else ""),
    )
    arrays = []
    for number, memory in enumerate(made.memories):
        views = [block["windows"][number] for block in data["blocks"] if block["windows"][number]]
        if not views:
            continue
        most = [max(side) for side in zip(*(_extent(view) for view in views), strict=True)]
        wrapped = len(memory.shape) == 1 and memory.size > WRAP
        panel = panels.Panel(
            plain.memory(memory),
            *most,
            wrapped=max(view[10] for view in views) if wrapped else 0,
            plain=all(view[1] - view[0] == 1 and view[6] == 1 for view in views),
        )
        arrays.append({"array": number, **panel.models()})
    names = [grid_tab.block_name(block, made.log.griddim) for block in blocks]
    chooser = Select(title="Block", value=names[0], options=[*names], width=150, stylesheets=[panels.sheet()])
    intervals = max(made.intervals(block) for block in blocks)
    slider = Slider(
        title="Barrier interval (0: all of them)",
        start=0,
        end=max(intervals, 1),
        value=0,
        step=1,
        width=230,
        visible=intervals > 1,
        stylesheets=[panels.sheet()],
    )
    replay = Button(label="Replay", width=80, visible=intervals > 1, align="end", stylesheets=[panels.sheet()])
    status, details = panels.words(), panels.words(height=56)
    body = panels.sheet_of(
        panels.flow(chooser, slider, replay),
        status,
        panels.flow(first.plot, *(panel["plot"] for panel in arrays)),
        panels.legend(),
        details,
    )
    return body, {
        "threads": first,
        "panels": arrays,
        "chooser": chooser,
        "slider": slider,
        "replay": replay,
        "status": status,
        "details": details,
    }


def _extent(view: list[int]) -> tuple[int, int]:
    """Rows and columns of cells of a window, given as its facts."""
    return Window((view[0], view[1]), (view[2], view[3]), (view[4], view[5]), view[6], view[7]).extent
