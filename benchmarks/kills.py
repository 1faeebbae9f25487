"""Kill workers at seeded moments of an array computation, many times: is the answer right each time, and does it come?

    nice python benchmarks/kills.py [--runs 200] [--json FILE]         a few seconds for each run on a quiet machine
    python benchmarks/kills.py --runs 20 --json FILE                   what the tests run (packages/gpusim/tests/libraries/simulated_dask_cuda)

One cluster of two simulated GPUs, no root needed. In each run an array of device chunks is made, multiplied by its transpose and
added up, all of it from one seed; and after a number of finished tasks that the seed draws, one of the workers, drawn too, gets
SIGKILL. Its nanny starts another. A run is *right* if its result is the one that NumPy alone gives, a whole number; *late* if it
has not come within the time-out; *wrong* otherwise, an error included. The record is written after each run; another call goes
on where the last one ended.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import random
import signal
import sys
import threading
import time
from pathlib import Path

os.environ |= {"GPUSIM_SIMULATE": "1", "GPUSIM_GPUS": "2", "GPUSIM_GPU_MEMORY": "128MiB"}

SIDE, CHUNK = 240, 60
"""An array of so many rows and columns, of whole numbers, in chunks of this side."""
TASKS = 60
"""About how many tasks a run takes; the moment of the kill is drawn among the first of so many."""
BACK = 120.0
"""Seconds that a killed worker has to be there again; one takes a few."""


def summary(runs: list[dict]) -> dict:
    """How many were right, wrong, late; in how many a worker died before the end; how many tasks were done again."""
    return {
        "runs": len(runs),
        **{name: sum(each["outcome"] == name for each in runs) for name in ("right", "wrong", "late")},
        "killed in the middle": sum(each["killed"] for each in runs),
        "clusters begun anew, a worker being gone": sum(each.get("anew", False) for each in runs),
        "tasks done again": sum(each["again"] for each in runs),
        "longest, seconds": max((each["seconds"] for each in runs), default=0.0),
    }


def main(arguments: list[str] | None = None) -> int:
    """Run what is not in the record yet, say what came of all of it, and return 0 if every answer was right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one run")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_suffix(".json"))
    told = parser.parse_args(arguments)
    import distributed

    record = json.loads(told.json.read_text()) if told.json.exists() else {"runs": []}
    done = {each["seed"]: each for each in record["runs"]}
    where = {"distributed": distributed.__version__, "python": platform.python_version(), "cores": os.cpu_count()}
    for found in run([seed for seed in range(told.runs) if seed not in done], told.timeout):
        done[found["seed"]] = found
        print(
            f"{found['seed']:4} {found['outcome']}, killed: {found['killed']}, after {found['after']} tasks, "
            f"{found['again']} again, {found['seconds']:.1f} s{' ' + found.get('error', '')}",
            flush=True,
        )
        runs = [done[seed] for seed in sorted(done)]
        whole = json.dumps({"where": where, "summary": summary(runs), "runs": runs}, indent=1)
        told.json.with_suffix(".part").write_text(whole + "\n")
        told.json.with_suffix(".part").replace(told.json)
    found = summary(list(done.values()))
    print(json.dumps(found))
    return 0 if found["right"] == found["runs"] else 1


def expected(seed: int) -> int:
    """The result of a run, by NumPy alone."""
    import numpy as np

    x = np.concatenate([_chunk_host(seed, row) for row in range(SIDE // CHUNK)])
    return int((x @ x.T - 2 * x.T).sum())


def _chunk_host(seed: int, row: int):
    import numpy as np

    return np.random.default_rng((seed, row)).integers(-9, 10, (CHUNK, SIDE))


def chunk(seed: int, row: int):
    """One block of rows, on the device."""
    import cupy

    time.sleep(0.01)  # so that there is a middle to die in
    return cupy.asarray(_chunk_host(seed, row))


def run(seeds: list[int], timeout: float):
    """One cluster for the runs with these seeds; yields a dictionary for each. A new one after a run that was not right, and
    when Dask's nanny did not bring a worker back within two minutes (`anew` in the run after it)."""
    import dask
    from dask.distributed import Client

    import gpusim

    gpusim.activate()
    from dask_cuda import LocalCUDACluster

    dask.config.set({"distributed.deploy.lost-worker-timeout": "600 s", "distributed.scheduler.allowed-failures": 10})
    seeds, anew = list(seeds), False
    while seeds:
        # Dask's own close stumbles over a worker that it has lost sight of: the cluster is given up anyway.
        with (
            contextlib.suppress(KeyError),
            LocalCUDACluster(dashboard_address="127.0.0.1:0", silence_logs=50) as cluster,
            Client(cluster) as client,
        ):
            outcome = "right"
            while seeds and outcome == "right":
                try:
                    client.wait_for_workers(2, timeout=min(timeout, BACK))
                except TimeoutError:
                    anew = True
                    break
                found = one(client, seeds.pop(0), timeout) | ({"anew": True} if anew else {})
                outcome, anew = found["outcome"], False
                yield found


def one(client, seed: int, timeout: float) -> dict:
    """One computation with one kill in it."""
    import dask
    import dask.array as da
    import numpy as np
    from dask.distributed import get_task_stream

    draw = random.Random(seed)
    after, which = draw.randrange(1, TASKS), draw.randrange(2)
    processes = sorted(client.run(os.getpid).items())
    victim = processes[which % len(processes)][1]
    rows = [
        da.from_delayed(dask.delayed(chunk, pure=True)(seed, row), (CHUNK, SIDE), meta=np.empty((0, 0), dtype=int))
        for row in range(SIDE // CHUNK)
    ]
    x = da.concatenate(rows).rechunk((CHUNK, CHUNK))
    result = (x @ x.T - 2 * x.T).sum()
    killed, over, began = [], threading.Event(), time.monotonic()

    def kill():
        """As soon as so many tasks have ended on the scheduler, asked through the client's own connection."""
        while not over.is_set():
            if client.run_on_scheduler(_ended, f"kills-{seed}") >= after:
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)
                return
            time.sleep(0.01)

    client.run_on_scheduler(_count, f"kills-{seed}")
    killer = threading.Thread(target=kill, daemon=True)
    found = {"seed": seed, "after": after}
    with get_task_stream(client) as stream:
        killer.start()
        try:
            got = int(client.compute(result).result(timeout=timeout))
            outcome = "right" if got == expected(seed) else "wrong"
        except TimeoutError:
            outcome = "late"
        except Exception as error:
            outcome = "wrong"
            found["error"] = f"{type(error).__name__}: {error}"
        finally:
            over.set()
            killer.join(timeout)
    client.run_on_scheduler(_forget, f"kills-{seed}")
    keys = [str(task["key"]) for task in stream.data]
    return found | {
        "outcome": outcome,
        "killed": bool(killed),
        "again": len(keys) - len(set(keys)),
        "seconds": round(time.monotonic() - began, 2),
    }


def _count(name: str, dask_scheduler) -> None:
    from distributed.diagnostics.plugin import SchedulerPlugin

    class Ended(SchedulerPlugin):
        """Counts tasks that have a result."""

        ended = 0

        def transition(self, key, start, finish, *args, **kwargs):
            self.ended += finish == "memory"

    dask_scheduler.add_plugin(Ended(), name=name)


def _ended(name: str, dask_scheduler) -> int:
    return dask_scheduler.plugins[name].ended


def _forget(name: str, dask_scheduler) -> None:
    dask_scheduler.remove_plugin(name=name)


if __name__ == "__main__":
    sys.exit(main())
