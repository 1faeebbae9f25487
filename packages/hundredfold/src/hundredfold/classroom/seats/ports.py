"""Whose programs are at the other end of a connection within this machine. Where learners share a network, each reaches the others' ports."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

_ESTABLISHED, _SYN_RECEIVED, _TIME_WAIT, _LISTENS = 0x01, 0x03, 0x06, 0x0A
#: What is not found is no user's number.
NOBODYS = -1
#: So often it is looked for a socket: while others come and go, the kernel's list may leave one out.
LOOKS = 3


def others(line: socket.socket) -> set[int]:
    """The numbers of other users whose programs may be at the other end of a connection, or `NOBODYS`; none where it leads to another machine.

    It is asked of a connection that is there: whoever listens at a port may be another a moment later.
    """
    (here, ours), (there, theirs) = line.getsockname()[:2], line.getpeername()[:2]
    if here != there and not ip_address(there).is_loopback:
        return set()
    for _ in range(LOOKS):
        if found := _holders(theirs, ours):
            return found - {os.getuid()}
    return {NOBODYS}


def _holders(port: int, ours: int) -> set[int]:
    """Who holds the end `port` of connections from the port `ours`. One that nobody has accepted yet is held by those who listen."""
    held: set[int] = set()
    listening: set[int] = set()
    for local, remote, state, user, inode in _sockets():
        if state == _LISTENS and local == port:
            listening.add(user)
        elif (local, remote) != (port, ours) or state == _TIME_WAIT:
            continue
        elif inode:
            held.add(user)
        else:  # the kernel names no user of one that is closed, or not accepted
            held |= listening if state in (_ESTABLISHED, _SYN_RECEIVED) and listening else {NOBODYS}
    return held


def _sockets() -> Iterator[tuple[int, int, int, int, int]]:
    """Of each TCP socket of this network: its port, the other's, its state, its user's number and its inode; those that listen first (proc(5), net/tcp)."""
    rows = []
    for file in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        try:
            lines = Path(file).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for words in map(str.split, lines):
            local, remote = (int(word.rpartition(":")[2], 16) for word in words[1:3])
            rows.append((local, remote, int(words[3], 16), int(words[7]), int(words[9])))
    yield from sorted(rows, key=lambda row: row[2] != _LISTENS)


def guard(server: Any) -> None:
    """Have one of Tornado's servers close the connections of other users."""
    own = server.handle_stream

    def handle(stream: Any, address: Any) -> None:
        if others(stream.socket):
            stream.close()
        else:
            own(stream, address)

    server.handle_stream = handle


def dask_setup(node: Any) -> None:
    """Dask's hook for a preloaded module: the dashboard of a scheduler or a worker answers its owner alone. It shows code, errors and logs."""
    if (server := getattr(node, "http_server", None)) is not None:
        guard(server)
