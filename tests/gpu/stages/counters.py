"""5b. Requests, sectors and bank conflicts of each kernel of the set: the lens beside Nsight Compute, or, where counters are refused,
the sectors of each kernel's requests told from their times (`gpu.microbenchmarks.sectors_by_time`).

Kernels go to Nsight Compute by the dozen; those of a dozen in which one crashed or hung go one by one afterwards.
"""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TITLE = "Counters"
#: Nsight Compute itself lets one kernel of all processes be profiled at a time; the lens reckons meanwhile.
WORKERS = 4
#: What failed by the dozen is listed anew, one by one.
EXPANDS = True
DOZEN = 12
ROOT = Path(__file__).parents[3]

#: Nsight Compute's metric: what of the lens it is compared with.
METRICS = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": ("read", "requests"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": ("read", "sectors"),
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": ("write", "requests"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": ("write", "sectors"),
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum": ("atomic", "requests"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum": ("atomic", "sectors"),
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum": ("atomic", "requests"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum": ("atomic", "sectors"),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": ("conflicts", ""),
}
#: What Nsight Compute says where it can read no counter at all: of a driver that refuses them, and in a sandbox.
REFUSED = ("ERR_NVGPUCTRPERM", "LibraryNotLoaded")
FURTHER = ("launch__registers_per_thread", "sm__maximum_warps_per_active_cycle_pct", "gpu__time_duration.sum")


def parts(about):
    from kernels_set import registry

    from gpu import results_file

    from .probe import tool

    names = registry.names()
    need = ["numba"] if about["dry"] else ["numba_cuda", "cupy"]
    if about["dry"]:
        return [{"name": "saxpy, increment", "takes": 5, "patience": 120, "needs": need, "alone": True}]
    if not tool("ncu"):
        return [{"name": f"by time: {name}", "takes": 3, "patience": 120, "needs": need} for name in names]
    found, done = [], results_file.ResultsFile([about["folder"]], False, about["machine"]).results("counters")
    refused = any(sign in (line.get("why") or "") for line in done.values() for sign in REFUSED)
    for start in range(0, len(names), DOZEN):
        dozen = names[start : start + DOZEN]
        part = ", ".join(dozen)
        found.append({"name": part, "takes": 40, "patience": 200, "needs": need, "alone": True})
        if part in done and done[part]["status"] != "done":
            if refused:
                found += [{"name": f"by time: {name}", "takes": 3, "patience": 120, "needs": need} for name in dozen]
            else:
                found += [{"name": name, "takes": 10, "patience": 90, "needs": need, "alone": True} for name in dozen]
    return found


def do(part, about):
    if part.startswith("by time: "):
        return {"rows": by_time(part.removeprefix("by time: "))}
    names = part.split(", ")
    with tempfile.TemporaryDirectory(prefix="gpu-counters-") as folder:
        log = Path(folder) / "launches.jsonl"
        program = [sys.executable, "-W", "ignore", "-m", "gpu.launching", str(log), *names]
        if about["dry"]:
            subprocess.run(program, check=True, capture_output=True, timeout=110)
            return {"rows": [json.loads(line) for line in log.read_text().splitlines()], "profiler": "none: simulated"}
        from .probe import tool

        # The clocks are left as they are: the machine is lent, and sectors do not depend on them.
        command = [
            tool("ncu"),
            "--csv",
            "--page",
            "raw",
            "--print-units",
            "base",
            "--clock-control",
            "none",
            "--target-processes",
            "application-only",
        ]
        command += ["--metrics", ",".join([*METRICS, *FURTHER])]
        done = subprocess.run([*command, *program], capture_output=True, text=True, check=False, env=os.environ)
        said = done.stdout + done.stderr
        if done.returncode or "ERR_NVGPUCTRPERM" in said or not log.exists():
            told = [line for line in said.splitlines() if line.startswith("==ERROR==") or "ERR_NVGPUCTRPERM" in line]
            raise RuntimeError(f"ncu ended with status {done.returncode}: {' '.join(told)[:500] or said[-700:]}")
        return {"rows": compared([json.loads(line) for line in log.read_text().splitlines()], measured(done.stdout))}


