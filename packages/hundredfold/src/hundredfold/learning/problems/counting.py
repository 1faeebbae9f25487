"""What calls move, counted by the simulator also where a GPU computes: there in a process of its own.

The time of a kernel does not tell its bytes. On an H200 CuPy's ``x.std()`` took 45 times as long as ``x.sum()``, with two or three
times the traffic; a fused function with powers in float64 was bound by its arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kernellens import target
from kernellens.arrays import shape_process

from . import devices, guard
from .cases import Case
from .facts import Seen, of_call
from .problem import Problem
from .traffic import Traffic, watch
from .verdict import NotJudged, in_case

if TYPE_CHECKING:
    from .functions import Run

_START = 60.0
"""Seconds for the other process to start and to import its libraries."""


def of_run(run: Run, function: Any) -> Traffic:
    """What the call of a run moved."""
    return run.traffic if run.traffic.device is not None else apart(run.problem, function, [run.case])[0]


def rest(seen: Seen, problem: Problem, function: Any, cases: Sequence[Case]) -> None:
    """Look at the facts of which a GPU does not tell, in calls that were right."""
    if devices.simulated() or not (facts := seen.untold()):
        return
    again = Seen(facts)
    for case, moved in zip(cases, apart(problem, function, cases), strict=True):
        with in_case(case.name, case.hint):
            again.look(of_call(moved), case.host())
    seen.join(again)


def apart(problem: Problem, function: Any, cases: Sequence[Case]) -> list[Traffic]:
    """What a call with each case moves, counted in another process, where the device is simulated.

    Raises
    ------
    NotJudged
        If the function cannot be taken along, or fails there: it is right on this GPU, so it is not refused for that.
    """
    try:
        with guard.time_limit(_START + problem.time_limit):
            return shape_process.call(
                *(function, (list(cases),), {}, None, target.resolve(None)), by=(__name__, __name__), values=True
            )
    except guard.TimedOut:
        said = "it had not ended in time"
    except Exception as error:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    raise NotJudged(
        "the results are right. What the code moves is counted on a simulated device, and there it failed: " + said + "."
    )


def taken(function: Any, args: tuple[list[Case]], kwargs: Any, gpu: Any) -> list[Traffic]:
    """In the other process: call the function with each case, and count."""
    counted = []
    for case in args[0]:
        arguments = case.device()
        with watch() as moved:
            function(*arguments)
            devices.synchronize()
        counted.append(moved)
    return counted
