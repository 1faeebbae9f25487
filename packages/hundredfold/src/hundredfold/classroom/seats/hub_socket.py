"""Who asks the hub by a socket: root, which the proxy and the pages are, or a seat's process, whose learner may have written it.

A seat needs the hub's API and nothing else. Through the rest of the hub it could hold up the logins of all (a failed one costs PAM
seconds), and as the proxy's headers would be believed, in the name of any address. So the kernel is asked who is at the other end.
"""

from __future__ import annotations

import os
import re
import socket
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPHeaders, HTTPMessageDelegate, RequestStartLine
from tornado.iostream import IOStream
from tornado.netutil import add_accept_handler, bind_unix_socket
from tornado.web import RequestHandler

#: What a seat may ask for begins so; anything else is answered as `NOTHING` is.
API, NOTHING = re.compile(r"/hub/api(?:[/?]|$)"), "/hub/api/nothing-else-for-a-seat"
#: So many connections of one user are open at a time; a learner's server has fewer than ten.
MOST = 64
#: So many bytes a request has at most, whoever sends it: it is read before anybody asks who that is. A login has a few hundred.
LARGEST = 1 << 16
#: Headers by which a proxy says for whom it asks.
FORWARDED = ("X-Forwarded-For", "X-Real-Ip", "X-Scheme", "X-Forwarded-Proto")


def user_at(line: socket.socket) -> int:
    """The number of the user whose process is at the other end of a Unix socket (unix(7), SO_PEERCRED)."""
    told = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", told)[1]


class Lines:
    """The hub's sockets for seats: each learner has one of their own, to which nobody else connects.

    Those who connect wait in line until the hub lets them in. At a socket for all, who connects without end left nobody else a place.
    """

    def __init__(self) -> None:
        self.hub: HTTPServer | None = None
        self.open: dict[Path, Callable[[], None]] = {}
        self.wanted: dict[Path, int] = {}

    def add(self, path: Path, uid: int) -> None:
        """Listen at `path` for this user, from now on or once the hub listens at all."""
        self.remove(path)
        self.wanted[path] = uid
        if self.hub is not None:
            path.parent.mkdir(mode=0o711, exist_ok=True)  # nobody lists who is there
            line = bind_unix_socket(str(path), mode=0o600)
            os.chown(path, uid, -1)
            stop = add_accept_handler(line, self.hub._handle_connection)
            self.open[path] = lambda: (stop(), line.close())

    def remove(self, path: Path) -> None:
        """Listen there no more."""
        self.wanted.pop(path, None)
        if (stop := self.open.pop(path, None)) is not None:
            stop()
            path.unlink(missing_ok=True)

    def listen(self, hub: HTTPServer) -> None:
        """Listen at all that were added."""
        self.hub = hub
        for path, uid in list(self.wanted.items()):
            self.add(path, uid)


#: Of this process's hub.
lines = Lines()


class _OfASeat(HTTPMessageDelegate):
    """A request of a seat's, without what it may not ask for or say."""

    def __init__(self, behind: HTTPMessageDelegate) -> None:
        self.behind = behind

    def headers_received(self, start_line: Any, headers: HTTPHeaders) -> Any:
        for name in FORWARDED:
            headers.pop(name, None)
        method = start_line.method
        if method not in RequestHandler.SUPPORTED_METHODS or not API.match(start_line.path):
            # A method that is made up would be counted by its name, and so be in the hub's memory for ever (jupyterhub/metrics.py).
            method = method if method in RequestHandler.SUPPORTED_METHODS else "GET"
            start_line = RequestStartLine(method, NOTHING, start_line.version)
        return self.behind.headers_received(start_line, headers)

    def data_received(self, chunk: bytes) -> Any:
        return self.behind.data_received(chunk)

    def finish(self) -> None:
        self.behind.finish()

    def on_connection_close(self) -> None:
        self.behind.on_connection_close()


def guard() -> None:
    """Have this process's servers on Unix sockets, the hub's, treat whoever is not root as a seat, and read no large request."""
    if hasattr(HTTPServer, "_users"):
        return
    users: WeakKeyDictionary[IOStream, int] = WeakKeyDictionary()
    handle_stream, start_request = HTTPServer.handle_stream, HTTPServer.start_request
    add_sockets = HTTPServer.add_sockets

    def add(server: HTTPServer, sockets: Iterable[socket.socket]) -> None:
        own = list(sockets)
        add_sockets(server, own)
        if any(each.family == socket.AF_UNIX for each in own):
            lines.listen(server)

    def handle(server: HTTPServer, stream: IOStream, address: Any) -> None:
        if stream.socket.family == socket.AF_UNIX:
            user = user_at(stream.socket)
            if user != 0 and sum(1 for each, of in users.items() if of == user and not each.closed()) >= MOST:
                stream.close()
                return
            users[stream] = user
        handle_stream(server, stream, address)

    def start(server: HTTPServer, connection: Any, request: Any) -> HTTPMessageDelegate:
        behind = start_request(server, connection, request)
        user = users.get(connection.stream)  # which may be closed by now
        if user is None:
            return behind
        request.set_max_body_size(LARGEST)
        return behind if user == 0 else _OfASeat(behind)

    HTTPServer._users, HTTPServer.handle_stream, HTTPServer.start_request = users, handle, start
    HTTPServer.add_sockets = add
