"""Where in a picture something is wrong: the threads and elements that get a cross."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.kernels.sanitizer import out_of_bounds
from gpusim.kernels.sanitizer.findings import Finding
from gpusim.kernels.sanitizer.log import Log

from .positions import grid
from .steps import Steps

Mark = dict[str, Any]
MOST = 400
"""Crosses for accesses outside of arrays, in all blocks of a picture: each is some hundred bytes in the page."""


def marks(steps: Steps, findings: list[Finding], blocks: list[int]) -> list[Mark]:
    """Return the crosses of a picture that shows some blocks (linear ids).

    What the findings name, and every access past the end of an array that these blocks made.
    """
    found = []
    for finding in findings:
        told = (finding.severity, finding.kind, finding.line, finding.array, finding.index)
        found += [_mark(steps, *told, who) for who in finding.threads or (None,)]
    found += _outside(steps, blocks)
    # What a finding names and what stands in the log are one where they are the same access.
    return list({(m["array"], str(m["index"]), m["thread"], m["block"], m["kind"]): m for m in found}.values())


def _outside(steps: Steps, blocks: list[int]) -> list[Mark]:
    log: Log = steps.log
    of_block = log.blocks[log.outside["thread"].astype(np.int64) // log.threads_per_block]
    records = log.outside[np.isin(of_block, blocks)]
    _, first = np.unique(records[["array", "element", "thread"]], return_index=True)
    found = []
    for record in records[np.sort(first)[:MOST]]:
        site, array = log.sites[record["site"]], log.arrays[record["array"]]
        at = out_of_bounds.index(array, int(record["element"]), int(record["flags"]))
        who = (log.thread_of(record["thread"]), log.block_of(record["thread"]))
        found.append(_mark(steps, "error", "out-of-bounds", site.line, array.name, at, who))
    return found


def _mark(steps: Steps, severity: str, kind: str, line: int | None, name: str | None, index, who) -> Mark:
    (x, y, _), (gx, gy, _) = steps.log.blockdim, steps.log.griddim
    array = next((k for k, m in enumerate(steps.memories) if m.name == name), -1)
    place, element = None, -1
    if array >= 0 and index is not None:
        shape = steps.memories[array].shape
        place = _place(shape, index)
        if len(shape) == len(index) and all(0 <= i < n for i, n in zip(index, shape, strict=True)):
            element = int(np.ravel_multi_index(index, shape)) if shape else 0
    thread, block = who or (None, None)
    return {
        "severity": severity,
        "line": line,
        "kind": kind,
        "array": array,
        "index": None if index is None else list(index),
        "place": place,
        "inside": element >= 0,
        "element": element,
        "thread": -1 if thread is None else thread[0] + x * (thread[1] + y * thread[2]),
        "block": -1 if block is None else block[0] + gx * (block[1] + gy * block[2]),
    }


def _place(shape: tuple[int, ...], index: tuple[int, ...]) -> list[int] | None:
    """Slice, row and column of an index, which may lie outside: then at most a cell beyond the edge."""
    if len(index) != len(shape) or not shape:
        return None
    kept = [min(max(int(i), -1), n) for i, n in zip(index, shape, strict=True)]
    arranged = grid(shape)
    if len(shape) == 1:
        # In a broken row the element behind the last one stands in the row that it would begin.
        item = kept[0]
        if not arranged.wrapped:
            return [0, 0, item]
        return [0, -1, 31] if item < 0 else [0, item // arranged.columns, item % arranged.columns]
    first = 0
    for i, n in zip(kept[:-2], shape[:-2], strict=True):
        first = first * n + min(max(i, 0), n - 1)
    return [first, kept[-2], kept[-1]]
