"""What ran on the judging cluster while a test watched it."""

import collections
import contextlib

from dask.utils import key_split
from distributed.diagnostics.plugin import SchedulerPlugin


class Runs(SchedulerPlugin):
    """Tasks that ended, in order: their keys, workers, and whether they gave a result (``"memory"``) or failed (``"erred"``)."""

    name = "runs"

    def __init__(self):
        self.ended = []

    def transition(self, key, start, finish, *args, **kwargs):
        if start == "processing" and finish in ("memory", "erred"):
            self.ended.append((key, kwargs.get("worker", ""), finish))

    @property
    def counts(self):
        """How often each task ended with a result."""
        return collections.Counter(key for key, _, outcome in self.ended if outcome == "memory")

    @property
    def again(self):
        """The tasks that were computed more than once, with how often."""
        return {key: count for key, count in self.counts.items() if count > 1}

    def named(self, prefix):
        """How many tasks of a name ran."""
        return sum(count for key, count in self.counts.items() if key_split(key) == prefix)

    def on(self, worker):
        """The keys that a worker computed, in order."""
        return [key for key, where, outcome in self.ended if where == worker and outcome == "memory"]


@contextlib.contextmanager
def recorded(seen):
    """Record what runs on the cluster of `pool.watch`."""
    runs, scheduler = Runs(), seen.client.cluster.scheduler

    async def now(
        function, *given, **named
    ):  # in the scheduler's own thread, and as it is: what is sent there is a copy
        function(*given, **named)

    seen.client.sync(now, scheduler.add_plugin, runs, name=runs.name)
    try:
        yield runs
    finally:
        seen.client.sync(now, scheduler.remove_plugin, name=runs.name)
