"""Who asks the hub by a socket: root, which the proxy and the pages are, or a seat's process, whose learner may have written it.

A seat needs the hub's API and nothing else. Through the rest of the hub it could hold up the logins of all (a failed one costs PAM
seconds), and as the proxy's headers would be believed, in the name of any address. So each seat has a socket of its own (`relay.py` connects to it).
"""

from __future__ import annotations

import re
import socket
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
#: So many connections of one seat are open at a time; a learner's server has fewer than ten.
MOST = 64
#: So many bytes a request has at most, whoever sends it: it is read before anybody asks who that is. A login has a few hundred. In one of
#: 60 kB, what should be a time took the hub a quarter of a second to read, in which it answers nobody.
LARGEST = 1 << 13
#: Headers by which a proxy says for whom it asks.
FORWARDED = ("X-Forwarded-For", "X-Real-Ip", "X-Scheme", "X-Forwarded-Proto")


class Lines:
    """The hub's sockets for seats: each has one of its own, to which its relay connects and nobody else. They are in a folder of root's.

    Those who connect wait in line until the hub lets them in. At a socket for all, who connects without end left nobody else a place.
    """

    def __init__(self) -> None:
        self.hub: HTTPServer | None = None
        self.open: dict[Path, Callable[[], None]] = {}
        self.wanted: set[Path] = set()

    def add(self, path: Path) -> None:
        """Listen at `path` for a seat, from now on or once the hub listens at all."""
        self.remove(path)
        self.wanted.add(path)
        if self.hub is not None:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            line = bind_unix_socket(str(path), mode=0o600)
            stop = add_accept_handler(line, self.hub._handle_connection)
            self.open[path] = lambda: (stop(), line.close())

    def remove(self, path: Path) -> None:
        """Listen there no more."""
        self.wanted.discard(path)
        if (stop := self.open.pop(path, None)) is not None:
            stop()
            path.unlink(missing_ok=True)

    def listen(self, hub: HTTPServer) -> None:
        """Listen at all that were added."""
        self.hub = hub
        for path in list(self.wanted):
            self.add(path)


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
    """Have this process's servers on Unix sockets, the hub's, treat whoever does not come by their own as a seat, and read no large request."""
    if hasattr(HTTPServer, "_places"):
        return
    places: WeakKeyDictionary[IOStream, str] = WeakKeyDictionary()
    roots: set[str] = set()
    handle_stream, start_request = HTTPServer.handle_stream, HTTPServer.start_request
    add_sockets = HTTPServer.add_sockets

    def add(server: HTTPServer, sockets: Iterable[socket.socket]) -> None:
        own = list(sockets)
        add_sockets(server, own)
        if found := {each.getsockname() for each in own if each.family == socket.AF_UNIX}:
            roots.update(found)
            lines.listen(server)

    def handle(server: HTTPServer, stream: IOStream, address: Any) -> None:
        if stream.socket.family == socket.AF_UNIX:
            place = stream.socket.getsockname()
            if (
                place not in roots
                and sum(1 for each, at in places.items() if at == place and not each.closed()) >= MOST
            ):
                stream.close()
                return
            places[stream] = place
        handle_stream(server, stream, address)

    def start(server: HTTPServer, connection: Any, request: Any) -> HTTPMessageDelegate:
        behind = start_request(server, connection, request)
        place = places.get(connection.stream)  # which may be closed by now
        if place is None:
            return behind
        request.set_max_body_size(LARGEST)
        return behind if place in roots else _OfASeat(behind)

    HTTPServer._places, HTTPServer.handle_stream, HTTPServer.start_request = places, handle, start
    HTTPServer.add_sockets = add
