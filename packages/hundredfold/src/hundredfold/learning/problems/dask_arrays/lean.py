"""``dask-arrays.lean``: a thousand small files, read with as few tasks as possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import devices, graphs
from ..cases import normal, uniform
from ..devices import cp
from ..differences import explain
from ..problem import Mistake, Problem
from ..verdict import refuse
from .judging import Lazy, LazyJudge

HOURS = 24
FILES, DAYS, STATIONS = 150, 3, 8
PASSES = 2.1
"""Tasks for each file that pass; one is the limit: nobody reads a file with less than a task."""


def busiest(x: np.ndarray) -> np.ndarray:
    """The specification: the mean over all days of each day's largest value, for each station (column)."""
    return x.reshape(-1, HOURS, x.shape[1]).max(axis=1).mean(axis=0)


def _tasks(problem: Problem, function: Any) -> str:
    """Count the tasks that would run, the reading of each file among them."""
    case = Lazy("", lambda: uniform(FILES * DAYS * HOURS, STATIONS, seed=9), (DAYS * HOURS, STATIONS))
    host = case.make()
    called, building = graphs.build(function, _from_files(host), limit=problem.time_limit)
    graphs.require_lazy(called.value)
    graphs.require_unrun(building)
    value, ran = graphs.compute(called.value, limit=problem.time_limit)
    explain(np.asarray(devices.to_host(value)), busiest(host), rtol=1e-9, atol=1e-12)
    each = len(ran.tasks) / FILES
    _, apart = graphs.compute(called.value, limit=problem.time_limit, optimize=False)
    file = DAYS * HOURS * STATIONS * 8
    held = max(apart.largest, apart.most_given)
    if held > 40 * file:
        refuse(
            "chunk",
            f"of {FILES} files one task holds {held / file:.0f}: where a file has a GB, that is the "
            "end. At most 40 may lie in one place.",
            case=f"{FILES} files of {DAYS} days",
        )
    if each > PASSES:
        most = ", ".join(f"{name} {count}" for name, count in ran.names.most_common(4))
        refuse(
            "tasks",
            f"the result is right, but it takes {len(ran.tasks)} tasks for {FILES} files, {each:.1f} for each; {PASSES:g} pass, "
            f"and the limit is 1. The most frequent: {most}.",
            case=f"{FILES} files of {DAYS} days",
        )
    return f"How near to the limit: {100 * FILES / len(ran.tasks):.0f} % ({len(ran.tasks)} tasks for {FILES} files)."


def _from_files(host: np.ndarray) -> Any:
    """One chunk for each file, each made by a task of its own, on the device."""
    import dask.array as da

    def read(block_info: Any = None) -> Any:
        first, last = block_info[None]["array-location"][0]
        return cp.asarray(host[first:last])

    chunks = ((DAYS * HOURS,) * FILES, (STATIONS,))
    return da.map_blocks(read, chunks=chunks, dtype=host.dtype, meta=cp.empty((0, 0), dtype=host.dtype))


def _each_file_gives(x, chunks):
    edges = np.cumsum((0, *chunks[0]))
    return np.mean([x[a:b].max(axis=0) for a, b in zip(edges[:-1], edges[1:], strict=True)], axis=0)


LEAN = Problem(
    id="dask-arrays.lean",
    title="A thousand files, and hardly a task more",
    kind="open",
    answers=("busiest",),
    lines=4,
    specification=busiest,
    judge=LazyJudge(
        cases=(
            Lazy("10 files of a day", lambda: normal(10 * HOURS, 4), (HOURS, 4)),
            Lazy("files of one, two and three days", lambda: normal(6 * HOURS, 3, seed=1), ((24, 48, 72), (3,))),
            Lazy("a single file", lambda: normal(HOURS, 5, seed=2), (HOURS, 5)),
            Lazy("files with some of the stations each", lambda: normal(4 * HOURS, 6, seed=3), (HOURS, 2)),
            Lazy("NumPy's chunks", lambda: normal(5 * HOURS, 2, seed=4), (HOURS, 2), device=False),
        ),
        unlisted=(
            Lazy("values below zero", lambda: -uniform(8 * HOURS, 3, seed=5) - 1, (2 * HOURS, 3)),
            Lazy(
                "a file of 40 days beside files of one",
                lambda: normal(43 * HOURS, 2, seed=6),
                ((24, 960, 24, 24), (2,)),
            ),
            Lazy("one station", lambda: normal(7 * HOURS, 1, seed=7), (HOURS, 1)),
            Lazy("70 files", lambda: normal(70 * HOURS, 2, seed=8), (HOURS, 2)),
            Lazy(
                "NaN in one day",
                lambda: np.where(np.arange(432) == 100, np.nan, np.arange(432)).reshape(-1, 3),
                (2 * HOURS, 3),
            ),
            Lazy("numbers of about 10⁻⁹", lambda: 1e-9 * normal(6 * HOURS, 3, seed=9), (2 * HOURS, 3), atol=0.0),
        ),
        after=(_tasks,),
        verified="nothing was computed while it was built",
    ),
    hints=(
        "What has to be done to a file is known to one function: a day's largest values. `x.map_blocks(function, chunks=…)` calls it once for each, fused with the reading.",
        "The result of a file is shorter than the file: `chunks=` says how many rows each has, `tuple(rows // 24 for rows in x.chunks[0])`. A file may hold several days: `part.reshape(-1, 24, part.shape[1])`.",
        "What is left is the tree that adds up: `mean(axis=0, split_every=32)` lets one task put 32 parts together instead of a few. A mean of the files' means is another number: three days would count like one.",
    ),
    advice={
        "tasks": "A slice, a maximum, a stack: each is a task. `map_blocks` makes one of all that happens to a file.",
    },
    mistakes={
        "each file a day": Mistake(
            "boundary",
            "that takes each file for a day. A file may hold several days, each with a largest value of its own.",
            _each_file_gives,
            hint="`part.reshape(-1, 24, part.shape[1]).max(axis=1)` has a row for each day.",
        ),
        "the largest mean": Mistake(
            "operands",
            "mean and maximum are exchanged: that is the largest of the days' means. Asked for: the mean of the days' largest.",
            lambda x, chunks: x.reshape(-1, HOURS, x.shape[1]).mean(axis=1).max(axis=0),
        ),
        "the largest of all": Mistake(
            "own-chunk",
            "that is the largest value of all days. Asked for: each day's largest, and the mean of these.",
            lambda x, chunks: x.max(axis=0),
        ),
    },
)
