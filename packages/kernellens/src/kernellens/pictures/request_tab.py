"""The tab with one warp's request: which sectors of global memory it moves, which banks of shared memory it asks."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from kernellens.plot import axes, palette, quantities

from . import panels
from .steps import Steps

if TYPE_CHECKING:
    from kernellens.result import Trace
    from kernellens.traffic import Traffic


def tab(trace: Trace, made: Steps, data: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the tab, and its models by the names that the script has for them."""
    from bokeh.models import Select, Slider

    sheets: dict[str, Any] = {"stylesheets": [panels.sheet()]}
    sites = _sites(made)
    worst = _worst(trace, made, sites)
    liner = Select(title="Access", value=worst, options=[(str(s), _name(made, s)) for s in sites], width=300, **sheets)
    warps = -(-made.log.threads_per_block // 32)
    warper = Slider(title="Warp", start=0, end=max(1, warps - 1), value=0, step=1, width=150, **sheets)
    turn = Slider(title="Time", start=1, end=2, value=1, step=1, width=150, visible=False, **sheets)
    sectors, banks = _Sectors(), _Banks()
    request = panels.words()
    parts = [panels.flow(liner, warper, turn), request, sectors.plot, banks.plot]
    bars = _bars(trace)
    if bars is not None:
        parts += [panels.words("Bytes that all requests of the launch move, by line of the source", strong=True), bars]
    return panels.sheet_of(*parts), {
        "liner": liner,
        "warper": warper,
        "turn": turn,
        "sectors": sectors,
        "banks": banks,
        "request": request,
    }


def _sites(made: Steps) -> list[int]:
    """The places of the source that touch global or shared memory, in its order."""
    used = {step.site for block in made.blocks for step in made.of[block] if made.memories[step.array].space != "local"}
    return sorted(used, key=lambda s: (made.log.sites[s].function != made.log.kernel, *made.log.sites[s][:2], s))


def _name(made: Steps, site: int) -> str:
    place = made.log.sites[site]
    verb = ("reads", "writes", "updates")[made.kinds[site]]
    function = f" of {place.function}" if place.function not in ("", made.log.kernel) else ""
    text = " ".join(place.text.split())
    return f"line {place.line}{function} {verb} {place.array}: {text if len(text) <= 44 else text[:43] + '…'}"


def _worst(trace: Trace, made: Steps, sites: list[int]) -> str:
    """The access that wastes most: what is worth a look first."""
    wasted = {(t.line, t.kind, t.function): t.sectors - t.fewest for t in trace.traffic}
    conflicts = {(c.line, c.text): c.extra for c in trace.conflicts}

    def waste(site: int) -> int:
        place = made.log.sites[site]
        function = "" if place.function in ("", trace.kernel) else place.function
        moved = wasted.get((place.line, place.kind, function), 0)
        return max(moved, conflicts.get((place.line, place.text), 0))

    return str(max(sites, key=waste)) if sites else ""


class _Sectors:
    """Lines of 128 bytes under each other, the sectors of each that move, and in them the lanes' own bytes."""

    def __init__(self) -> None:
        from bokeh.models import ColumnDataSource

        self.plot, self.axis = _plot(128, list(range(0, 129, 32)), "bytes of a line of 128: four sectors of 32")
        self.cells = ColumnDataSource({name: [] for name in ("x", "y", "wide", "colour", "pattern")})
        self.edges = ColumnDataSource({name: [] for name in ("x", "y", "wide")})
        self.plot.rect(
            *("x", "y", "wide", 0.8),
            source=self.cells,
            fill_color="colour",
            hatch_pattern="pattern",
            hatch_color=palette.MUTED,
            hatch_scale=6,
            hatch_weight=1,
            line_color=palette.PAPER,
        )
        self.plot.rect("x", "y", "wide", 0.8, source=self.edges, fill_color=None, line_color=palette.INK, line_width=1)
        self.text = _text(self.plot)

    def models(self) -> dict[str, Any]:
        """What the script needs."""
        return {name: getattr(self, name) for name in ("plot", "axis", "cells", "edges", "text")}


class _Banks:
    """The 32 banks beside each other, rows of words under each other."""

    def __init__(self) -> None:
        from bokeh.models import ColumnDataSource

        self.plot, self.axis = _plot(32, [0, 4, 8, 12, 16, 20, 24, 28, 31], "banks of shared memory", centred=True)
        self.cells = ColumnDataSource({name: [] for name in ("x", "y", "colour", "edge")})
        self.plot.rect(
            *("x", "y", 1, 0.8),
            source=self.cells,
            fill_color="colour",
            line_width="edge",
            line_color=palette.FAINT,
        )
        self.text = _text(self.plot)

    def models(self) -> dict[str, Any]:
        """What the script needs."""
        return {name: getattr(self, name) for name in ("plot", "axis", "cells", "text")}


def _plot(wide: int, ticks: list[int], label: str, centred: bool = False) -> tuple[Any, Any]:
    from bokeh.models import FixedTicker, Range1d

    shift = 0.5 if centred else 0
    across = Range1d(start=-shift - 0.01 * wide, end=wide - shift + 0.01 * wide)
    plot = axes.canvas(panels.WIDTH, 120, x_range=across, y_range=Range1d(start=1, end=0))
    plot.sizing_mode, plot.max_width = "stretch_width", panels.WIDTH
    plot.grid.visible = False
    plot.xaxis.ticker = FixedTicker(ticks=ticks)
    plot.xaxis.axis_label = label
    plot.yaxis.ticker = FixedTicker(ticks=[])
    plot.yaxis.axis_line_color = plot.yaxis.major_tick_line_color = None
    for axis in plot.axis:
        axis.major_label_text_font_size = axis.axis_label_text_font_size = "11px"
    return plot, plot.yaxis[0]


def _text(plot: Any) -> Any:
    from bokeh.core.properties import value
    from bokeh.models import ColumnDataSource

    source = ColumnDataSource({"x": [], "y": [], "text": []})
    plot.text(
        *("x", "y", "text"),
        source=source,
        text_font=value(axes.FONT),
        text_font_size="11px",
        text_align="center",
        text_baseline="middle",
        # On colours that a dark page keeps, so not in an ink that it exchanges.
        text_color="#000000",
    )
    return source


def _bars(trace: Trace) -> Any:
    """For each line what it moves of global memory, the useful bytes and the others."""

    if not trace.traffic:
        return None
    rows = []
    by_line = _by_line(trace.traffic)
    most = max(item.sectors for item in by_line)
    hatch = f"repeating-linear-gradient(45deg,{palette.MUTED} 0 1px,{palette.PAPER} 1px 5px)"
    for item in by_line[:16]:
        colour = palette.SKY if item.kind == "read" else palette.ORANGE
        wide, useful = 100 * item.sectors / most, 100 * min(1.0, item.efficiency)
        where = f"{item.function} " if item.function else ""
        rows.append(
            f'<div style="display:flex;align-items:center;margin:3px 0"><span style="flex:0 0 9.5em;overflow:hidden">'
            f"{panels.escape(where)}line {item.line} {item.kind}s {panels.escape(', '.join(item.arrays))}</span>"
            f'<span style="flex:1;min-width:0"><span style="display:block;width:{wide:.1f}%;min-width:3px;height:14px;'
            f'border:1px solid {palette.INK};background:{hatch}"><span style="display:block;width:{useful:.1f}%;height:14px;'
            f'background:{colour}"></span></span></span><span style="flex:0 0 12.5em;padding-left:8px">'
            f"{quantities.size(item.sectors * 32)}, {item.per_request:.3g} sectors each, {min(item.efficiency, 1):.0%}</span></div>"
        )
    if len(by_line) > 16:
        rows.append(f"<div>… and {len(by_line) - 16} more places, in the text of this picture.</div>")
    return panels.words("".join(rows), size=12)


def _by_line(traffic: list[Traffic]) -> list[Traffic]:
    """What several accesses of one line do alike, as one."""
    lines: dict[tuple, Traffic] = {}
    for item in traffic:
        key = (item.function, item.line, item.kind, item.arrays)
        before = lines.get(key)
        if before is not None:
            sums = {k: getattr(before, k) + getattr(item, k) for k in ("requests", "sectors", "asked", "fewest")}
            item = dataclasses.replace(before, **sums)
        lines[key] = item
    return list(lines.values())
