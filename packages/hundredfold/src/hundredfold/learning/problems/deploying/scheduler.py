"""Start a scheduler as a learner set it up, in this process, and try its doors: who gets in, and where does it listen?"""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distributed import Scheduler, Security
from distributed.comm import connect

from ..pool import quiet

PATIENCE = 30.0  # seconds for a start or an end; a busy machine takes its time
KNOCK = 5.0  # seconds in which a door must have opened


@dataclass(frozen=True)
class Doors:
    """What was found.

    Attributes
    ----------
    address : str
        The scheduler's.
    listening, dashboard : tuple of str
        The addresses on which they listen; the dashboard's is empty where there is none.
    certified, other, without : bool
        Who got an answer: a client with the certificate, with another one of its own making, and with none.
    """

    address: str
    listening: tuple[str, ...]
    dashboard: tuple[str, ...]
    certified: bool
    other: bool
    without: bool


def try_doors(settings: dict[str, Any], ours: Path, theirs: Path) -> Doors:
    """Start ``Scheduler(port=0, **settings)``, try it, and end it.

    `ours` and `theirs` are folders with `ca.pem`, `cert.pem` and `key.pem`. What the scheduler raises at its start comes out.
    """
    return _run(_try(dict(settings), ours, theirs))


async def _try(settings: dict[str, Any], ours: Path, theirs: Path) -> Doors:
    scheduler = await asyncio.wait_for(Scheduler(**{"port": 0, **settings}), PATIENCE)
    try:
        address = scheduler.address
        plain = "tcp://" + address.partition("://")[2]
        return Doors(
            address=address,
            listening=tuple(_bound(listener) for listener in scheduler.listeners),
            dashboard=tuple(sorted(set(_names(scheduler.http_server)))),
            certified=await _answers(address, security(ours)),
            other=await _answers(address, security(theirs)),
            without=await _answers(plain, None),
        )
    finally:
        await asyncio.wait_for(scheduler.close(), PATIENCE)


def security(folder: Path, **more: Any) -> Security:
    """The certificates in a folder, for each role."""
    files = {
        f"tls_{role}_{part}": str(folder / f"{part}.pem")
        for role in ("scheduler", "worker", "client")
        for part in ("cert", "key")
    }
    return Security(tls_ca_file=str(folder / "ca.pem"), **files, **more)


async def _answers(address: str, security: Security | None) -> bool:
    arguments = security.get_connection_args("client") if security else {}
    if address.startswith("tcp://"):
        arguments = {}
    try:
        comm = await connect(address, timeout=KNOCK, **arguments)
        try:
            await comm.write({"op": "identity", "reply": True})
            return isinstance(await asyncio.wait_for(comm.read(), KNOCK), dict)
        finally:
            comm.abort()
    except (TimeoutError, OSError, RuntimeError, ValueError):
        return False


def _bound(listener: Any) -> str:
    bound = getattr(listener, "bound_address", None)
    return str(bound[0]) if isinstance(bound, tuple) else str(bound or listener.listen_address)


def _names(server: Any) -> Iterator[str]:
    for socket in getattr(server, "_sockets", {}).values():
        yield str(socket.getsockname()[0])


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run it in an event loop of its own, in a thread: a notebook's is busy with the cell that asks."""
    out: dict[str, Any] = {}

    def inside() -> None:
        try:
            out["value"] = asyncio.run(work)
        except BaseException as error:  # given to the caller
            out["error"] = error

    with quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        thread = threading.Thread(target=inside, daemon=True)
        thread.start()
        thread.join(4 * PATIENCE)
    if thread.is_alive():
        raise TimeoutError("the scheduler neither started nor ended")
    if "error" in out:
        raise out["error"]
    return out["value"]
