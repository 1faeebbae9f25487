"""Will the lab work here, and if not, which one command fixes it? Standard library only; `rich` draws it where installed.

>>> from hundredfold.setup import doctor
>>> report = doctor.examine()
>>> report.ok, report.mode, report.extra            # doctest: +SKIP
(True, 'none', 'cpu')
"""

from __future__ import annotations

import datetime
import sys

from gpusim.hardware import detect
from kernellens import variables

from . import driver, gpu, host, installed, lab
from .facts import Facts, gather, record, system
from .report import Finding, Report

__all__ = ["Facts", "Finding", "Report", "examine", "gather", "main", "record", "why_no_gpu"]


def examine(facts: Facts | None = None) -> Report:
    """Return the report on this machine, or on the machine that `facts` describes.

    Parameters
    ----------
    facts : Facts, optional
        What was looked up; by default it is looked up here (with GPUSIM_PROBE, read from that recording as far as it goes).

    Raises
    ------
    ValueError
        If GPUSIM_PROBE names a file that is no recording.
    """
    facts = gather() if facts is None else facts
    findings = [
        *host.machine(facts),
        *driver.driver(facts),
        *gpu.gpus(facts),
        *installed.packages(facts),
        *host.memory_and_cores(facts),
        *host.ports(facts),
        *lab.lab(facts),
    ]
    return Report(findings=findings, mode=facts.mode, extra=facts.extra, label=facts.label)


def why_no_gpu() -> Finding | None:
    """Return why a GPU that is here is not used, for the first cell's line: nothing is computed on the CPU in silence.

    None where a GPU works, and where there is no sign of one.
    """
    facts = Facts(probe=detect.probe(), packages={}, system=system(), cpu={}, ports={}, lab={})
    if facts.extra != "cpu" or not facts.probe.present:
        return None
    found = [*driver.driver(facts), *gpu.gpus(facts)]
    return next((finding for finding in found if finding.level == "bad"), None)


def main(arguments: list[str] | None = None) -> int:
    """Print the report, as JSON with `--json`; with `--record` what it is made of, for a report of a fault or a test.

    Returns 1 if the lab would not work, else 0; 2 for a wrong argument, a file that is no recording, or a variable under its old name.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) > 1 or set(arguments) - {"--json", "--record"}:
        print("usage: hundredfold doctor [--json | --record]", file=sys.stderr)
        return 2
    if arguments == ["--record"]:
        print(record(f"recorded by hundredfold doctor on {datetime.date.today().isoformat()}"))
        return 0
    try:
        variables.refuse()
        report = examine()
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if arguments:
        print(report.to_json())
    else:
        report.show()
    return 0 if report.ok else 1
