"""The spawner's hooks: a seat for each server that starts, given back when it stops. For any JupyterHub spawner.

In `jupyterhub_config.py`::

    from hundredfold.classroom.seats.hook import Seats

    Seats("/var/lib/hundredfold", learners=30, memory="2G", cores=2).attach(c)
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote
from weakref import WeakKeyDictionary

from tornado.web import HTTPError

from . import certificates, devices, limits
from .allocations import Allocations, NoSeat
from .plan import Mechanism

#: Kernels talk to their server through sockets in a folder that only their owner enters, instead of ports on localhost, which
#: all users of a machine reach.
IPC = "--KernelManager.transport=ipc"


class CannotSeat(HTTPError):
    """A server that cannot start as things are; `jupyterhub_message` is what the learner reads.

    JupyterHub shows the message of an HTTPError also where the start fails within its first second; of any other it says "Unhandled error".
    """

    def __init__(self, message: str) -> None:
        super().__init__(503, message)
        self.jupyterhub_message = message


class Seats:
    """A class's seats on one machine.

    Parameters
    ----------
    state : folder of the allocations, ``/var/lib/hundredfold``; it is made, for root's eyes only.
    learners : how many are expected at the same time; that many seats there are, or as many as the GPUs have.
    memory, cores : main memory (``"2G"``) and cores' worth of time for each seat. They become the spawner's `mem_limit` and
        `cpu_limit`, which `hundredfold.classroom.seats.spawner`, systemd's, Docker's and Kubernetes' enforce.
    gpus : ``"auto"`` seats learners on this machine's GPUs, ``"none"`` on simulated ones.
    mechanism : how GPUs are shared; None reads it off the machine.
    gpu_memory : device memory for the arrays of each seat (``"8G"``), instead of an equal part.
    simulated_gpus : how many GPUs a simulated seat has.
    overflow : what becomes of learners whom no GPU has room for: they ``"simulate"``, or are told (``"refuse"``).

    Raises
    ------
    WrongLimit, Impossible, UnreadableGpus
        If this machine cannot give such seats; the message says which it can.
    """

    def __init__(
        self,
        state: str | os.PathLike[str],
        *,
        learners: int,
        memory: str | int = "2G",
        cores: float = 2,
        gpus: Literal["auto", "none"] = "auto",
        mechanism: Mechanism | None = None,
        gpu_memory: str | int | None = None,
        simulated_gpus: int = 2,
        overflow: Literal["simulate", "refuse"] = "simulate",
    ) -> None:
        if gpus not in ("auto", "none"):
            raise limits.WrongLimit(f"gpus = {gpus!r}: it is 'auto' (this machine's GPUs) or 'none' (simulated ones).")
        if overflow not in ("simulate", "refuse"):
            raise limits.WrongLimit(
                f"overflow = {overflow!r}: who finds no GPU is to 'simulate', or 'refuse' them a seat."
            )
        self.limits = limits.checked(limits.Limits(limits.size(memory), float(cores), simulated_gpus), learners)
        self.learners = learners
        found = devices.gpus_here() if gpus == "auto" else []
        device = limits.size(gpu_memory) if gpu_memory is not None else None
        self.places = devices.on_gpus(found, learners, mechanism, device)
        self.has_gpus = bool(found)
        left = learners - sum(place.room for place in self.places)
        if left > 0 and (overflow == "simulate" or not self.places):
            self.places.append(devices.Place(devices.SIMULATED, "simulated", 0, left, "simulated"))
        self.allocations = Allocations(Path(state) / "seats.json")
        self._own: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()

    def attach(self, c: Any) -> None:
        """Set the hooks in a hub's configuration."""
        c.Spawner.pre_spawn_hook = self.pre_spawn
        c.Spawner.post_stop_hook = self.post_stop

    async def pre_spawn(self, spawner: Any) -> None:
        """Seat the owner of a server that is about to start, and put what the seat may use into its environment.

        The hub answers others meanwhile: where a learner's program has hung the driver, nvidia-smi takes `devices.PATIENCE` to fail.
        """
        owner = owner_of(spawner)
        in_use = await asyncio.to_thread(self._in_use)
        try:
            place = self.allocations.take(owner, self.places, in_use)
        except NoSeat as error:
            raise CannotSeat(str(error)) from None
        try:
            found = limits.environment(place, self.limits, self.has_gpus)
            found["HUNDREDFOLD_SEAT"] = place.title
            found |= certificates.settings(*certificates.make(owner))
        except BaseException:
            self.allocations.release(owner)
            raise
        # What an administrator set stays, and wins; what an earlier seat of the same server set does not stay.
        before = self._own.setdefault(spawner, {"environment": dict(spawner.environment)})
        spawner.environment = {**found, **before["environment"]}
        spawner.mem_limit, spawner.cpu_limit = self.limits.memory, self.limits.cores
        if IPC not in spawner.args:
            spawner.args = [*spawner.args, IPC]
        spawner.log.info("%s sits on %s", owner, place.title)

    def post_stop(self, spawner: Any) -> None:
        """Give the seat of a server that has stopped back."""
        self.allocations.release(owner_of(spawner))

    def _in_use(self) -> Callable[[devices.Place], float] | None:
        """A function that tells how many bytes of a place's device memory are in use now; None without GPUs."""
        if not self.has_gpus:
            return None
        try:
            told = subprocess.run(
                ["nvidia-smi", "--query-gpu=uuid,memory.used", "--format=csv,noheader,nounits"],
                capture_output=True,
                text=True,
                timeout=devices.PATIENCE,
                check=True,
            ).stdout
        except (OSError, subprocess.SubprocessError):
            return None  # then the number of learners decides alone
        used = {}
        for line in told.splitlines():
            uuid, _, amount = line.partition(",")
            used[uuid.strip()] = float(amount) if amount.strip().isdecimal() else 0.0
        return lambda place: used.get(place.name, 0.0)


def owner_of(spawner: Any) -> str:
    """The allocations's name for a server: ``anna``, or ``anna/second`` for a named one."""
    name = getattr(spawner, "name", "")
    return f"{spawner.user.name}/{name}" if name else spawner.user.name


def folder_name(owner: str) -> str:
    """The name of an owner's folder: no two owners have the same, and none leads out of the folder that it is in."""
    name = "@".join(quote(part, safe="") for part in owner.split("/", 1))
    return "%2E" + name[1:] if name.startswith(".") else name
