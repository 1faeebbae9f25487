"""`roofline`: where a launch stands under the limits of a GPU, and how that changes with GPU, type and block size."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from gpusim.hardware import gpus
from gpusim.hardware.gpus import GPU
from kernellens import target
from kernellens.plot import axes, palette, quantities
from kernellens.plot.figure import Figure
from kernellens.result import Trace
from kernellens.times import Reuse, Work, bound_of, estimate_of
from kernellens.times.launches import work_of_launch
from kernellens.times.model import cut_short, rates
from kernellens.times.operations import UNCOUNTED

from . import panels

SHOWN = (
    *("V100", "T4", "L4", "A10", "A100", "A100 40 GB", "H100", "H100 PCIe", "H200", "B200"),
    *("RTX 4090", "RTX 4060 Laptop"),
)
"""GPUs to choose from, besides the one that is asked for: each makes the figure larger by 15 kB."""
TYPES = {"float64": 8, "float32": 4, "float16": 2}
BLOCKS = (32, 64, 128, 256, 512, 1024)
LOW, HIGH = 1e-2, 1e3
"""Operations for each byte, the ends of the horizontal axis."""
UNKNOWN = "no estimate"
"""Said of work that was counted in a log that was full."""


def roofline(
    what: Any,
    *launch: Any,
    gpu: str | GPU | None = None,
    griddim: int | tuple[int, ...] | None = None,
    sharedmem: int = 0,
    blocks: Any = None,
) -> Figure:
    """Draw where a launch stands under the roofs of a GPU: what memory and arithmetic allow at its intensity.

    In a notebook GPU, floating-point type and block size can be changed; the limit that binds then moves.  Another type or
    block size is computed from the launch as it was traced, not traced again: floating-point arrays take more or fewer
    bytes, other arrays the same; a larger block has as much more of shared memory.

    Parameters
    ----------
    what : Trace, Work or kernel
        A kernel is followed by its grid, its block and its arguments, as in `lens.trace`.
    gpu : str or GPU, optional
        Shown first; by default the chosen one (`lens.use_gpu`).
    griddim : int or tuple of up to 3 int, optional
        The grid of a larger launch that the traced one stands for.
    sharedmem, blocks
        As in `lens.bound`.

    Returns
    -------
    Figure
        Its times are bounds and estimates (`lens.bound`, `lens.estimate`), never measured. Where the log was full there
        is no estimate, and the bound alone is drawn.

    Raises
    ------
    UnknownGpuError
        A KeyError that names the nearest known GPUs.
    ValueError
        If the kernel could not be run, or makes so many accesses that no block of it fits into the log.

    Notes
    -----
    Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance Model for Multicore Architectures",
    Communications of the ACM 52 (2009).
    """
    first = target.resolve(gpu)
    floating = 1.0
    if not isinstance(what, Work):
        if not isinstance(what, Trace):
            floating = _floating(launch[2:])
        else:
            floating = _floating(what.results)
    work = work_of_launch(what, launch, griddim, sharedmem, blocks, 0)
    kind = main_type(work)
    known = list(dict.fromkeys([first, *map(gpus.find, SHOWN)]))
    sizes = sorted({*BLOCKS, work.block} - {0}) if work.block else [0]
    table = {
        f"{device.name}|{name}|{size}": entry(changed(work, kind, name, size, floating), device, name)
        for device in known
        for name in TYPES
        for size in sizes
    }
    start = (first.name, kind, work.block)
    return Figure(
        lambda: _layout(work, table, known, sizes, start),
        _alt(work, table, start),
        _text(work, table, known, start),
        700,
        640,
        narrow=True,
    )


def main_type(work: Work) -> str:
    """The floating-point type that most of the operations are in; float32 where there are none."""
    counts = {name: work.operations.get(name, 0.0) + work.products.get(name, 0.0) for name in TYPES}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else "float32"


def _floating(values: Any) -> float:
    """The share of the arrays' bytes that are floating-point numbers."""
    arrays = [v for value in values for v in (value if isinstance(value, tuple) else (value,)) if hasattr(v, "dtype")]
    sizes = [(int(np.prod(v.shape)) * v.dtype.itemsize, np.dtype(v.dtype).kind in "fc") for v in arrays if v.shape]
    total = sum(size for size, _ in sizes)
    return sum(size for size, kind in sizes if kind) / total if total else 1.0


