"""A report's measurements as data, in the shape of a recording (`recordings/schema.json`), for the site's page of results to read back.

Of kind "report" and not "recorded": the work was the learner's, and a time's device may be "simulated", which no recording has.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gpusim import hardware
from gpusim.hardware import cpu, gpus
from hundredfold.toolkit.measurement_log import Entry

if TYPE_CHECKING:
    import datetime

    from hundredfold.toolkit.comparison import Comparison

META = "hundredfold-results"
"""The name of the `meta` that holds them."""


def document(
    title: str, made: datetime.datetime, entries: Sequence[Entry], compared: Sequence[Comparison]
) -> dict[str, Any]:
    """Return all that was measured: what was compared as rows of its workload, the rest as rows of their own names."""
    rows: dict[str, dict[str, Any]] = {}
    seen = set()
    for workload, entry in (*_compared(compared), *((entry.name, entry) for entry in entries)):
        if (entry.name, entry.seconds) in seen or not 0 < entry.seconds < math.inf:
            continue
        seen.add((entry.name, entry.seconds))
        facts = {"bytes": entry.bytes, "flops": entry.flops}
        facts = {name: value for name, value in facts.items() if value is not None}
        row = rows.setdefault(workload, {"id": workload, "source": "run", "machine": "here", **facts, "times": []})
        row["times"].append(_time(entry))
    return {
        "schema": 1,
        "kind": "report",
        "title": title,
        "sources": {"run": {"title": title, "date": made.date().isoformat()}},
        "machines": {"here": _machine()},
        "rows": list(rows.values()),
    }


def _compared(compared: Sequence[Comparison]) -> Iterator[tuple[str, Entry]]:
    for each in compared:
        for entry in each.measured:
            yield each.workload, entry


def _time(entry: Entry) -> dict[str, Any]:
    device = {"CPU": "cpu", "simulated GPU": "simulated"}.get(entry.device, "gpu")
    told: dict[str, Any] = {
        "way": entry.name,
        "device": device,
        "seconds": entry.seconds,
        "runs": entry.samples,
        "verdict": entry.verdict,
    }
    optional = {"spread": entry.spread, "first": entry.first, "limit": entry.limit}
    told |= {name: value for name, value in optional.items() if value is not None and not math.isnan(value)}
    return told | ({"remark": entry.doubt} if entry.doubt else {})


def _machine() -> dict[str, Any]:
    found: dict[str, Any] = {"name": cpu.cpu_name(), "cpu": cpu.cpu_name(), "cores": cpu.cores()}
    if hardware.mode() == "gpu":
        name = hardware.probe().usable[0].name
        found |= {"name": name, "gpu": gpus.plain(name)}
    return found


def written(document: dict[str, Any]) -> str:
    """Return it as text on one line."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
