"""About how long a workload takes to record, so that a run can be fitted into the minutes that there are.

The ways of a CPU come from the newest recording that has them; it was made on two cores, so most machines are faster. Nobody has
timed the ways of a GPU: `GPU` is a guess, and is called one wherever it is shown.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from hundredfold import paths

from .workload import Way, Workload

#: Seconds to start a process, import the library and make the data, on a CPU; no recording keeps them.
START = 5.0
#: Seconds of one way on a GPU: start and import 10, data 3, first call 2, samples 5.
GPU = 20.0
#: Seconds of a CPU's way that no recording has: a first call, and five seconds of samples.
UNKNOWN = 15.0


def seconds(workload: Workload, gpu: bool) -> float:
    """About how long all ways of a workload take that can run here: those of a CPU and, with `gpu`, those of a GPU."""
    return sum(
        GPU if way.device == "gpu" else START + _samples(workload, way)
        for way in workload.ways
        if gpu or way.device == "cpu"
    )


def _samples(workload: Workload, way: Way) -> float:
    for time in _recorded().get(workload.id, ()):
        if time["way"] == way.name:
            return time["first"] + time["runs"] * time["loops"] * time["seconds"]
    return UNKNOWN


@cache
def _recorded() -> dict[str, list[dict[str, Any]]]:
    """The times of the recordings that tell how often they ran, by workload; those of newer files win."""
    found: dict[str, list[dict[str, Any]]] = {}
    for file in sorted(paths.data_dir("recordings").glob("*-20[0-9][0-9].json"), key=lambda file: file.stem[-4:]):
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["kind"] == "recorded":
            found |= {row["id"]: row["times"] for row in data["rows"]}
    return found
