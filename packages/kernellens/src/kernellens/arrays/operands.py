"""Which of its operands a launch reads, and which it writes."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpusim.device.counters import Launch
from gpusim.kernels import operands


@dataclass
class Sides:
    """The views that a launch reads and writes, and how many bytes.

    `most` are the bytes of a view, by its id, of which not all are touched.
    """

    reads: list[np.ndarray] = field(default_factory=list)
    writes: list[np.ndarray] = field(default_factory=list)
    read: int = 0
    written: int = 0
    numba: bool = False
    most: dict[int, int] = field(default_factory=dict)


Views = Collection[np.ndarray]


def sides(entry: Launch, by: Any, reads: Views, writes: Views) -> Sides:
    """Tell the sides of a launch apart.

    Parameters
    ----------
    entry : Launch
    by
        What runs: a function on views, or one of the engine's launches of a kernel.
    reads, writes : collection of numpy.ndarray
        What was declared where the launch was submitted.
    """
    found = Sides(read=entry.bytes_read, written=entry.bytes_written)
    if is_kernel(by):
        _of_kernel(found, by)
        return found
    found.reads, found.writes = _distinct(reads), _distinct(writes)
    if entry.kind == "kernel":
        _part(found, found.reads, entry.bytes_read, 0)  # a gather may read one element a thousand times
        _part(found, found.writes, entry.bytes_written, entry.bytes_written)
    return found


def is_kernel(by: Any) -> bool:
    """Whether this is one of the engine's launches of a kernel."""
    return hasattr(by, "kernel") and hasattr(by, "args") and hasattr(by, "blockdim")


def _part(found: Sides, views: list[np.ndarray], nbytes: int, most: int) -> None:
    """Where fewer bytes are touched than the views have, it is the largest ones of which only a part is: `most` bytes of each."""
    for view in sorted(views, key=_bytes, reverse=True):
        if sum(_bytes(view) for view in views if id(view) not in found.most) <= nbytes:
            break
        found.most[id(view)] = most


def _bytes(view: np.ndarray) -> int:
    return view.nbytes if 0 not in view.strides else view.itemsize


def _distinct(views: Collection[np.ndarray]) -> list[np.ndarray]:
    return list({id(view): view for view in views}.values())


def _of_kernel(found: Sides, run: Any) -> None:
    """A kernel's arguments, by what its source does with their names."""
    touched = operands.accesses(run.function)
    found.numba = True
    found.read = found.written = 0
    threads = run.blocks * math.prod(run.blockdim)
    for name, value in zip(run.function.params, run.args, strict=False):
        places = touched.places.get(name, 0)
        for view in operands.views(value):
            how = touched.how.get(name, "")
            # Without a loop a thread comes to each place once: more elements than threads times places are not touched.
            most = view.nbytes if touched.loops else min(view.nbytes, threads * places * view.itemsize)
            found.most[id(view)] = most
            if "r" in how:
                found.reads.append(view)
                found.read += most
            if "w" in how:
                found.writes.append(view)
                found.written += most
