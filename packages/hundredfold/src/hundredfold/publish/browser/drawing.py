"""A launch as plain data: what the page's script draws, and the words beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernellens.pictures import plain
from kernellens.pictures.blocks import look
from kernellens.pictures.marks import marks
from kernellens.pictures.positions import Grid, Window, of_threads, whole
from kernellens.pictures.script import windows_of
from kernellens.pictures.showing import wrong_blocks
from kernellens.pictures.steps import Steps, steps

if TYPE_CHECKING:
    from gpusim.kernels.frontend.python.resolve import Function
    from kernellens.result import Trace

MOST = 60_000
"""Accesses that a picture holds; fewer blocks are in it where each has many, and at least one."""
FRAMES = 16
"""Barrier intervals of a block that can be looked at one by one."""


def drawn(trace: Trace) -> dict[str, Any]:
    """What the page draws.

    Returns
    -------
    dict
        ``title``, ``alt``, ``text`` (the same in characters); ``findings``: a list of ``severity``, ``kind``, ``sentence``,
        ``line`` (of the learner's program); ``traffic``: what each line asks of memory; ``picture``: threads, arrays and blocks,
        None where no thread touched memory.
    """

    made = steps(trace.log, first=wrong_blocks(trace)) if trace.log is not None and len(trace.log) else None
    return {
        "title": plain.heading(trace),
        "alt": plain.alt(trace, made),
        "text": plain.text(trace, made),
        "findings": [
            {
                "severity": finding.severity,
                "kind": finding.kind,
                "sentence": finding.sentence,
                "line": _line(trace, finding.line, finding.function),
            }
            for finding in trace.errors
        ],
        "traffic": [
            {
                "line": line,
                "kind": item.kind,
                "arrays": ", ".join(item.arrays),
                "each": round(item.per_request, 2),
                "best": round(item.fewest / item.requests, 2),
                "useful": round(item.efficiency, 3),
            }
            for item in trace.traffic
            if (line := _line(trace, item.line, item.function)) is not None
        ],
        "moved": trace.moved,
        "useful": round(trace.efficiency, 3),
        "picture": None if made is None else _picture(trace, made),
    }


def _line(trace: Trace, line: int | None, function: str) -> int | None:
    """The line of the learner's program that is a line of the kernel, or of a device function; None for one of a library."""
    kernel = trace.function
    if line is None or kernel is None:
        return None
    owner = kernel if function in ("", kernel.name) else _device_function(kernel, function)
    return None if owner is None or owner.filename != kernel.filename else line + owner.firstlineno - 1


def _device_function(of: Function, name: str) -> Function | None:
    """The device function of this name that a function calls, also through others."""
    for each in of.functions.values():
        if found := each if each.name == name else _device_function(each, name):
            return found
    return None


def _picture(trace: Trace, made: Steps) -> dict[str, Any]:
    threads = of_threads(made.log.blockdim)
    wrong = marks(made, trace.errors, made.blocks)
    blocks, size = [], 0
    for block in made.blocks:
        size += sum(len(step.threads) for step in made.of[block])
        if blocks and size > MOST:
            break
        blocks.append(_block(trace, made, block, wrong))
    return {
        "threads": {
            "count": made.log.threads_per_block,
            "dim": list(made.log.blockdim),
            **_place(threads, whole(threads)),
        },
        "arrays": [
            {"name": m.name, "title": plain.memory(m), "space": m.space, "shape": list(m.shape)} for m in made.memories
        ],
        "blocks": blocks,
    }


def _block(trace: Trace, made: Steps, block: int, wrong: list[dict]) -> dict[str, Any]:
    intervals = min(made.intervals(block), FRAMES)
    frames = [look(made, block), *([look(made, block, k) for k in range(intervals)] if intervals > 1 else [])]
    here = [mark for mark in wrong if mark["block"] in (block, -1)]
    sites = made.log.sites
    return {
        "name": plain.place(trace, block),
        "arrays": [None if view is None else _place(*view) for view in windows_of(made, block, wrong)],
        "frames": [
            {
                "threads": frame.threads.tolist(),
                "elements": [[at.tolist(), bits.tolist()] for at, bits in frame.elements],
            }
            for frame in frames
        ],
        "steps": [
            {
                "line": _line(trace, sites[step.site].line, sites[step.site].function),
                "kind": int(made.kinds[step.site]),
                "array": step.array,
                "interval": step.interval,
                "threads": None if len(step.threads) == made.log.threads_per_block else step.threads.tolist(),
                "elements": _short(step.elements),
            }
            for step in made.of[block]
        ],
        "wrong": [_wrong(made, mark) for mark in here],
    }


def _wrong(made: Steps, mark: dict) -> dict[str, Any]:
    """Where something is wrong; `outside` is how the source writes an element that does not exist."""
    outside = None
    if mark["array"] >= 0 and mark["index"] is not None and not mark["inside"]:
        outside = f"{made.memories[mark['array']].name}[{', '.join(str(int(i)) for i in mark['index'])}]"
    return {"array": mark["array"], "place": mark["place"], "thread": mark["thread"], "outside": outside}


def _short(elements: np.ndarray) -> list[int] | int:
    """The elements, or the one that all threads touch."""
    return int(elements[0]) if (elements == elements[0]).all() else elements.tolist()


def _place(arranged: Grid, view: Window) -> dict[str, Any]:
    """How items are arranged in cells."""
    return {
        "grid": [arranged.slices, arranged.rows, arranged.columns, arranged.size, int(arranged.wrapped)],
        "window": [*view.slices, *view.rows, *view.columns, view.down, view.right, view.across],
        "extent": list(view.extent),
    }
