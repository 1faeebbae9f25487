"""Look at the launches of a whole program as they are checked."""

from __future__ import annotations

from typing import Any

from gpusim.kernels import reported
from gpusim.kernels.faults import KernelError, TraceError
from gpusim.kernels.sanitizer import findings
from gpusim.kernels.sanitizer.log import Log

from .banks import conflicts
from .traffic import SECTOR, traffic


def stopped(error: BaseException, line: int | None) -> None:
    """Note a kernel that was refused, or could not go on, among what was found in this process.

    Parameters
    ----------
    error : BaseException
        What ended the program; nothing is noted if it was no kernel's fault, or one that has been noted.
    line : int or None
        The program's line that it came through: that of a launch the device refuses.
    """
    fault: BaseException | None = error
    while fault is not None and not isinstance(fault, KernelError):
        fault = fault.__cause__ or fault.__context__
    if fault is None or isinstance(fault, TraceError):
        return
    found = findings.of_fault(fault)
    known = (found.kind, fault.kernel, fault.line)
    if any((report.kind, report.kernel, report.line) == known for report in reported.reports):
        return
    place = fault.file_line if fault.line is not None else line
    told = (found.kind, found.severity, fault.line, found.sentence, 1, place)
    reported.reports.append(reported.Report(fault.kernel or "a kernel", fault.filename or "", *told))


def watch(launches: list[dict[str, Any]]) -> None:
    """From here on, append what each checked launch of this process did to a list.

    A launch is checked the first time that a kernel is launched with arguments of some types, and with
    ``GPUSIM_TRACE=report`` the first time over each grid.

    Parameters
    ----------
    launches : list of dict
        Grows by ``{"kernel": …, "file": …, "file_line": …, "griddim": …, "blockdim": …, "blocks": traced, "asked": bytes,
        "moved": bytes, "bank_conflicts": cycles, "lines": [{"line": …, "kind": …, "requests": …, "sectors": …, …}],
        "findings": [{"kind": …, "severity": …, "line": …, "sentence": …}]}``.
    """

    reported.watchers.append(lambda run, log, found: launches.append(seen(run, log, found)))


def seen(run: Any, log: Log, found: list) -> dict[str, Any]:
    """What a checked launch did, as `watch` has it."""
    moved = traffic(log)
    shared = conflicts(log)
    return {
        "kernel": run.kernel.name,
        "file": run.function.filename or "",
        "file_line": run.function.firstlineno,
        "griddim": list(run.griddim),
        "blockdim": list(run.blockdim),
        "blocks": len(log.blocks),
        "asked": sum(item.asked for item in moved),
        "moved": sum(item.sectors for item in moved) * SECTOR,
        "bank_conflicts": sum(item.extra for item in shared),
        "lines": [
            {
                "line": item.line,
                "function": item.function,
                "kind": item.kind,
                "arrays": list(item.arrays),
                "text": item.text,
                "requests": item.requests,
                "sectors": item.sectors,
                "asked": item.asked,
            }
            for item in moved
        ],
        "conflicts": [
            {
                "line": item.line,
                "function": item.function,
                "text": item.text,
                "extra": item.extra,
                "worst": item.worst,
            }
            for item in shared
            if item.extra
        ],
        "findings": [
            {"kind": each.kind, "severity": each.severity, "line": each.line, "sentence": each.sentence}
            for each in found
        ],
    }
