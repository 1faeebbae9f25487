"""What was found wrong with kernels in this process, and whether it stops them.

By default it does.  Two settings let a program go on as it would on a GPU, with what was found noted here and told in a
warning: ``HUNDREDFOLD_OUT_OF_BOUNDS=continue`` for elements that an array does not have (compiled kernels), and
``HUNDREDFOLD_TRACE=report`` for what the check of a first launch finds.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from .faults import KernelError

SETTING = "HUNDREDFOLD_OUT_OF_BOUNDS"


class Report(NamedTuple):
    """One thing found.

    Attributes
    ----------
    kernel, filename : str
    kind, severity, sentence : str
        As a `Finding` has them.
    line : int or None
        1-based, in the kernel's own source.
    times : int
        How often it was seen.
    file_line : int or None
        1-based, in `filename`; None where the line is a device function's.
    """

    kernel: str
    filename: str
    kind: str
    severity: str
    line: int | None
    sentence: str
    times: int = 1
    file_line: int | None = None


reports: deque[Report] = deque(maxlen=1000)
"""All that was found, oldest first."""

watchers: list[Callable[[object, object, list], None]] = []
"""Called with each checked launch, its log and what was found (see `hundredfold.lens.watching`)."""

stopped: list[Callable[[object, object, list], None]] = []
"""Called likewise with each launch that could not go on while it was checked: its log is what was seen until then."""

_seen: set[tuple] = set()


def goes_on() -> bool:
    """Whether a kernel goes on past the end of an array.

    Raises
    ------
    ValueError
        If the setting is neither `refuse` nor `continue`.
    """
    way = os.environ.get(SETTING) or "refuse"
    if way not in ("refuse", "continue"):
        raise ValueError(f"{SETTING} must be refuse or continue, not {way!r}.")
    return way == "continue"


def findings(function: object, found: list) -> None:
    """Note what the check of a launch of a resolved kernel found."""
    for each in found:
        own = each.line is not None and each.function in ("", function.name)
        place = function.firstlineno + each.line - 1 if own else None
        told = (each.kind, each.severity, each.line, each.sentence, each.elements, place)
        reports.append(Report(function.name, function.filename or "", *told))


def beyond(fault: KernelError, times: int) -> bool:
    """Note accesses past the end of an array; returns whether the line is new."""
    key = (fault.filename, fault.kernel, fault.line, fault.array)
    new = key not in _seen
    _seen.add(key)
    if new:
        reports.append(
            Report(
                fault.kernel,
                fault.filename or "",
                "out-of-bounds",
                "error",
                fault.line,
                str(fault),
                times,
                fault.file_line,
            )
        )
    return new
