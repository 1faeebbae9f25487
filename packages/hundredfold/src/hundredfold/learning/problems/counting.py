"""What calls move and launch, as the simulator sees it also where a GPU computes: there in a process of its own.

The time of a kernel does not tell its bytes. On an H200 CuPy's ``x.std()`` of 10⁸ numbers took 400 times as long as ``x.sum()``, with
two or three times the traffic (recordings/raw/nvidia-h200/kernels.json); a fused function with powers in float64 was bound by its arithmetic.
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
from .verdict import NotJudged, Refusal, in_case

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
    return _elsewhere(problem, function, _counted, list(cases))


def judged(look: Any, problem: Problem, function: Any) -> str | None:
    """What a judge of `FunctionJudge.after` says or refuses in another process, where the device is simulated."""
    found = _elsewhere(problem, function, _looked, look, problem)
    if isinstance(found, dict):
        raise Refusal(**found)
    return found


def _elsewhere(problem: Problem, function: Any, *args: Any) -> Any:
    try:
        with guard.time_limit(_START + problem.time_limit):
            return shape_process.call(
                *(function, args, {}, None, target.resolve(None)), by=(__name__, __name__), data=True
            )
    except guard.TimedOut:
        said = "it had not ended in time"
    except Exception as error:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    raise NotJudged(
        f"the results are right. How the code works is looked at on a simulated device, and there it failed: {said}."
    )


# What follows runs in the other process.


def taken(function: Any, args: tuple[Any, ...], kwargs: Any, gpu: Any) -> Any:
    """Look at a function as the first argument does."""
    devices.need_cupy()
    if not devices.simulated():  # or it would start another process, and that another one
        raise RuntimeError("nothing is simulated there")
    work, *given = args
    return work(function, *given)


def _counted(function: Any, cases: list[Case]) -> list[Traffic]:
    counted = []
    for case in cases:
        arguments = case.device()
        with watch() as moved:
            function(*arguments)
            devices.synchronize()
        counted.append(moved)
    return counted


def _looked(function: Any, look: Any, problem: Problem) -> Any:
    try:
        return look(problem, function)
    except Refusal as refusal:
        return vars(refusal)
