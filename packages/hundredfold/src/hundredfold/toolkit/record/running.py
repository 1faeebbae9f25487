"""Measure the rows that are missing: each way in its own process, all ways of a row held to one answer."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from gpusim.hardware import cpu
from kernellens.plot import quantities

from . import here
from .workload import Way, Workload

#: Seconds after which a way counts as hung; the slowest known, a thin SVD on one core, takes a twentieth of it.
PATIENCE = 900


class Left(Exception):
    """Why a way or a workload was not recorded, as a sentence."""


def row(workload: Workload, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure one workload and return its row; what was left out, and why, is said.

    Raises
    ------
    Left
        If nothing of it can be recorded here.
    """
    room = cpu.memory().available
    if workload.memory > room:
        raise Left(f"{workload.id} needs {workload.memory / 1e9:.1f} GB and {room / 1e9:.1f} GB are free.")
    done: dict[Way, dict[str, Any]] = {}
    for way in workload.ways:
        if way.device == "gpu" and not here.has_gpu():
            continue  # said once for all of them, by the command
        try:
            done[way] = _alone(workload, way)
        except Left as reason:
            say(str(reason))
    if not done:
        raise Left(f"{workload.id}: no way of it could be measured here.")
    kept = _agreeing(workload, done, say)
    facts = {
        "n": workload.n,
        "shape": list(workload.shape) if workload.shape else None,
        "dtype": workload.dtype,
        "bytes": workload.bytes,
        "least_bytes": workload.least_bytes,
        "flops": workload.flops,
        "kernels": workload.kernels,
        "remark": workload.remark or None,
    }
    facts = {name: value for name, value in facts.items() if value is not None}
    times = [_time(way, result) for way, result in kept.items()]
    return {"id": workload.id, "what": workload.what, "source": "run", "machine": "here", **facts, "times": times}


def _alone(workload: Workload, way: Way) -> dict[str, Any]:
    for package in way.needs:
        if importlib.util.find_spec(package) is None:
            raise Left(f"{workload.id}, {way.name}: {package} is not installed.")
    env = {name: value for name, value in os.environ.items() if name != "GPUSIM_SIMULATE"}
    env["HUNDREDFOLD_RECORDER"] = str(os.getpid())  # `one.PARENT`, whose import would cost this process NumPy's
    command = [sys.executable, "-m", "hundredfold.toolkit.record.one", workload.id, way.name]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=env, check=False)
    except subprocess.TimeoutExpired:
        raise Left(f"{workload.id}, {way.name}: no answer in {PATIENCE} s.") from None
    if ended.returncode:
        last = ended.stderr.strip().splitlines()[-1:] or ["no reason was given"]
        raise Left(f"{workload.id}, {way.name}: {last[0]}")
    result = json.loads(ended.stdout.splitlines()[-1])
    if result["doubt"]:
        raise Left(f"{workload.id}, {way.name}: {result['doubt']}; it is not kept.")
    return result


def _agreeing(
    workload: Workload, done: dict[Way, dict[str, Any]], say: Callable[[str], None]
) -> dict[Way, dict[str, Any]]:
    """The ways whose answer is that of the first; a fast wrong answer is no result."""
    first, right = next((way, result["answer"]) for way, result in done.items())
    kept = {}
    for way, result in done.items():
        if math.isclose(result["answer"], right, rel_tol=workload.tolerance, abs_tol=workload.tolerance):
            kept[way] = result
        else:
            say(
                f"{workload.id}, {way.name}: it answers {result['answer']:g} where {first.name} answers {right:g}; it is not kept."
            )
    return kept


def _time(way: Way, result: dict[str, Any]) -> dict[str, Any]:
    told = {name: result[name] for name in ("seconds", "spread", "first", "runs", "loops")}
    if result.get("limit"):
        told["limit"] = result["limit"]
    doubt = result["noisy"] or _beaten(result)
    remark = {"remark": doubt} if doubt else {}
    verdict = "doubtful" if doubt else "possible"
    return {"way": way.name, "device": way.device, **told, "synchronised": True, "verdict": verdict, **remark}


def _beaten(result: dict[str, Any]) -> str:
    """What is said of a time that beats a limit whose rate was measured, by less than such rates waver (`bounds.SLACK`)."""
    least = result.get("limit")
    if not least or result["seconds"] >= least:
        return ""
    return (
        f"{quantities.share(least / result['seconds'])} of what this machine's rate, measured apart, allows: one of the two was "
        "taken while the machine was slower."
    )
