"""Bound and estimate beside each published measurement."""

from __future__ import annotations

import dataclasses
import json
import sys

from kernellens import times

from . import workloads
from .table import Row, rows


@dataclasses.dataclass(frozen=True)
class Ratio:
    """One measurement and what the model has for it; None where it has nothing.

    Attributes
    ----------
    id, gpu, operation, source, method : str
    last : bool
        Whether its source is of the half that was looked at last.
    seconds, bound, estimate : float
    binds, says : str
        What the estimate says binds, and all that it says.
    why_not : str
        Why there is no estimate.
    """

    id: str
    gpu: str
    operation: str
    source: str
    method: str
    last: bool
    seconds: float
    bound: float | None = None
    estimate: float | None = None
    binds: str = ""
    says: str = ""
    why_not: str = ""


def ratio(row: Row) -> Ratio:
    """Bound and estimate of one measurement, by the published figures of its GPU."""
    told = {name: getattr(row, name) for name in ("id", "operation", "source", "method", "last", "seconds")}
    gpu = row.known
    if gpu is None:
        return Ratio(**told, gpu=row.gpu, why_not="the GPU's figures are not known")
    found = workloads.work(row, gpu)
    counted = workloads.counted(row)
    bounds = [times.bound_of(each, gpu).seconds for each in (found, counted) if each is not None]
    told |= {"gpu": gpu.name, "bound": max(bounds, default=None)}
    if found is None:
        return Ratio(**told, why_not=workloads.why_not(row))
    estimate = times.estimate_of(found, gpu)
    return Ratio(**told, estimate=estimate.seconds, binds=estimate.binds, says=repr(estimate))


def trace() -> None:
    """Trace all kernels again and write `works.json`."""
    import gpusim

    gpusim.activate()
    workloads.start()
    numbers: dict[str, int] = {}
    names: dict[str, int] = {}
    for row in rows():
        found = workloads.traced(row)
        if found is not None:
            names[row.id] = numbers.setdefault(json.dumps(dataclasses.asdict(found)), len(numbers))
            print(row.id, file=sys.stderr, flush=True)
    works = ",\n".join(numbers)
    workloads.STORED.write_text(f'{{"rows": {json.dumps(names)},\n"works": [\n{works}\n]}}\n', encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Write all of them as JSON; with ``--trace`` trace the kernels first."""
    if "--trace" in arguments:
        trace()
    json.dump([dataclasses.asdict(ratio(row)) for row in rows()], sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
