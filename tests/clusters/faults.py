"""One thing breaks while a cluster works, drawn by a seed: what, where, when and for how long; and what became of the answer.

`Faults` keeps one cluster by hand (a scheduler and a client on hosts of their own, three workers, TLS) and breaks it anew for
each seed. A run ends as `right` (the singular values are LAPACK's), `reported` (an error, in a sentence, within the time-out),
`wrong`, or `hang`; the last two must not be. After it all is fixed as a person would: cables in, dead workers started again.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np
from cluster import ByHand
from program import Program, Silent
from world import World, until

HOSTS = ["head", "desk", "host1", "host2", "host3"]
WORKERS = HOSTS[2:]
#: What Dask is told here; without it a silent host counts as lost after minutes (a worker) or 30 s (a connection).
PATIENCE = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "5s",  # ten heartbeats, the least that the scheduler takes
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "11s",  # the least that Dask takes
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s",
}
WORK = {"blocks": 15, "pause": 0.4, "rows": 500, "columns": 12}
TIMEOUT = 30
"""Seconds after which a run's waiting ends in a sentence."""
GRACE = 90
"""Seconds after the time-out within which the sentence has to come, on a machine that does other things, too."""


def draw(seed: int) -> dict:
    """What breaks in the run of a seed: `kind`, `where` (hosts), `after` (seconds of work), `lasting` (seconds, or None)."""
    dice = random.Random(seed)
    kind = dice.choice(list(KINDS))
    after, where = dice.uniform(0.0, 1.2), dice.sample(WORKERS, 3)
    many = KINDS[kind]
    if kind == "apart":
        many = dice.choice([2, 3])
    lasting = {"blink": dice.uniform(0.2, 3.0), "cut": dice.uniform(6.0, 9.0)}
    lasting |= {"apart": dice.choice([dice.uniform(0.5, 3.0), None]), "client": dice.uniform(0.5, 4.0)}
    lasting |= {"scheduler": dice.uniform(0.5, 4.0), "flutter": dice.uniform(2.0, 4.0)}
    return {"kind": kind, "where": where[:many], "after": after, "lasting": lasting.get(kind)}


KINDS = {
    "kill": 1,  # a worker's processes end; its host says so at once
    "power": 1,  # a host goes dark: no packet, no good-bye
    "two": 2,  # two of three hosts go dark
    "blink": 1,  # a cable is out for less than the patience
    "cut": 1,  # a cable is out for longer than the patience, then in again
    "gone": 1,  # a cable is out for good, the worker behind it lives on
    "flutter": 2,  # the cables of two hosts go out and in by turns
    "apart": 2,  # two workers, or all three, cannot reach each other; the scheduler all of them
    "client": 0,  # the client's cable is out for a while
    "scheduler": 0,  # the scheduler's cable is out for a while: it can reach nobody
}


