"""6b. Four kernels on one GPU under the limits that `hundredfold seats` sets, one of them greedy: who gets what, and who is right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

TITLE = "Seats"
WORKERS = 1
KERNELS = 4
SECONDS = {"dry": 2.0, "real": 8.0}


def parts(about):
    need = ["numba"] if about["dry"] else ["cupy"]
    found = [{"name": "four kernels, one greedy", "takes": 40, "patience": 240, "needs": need, "alone": True}]
    if not about["dry"]:
        found += [{"name": "one kernel alone", "takes": 20, "patience": 120, "needs": need, "alone": True}]
        found += [
            {
                "name": "four kernels, one greedy with cuDF",
                "takes": 60,
                "patience": 300,
                "needs": [*need, "cudf"],
                "alone": True,
            }
        ]
    return found


def do(part, about):
    count = 1 if part.startswith("one") else KERNELS
    greedy = 1 if "greedy" in part else 0
    return together(count, greedy, "cudf" if "cuDF" in part else "cupy", about["dry"])


def together(count, greedy, library, dry):
    """Start so many kernels at once, each under a seat's environment; what each says, and how each ended."""
    env, share = environment(count if count > 1 else KERNELS, dry)
    seconds = SECONDS["dry" if dry else "real"]
    with tempfile.TemporaryDirectory(prefix="gpu-seats-") as folder:
        begin = Path(folder) / "begin"
        processes = []
        for number in range(count):
            how = "greedy" if number < greedy else "fair"
            command = [
                sys.executable,
                "-W",
                "ignore",
                "-m",
                "gpu.sitting",
                how,
                library,
                str(begin),
                str(seconds),
                str(share),
            ]
            processes.append(
                (
                    how,
                    subprocess.Popen(
                        command, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
                    ),
                )
            )
        until = time.monotonic() + 90
        while len(list(Path(folder).glob("ready-*"))) < count and time.monotonic() < until:
            time.sleep(0.05)
        begin.touch()
        said = []
        for how, process in processes:
            out, err = process.communicate(timeout=150)
            last = (out.strip().splitlines() or ["{}"])[-1]
            said.append(
                {
                    "how": how,
                    "status": process.returncode,
                    **(json.loads(last) if last.startswith("{") else {}),
                    "stderr": err[-300:] if process.returncode else "",
                }
            )
    fair = [each for each in said if each["how"] == "fair"]
    held = all(each.get("held", 0) <= share * 1.01 for each in said if each["how"] == "greedy")
    return {"share": share, "kernels": said, "all right": all(each.get("right") for each in fair), "greedy held": held}


def environment(kernels, dry):
    """The environment of a seat on this GPU, by `hundredfold.classroom.seats.limits`, and the bytes it may use."""
    from gpusim import hardware
    from hundredfold.classroom.seats import devices, limits
    from hundredfold.classroom.seats.plan import CONTEXT

    if dry:
        small = limits.Limits(memory=1 << 30, cores=1, gpus=1)
        env = limits.environment(
            devices.Place(devices.SIMULATED, "simulated", 0, kernels, "simulated"), small, machine_has_gpus=True
        )
        return env, int(env["GPUSIM_GPU_MEMORY"])
    gpu = hardware.probe().usable[0]
    share = (gpu.memory_total - CONTEXT * kernels) // kernels
    name = f"{'MIG' if gpu.mig else 'GPU'}-{uuid.UUID(gpu.uuid)}" if gpu.uuid else "0"  # as CUDA_VISIBLE_DEVICES has it
    place = devices.Place(name, gpu.name, share, kernels, "time-slicing")
    return limits.environment(place, limits.Limits(memory=8 << 30, cores=2)), share


def report(results):
    lines = []
    for part, line in results.items():
        found = line.get("result")
        if found is None:
            lines.append(f"- {part}: {line['status']}: {' '.join(line.get('why', '').split())[:200]}")
            continue
        gb = found["share"] / 1e9
        fair = [each for each in found["kernels"] if each["how"] == "fair"]
        rounds = ", ".join(str(each.get("rounds", "none")) for each in fair)
        lines.append(
            f"- {part}: a seat has {gb:.3g} GB; the fair ones did {rounds} rounds, {'all right' if found['all right'] else '**not all right**'}"
        )
        for each in found["kernels"]:
            if each["how"] == "greedy":
                lines.append(
                    f"  - the greedy one held {each.get('held', 0) / 1e9:.3g} GB and was told: {' '.join(each.get('told', each['stderr']).split())[:160]}"
                )
    return lines
