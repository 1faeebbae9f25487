"""A cluster by hand on the hosts of a world: `deploy/clusters/by_hand.sh`, TLS on, a worker on each host of a list."""

from __future__ import annotations

import sys

from world import DEPLOY, World, until

BY_HAND = DEPLOY / "by_hand.sh"


class ByHand:
    """A scheduler on the first host, a worker on each of `workers`, certificates of their own; ends with its world."""

    def __init__(self, world: World, workers: list[str], worker: str = "dask worker --nthreads 1"):
        self.world, self.workers, self.head = world, list(workers), world.hosts[0]
        self.address = f"tls://{world.address(self.head)}:8786"
        self.certificates = world.folder / "certificates"
        self.environment = {"CERTIFICATES": str(self.certificates), "PYTHON": sys.executable, "WORKER": worker}
        world.run(self.head, "sh", BY_HAND, "certificates", env=self.environment)
        self.start_scheduler()
        for host in self.workers:
            self.start_worker(host)

    def start_scheduler(self) -> None:
        before = self.log(self.head, "scheduler").count("Scheduler at")
        self._start(self.head, "scheduler")
        until(lambda: self.log(self.head, "scheduler").count("Scheduler at") > before, "a scheduler that listens")

    def start_worker(self, host: str) -> None:
        """A fresh worker on a host, which must have none."""
        self._start(host, "worker")

    def _start(self, host: str, what: str) -> None:
        # Spilled data and locks of each host are its own, as on a disk of its own.
        disk = self.world.folder / f"disk-{host}"
        disk.mkdir(exist_ok=True)
        env = {**self.environment, "DASK_TEMPORARY_DIRECTORY": str(disk)}
        address = self.world.address(self.head)
        self.world.start(host, "sh", BY_HAND, what, address, log=f"{what}-{host}.log", env=env)

    def log(self, host: str, what: str) -> str:
        return self.world.text(f"{what}-{host}.log")

    def client(self, **more: object) -> dict:
        """What `programs/on_hosts.py` is asked."""
        return {"address": self.address, "tls": str(self.certificates), **more}