class Faults:
    """A cluster that is broken and fixed: `with Faults() as faults: faults.run(seed)`."""

    def __init__(self) -> None:
        self.world = World(HOSTS)
        self.world.environment |= PATIENCE
        try:
            self.cluster = ByHand(self.world, WORKERS)
            self.client = self._connect()
            self._all_present()
        except BaseException:
            self.world.close()
            raise

    def __enter__(self) -> Faults:
        return self

    def __exit__(self, *what: object) -> None:
        self.world.close()

    def run(self, seed: int) -> dict:
        """Break what the seed says in the middle of the work.

        Returns what was drawn, whether the work was still going on when it broke (`hit`), how it `ended`, how many `seconds` after
        the break, the sentence `said` if it ended in one, and the workers that had to be `restarted`.
        """
        drawn = draw(seed)
        record = {"seed": seed, **{key: round(v, 2) if isinstance(v, float) else v for key, v in drawn.items()}}
        start = time.monotonic()
        try:
            self.client.tell(do="run", workers=len(WORKERS), timeout=TIMEOUT, watch=1, **WORK)
            # In the middle: a host holds finished blocks and works on others.
            ended = self.client.wait("busy", "run", timeout=TIMEOUT + GRACE)
            if ended["event"] == "busy":
                time.sleep(drawn["after"])  # not to wait for anything: when it breaks is part of what is drawn
                record["hit"] = not self.client.waiting()
                start = time.monotonic()
                _BREAK[drawn["kind"]](self.world, drawn)
                ended = self.client.wait("run", timeout=TIMEOUT + GRACE)
        except (Silent, OSError) as silent:
            record |= {"ended": "hang", "said": str(silent)[:400]}
        else:
            record["ended"] = self._judge(ended)
            record |= {"said": ended["said"].splitlines()[0][:300]} if "error" in ended else {}
        record["seconds"] = round(time.monotonic() - start, 1)
        record["restarted"] = self._mend(drawn)
        return record

    def _judge(self, ended: dict) -> str:
        if "error" in ended:
            return "reported" if ended["said"].strip() else "wrong"  # an error without a word is none
        return "right" if np.allclose(ended["result"]["values"], EXACT, rtol=1e-10, atol=0) else "wrong"

    def _mend(self, drawn: dict) -> list[str]:
        """Cables in, workers that ended started again; where that is not enough, all of it anew. What had to be started."""
        restarted = []
        for host in HOSTS:
            self.world.plug(host)
        self.world.between(WORKERS, False)
        if drawn["kind"] in ("cut", "gone", "power", "two", "kill"):
            # Behind a cable that was out for long a worker may live on without knowing: its host is started afresh.
            for host in drawn["where"]:
                self.world.end(host)
                self.cluster.start_worker(host)
                restarted.append(host)
        if not self._present(30):
            restarted += ["all"]
            for host in HOSTS:
                self.world.end(host)
            self.cluster.start_scheduler()
            for host in WORKERS:
                self.cluster.start_worker(host)
            self.client = self._connect()
            self._all_present()
        return restarted

    def _present(self, timeout: float) -> bool:
        try:
            self.client.tell(do="present", workers=len(WORKERS), timeout=timeout)
            return "error" not in self.client.wait("present", "closed", timeout=timeout + GRACE)
        except (Silent, OSError):
            return False

    def _all_present(self) -> None:
        until(lambda: self._present(60), "three workers at the start")

    def _connect(self) -> Program:
        client = Program(self.world, "desk", "on_hosts.py", self.cluster.client())
        client.wait("connected")
        return client


def _exact() -> np.ndarray:
    parts = [
        np.random.default_rng((14, i)).standard_normal((WORK["rows"], WORK["columns"])) for i in range(WORK["blocks"])
    ]
    return np.linalg.svd(np.concatenate(parts), compute_uv=False)


EXACT = _exact()
"""By LAPACK alone, without Dask."""


def _kill(world: World, drawn: dict) -> None:
    world.end(drawn["where"][0])


def _power(world: World, drawn: dict) -> None:
    for host in drawn["where"]:
        world.kill(host)


def _unplug(*hosts: str) -> Callable[[World, dict], None]:
    def out(world: World, drawn: dict) -> None:
        for host in hosts or drawn["where"]:
            world.unplug(host)
        if drawn["lasting"] is not None:
            time.sleep(drawn["lasting"])
            for host in hosts or drawn["where"]:
                world.plug(host)

    return out


def _flutter(world: World, drawn: dict) -> None:
    end = time.monotonic() + drawn["lasting"]
    while time.monotonic() < end:
        for host in drawn["where"]:
            world.unplug(host)
            time.sleep(0.3)
            world.plug(host)


def _apart(world: World, drawn: dict) -> None:
    world.between(drawn["where"], True)
    if drawn["lasting"] is not None:
        time.sleep(drawn["lasting"])
        world.between(drawn["where"], False)


_BREAK = {
    "kill": _kill,
    "power": _power,
    "two": _power,
    "blink": _unplug(),
    "cut": _unplug(),
    "gone": _unplug(),
    "flutter": _flutter,
    "apart": _apart,
    "client": _unplug("desk"),
    "scheduler": _unplug("head"),
}