def measured(text: str) -> list[dict]:
    """The rows of Nsight Compute's CSV (page raw), one for each launch in order; the row of units is left out."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    return [row for row in csv.DictReader(io.StringIO("\n".join(lines))) if row.get("ID", "").isdigit()]


def compared(noted: list[dict], rows: list[dict]) -> list[dict]:
    """Each launch that was noted with the next row of the profiler that is of a kernel of that name."""
    found, rest = [], iter(rows)
    for launch in noted:
        row = next((row for row in rest if launch["name"] in row["Kernel Name"]), None)
        if row is None:
            found.append({**launch, "why": "the profiler has no such launch"})
            continue
        theirs: dict = {}
        for metric, (kind, what) in METRICS.items():
            value = _number(row.get(metric))
            if what:
                theirs.setdefault(kind, {}).setdefault(what, 0)
                theirs[kind][what] += value
            else:
                theirs[kind] = value
        same = all(
            launch.get(kind, {}).get("sectors", 0) == theirs[kind]["sectors"] for kind in ("read", "write", "atomic")
        )
        further = {name: _number(row.get(name)) for name in FURTHER}
        found.append({**launch, "profiler": theirs, "further": further, "same": same and "why" not in launch})
    return found


def _number(text) -> float:
    try:
        value = float(str(text).replace(",", ""))
    except ValueError:
        return 0
    return int(value) if value == int(value) else value


def by_time(name: str) -> list[dict]:
    """Of each place in a kernel where it asks for global memory, one request: its sectors by the lens's rule and by its time."""
    from .. import microbenchmarks

    places = requests_of(name)
    with (Path(tempfile.gettempdir()) / "gpu-counters.lock").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)  # several parts run at once, and times are those of one
        told = microbenchmarks.sectors_by_time([each["places"] for each in places])
    rows = []
    for place, value in zip(places, told, strict=True):
        # Powers of two are the marks of the scale: within a quarter of one is as near as times tell.
        same = abs(value / place["sectors"] - 1) <= 0.25 or (place["sectors"] <= 2 and value <= 2.5)
        rows.append(
            {"entry": name, "text": place["text"], "lens": place["sectors"], "by time": round(value, 2), "same": same}
        )
    return rows


def requests_of(name: str) -> list[dict]:
    """For each place, the first request of the most lanes: byte offsets of its 32 lanes (-1: idle) and its sectors."""
    import numpy as np
    from kernels_set import registry

    import kernellens
    from kernellens.requests import requests

    entry = registry.one(name)
    case = list(entry.cases(registry.seeded(name)))[-1]
    trace = kernellens.trace(entry.kernel, case.grid, case.block, *case.args, sharedmem=case.shared)
    found = []
    for item in requests(trace.log, "global") if trace.log is not None else ():
        which = int(np.bincount(item.request).argmax())
        mine = item.request == which
        address, lane = item.address[mine], item.lane[mine]
        first = int(address.min()) // 32 * 32
        places = np.full(32, -1)
        places[lane] = address - first
        found.append({"text": item.site.text, "places": places.tolist(), "sectors": len(np.unique(address // 32))})
    return found


def report(results):
    rows = [row for line in results.values() for row in (line.get("result") or {}).get("rows", [])]
    failed = {part: line for part, line in results.items() if line["status"] != "done"}
    compared_rows = [row for row in rows if "same" in row]
    lines = (
        [f"- sectors as the lens says in {sum(row['same'] for row in compared_rows)} of {len(compared_rows)} launches"]
        if compared_rows
        else []
    )
    lines += [
        f"- {part[:80]}: {line['status']}: {' '.join(line.get('why', '').split())[:200]}"
        for part, line in failed.items()
    ]
    differ = [row for row in compared_rows if not row["same"]]
    if compared_rows:
        lines += [
            "",
            "| kernel | reads lens / profiler | writes lens / profiler | atomics lens / profiler | bank conflicts lens / profiler |",
            "|---|---|---|---|---|",
        ]
    for row in [*differ, *(row for row in compared_rows if row["same"])]:
        if "by time" in row:
            lines.append(f"| {row['entry']}: `{row['text'][:50]}` | {row['lens']} / {row['by time']} by time | | | |")
            continue
        cells = [
            f"{_sectors(row.get(kind))} / {_sectors(row.get('profiler', {}).get(kind))}"
            for kind in ("read", "write", "atomic")
        ]
        conflicts = f"{row.get('conflicts', '–')} / {row.get('profiler', {}).get('conflicts', '–')}"
        lines.append(f"| {row['entry']}{'' if row['same'] else ' **differs**'} | {' | '.join(cells)} | {conflicts} |")
    return lines


def _sectors(of) -> str:
    if not of or not of["requests"]:
        return "0"
    return f"{of['sectors']} ({of['sectors'] / of['requests']:.3g} a request)"
