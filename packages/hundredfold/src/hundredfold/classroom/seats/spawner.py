"""A JupyterHub spawner for one machine: each server as its own system user, in a network and with temporary files of its own.

The server is reached by a socket in a folder that only root enters, and reaches the hub by another: no port of any learner's is on the
machine's localhost, neither their server's nor their kernels' or dashboards'. Between the two ends of each is the seat's `relay`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pwd
import shutil
import socket
import stat
import sys
from ast import literal_eval
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from glob import glob
from pathlib import Path
from subprocess import DEVNULL, Popen, run
from types import SimpleNamespace
from typing import Any, ClassVar
from urllib.parse import quote, urlparse

from aiohttp import DummyCookieJar
from jupyterhub.objects import Server
from jupyterhub.spawner import LocalProcessSpawner
from jupyterhub.utils import maybe_future
from traitlets import Bool, Integer, List, Unicode

from . import CONTROL, CONTROL_VARIABLE, SERVER_VARIABLE, enter, hub_socket, kernels, ports
from .devices import SIMULATED
from .groups import NOTED, Groups
from .hook import CannotSeat, folder_name, owner_of
from .people import NotAllowed, Unknown, person

#: Of /run a seat sees its socket to the hub and these, so far as they are there. What else listens there (the system's bus, the user's own
#: systemd, a database) would be a way around the seat's network and limits, and a process that reads there stands still by what a learner sends (`relay`).
IN_RUN = (
    "/run/nvidia-mps", "/run/nvidia-persistenced", "/run/nvidia-fabricmanager",
    "/run/nscd", "/run/nslcd",
    "/run/systemd/resolve/resolv.conf", "/run/systemd/resolve/stub-resolv.conf", "/run/resolvconf", "/run/NetworkManager/resolv.conf",
    "/run/opengl-driver", "/run/current-system",
)  # fmt: skip
#: Of /dev every seat has these, and what belongs to its GPU. Others are the machine's for all, even where each may open them: its message
#: queues, a virtual machine's network, another GPU's picture.
IN_DEV = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
#: Who is found to have left at so many looks in a row has left. An account that is not found may be a directory that does not answer.
LOOKS, LOOKS_AT_NOBODY = 2, 30


class NoCookies(DummyCookieJar):
    """For the hub's requests to servers: it would keep a server's cookies for ever, and a hostile one sends many for each look whether it is up."""

    def __init__(self) -> None:
        """It is made before there is the loop that its parent asks for, and needs none."""


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
    groups = List(Unicode(), config=True, help="Groups of this machine; servers are started for their members alone.")
    own_network = Bool(
        True,
        config=True,
        help="Give each server a network of its own, with nothing but localhost. Off, learners reach the internet, and every "
        "port on this machine's localhost, their neighbours' dashboards among them.",
    )
    in_run = List(Unicode(), list(IN_RUN), config=True, help="What of /run a seat sees, beside its socket to the hub.")
    poll_interval = Integer(
        20,
        config=True,
        help="So often (seconds) the hub looks whether a server runs, and whether its owner may have one.",
    )
    in_dev = List(Unicode(), list(IN_DEV), config=True, help="What of /dev a seat sees, beside its GPU's devices.")
    devices = Unicode("/dev/nvidia*", config=True, help="What of /dev seats on real GPUs see, and others do not.")
    require_limits = Bool(
        True, config=True, help="Refuse to start a server whose memory or cores cannot be limited on this machine."
    )

    starting_at_once = Integer(
        8, config=True, help="So many servers start at a time, and the others wait for their turn; 0: all that come."
    )
    #: Of all servers of this hub.
    turns: ClassVar[Turns] = Turns()
    _waits = False
    _left = 0

    @property
    def folder(self) -> Path:
        """Where this server's sockets are while it runs; for root alone."""
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

    @property
    def line(self) -> Path:
        """Where this server reaches the hub, and nobody else does. No learner's folder is called so: a name is before the @."""
        return Path(self.run_folder) / "@hub" / f"{self.folder.name}.sock"

    @property
    def hubs_end(self) -> Path:
        """Where the hub listens for this server's relay."""
        return Path(self.run_folder) / "root" / "lines" / self.line.name

    def load_state(self, state: dict[str, Any]) -> None:
        """As JupyterHub does; where a server ran before this hub began, it is let in again."""
        super().load_state(state)
        if self.pid:
            hub_socket.lines.add(self.hubs_end)

    def get_env(self) -> dict[str, str]:
        self.hub_connect_url = f"http+unix://{quote(str(self.line), safe='')}"
        env = super().get_env()
        env["JUPYTERHUB_SERVICE_URL"] = self._address() + urlparse(env["JUPYTERHUB_SERVICE_URL"]).path
        env["JUPYTER_RUNTIME_DIR"] = "/tmp/jupyter"  # in the seat's own /tmp; sockets' names have to be short
        env["TMPDIR"] = "/tmp"
        if not self.own_network:
            env[kernels.SHARED] = "1"
            for node in ("SCHEDULER", "WORKER"):
                name = f"DASK_DISTRIBUTED__{node}__PRELOAD"
                env[name] = str([*literal_eval(env.get(name, "[]")), ports.__name__])
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
                while not listens(self.socket) and self.proc is not None and self.proc.poll() is None:
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
                        f"administrator: ~/{enter.LOG} says why. What you saved is as it was."
                    )
                await asyncio.wait({answer}, timeout=0.2)
            # The hub looks at the server's version alone, and keeps it: what the server says that it is.
            version = answer.result().headers.get("X-JupyterHub-Version")
            return SimpleNamespace(headers={"X-JupyterHub-Version": version and version[:20]})
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

    async def poll_and_notify(self) -> int | None:
        """As JupyterHub does; and the server of somebody who may have none any more is stopped."""
        if await super().poll() is None and (reason := await asyncio.to_thread(self._why_not)):
            self.log.warning("Stopping the server of %s, which is not allowed any more: %s", self.user.name, reason)
            await self.stop(now=True)
        return await super().poll_and_notify()

    def _why_not(self) -> str:
        """Why the owner may have no server any more; "" while they may, or while it is not sure yet."""
        try:
            person(self.user.name, self.groups)
        except NotAllowed as error:
            self._left += 1
            return str(error) if self._left >= (LOOKS_AT_NOBODY if isinstance(error, Unknown) else LOOKS) else ""
        self._left = 0
        return ""

    async def _signal(self, sig: int) -> bool:
        """As JupyterHub does, to a process of this seat. A number that an earlier hub noted may be a stranger's by now."""
        if self.proc is None and not self._is_of_this_seat():
            return False
        return await super()._signal(sig)

    def _is_of_this_seat(self) -> bool:
        """Whether the process with the number is in the seat's groups; where there are none, whether it is the learner's."""
        groups = Groups(self.folder.name)
        if groups.folders:
            return self.pid in groups.processes()
        try:
            return os.stat(f"/proc/{self.pid}").st_uid == pwd.getpwnam(self.user.name).pw_uid
        except (OSError, KeyError):
            return False

    def _start(self, user: pwd.struct_passwd) -> str:
        folder = self._make_folder()
        groups = Groups(folder.name)
        unlimited = groups.make(int(self.mem_limit) if self.mem_limit else None, self.cpu_limit)
        if unlimited and self.require_limits:
            raise CannotSeat(
                f"Your server was not started, because the hub cannot limit its {' and '.join(unlimited)}: tell the administrator "
                "that the hub's unit needs Delegate=yes."
            )
        groups.note(folder / NOTED)
        what = {
            "user": user.pw_name,
            "uid": user.pw_uid,
            "gid": user.pw_gid,
            "home": user.pw_dir,
            "groups": groups.files(),
            "own_network": self.own_network,
            "run": [str(self.line), *self.in_run],
            "devices": [
                *self.in_dev,
                *(sorted(glob(self.devices)) if self.environment.get("HUNDREDFOLD_SEAT") != SIMULATED else ()),
            ],
            "temporary": int(self.mem_limit or 2**30) // 2,
        }
        env = self.get_env()
        command = [*self.cmd, *self.get_args()]
        program = shutil.which(command[0], path=env.get("PATH")) or command[0]
        self.log.info("Starting the server of %s", user.pw_name)
        control = folder / CONTROL
        relays = {self.socket: own_end(self.socket), control: own_end(control), self.line: self.hubs_end}
        hub_socket.lines.add(self.hubs_end)
        with contextlib.ExitStack() as stack:
            files = {
                path: stack.enter_context(bound(path)).fileno()
                for path in (*relays, relays[self.socket], relays[control])
            }
            self.line.chmod(0o600)
            os.chown(self.line, user.pw_uid, -1)
            env[SERVER_VARIABLE], env[CONTROL_VARIABLE] = (str(files[relays[each]]) for each in (self.socket, control))
            what["relays"] = [(files[outer], str(inner)) for outer, inner in relays.items()]
            self.proc = Popen(
                [sys.executable, "-I", "-S", enter.__file__, json.dumps(what), "--", program, *command[1:]],
                env=env, cwd="/", start_new_session=True, pass_fds=[*files.values()], stdin=DEVNULL, **self.popen_kwargs,
            )  # fmt: skip
        self._left = 0
        self.pid = self.proc.pid
        return self._address() + ":80"  # the port is no part of it, but the hub's database wants one

    async def run_post_stop_hook(self) -> None:
        """End what the server left, also where it ended by itself, and remove its folder; then the seat is free."""
        await asyncio.to_thread(Groups(self.folder.name).close)
        await asyncio.to_thread(remove, self.folder)
        self.line.unlink(missing_ok=True)
        hub_socket.lines.remove(self.hubs_end)
        await maybe_future(super().run_post_stop_hook())

    def _person(self) -> pwd.struct_passwd:
        """The system user, if a server of theirs can be started; CannotSeat with a sentence if not."""
        if os.geteuid() != 0:
            raise CannotSeat(
                "The hub does not run as root, so it can start nobody's server as themselves: tell the administrator."
            )
        try:
            user = person(self.user.name, self.groups)
        except NotAllowed as error:
            raise CannotSeat(str(error)) from None
        try:
            home = os.open(user.pw_dir, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise CannotSeat(
                f"Your home folder {user.pw_dir} is not there ({error.strerror}): tell the administrator."
            ) from None
        try:
            found = os.fstat(home)
            if found.st_uid != user.pw_uid:
                raise CannotSeat(
                    f"Your home folder {user.pw_dir} belongs to somebody else, so nothing could be saved: tell the administrator "
                    f"(`chown -R {user.pw_name}: {user.pw_dir}`)."
                )
            if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                os.fchmod(home, stat.S_IMODE(found.st_mode) & 0o700)  # what they write is for nobody else to read
        finally:
            os.close(home)
        return user

    def _make_folder(self) -> Path:
        """A new folder that root alone enters: what a learner could write there would fill the machine's /run."""
        folder = self.folder
        if longest := next((path for path in (self.socket, self.hubs_end) if len(os.fsencode(path)) > 100), None):
            raise CannotSeat(f"The path {longest} is too long for a socket: tell the administrator (run_folder).")
        folder.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        remove(folder)
        folder.mkdir(mode=0o700)
        self.line.parent.mkdir(mode=0o711, exist_ok=True)  # nobody lists who is there
        self.line.unlink(missing_ok=True)
        return folder


def own_end(path: Path) -> Path:
    """Where the learner's server listens, whose socket for others is at `path`."""
    return path.with_suffix(".own")


def bound(path: Path) -> socket.socket:
    """A Unix socket at `path`. Whoever gets it listens there, and needs no right to write beside it."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.bind(str(path))
    return made


def listens(path: Path) -> bool:
    """Whether somebody listens at a Unix socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.setblocking(False)
        try:
            line.connect(str(path))
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True


def remove(folder: Path) -> None:
    """Remove a folder of a server, if it is there. Not Python's own: a tree of a learner's may be deeper than it can follow."""
    run(["rm", "-rf", "--one-file-system", "--", str(folder)], check=False)
