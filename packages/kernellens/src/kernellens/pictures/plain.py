"""Pictures of a trace without a picture: a text alternative, and characters for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernellens import report

from .blocks import EARLIER, HALO, READS, UPDATES, WRITES, index_text, look, of_thread
from .marks import marks
from .positions import Grid, Window, of_threads, whole
from .script import windows_of
from .steps import Memory, Steps

if TYPE_CHECKING:
    from kernellens.result import Trace

COLUMNS = 100
"""Characters that a row of cells may take."""


def triple(place: tuple[int, ...] | list[int], of: tuple[int, int, int]) -> str:
    """A place in a grid or block of some dimensions, ``(3, 4)``: without the ones that are always 0."""
    kept = max((axis + 1 for axis in range(3) if of[axis] > 1), default=1)
    return f"({', '.join(str(n) for n in place[:kept])})"


def memory(of: Memory) -> str:
    """An array as a title has it."""
    where = {"shared": "shared memory, ", "const": "constant memory, "}.get(of.space, "")
    return f"{of.name}: {where}{of.dtype}, {' × '.join(report.count(n) for n in of.shape) or '1'}"


def heading(trace: Trace) -> str:
    """What was launched, and whether something is wrong."""
    total = trace.griddim[0] * trace.griddim[1] * trace.griddim[2]
    said = report.launched(trace)
    if 0 < trace.blocks < total:
        said += f", {report.count(trace.blocks)} of {report.count(total)} traced"
    errors = sum(finding.severity == "error" for finding in trace.errors)
    return said + (f" — {errors} error{'s' if errors > 1 else ''}" if errors else "")


def alt(trace: Trace, steps: Steps | None) -> str:
    """One paragraph that says what the picture says."""
    said = [heading(trace) + "."]
    said += [f"{f.severity} {f.kind} in line {f.line}: {f.sentence.splitlines()[0]}" for f in trace.errors[:4]]
    if not trace.errors:
        said.append("Nothing wrong was found.")
    if steps is None:
        return " ".join(said)
    block = steps.blocks[0]
    seen = look(steps, block)
    said.append(f"Block {place(trace, block)}:")
    for number, of in enumerate(steps.memories):
        bits = seen.elements[number][1]
        if of.space == "local" or not len(bits):
            continue
        counts = [
            (int(np.count_nonzero(bits & READS)), "read"),
            (int(np.count_nonzero(bits & HALO)), "of these in the halo" if of.space == "global" else "from the halo"),
            (int(np.count_nonzero(bits & WRITES)), "written"),
            (int(np.count_nonzero(bits & UPDATES)), "updated atomically"),
        ]
        listed = ", ".join(f"{report.count(n)} {what}" for n, what in counts if n)
        said.append(f"{report.count(len(bits))} of {report.count(of.size)} elements of {of.name} touched ({listed}).")
    if trace.traffic:
        said.append(
            f"Of {report._bytes(trace.moved)} moved of global memory {report._percent(trace.efficiency)} were asked for."
        )
    return " ".join(said)


def text(trace: Trace, steps: Steps | None, block: int | None = None, interval: int | None = None) -> str:
    """The picture in characters, then the report."""
    parts = [repr(trace)]
    if steps is None:
        return parts[0]
    block = steps.blocks[0] if block is None else block
    seen = look(steps, block, interval)
    wrong = marks(steps, trace.errors, [block])
    linear = [mark for mark in wrong if mark["block"] in (block, -1)]
    dim = steps.log.blockdim
    arranged = of_threads(dim)
    crossed = {tuple(int(v[0]) for v in arranged.split(np.array([m["thread"]]))) for m in linear if m["thread"] >= 0}
    every = np.arange(len(seen.threads))
    parts += ["", f"Block {place(trace, block)}, its {report.dims(dim)} threads (x to the right, y down):"]
    parts += _cells(arranged, whole(arranged), every, seen.threads, crossed)
    for number, view in enumerate(windows_of(steps, block, wrong)):
        if view is None:
            continue
        of = steps.memories[number]
        places = {tuple(m["place"]) for m in linear if m["array"] == number and m["place"]}
        parts += ["", memory(of) + _part(*view) + ":"]
        parts += _cells(*view, *seen.elements[number], places)
    parts += [
        "",
        "r read   h read in the halo   w written   W written, from the halo   b both   a atomic   X wrong   · not touched",
    ]
    return "\n".join([*parts, _one(steps, block, wrong)])


def _part(arranged: Grid, view: Window) -> str:
    if arranged.wrapped:
        first, end = view.rows[0] * arranged.columns, min(view.rows[1] * arranged.columns, arranged.size)
        return f", elements {first} to {end - 1}" + (f", {view.right} elements a character" if view.right > 1 else "")
    every = view.rows[0] <= 0 and view.rows[1] >= arranged.rows and view.columns[0] <= 0
    if every and view.columns[1] >= arranged.columns and view.down == 1:
        return ""
    said = f", rows {view.rows[0]} to {view.rows[1] - 1}, columns {view.columns[0]} to {view.columns[1] - 1}"
    return said + (f", {view.down} × {view.right} elements a character" if view.down > 1 else "")


def _letter(bits: int) -> str:
    if bits & UPDATES:
        return "a"
    if bits & READS and bits & WRITES:
        return "b"
    if bits & WRITES:
        return "W" if bits & HALO else "w"
    if bits & HALO:
        return "h"
    return "r" if bits & READS else "," if bits & EARLIER else "·"


def _cells(arranged: Grid, view: Window, items: np.ndarray, bits: np.ndarray, crossed: set) -> list[str]:
    """Rows of characters, slices under each other."""
    lines: list[str] = []
    slice_, row, column = arranged.split(items)
    for z in range(*view.slices):
        height, width = view.cells
        table = np.zeros((height, width), np.uint8)
        inside = (slice_ == z) & (row >= view.rows[0]) & (row < view.rows[1])
        inside &= (column >= view.columns[0]) & (column < view.columns[1])
        at = (row[inside] - view.rows[0]) // view.down, (column[inside] - view.columns[0]) // view.right
        np.bitwise_or.at(table, at, bits[inside])
        if view.slices[1] - view.slices[0] > 1:
            lines.append(f"  [{z}]")
        apart = " " if 2 * width < COLUMNS else ""
        for y in range(height):
            letters = []
            for x in range(width):
                place = (z, view.rows[0] + y * view.down, view.columns[0] + x * view.right)
                letter = "X" if place in crossed else _letter(int(table[y, x]))
                outside = not (0 <= place[1] < arranged.rows and 0 <= place[2] < arranged.columns)
                outside |= (z * arranged.rows + place[1]) * arranged.columns + place[2] >= arranged.size
                letters.append(" " if outside and letter != "X" else letter)
            lines.append("  " + apart.join(letters).rstrip())
    return lines


def _one(steps: Steps, block: int, wrong: list[dict]) -> str:
    """What one thread touches: the one that is wrong, or one in the middle."""
    x, y, z = steps.log.blockdim
    thread = next((m["thread"] for m in wrong if m["thread"] >= 0 and m["block"] == block), None)
    if thread is None:
        thread = x // 2 + x * (y // 2 + y * (z // 2))
    place = (thread % x, thread // x % y, thread // (x * y))
    by_site: dict[int, list[str]] = {}
    for step, element in of_thread(steps, block, thread):
        by_site.setdefault(step.site, []).append(index_text(steps.memories[step.array], element))
    rows = []
    for site, items in by_site.items():
        what = {0: "reads", 1: "writes", 2: "updates"}[int(steps.kinds[site])]
        more = f" and {len(items) - 9} more" if len(items) > 9 else ""
        rows.append(f"  line {steps.log.sites[site].line} {what} {', '.join(items[:9])}{more}")
    return "\n".join([f"Thread {triple(place, (x, y, z))}:", *(rows or ["  touches no memory"])])


def place(trace: Trace, block: int) -> str:
    x, y, _ = trace.griddim
    return triple((block % x, block // x % y, block // (x * y)), trace.griddim)
