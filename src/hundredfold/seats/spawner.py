"""A JupyterHub spawner for one machine: each server as its own system user, in a network and with temporary files of its own.

The server listens on a socket in a folder that only its owner and root enter, and reaches the hub through another: no port of
any learner's is on the machine's localhost, neither their server's nor their kernels' or dashboards'.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pwd
import shutil
import stat
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from glob import glob
from pathlib import Path
from subprocess import Popen
from typing import Any, ClassVar
from urllib.parse import quote, urlparse

from jupyterhub.objects import Server
from jupyterhub.spawner import LocalProcessSpawner
from traitlets import Bool, Integer, Unicode

from . import enter
from .groups import Groups
from .hook import folder_name, owner_of
from .places import SIMULATED


class CannotSeat(RuntimeError):
    """A server that cannot start as things are; `jupyterhub_message` is what the learner reads."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.jupyterhub_message = message


class Turns:
    """Servers start so many at a time, and the others in the order in which they came.

    JupyterHub's own limit (`concurrent_spawn_limit`) answers everybody above it with a page that says that it failed.
    """

    def __init__(self) -> None:
        self.starting = 0
        self.line: list[asyncio.Future[None]] = []

    async def take(self, most: int) -> None:
        """Wait for a turn; there are `most` at a time (0: no limit)."""
        if self.starting < most or most <= 0:
            self.starting += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self.line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn in self.line:
                self.line.remove(turn)
            elif turn.done() and not turn.cancelled():
                self.give()
            raise

    def give(self) -> None:
        """Give a turn back: the next in line has it."""
        while self.line:
            turn = self.line.pop(0)
            if not turn.done():
                turn.set_result(None)
                return
        self.starting -= 1


