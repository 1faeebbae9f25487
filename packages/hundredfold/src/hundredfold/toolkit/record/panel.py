"""A run of a cluster as data: the scheduler's task stream and each worker's memory over time, for the Dask panel's replay.

``python -m hundredfold.toolkit.record.panel`` does the run in a process of its own and prints it as one line of JSON; on real GPUs where there
are some, else on simulated ones, and then it says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema

from hundredfold import paths

from . import here, recording_file
from .workloads import clusters

#: Seconds after which the run counts as hung.
PATIENCE = 300
#: Seconds between two looks at a worker's memory.
EVERY = 0.02
#: Elements along a side where GPUs are simulated: seconds on two cores.
SMALL = 2_000
#: Of all workers' memory, the share that the matrix may take.
SHARE = 0.2


def record(simulated: bool) -> dict[str, Any]:
    """Do the run in a process of its own and return it as the file holds it.

    Raises
    ------
    RuntimeError
        If it failed or hung, with its last words.
    """
    env = {name: value for name, value in os.environ.items() if name != "GPUSIM_SIMULATE"}
    if simulated:
        env |= {"GPUSIM_SIMULATE": "1", "GPUSIM_GPUS": env.get("GPUSIM_GPUS", "2")}
    command = [sys.executable, "-m", "hundredfold.toolkit.record.panel"]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=env, check=False)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"The run on a cluster gave no answer in {PATIENCE} s.") from None
    if ended.returncode:
        last = ended.stderr.strip().splitlines()[-1:] or ["no reason was given"]
        raise RuntimeError(f"The run on a cluster failed: {last[0]}")
    machine = here.describe("")
    name = f"{machine['cpu']}, simulating {env.get('GPUSIM_GPUS')} GPUs" if simulated else machine["gpu"]
    machine["name"] = name
    machine.pop("note", None)
    return {
        "$schema": "schema.json",
        "schema": 1,
        "kind": "simulated" if simulated else "recorded",
        "title": f"{'Simulated' if simulated else 'Recorded'} on {name}",
        "source": here.source("A run of a cluster"),
        "machine": machine,
        **json.loads(ended.stdout.splitlines()[-1]),
    }


def check(run: Any) -> None:
    """See that a run is as `recordings/panels/schema.json` says, and that its numbers lead somewhere.

    Raises
    ------
    ValueError
        With what is wrong.
    """
    from referencing import Registry, Resource

    folder = paths.data_dir("recordings")
    rows, schema = (
        json.loads((folder / name).read_text(encoding="utf-8")) for name in ("schema.json", "panels/schema.json")
    )
    registry = Registry().with_resource(rows["$id"], Resource.from_contents(rows))
    try:
        jsonschema.Draft202012Validator(schema, registry=registry).validate(run)
    except jsonschema.ValidationError as error:
        raise ValueError(f"{error.json_path}: {error.message[:200]}") from None
    places = [len(run["workers"]), None, len(run["functions"]), len(run["actions"])]
    if any(most is not None and task[at] >= most for task in run["tasks"] for at, most in enumerate(places)):
        raise ValueError("$.tasks: one names a worker, a function or an action that is not there")
    if any(task[1] >= run["workers"][task[0]]["threads"] for task in run["tasks"]):
        raise ValueError("$.tasks: one names a thread that its worker does not have")
    for each in run["memory"]:
        if any(len(each[name]) != len(each["at"]) for name in ("host", "device") if name in each):
            raise ValueError("$.memory: there are not as many sizes as moments")


def write(file: Path, run: dict[str, Any]) -> None:
    """Write it whole or not at all; raises ValueError if it is not as the schema says."""
    check(run)
    recording_file.whole(file, json.dumps(run, ensure_ascii=False, separators=(",", ":")))


# ---- in the process of the run ----


def run() -> dict[str, Any]:
    """Start a cluster, let it do the work once for practice, then once recorded."""
    from hundredfold.start import start

    start()
    from dask.distributed import Client, get_task_stream
    from dask_cuda import LocalCUDACluster

    client: Any  # which Dask's annotations take for the one whose methods are coroutines
    with LocalCUDACluster(dashboard_address="127.0.0.1:0") as cluster, Client(cluster) as client:
        workers = client.scheduler_info(n_workers=-1)["workers"]
        client.wait_for_workers(len(cluster.worker_spec))
        room = sum(each[1] for each in client.run(_device).values())
        side = SMALL if not here.has_gpu() else min(clusters.SIDE, int((SHARE * room / 8) ** 0.5) // 800 * 800)
        work = clusters.matrix(side)
        float((work + work.T).mean().compute())  # compiles, connects, fills pools
        client.run(_begin)
        began = time.time()
        stream: Any
        with get_task_stream(client) as stream:
            clock = time.perf_counter()
            float((work + work.T).mean().compute())
            seconds = time.perf_counter() - clock
        seen = client.run(_end)
        workers = client.scheduler_info(n_workers=-1)["workers"]
    order = sorted(workers, key=lambda address: str(workers[address]["name"]))
    what = f"{clusters.WHAT}, {side} × {side}, with making them"
    return {
        "workload": {"id": clusters.ID, "what": what, "n": side * side},
        "seconds": round(seconds, 6),
        "workers": [
            {"name": str(workers[address]["name"]), "threads": workers[address]["nthreads"], "device": seen[address][1]}
            for address in order
        ],
        **_stream(stream.data, {address: workers[address]["nthreads"] for address in order}, began),
        "memory": [_memory(seen[address][0], began, seconds) for address in order],
    }


def _stream(messages: list[dict[str, Any]], nthreads: dict[str, int], began: float) -> dict[str, Any]:
    from dask.utils import key_split

    functions: dict[str, int] = {}
    actions: dict[str, int] = {}
    order = list(nthreads)
    threads: dict[str, dict[int, int]] = {address: {} for address in order}
    tasks = []
    for message in messages:
        address = message["worker"]
        place = min(len(threads[address]), nthreads[address] - 1)  # a thread may have been replaced by another
        thread = threads[address].setdefault(message["thread"], place)
        function = functions.setdefault(key_split(message["key"]), len(functions))
        for each in message["startstops"]:
            action = actions.setdefault(each["action"], len(actions))
            start, took = (
                max(0, round(1e6 * value)) for value in (each["start"] - began, each["stop"] - each["start"])
            )
            tasks.append([order.index(address), thread, function, action, start, took])
    tasks.sort(key=lambda task: task[4])
    return {"functions": list(functions), "actions": list(actions), "tasks": tasks}


def _memory(samples: list[tuple[float, int, int]], began: float, seconds: float) -> dict[str, Any]:
    """A worker's samples during the run, without those between two that are the same."""
    kept: list[tuple[float, int, int]] = []
    for sample in samples:
        if not began - EVERY <= sample[0] <= began + seconds + EVERY:
            continue
        if len(kept) > 1 and kept[-1][1:] == kept[-2][1:] == sample[1:]:
            kept[-1] = sample
        else:
            kept.append(sample)
    at = [max(0, round(1e6 * (moment - began))) for moment, *_ in kept]
    return {"at": at, "host": [host for _, host, _ in kept], "device": [device for *_, device in kept]}


# ---- on a worker ----


def _device() -> tuple[int, int]:
    """Bytes that arrays hold in the memory of this worker's GPU, and all of its bytes."""
    import cupy

    return int(cupy.get_default_memory_pool().used_bytes()), int(cupy.cuda.runtime.memGetInfo()[1])


def _begin(dask_worker: Any) -> None:
    """Look at the memory again and again, in a thread of its own, which a long task does not hold up."""
    import threading

    import psutil

    process, stop, samples = psutil.Process(), threading.Event(), []

    def look() -> None:
        while True:
            samples.append((time.time(), process.memory_info().rss, _device()[0]))
            if stop.wait(EVERY):
                return

    thread = threading.Thread(target=look, daemon=True)
    dask_worker.hundredfold_seen = (samples, stop, thread)
    thread.start()


def _end(dask_worker: Any) -> tuple[list[tuple[float, int, int]], int]:
    samples, stop, thread = dask_worker.hundredfold_seen
    del dask_worker.hundredfold_seen
    stop.set()
    thread.join(10)
    return samples, _device()[1]


if __name__ == "__main__":
    print(json.dumps(run()))
