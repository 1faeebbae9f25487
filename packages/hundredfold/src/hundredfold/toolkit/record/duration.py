"""About how long a workload takes to record, so that a run can be fitted into the minutes that there are.

The ways of a CPU take as long as on the slowest machine that was recorded. Nobody has timed the ways of a GPU: `GPU` is a guess, and is
called one wherever it is shown.
"""

from __future__ import annotations

import json
from functools import cache

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
    return max(_recorded().get((workload.id, way.name), ()), default=UNKNOWN)


@cache
def _recorded() -> dict[tuple[str, str], list[float]]:
    """Seconds of the first call and of all samples, by workload and way, of each recording that tells how often they ran."""
    found: dict[tuple[str, str], list[float]] = {}
    for file in paths.data_dir("recordings").glob("*.json"):
        data = json.loads(file.read_text(encoding="utf-8"))
        for row in data["rows"] if data.get("kind") == "recorded" else ():
            for time in row["times"]:
                if "first" in time and "loops" in time:
                    took = time["first"] + time["runs"] * time["loops"] * time["seconds"]
                    found.setdefault((row["id"], time["way"]), []).append(took)
    return found
