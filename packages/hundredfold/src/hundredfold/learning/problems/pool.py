"""A small Dask cluster for judging answers that need a real scheduler, and what a judge reads from it.

>>> from hundredfold.learning.problems import guard, pool
>>> with pool.watch() as seen:                                                          # doctest: +SKIP
...     called = guard.call(function, seen.client, tasks)
>>> seen.between_workers, seen.sent                                                     # doctest: +SKIP
(8000, 5120)

The cluster is in this process: a scheduler and two workers of one thread, which speak TCP to one another on localhost. So
what moves between them is serialised and counted as between machines, an object that cannot be pickled fails as there, and
yet it starts in a fraction of a second and leaves no process behind. It is made when it is first asked for, kept for the
next answer, and made anew if an answer left something behind: tasks, a queue, a worker that is gone.

In simulation, as on a GPU, both workers use this process's device.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from . import pool_record

WORKERS = 2
"""Workers of the private cluster, of one thread each."""

_PATIENCE = 20.0  # seconds that starting, clearing up and closing may take each; a busy machine is ten times slower
_MARK = itertools.count()
_LOCK = threading.Lock()
_LEVELS: list[tuple[Any, int]] = []  # loggers and handlers that are quiet, with the levels that they had
_silent = 0
_kept: Any = None  # the client of the private cluster


@dataclass
class Seen:
    """What was done on the cluster while a block of `watch` ran; complete when the block has ended.

    Parameters
    ----------
    client : distributed.Client
        The client to hand to the learner's function; it is the current one in the block, so that ``x.compute()`` uses it.
    workers : list of str
        The workers' addresses when the block began.
    between_workers, to_client, sent, shipped : int
        Bytes: results that one worker fetched from another; results that the client fetched; the graphs that the client
        sent; and what the scheduler sent with each task, arguments included. What is in the arguments of many tasks may
        be in the graph once, and yet it is shipped with each. (Scattered data is in neither.)
    scattered : int
        Bytes of data that the client, or a task, scattered to workers of the private cluster, as often as it was sent.
    most : int
        The largest number of tasks that were ready or running at one time: 1 where each is waited for before the next.
    bound : dict
        For each task the workers that it was told to run on; empty where it may run on any.
    """

    client: Any
    workers: list[str] = field(default_factory=list)
    between_workers: int = 0
    to_client: int = 0
    sent: int = 0
    shipped: int = 0
    scattered: int = 0
    most: int = 0
    bound: dict[Any, tuple[str, ...]] = field(default_factory=dict)


@contextlib.contextmanager
def watch() -> Iterator[Seen]:
    """Give the private cluster to the block and record what is done on it; a client that the learner has running is let be.

    Yields
    ------
    Seen
        Whose counts are complete when the block has ended. Whatever the block left on the private cluster is gone then.
    """
    with quiet():
        yield from _watch()


def _watch() -> Iterator[Seen]:
    from .pool_worker import ApartWorker

    client = _private()
    mark = f"hundredfold-pool-{next(_MARK)}"
    try:
        on_scheduler(client, pool_record.record, mark)
    except TimeoutError:
        close()  # what the answer before left behind holds it up: this one gets another
        client = _private()
        on_scheduler(client, pool_record.record, mark)
    seen = Seen(client, workers=sorted(on_scheduler(client, pool_record.addresses)))
    began, received = time.time(), ApartWorker.received
    clean = False
    try:
        with client.as_current():
            yield seen
        clean = True
    finally:
        try:
            if clean:  # after a refusal nobody asks, and a worker that hangs would not answer
                for name, value in on_scheduler(client, pool_record.recorded, mark).items():
                    setattr(seen, name, value)
                _count_transfers(seen, began)
                seen.scattered = ApartWorker.received - received
                clean = _settled(client, seen.workers) and not _theirs(client)
        except Exception:  # the answer has broken the cluster; its verdict is what matters
            clean = False
        if not clean:
            close()


def lose(seen: Seen, worker: str) -> None:
    """Let a worker of the private cluster die: its results are gone, a task that it runs is lost, another takes its place."""
    client = seen.client
    client.sync(_lose, client.cluster, worker, callback_timeout=3 * _PATIENCE)


def waiting() -> int:
    """How many tasks of the private cluster are ready or running now, as seen from one of its tasks."""
    if _kept is None:
        return 0
    states = [task.state for task in list(_kept.cluster.scheduler.tasks.values())]
    return sum(state in ("processing", "queued", "no-worker") for state in states)


def on_scheduler(client: Any, function: Any, *args: Any) -> Any:
    """`Client.run_on_scheduler` with an end: `TimeoutError` if the scheduler does not answer in time."""
    return client.sync(client._run_on_scheduler, function, *args, callback_timeout=_PATIENCE)


def close() -> None:
    """Close the private cluster, if there is one; the next `watch` makes another.

    One that does not close at once, since a task of it runs on or waits for what is gone, is left to close beside us.
    """
    global _kept
    client, _kept = _kept, None
    if client is not None:
        shut = threading.Event()
        threading.Thread(target=_dispose, args=(client, shut), daemon=True, name="hundredfold-pool-close").start()
        shut.wait(pool_record.MOMENT * 4)


def _dispose(client: Any, shut: threading.Event) -> None:
    with quiet():
        _shut(client)
        shut.set()
        time.sleep(pool_record.MOMENT * 4)  # what the event loop still had to send fails now, and it says so


def _shut(client: Any) -> None:
    cluster = client.cluster
    with contextlib.suppress(Exception):
        cluster.sync(_end, _theirs(client), callback_timeout=_PATIENCE)
    with contextlib.suppress(Exception):
        client.close(timeout=_PATIENCE)
    with contextlib.suppress(Exception):
        cluster.sync(_abandon, cluster, callback_timeout=_PATIENCE)
    with contextlib.suppress(Exception):
        cluster.close(timeout=_PATIENCE)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Dask logs that a task has failed, a worker is gone, a stranger was refused; the verdict says it, and a check writes nothing
    to stderr.

    Counted, since a cluster that is slow to close stays quiet beside the next.
    """
    import distributed  # noqa: F401  it gives its loggers their handlers

    global _silent
    with _LOCK:
        if _silent == 0:
            for logger in map(logging.getLogger, ("distributed", "tornado.application")):
                for each in [logger, *logger.handlers]:
                    _LEVELS.append((each, each.level))
                    each.setLevel(logging.CRITICAL)
        _silent += 1
    try:
        yield
    finally:
        with _LOCK:
            _silent -= 1
            while _silent == 0 and _LEVELS:
                each, level = _LEVELS.pop()
                each.setLevel(level)