class SeatSpawner(LocalProcessSpawner):
    """Runs ``jupyterhub-singleuser`` behind a Unix socket, in namespaces and control groups of the learner's own.

    The hub has to run as root, and to listen on a Unix socket itself (`JupyterHub.hub_bind_url`): from a network of their own
    servers reach nothing else.
    """

    run_folder = Unicode("/run/hundredfold", config=True, help="Where servers' sockets are: a folder of root's.")
    own_network = Bool(
        True,
        config=True,
        help="Give each server a network of its own, with nothing but localhost. Off, learners reach the internet, and every "
        "port on this machine's localhost, their neighbours' dashboards among them.",
    )
    devices = Unicode("/dev/nvidia*", config=True, help="What seats on simulated GPUs are not to see.")
    require_limits = Bool(
        True, config=True, help="Refuse to start a server whose memory or cores cannot be limited on this machine."
    )

    starting_at_once = Integer(
        8, config=True, help="So many servers start at a time, and the others wait for their turn; 0: all that come."
    )
    #: Of all servers of this hub.
    turns: ClassVar[Turns] = Turns()
    _waits = False

    @property
    def folder(self) -> Path:
        """What belongs to this server while it runs; for its owner alone."""
        return Path(self.run_folder) / folder_name(owner_of(self))

    @property
    def socket(self) -> Path:
        return self.folder / "server.sock"

    @property
    def server(self) -> Server | None:
        """Where this server is. The hub's database keeps address and port; a socket's path is put back here."""
        found = LocalProcessSpawner.server.fget(self)
        if found is not None and found.proto == "http+unix":
            found.connect_url = self._address() + found.base_url
            found.wait_up = partial(self._until_it_answers, type(found).wait_up, found)
        return found

    @server.setter
    def server(self, server: Server | None) -> None:
        LocalProcessSpawner.server.fset(self, server)

    def _address(self) -> str:
        return f"http+unix://{quote(str(self.socket), safe='')}"

    def get_env(self) -> dict[str, str]:
        env = super().get_env()
        env["JUPYTERHUB_SERVICE_URL"] = self._address() + urlparse(env["JUPYTERHUB_SERVICE_URL"]).path
        env["JUPYTER_RUNTIME_DIR"] = str(self.folder / "jupyter")  # sockets' names have to be short
        env["TMPDIR"] = "/tmp"
        return env

    def get_args(self) -> list[str]:
        return [*super().get_args(), f"--ServerApp.sock={self.socket}"]

    async def start(self) -> str:
        user = self._person()
        self._waits = True
        try:
            await self.turns.take(self.starting_at_once)
        finally:
            self._waits = False
        try:
            address = self._start(user)
        except BaseException:
            self.turns.give()
            raise
        self._starting = asyncio.create_task(self._until_it_listens())
        return address

    async def _until_it_listens(self, patience: float = 60.0) -> None:
        """Give the turn back once the server has done what costs time: it listens, or it has ended, or it hangs."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while not self.socket.exists() and self.proc is not None and self.proc.poll() is None:
                    await asyncio.sleep(0.1)
        self.turns.give()

    async def _until_it_answers(self, wait: Callable[..., Awaitable[Any]], *arguments: Any, **more: Any) -> Any:
        """Wait as JupyterHub does for a server to answer, but not for one that has ended: it would wait to the end of its patience."""
        answer = asyncio.ensure_future(wait(*arguments, **more))
        try:
            while not answer.done():
                if self.proc is not None and (status := self.proc.poll()) is not None:
                    raise CannotSeat(
                        f"Your server ended while it started (exit status {status}). Start it again; if it ends again, tell the "
                        "administrator: the hub's log says why. What you saved is as it was."
                    )
                await asyncio.wait({answer}, timeout=0.2)
            return answer.result()
        finally:
            answer.cancel()

    async def progress(self) -> AsyncIterator[dict[str, object]]:
        """What the learner reads while they wait."""
        said = ""
        while True:
            waiting = len(self.turns.line)
            others = f"{waiting} are" if waiting > 1 else "Nobody else is"
            message = (
                f"Many start at once: wait for your turn. {others} waiting." if self._waits else "Your lab starts."
            )
            if message != said:
                said = message
                yield {"progress": 10 if self._waits else 50, "message": message}
            await asyncio.sleep(0.5)

    def _start(self, user: pwd.struct_passwd) -> str:
        folder = self._make_folder(user)
        groups = Groups(folder.name)
        unlimited = groups.make(int(self.mem_limit) if self.mem_limit else None, self.cpu_limit)
        if unlimited and self.require_limits:
            raise CannotSeat(
                f"Your server was not started, because the hub cannot limit its {' and '.join(unlimited)}: tell the administrator "
                "that the hub's unit needs Delegate=yes."
            )
        what = {
            "user": user.pw_name,
            "uid": user.pw_uid,
            "gid": user.pw_gid,
            "home": user.pw_dir,
            "groups": groups.files(),
            "own_network": self.own_network,
            "hidden": [] if self.environment.get("HUNDREDFOLD_SEAT") != SIMULATED else sorted(glob(self.devices)),
            "temporary": int(self.mem_limit or 2**30) // 2,
        }
        env = self.get_env()
        command = [*self.cmd, *self.get_args()]
        program = shutil.which(command[0], path=env.get("PATH")) or command[0]
        command = [sys.executable, "-I", "-S", enter.__file__, json.dumps(what), "--", program, *command[1:]]
        self.log.info("Starting the server of %s", user.pw_name)
        self.proc = Popen(command, env=env, cwd="/", start_new_session=True, **self.popen_kwargs)
        self.pid = self.proc.pid
        return self._address() + ":80"  # the port is no part of it, but the hub's database wants one

    async def stop(self, now: bool = False) -> None:
        await super().stop(now=now)
        await asyncio.to_thread(Groups(self.folder.name).close)
        if self.folder.is_dir():
            await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)

    def _person(self) -> pwd.struct_passwd:
        """The system user, if a server of theirs can be started; CannotSeat with a sentence if not."""
        name = self.user.name
        if os.geteuid() != 0:
            raise CannotSeat(
                "The hub does not run as root, so it can start nobody's server as themselves: tell the administrator."
            )
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            raise CannotSeat(
                f"There is no user {name} on this machine: tell the administrator (`useradd -m {name}`)."
            ) from None
        if user.pw_uid == 0:
            raise CannotSeat("root has no seat: a notebook of root's would own the machine. Log in as somebody else.")
        try:
            home = os.stat(user.pw_dir)
        except OSError as error:
            raise CannotSeat(
                f"Your home folder {user.pw_dir} is not there ({error.strerror}): tell the administrator."
            ) from None
        if home.st_uid != user.pw_uid:
            raise CannotSeat(
                f"Your home folder {user.pw_dir} belongs to somebody else, so nothing could be saved: tell the administrator "
                f"(`chown -R {name}: {user.pw_dir}`)."
            )
        if home.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            os.chmod(user.pw_dir, stat.S_IMODE(home.st_mode) & 0o700)  # what they write is for nobody else to read
        return user

    def _make_folder(self, user: pwd.struct_passwd) -> Path:
        folder = self.folder
        folder.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        os.chown(folder, user.pw_uid, user.pw_gid, follow_symlinks=False)
        self.socket.unlink(missing_ok=True)
        if len(os.fsencode(self.socket)) > 100:
            raise CannotSeat(f"The path {self.socket} is too long for a socket: tell the administrator (run_folder).")
        return folder
