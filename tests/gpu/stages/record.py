"""3. `hundredfold record`: the headline workloads at the published sizes, a row at a time, in a recording that goes on where it was."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

TITLE = "Recording"
WORKERS = 1
FILE = "recording.json"
WHOLE = ", with the CPU's ways"

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
    needs = ["jsonschema", "click", "numpy"]
    if about["dry"]:
        return [{"name": "memory.slice.1000x1000" + WHOLE, "takes": 20, "patience": 560, "needs": needs}]
    # The ways of a GPU come first, of all workloads: those of the CPU take minutes, on a machine whose GPU waits.
    return [
        *({"name": each, "takes": 10, "patience": 200, "needs": needs} for each in ids),
        *({"name": each + WHOLE, "takes": 60, "patience": 560, "needs": needs} for each in ids),
    ]


def do(part, about):
    if not part.endswith(WHOLE):
        return _on_gpu(part, Path(about["folder"]) / FILE)
    part = part.removesuffix(WHOLE)
    file = Path(about["folder"]) / ("no-recording.json" if about["dry"] else FILE)
    again = [] if about["dry"] else ["--again"]
    command = [sys.executable, "-c", "from hundredfold.cli import main; main()", "record", *again]
    command += ["--only", part, "--output", str(file)]
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


def _on_gpu(name, file):
    """A workload's row of the recording with the ways of a GPU alone."""
    from hundredfold.toolkit.record import here, recording_file, running, workloads

    workload = next(each for each in workloads.every() if each.id == name)
    workload = dataclasses.replace(workload, ways=tuple(way for way in workload.ways if way.device == "gpu"))
    said = []
    row = running.row(workload, said.append)
    machine = here.describe("")
    machine["name"] = machine["gpu"]
    recording = recording_file.begin(file, machine, here.source(f"Recorded on {machine['name']}"))
    recording["rows"] = [each for each in recording["rows"] if each["id"] != name] + [row]
    recording_file.write(file, recording)
    return {"row": row, "said": "; ".join(said)}


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