def _private() -> Any:
    global _kept
    if _kept is not None and _kept.status == "running":
        return _kept
    close()
    from distributed import Client, LocalCluster

    from .pool_worker import ApartWorker

    cluster = LocalCluster(
        worker_class=ApartWorker,
        n_workers=WORKERS,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # without it, Dask takes port 8787 for its health page, which may be the learner's
        scheduler_kwargs={"dashboard": False},
        silence_logs=False,  # not for good: see quiet
        memory_limit=0,  # the memory of this process is the learner's: it must not pause a judge's worker
    )
    _kept = Client(cluster, set_as_default=False, timeout=_PATIENCE)
    return _kept


atexit.register(close)  # after Dask has registered its own, so it comes before that


def _settled(client: Any, workers: list[str]) -> bool:
    """Whether the private cluster is as it was before the answer: let-go futures are forgotten a moment later."""
    until = time.monotonic() + pool_record.MOMENT
    while client.futures:
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return on_scheduler(client, pool_record.is_clean, workers)


def _theirs(client: Any) -> list[Any]:
    """The clients that workers of the private cluster made for their tasks (a `Queue` in a task needs one)."""
    from distributed import Worker

    address = client.cluster.scheduler_address
    return [
        each
        for each in list(Worker._initialized_clients)
        if each.status != "closed" and getattr(each.scheduler, "address", None) == address
    ]


def _count_transfers(seen: Seen, began: float) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        told = seen.client.sync(seen.client._run, pool_record.transfers, began, callback_timeout=_PATIENCE)
        if time.monotonic() > until or not any(busy for _, busy in told.values()):
            break
        time.sleep(0.01)  # a transfer is entered when its receipt has come back
    workers = {*seen.workers, *told}
    for sent, _ in told.values():
        for who, size in sent:
            if who in workers:
                seen.between_workers += size
            else:
                seen.to_client += size


# What follows runs in the event loop of the private cluster.


async def _lose(cluster: Any, address: str) -> None:
    name = next((name for name, worker in cluster.workers.items() if worker.address == address), None)
    if name is None:
        raise ValueError(f"no worker of the private cluster listens at {address}")
    await cluster.workers.pop(name).close(timeout=_PATIENCE, executor_wait=False, nanny=False, reason="lost")
    await cluster._correct_state()


async def _end(clients: list[Any]) -> None:
    """Close the workers' clients; Dask leaves them, which would look for their scheduler for half a minute."""
    for client in clients:
        await client._close(fast=True)


async def _abandon(cluster: Any) -> None:
    """Close the workers without waiting for the tasks that they run: a loop of a learner's may never end."""
    for worker in list(cluster.workers.values()):
        await worker.close(timeout=_PATIENCE, executor_wait=False, nanny=False, reason="abandoned")
