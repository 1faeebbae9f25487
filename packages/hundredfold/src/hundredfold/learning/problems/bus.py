"""Judge what a function moves over the bus between host and device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .cases import Case
from .functions import call
from .problem import Problem
from .traffic import spell
from .verdict import in_case, refuse


def on_the_bus(case: Case, *, share: float = 0.05, floor: int = 256) -> Callable[[Problem, Any], None]:
    """A judge for `FunctionJudge.after`: the result must be right for a large case too, and the call may move at most
    `share` of its arguments' bytes over the bus.

    Parameters
    ----------
    case : Case
        A large one: what scalars and small tables cost must not matter.
    share : float
        Of the array arguments' bytes; at least `floor` bytes are always allowed.
    """

    def judge(problem: Problem, function: Any) -> None:
        run = call(problem, function, case)
        with in_case(case.name):
            problem.judge.compare_run(run)
        size = sum(value.nbytes for value in run.host if isinstance(value, np.ndarray))
        moved = run.traffic
        if moved.bus <= max(share * size, floor):
            return
        ways = [
            f"{spell(moved.to_host)} from the device to the host" if moved.to_host > floor else "",
            f"{spell(moved.to_device)} from the host to the device" if moved.to_device > floor else "",
        ]
        refuse(
            "transfer",
            f"the result is right, but the work went through the host: for {spell(size)} of data on the "
            f"device your code moved {' and '.join(way for way in ways if way)}. The bus is the slowest road there is.",
            case=case.name,
        )

    return judge
