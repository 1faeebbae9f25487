"""Judge what a function of tables costs: trips over the bus, kernels, bytes of device memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from .. import counting
from ..cases import Case
from ..frames import call, given, rows
from ..problem import Problem
from ..traffic import spell
from ..verdict import in_case, refuse


@dataclass(frozen=True)
class Thrift:
    """Refuse a function that costs far more than it must, on one large case.

    Parameters
    ----------
    case : Case
    kernels : int
        How many kernels it may launch, as the simulator counts them.
    tables : float, optional
        How many times the bytes of all tables, given and returned, one kernel may read and write: a table in between that is larger
        is one that need not be. The limit that is told is each table read once and the result written once, 8 bytes
        for each value.
    """

    case: Case
    kernels: int
    tables: float | None = None

    def __call__(self, problem: Problem, function: Any) -> str | None:
        arguments = given(self.case)
        called, moved = call(problem, function, arguments)
        with in_case(self.case.name):
            problem.judge.compare(problem, self.case, called.value)
        if moved.device is None:
            (moved,) = counting.apart(problem, function, [self.case])
        host = [value for value in self.case.host() if isinstance(value, pd.DataFrame)]
        least = 8 * sum(table.size for table in (*host, rows(called.value).values))
        if self.tables is not None and moved.to_host > 0.02 * least:
            refuse(
                "transfer",
                f"the result is right, but {spell(moved.to_host)} went from the device to the host. The tables lie on the device: "
                "let them.",
                case=self.case.name,
            )
        return self._counted(moved, least)

    def _counted(self, moved: Any, least: float) -> str | None:
        name, most = max(moved.launches, key=lambda launch: launch[1], default=("", 0))
        if self.tables is not None and most > self.tables * least:
            refuse(
                "materialised",
                f"the result is right, but one {name} reads and writes {spell(most)} of device memory; all tables together, given "
                f"and returned, have {spell(least)}. There is a table in between that is far larger.",
                case=self.case.name,
            )
        if len(moved.launches) > self.kernels:
            refuse(
                "launch",
                f"the result is right, but it takes {len(moved.launches)} kernels; at most {self.kernels} are allowed. Does a loop "
                "in Python run over the stations? Each turn pays for its launches, however few rows it has.",
                case=self.case.name,
            )
        if self.tables is None:
            return None
        return f"How near to the limit: {100 * least / moved.device:.3g} % (the limit: each table read once, the result written once)."
