"""The hub's routes in its proxy, HAProxy: which server a request is for. The hub tells them through HAProxy's own socket for commands.

A route is an entry of HAProxy's map (where addresses begin so → name of a server) and a server of that name. A server's name comes from its
address alone, so one that is there already is the right one, and none has to be removed.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from jupyterhub.proxy import Proxy
from traitlets import Unicode

from .proxy import ADMIN, BACKEND, MAP

#: What a route or an address may have; HAProxy's commands end at a semicolon, and their words at a space.
PLAIN = re.compile(r"[A-Za-z0-9._~@%/:+-]+")
#: A proxy that starts is waited for so long (seconds).
PATIENCE = 20.0
#: JupyterHub's word for whatever no other route is for: in HAProxy's configuration that is the hub.
REST = "/"


class HAProxy(Proxy):
    """JupyterHub's view of a HAProxy that `proxy.py` has started."""

    folder = Unicode(config=True, help="Where HAProxy's socket for commands is: a folder of root's.")

    def __init__(self, **more: Any) -> None:
        super().__init__(should_start=False, **more)
        self.told: dict[str, dict[str, Any]] = {}  # routes of this hub's
        self.one_at_a_time = asyncio.Lock()

    async def add_route(self, routespec: str, target: str, data: dict[str, Any]) -> None:
        route, name = self.validate_routespec(routespec), server_name(target)
        if route != REST:
            said = await self._say(f"add server {BACKEND}/{name} {where(target)} weight 0")
            if not re.search("New server registered|Already exists a server", said):
                raise RuntimeError(f"HAProxy does not take a server at {target}: {said}")
            entry = f"map {self._map} {plain(route)}"
            await self._say(f"enable server {BACKEND}/{name}", f"del {entry}", f"add {entry} {name}")
        self.told[route] = {"routespec": route, "target": target, "data": data}

    async def delete_route(self, routespec: str) -> None:
        route = self.validate_routespec(routespec)
        await self._say(f"del map {self._map} {plain(route)}")
        self.told.pop(route, None)

    async def get_all_routes(self) -> dict[str, dict[str, Any]]:
        """The routes that HAProxy has. Of those that an earlier hub told it, this one knows the address and nothing else."""
        lines = [line.split() for line in (await self._say(f"show map {self._map}")).splitlines() if line]
        found = {route: self.told.get(route, {"routespec": route, "target": "", "data": {}}) for _, route, _ in lines}
        return found | {route: told for route, told in self.told.items() if route == REST}

    @property
    def _map(self) -> Path:
        return Path(self.folder) / MAP

    async def _say(self, *commands: str) -> str:
        """What HAProxy answers, which is a line at least. One that ends meanwhile is asked again: each command may come twice.

        One after the other: HAProxy lets few in at a time, and asyncio takes a line that was too long for a connection.
        """
        async with asyncio.timeout(PATIENCE), self.one_at_a_time:
            while True:
                with contextlib.suppress(OSError):
                    reader, writer = await asyncio.open_unix_connection(Path(self.folder) / ADMIN)
                    try:
                        writer.write(("; ".join(commands) + "\n").encode())
                        if said := await reader.read():
                            return said.decode().strip()
                    finally:
                        writer.close()
                await asyncio.sleep(0.2)


def plain(words: str) -> str:
    """The words, if they are one word for HAProxy."""
    if not PLAIN.fullmatch(words):
        raise ValueError(f"{words!r} has letters that no route may have")
    return words


def where(target: str) -> str:
    """Where a server listens, as HAProxy says it: ``unix@/run/…`` or ``127.0.0.1:810``."""
    parts = urlsplit(target)
    return plain(f"unix@{unquote(parts.netloc)}" if parts.scheme == "http+unix" else parts.netloc)


def server_name(target: str) -> str:
    return hashlib.sha256(where(target).encode()).hexdigest()[:24]
