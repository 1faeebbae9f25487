"""What the judging cluster (`pool`) runs on its scheduler and its workers: the record of what was done there."""

from __future__ import annotations

import time
from typing import Any

MOMENT = 0.5
"""Seconds for what was let go to be forgotten; after them the cluster is made anew, which harms nothing."""


class Recorder:
    """A plugin of the scheduler; its base class is put in when Dask is there."""

    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        self.sent = self.shipped = self.most = 0
        self.ready: set = set()
        self.bound: dict[Any, tuple[str, ...]] = {}

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        if finish in ("processing", "queued", "no-worker"):
            self.ready.add(key)
            self.most = max(self.most, len(self.ready))
        else:
            self.ready.discard(key)
        if finish == "processing":
            self.shipped += _weight(self.scheduler.tasks[key].run_spec)
            self.bound[key] = tuple(self.scheduler.tasks[key].worker_restrictions or ())


def record(mark: str, dask_scheduler: Any) -> None:
    from distributed.diagnostics.plugin import SchedulerPlugin

    recorder = type("Recorder", (Recorder, SchedulerPlugin), {"name": mark})(dask_scheduler)
    dask_scheduler.add_plugin(recorder, name=mark)
    handle = dask_scheduler.stream_handlers["update-graph"]

    async def weigh(*args: Any, expr_ser: Any, **kwargs: Any) -> Any:
        from distributed.utils import nbytes

        recorder.sent += sum(map(nbytes, expr_ser.frames))
        return await handle(*args, expr_ser=expr_ser, **kwargs)

    recorder.before = handle
    dask_scheduler.stream_handlers["update-graph"] = weigh


def _weight(task: Any) -> int:
    """Bytes of a task as it is sent to a worker; 0 for what does not pickle, which will not get there."""
    import cloudpickle

    try:
        return len(cloudpickle.dumps(task))
    except Exception:  # whatever an object raises in its __reduce__
        return 0


def recorded(mark: str, dask_scheduler: Any) -> dict[str, Any]:
    recorder = dask_scheduler.plugins[mark]
    dask_scheduler.stream_handlers["update-graph"] = recorder.before
    dask_scheduler.remove_plugin(name=mark)
    return {name: getattr(recorder, name) for name in ("sent", "shipped", "most", "bound")}


def addresses(dask_scheduler: Any) -> list[str]:
    return list(dask_scheduler.workers)


async def is_clean(workers: list[str], dask_scheduler: Any) -> bool:
    import asyncio

    named = ("queues", "variables", "events", "semaphores", "publish")
    until = time.monotonic() + MOMENT
    while dask_scheduler.tasks and time.monotonic() < until:
        await asyncio.sleep(0.01)
    left = [_holds(dask_scheduler.extensions.get(name)) for name in named]
    return not dask_scheduler.tasks and not any(left) and sorted(dask_scheduler.workers) == workers


def _holds(extension: Any) -> bool:
    names = ("queues", "variables", "_events", "max_leases", "datasets")
    return any(len(getattr(extension, name, ())) for name in names)


def transfers(began: float, dask_worker: Any) -> tuple[list[tuple[str, int]], int]:
    """What the worker sent since then: to whom, how many bytes; and how many it is still sending."""
    log = list(dask_worker.transfer_outgoing_log)
    # "start" and "stop" are moved by what the worker believes of the scheduler's clock, which is wrong on a busy machine; "middle" is not.
    return [
        (each["who"], each["total"]) for each in log if each["middle"] >= began
    ], dask_worker.transfer_outgoing_count
