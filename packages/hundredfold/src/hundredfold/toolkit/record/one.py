"""``python -m hundredfold.toolkit.record.one WORKLOAD WAY``: one way in a process of its own; a line of JSON tells what came of it.

Alone, so that no pool of memory, no thread and no warm cache of another way helps or hinders it, and a crash ends only this one.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
import signal
import sys

from hundredfold.toolkit import measure

from . import workloads
from .workload import Way, Workload

#: Names the process that starts this one.
PARENT = "HUNDREDFOLD_RECORDER"
_PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def measured(workload: Workload, way: Way) -> dict:
    """Seconds (median), their spread, the first call, and the answer that all ways must agree on."""
    done = measure(
        way.prepare(), bytes=workload.least_bytes, flops=workload.flops, dtype=_rate(workload.dtype), name=way.name
    )
    return {
        "seconds": done.median,
        "spread": 0.0 if math.isnan(done.spread) else done.spread,
        "first": done.first,
        "runs": len(done.times),
        "loops": done.loops,
        "doubt": done.suspicious or "",
        "noisy": done.noisy or "",
        "limit": None if done.limit is None or done.limit.fits_in_cache else done.limit.seconds,
        "answer": way.answer(done.value),
    }


def _rate(dtype: str) -> str:
    return dtype if dtype in ("float32", "float64") else "float64"


def _end_with_parent() -> None:
    """Where the system can (Linux): killed with whoever started this, so that no orphan disturbs the run that goes on in its place."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # It may have been killed while this was still starting; then nobody is told.
    if os.getppid() != int(os.environ.get(PARENT, os.getppid())):
        raise SystemExit(1)


def main(name: str, called: str) -> None:
    _end_with_parent()
    workload = next(each for each in workloads.every() if each.id == name)
    way = next(each for each in workload.ways if each.name == called)
    print(json.dumps(measured(workload, way)))


if __name__ == "__main__":
    main(*sys.argv[1:])