def changed(work: Work, kind: str, to: str, block: int, floating: float = 1.0) -> Work:
    """Return the work with another floating-point type and block size.

    Parameters
    ----------
    kind, to : str
        Its main floating-point type, and the one to put in its place.
    block : int
        Threads of a block; as many threads in all as before.
    floating : float
        The share of its bytes that change with the type, 0 to 1.
    """
    new: dict[str, Any] = {}
    factor = 1 + floating * (TYPES[to] / TYPES[kind] - 1)
    if to != kind:
        for name in ("operations", "certain", "slots", "products"):
            if getattr(work, name) is not None:
                new[name] = _renamed(getattr(work, name), kind, to)
        for name in ("read", "written", "moved", "dram"):
            if getattr(work, name) is not None:
                new[name] = getattr(work, name) * factor
        new["wavefronts"] = max(work.requests, work.wavefronts * factor)
        new["shared"] = work.shared * max(1.0, factor)
        new["sharedmem"] = round(work.sharedmem * factor)
        if work.reuse is not None:
            new["reuse"] = _scaled(work.reuse, factor)
    if block and block != work.block:
        new["block"] = block
        new["blocks"] = max(1, -(-work.threads // block))
        new["sharedmem"] = round(new.get("sharedmem", work.sharedmem) * block / work.block)
    return dataclasses.replace(work, **new) if new else work


def _renamed(counts: Mapping[str, float], kind: str, to: str) -> dict[str, float]:
    result = {name: n for name, n in counts.items() if name != kind}
    if kind in counts:
        result[to] = result.get(to, 0.0) + counts[kind]
    return result


def _scaled(reuse: Reuse, factor: float) -> Reuse:
    values = {f.name: getattr(reuse, f.name) * factor for f in dataclasses.fields(reuse) if f.name != "again"}
    return Reuse(**values, again=tuple((a * factor, b * factor) for a, b in reuse.again))


def entry(work: Work, gpu: GPU, kind: str) -> dict[str, Any]:
    """One row of the picture's table: where the point stands, the roofs, the times and what binds.

    Work that was counted in a log that was full has a bound, but no estimate: then the bound says what binds.
    """
    least = bound_of(work, gpu)
    about = None if work.cut else estimate_of(work, gpu)
    counted = operations(work)
    nbytes = work.read + work.written
    uncounted = [note for note in work.notes if note.startswith(UNCOUNTED)]
    return {
        "intensity": counted / nbytes if nbytes and counted else LOW,
        "estimate": counted / about.seconds if about else 0.0,
        "bound": counted / least.seconds,
        "about": f"about {quantities.seconds(about.seconds, 2)}" if about else UNKNOWN,
        "least": f"at least {quantities.seconds(least.seconds)}",
        "binds": (about or least).binds,
        "advice": " ".join([about.advice if about else cut_short(work), *uncounted]),
        "parts": {name: value for name, value in (about or least).parts.items() if value > 0},
        "occupancy": "" if about is None or about.occupancy is None else f"occupancy {about.occupancy:.0%}",
        "calibrated": about is None or about.calibrated is not None,
        "bandwidth": gpu.bandwidth,
        "l2": gpu.l2_bandwidth,
        "peak": rates(gpu)[kind if work.flops else "int32"],
    }


def operations(work: Work) -> float:
    """Floating-point operations; those on integers where there are none."""
    return work.flops or work.operations.get("int32", 0.0)


def _head(work: Work) -> str:
    return f"{work.name or 'This work'} under the roofline"


def _said(row: dict[str, Any], start: tuple) -> str:
    few = "its operations are not counted" if UNCOUNTED in row["advice"] else "it calculates next to nothing"
    kind = f"{row['intensity']:.3g} operations a byte" if row["intensity"] > LOW else few
    return (
        f"On {start[0]}, {start[1]}{f', blocks of {start[2]}' if start[2] else ''}: {kind}; "
        f"{row['about']}{'' if row['about'] == UNKNOWN else ' (estimate)'}, "
        f"{row['least']} (bound); {row['binds']} binds. {row['advice']}"
    )


def _alt(work: Work, table: dict, start: tuple) -> str:
    row = table["|".join(map(str, start))]
    ridge = row["peak"] / row["bandwidth"]
    return (
        f"{_head(work)}. {_said(row, start)} Memory and arithmetic would bind alike at {ridge:.3g} operations a byte."
    )


def _text(work: Work, table: dict, known: list[GPU], start: tuple) -> str:
    lines = [_head(work), _said(table["|".join(map(str, start))], start), ""]
    lines.append(f"{'':<14}{'at least':>12}{'about':>12}  what binds ({start[1]})")
    for device in known:
        row = table[f"{device.name}|{start[1]}|{start[2]}"]
        least, about = row["least"].removeprefix("at least "), row["about"].removeprefix("about ")
        lines.append(f"{device.name:<14}{least:>12}{about:>12}  {row['binds']}")
    return "\n".join([*lines, "", "Bounds and estimates, not measured times."])


def _layout(work: Work, table: dict, known: list[GPU], sizes: list[int], start: tuple) -> Any:
    from bokeh.models import CustomJS, Select

    sheets: dict[str, Any] = {"stylesheets": [panels.sheet()]}
    device = Select(title="GPU", value=start[0], options=[gpu.name for gpu in known], width=150, **sheets)
    kind = Select(title="Type", value=start[1], options=list(TYPES), width=110, **sheets)
    block = Select(
        title="Threads of a block", value=str(start[2]), options=[str(s) for s in sizes], width=140, **sheets
    )
    block.visible = len(sizes) > 1
    roofs, sources = _roofs(table)
    parts, bars = _parts(table)
    verdict = panels.words(height=60)
    callback = CustomJS(
        args={
            "table": table,
            "device": device,
            "kind": kind,
            "block": block,
            "sources": sources,
            "bars": bars,
            "parts": parts,
            "verdict": verdict,
            "ends": [LOW, HIGH],
            "up": roofs.y_range,
            "colours": {"binds": palette.VERMILLION, "others": palette.BLUE},
        },
        code=panels.script("roofline.js"),
    )
    for widget in (device, kind, block):
        widget.js_on_change("value", callback)
    roofs.js_on_change("inner_width", callback)
    title = panels.words(panels.escape(_head(work)), size=15, strong=True)
    note = panels.words(
        "Bounds and estimates, not measured times. Another type or block size is computed from the launch as it was traced. "
        "Data that L2 keeps is not held back by the roof of memory.",
        size=12,
        colour=palette.MUTED,
    )
    of = "bound" if work.cut else "estimate"
    under = panels.words(f"How long each limit alone would take ({of})", strong=True)
    return panels.sheet_of(title, panels.flow(device, kind, block), verdict, roofs, under, parts, note)


def _roofs(table: dict) -> tuple[Any, dict[str, Any]]:
    """The plot of roofs and point."""
    from bokeh.core.properties import value
    from bokeh.models import ColumnDataSource, Range1d

    rates_seen = [row[name] for row in table.values() for name in ("estimate", "bound", "peak") if row[name] > 0]
    low, high = 10 ** np.floor(np.log10(min(rates_seen) / 2)), 10 ** np.ceil(np.log10(max(rates_seen) * 2))
    across, up = Range1d(start=LOW, end=HIGH), Range1d(start=low, end=high)
    plot = axes.canvas(panels.WIDTH, 330, x_axis_type="log", y_axis_type="log", x_range=across, y_range=up)
    plot.sizing_mode, plot.max_width = "stretch_width", panels.WIDTH
    plot.xaxis.axis_label, plot.yaxis.axis_label = "operations for each byte of memory", "operations a second"
    axes.ticks(plot.xaxis[0], LOW, HIGH, True, None)
    axes.ticks(plot.yaxis[0], low, high, True, None)
    for axis in plot.axis:
        axis.major_label_text_font_size = axis.axis_label_text_font_size = "11px"
    sources = {name: ColumnDataSource({"x": [], "y": []}) for name in ("roof", "l2", "drop", "estimate", "bound")}
    sources["labels"] = ColumnDataSource({"x": [], "y": [], "text": [], "align": [], "base": []})
    plot.line("x", "y", source=sources["l2"], line_color=palette.MUTED, line_dash="dotted", line_width=2)
    plot.line("x", "y", source=sources["roof"], line_color=palette.INK, line_width=3)
    plot.line("x", "y", source=sources["drop"], line_color=palette.MUTED, line_dash="dashed", line_width=1)
    plot.scatter(
        "x",
        "y",
        source=sources["bound"],
        marker="inverted_triangle",
        size=12,
        line_color=palette.VERMILLION,
        fill_color=None,
        line_width=2,
    )
    plot.scatter("x", "y", source=sources["estimate"], marker="square", size=12, color=palette.BLUE)
    plot.text(
        *("x", "y", "text"),
        source=sources["labels"],
        text_align="align",
        text_baseline="base",
        text_font=value(axes.FONT),
        text_font_size="12px",
        text_color=palette.INK,
        background_fill_color=palette.PAPER,
        background_fill_alpha=0.75,
    )
    return plot, sources


def _parts(table: dict) -> tuple[Any, Any]:
    """The plot of how long each limit takes."""
    from bokeh.core.properties import value
    from bokeh.models import ColumnDataSource, FactorRange, Range1d

    names = list(dict.fromkeys(name for row in table.values() for name in row["parts"]))
    times = [seconds for row in table.values() for seconds in row["parts"].values()]
    low, high = max(min(times), max(times) * 1e-6) / 2, max(times) * 12
    plot = axes.canvas(
        *(panels.WIDTH, 26 * len(names) + 40),
        x_axis_type="log",
        x_range=Range1d(start=low, end=high),
        y_range=FactorRange(factors=names[::-1]),
    )
    plot.sizing_mode, plot.max_width = "stretch_width", panels.WIDTH
    axes.ticks(plot.xaxis[0], low, high, True, "seconds")
    plot.ygrid.visible = False
    source = ColumnDataSource({"name": [], "seconds": [], "low": [], "colour": [], "text": []})
    plot.hbar(y="name", left="low", right="seconds", height=0.6, source=source, color="colour")
    plot.text(
        *("seconds", "name", "text"),
        source=source,
        x_offset=6,
        text_baseline="middle",
        text_font=value(axes.FONT),
        text_font_size="12px",
        text_color=palette.INK,
    )
    return plot, {"source": source, "low": low}
