"""3. `hundredfold record`: the headline workloads at the published sizes, a row at a time, in a recording that goes on where it was."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TITLE = "Recording"
WORKERS = 1
FILE = "recording.json"

#: The famous ones first, then the suite's middle size, then small and large.
WORTH = ("arrays.", "kernels.", "dataframes.", "merges.", ".10000x10000", ".10000x1000", ".1000x1000")


def parts(about):
    from hundredfold.toolkit.record import workloads

    ids = [each.id for each in workloads.every()]
    ids.sort(
        key=lambda each: next(
            (i for i, worth in enumerate(WORTH) if each.startswith(worth) or each.endswith(worth)), len(WORTH)
        )
    )
    if about["dry"]:
        ids = ["memory.slice.1000x1000"]
    return [{"name": each, "takes": 20, "patience": 560, "needs": ["jsonschema", "click", "numpy"]} for each in ids]


def do(part, about):
    file = Path(about["folder"]) / ("no-recording.json" if about["dry"] else FILE)
    command = [
        sys.executable,
        "-c",
        "from hundredfold.cli import main; main()",
        "record",
        "--only",
        part,
        "--output",
        str(file),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=550, check=False)
    if done.returncode:
        raise RuntimeError(f"{done.stdout[-300:]} {done.stderr[-900:]}")
    row = next((row for row in json.loads(file.read_text())["rows"] if row["id"] == part), None)
    if row is None:
        raise RuntimeError(f"nothing was recorded: {done.stderr[-900:]}")
    if about["dry"]:
        file.unlink()
        assert all(time["device"] == "cpu" for time in row["times"]), "a simulated GPU's time was recorded"
    return {"row": row, "said": done.stderr[-900:]}


def report(results):
    lines = ["| workload | way | time | spread | verdict |", "|---|---|---:|---:|---|"]
    for part, line in results.items():
        if line["status"] != "done":
            lines.append(f"| {part} | {line['status']} | | | {' '.join(line.get('why', '').split())[:160]} |")
            continue
        for time in line["result"]["row"]["times"]:
            lines.append(
                f"| {part} | {time['way']} | {seconds(time['seconds'])} | {seconds(time['spread'])} | {time['verdict']} |"
            )
    return lines if len(lines) > 2 else []


def seconds(value) -> str:
    """A time with three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
