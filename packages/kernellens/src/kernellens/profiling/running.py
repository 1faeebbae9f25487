"""`timeline`: run a call or a cell and say when the host and the device did what."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from gpusim.device import queue, shapes
from gpusim.device.shapes import ValuesNeededError
from gpusim.hardware import gpus
from kernellens import target
from kernellens.arrays import entry, pickled, shape_process
from kernellens.arrays.running import watched

from .recording import Watch
from .timeline import Timeline, made

BY = (__name__, __name__)
SHAPES = "Taken from shapes alone"
DATA = "The program asks for values, so it ran with copies of its arrays on a simulated device"
ELSEWHERE = (
    "{how}, in a process of its own: this machine's GPU was not watched, and the host's times are those of that process. "
    "For the real times run nsys profile -t cuda,nvtx --export=sqlite, and read the report with lens.nsys_report."
)

THREADS = "{number} threads launched this work. It is drawn as if one had, in the order of the launches; what Python took in the others is left out."


def timeline(function: Callable, *args: Any, gpu: str | gpus.GPU | None = None, **kwargs: Any) -> Timeline:
    """Call a function and return when the host and the device did what.

    Parameters
    ----------
    function : callable
        Called once.
    *args, **kwargs
        Its arguments.
    gpu : str or GPU, optional
        Whose figures the times of the device are estimated with; by default the chosen one (`lens.use_gpu`).

    Returns
    -------
    Timeline
        Where a GPU works, it is made in a process of its own, which simulates: from shapes alone or, if the function asks for
        values, with copies of its arrays.

    Raises
    ------
    ValuesNeededError
        Where a GPU works, if the function asks for values of arrays that cannot be copied there; they are more than 2 GB, say.
    UnknownGpuError
        A KeyError that names the nearest known GPUs.
    """
    chosen = target.resolve(gpu)
    if not callable(function):
        raise TypeError(
            f"timeline takes a function and its arguments, as in timeline(f, x), not {type(function).__name__}: for an "
            "expression, timeline(lambda: ...)."
        )
    if not entry.simulating():
        return elsewhere(lambda data: shape_process.call(function, args, kwargs, None, chosen, BY, data))
    return taken(function, pickled.made_here(args), pickled.made_here(kwargs), chosen)


def elsewhere(take: Callable[[bool], Timeline]) -> Timeline:
    """A timeline of another process: from shapes alone, or if that will not do, ``take(True)``, with the arrays' data."""
    try:
        found, how = take(False), SHAPES
    except ValuesNeededError as asked:
        try:
            found, how = take(True), DATA
        except pickled.CannotShipError as error:
            raise ValuesNeededError(f"{asked} Its arrays cannot be copied: {error}") from error
    found.notes.append(ELSEWHERE.format(how=how))
    return found


def taken(function: Callable, args: tuple, kwargs: Mapping[str, Any], gpu: gpus.GPU) -> Timeline:
    """The timeline of a call in this process."""
    with Watch() as seen:
        result = function(*args, **kwargs)
    del result
    return _finished(seen, gpu, getattr(function, "__name__", "this"))


def run(
    tree: ast.Module,
    source: str,
    filename: str,
    names: dict[str, Any],
    gpu: gpus.GPU,
    offset: int = 0,
    name: str = "this cell",
) -> tuple[Timeline, Any]:
    """Run code with some names around it, as `arrays.running.run` does; returns its timeline and the value of its last line."""
    __tracebackhide__ = True
    seen = Watch(filename, offset)
    value = watched(tree, filename, names, seen)
    return _finished(seen, gpu, name), value


def plainly(tree: ast.Module, filename: str, names: dict[str, Any]) -> Any:
    """Run code and look at nothing; returns the value of its last line."""
    __tracebackhide__ = True
    return watched(tree, filename, names, contextlib.nullcontext())


def _finished(seen: Watch, gpu: gpus.GPU, name: str) -> Timeline:
    if not shapes.on:
        queue.drain()
    found = made(seen.items, seen.events, seen.seconds, gpu, name)
    if len(seen.threads) > 1:
        found.notes.append(THREADS.format(number=len(seen.threads)))
    numba = sorted({event.name for event in seen.events if event.numba})
    if numba:
        found.notes.append(
            f"{', '.join(numba)}: estimated from the bytes of the arrays that the kernel's source names."
        )
    return found
