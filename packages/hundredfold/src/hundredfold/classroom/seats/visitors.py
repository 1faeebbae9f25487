"""How much a learner's server reads of a request before it knows who sends it, and keeps of it afterwards.

Jupyter's server takes a whole request into memory, 512 MB of it, and then asks for a login. It keeps every address by which somebody asked
for one of its own files. Whoever reached the hub could so fill a learner's seat without an account, and the kernel would end the server
with all that ran in it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from tornado.httputil import HTTPHeaders, HTTPMessageDelegate, HTTPServerConnectionDelegate, parse_cookie
from tornado.web import decode_signed_value

from .by_link import from_anothers_page

#: So many bytes of a request are read of whoever has not logged in at this server. One address has 1 024 connections at most (`proxy.py`).
LARGEST = 1 << 16

#: So many addresses of the server's own files are kept, and so many letters each has at most. A page of the lab asks for 300.
ADDRESSES, LONGEST = 2000, 300


class Visitors(HTTPServerConnectionDelegate):
    """Stands before a server's application `behind`: large requests are for who has logged in there, from its own pages.

    `client` is what the hub's OAuth calls this server (JUPYTERHUB_CLIENT_ID). The cookie of a login has that name.
    """

    def __init__(self, behind: Any, client: str) -> None:
        self.behind, self.names = behind, (client, f"__Host-{client}")

    def start_request(self, server_conn: object, request_conn: Any) -> HTTPMessageDelegate:
        return _Request(self.behind.start_request(server_conn, request_conn), request_conn, self._has_logged_in)

    def _has_logged_in(self, headers: HTTPHeaders) -> bool:
        """Whether a request has a cookie of a login, which this server has signed. Whether the login still holds is asked later, of the hub."""
        secret, cookies = self.behind.settings["cookie_secret"], parse_cookie(headers.get("Cookie", ""))
        return any(decode_signed_value(secret, name, cookies.get(name)) is not None for name in self.names)


class _Request(HTTPMessageDelegate):
    def __init__(self, behind: HTTPMessageDelegate, connection: Any, may: Callable[[HTTPHeaders], bool]) -> None:
        self.behind, self.connection, self.may = behind, connection, may

    def headers_received(self, start_line: Any, headers: HTTPHeaders) -> Any:
        asked = SimpleNamespace(method=start_line.method, headers=headers, host=headers.get("Host", ""))
        if from_anothers_page(asked) or not self.may(headers):
            self.connection.set_max_body_size(LARGEST)
        return self.behind.headers_received(start_line, headers)

    def data_received(self, chunk: bytes) -> Any:
        return self.behind.data_received(chunk)

    def finish(self) -> None:
        self.behind.finish()

    def on_connection_close(self) -> None:
        self.behind.on_connection_close()


class FewAddresses(dict[str, str]):
    """Where files are, by their address: few, and short ones. A file has addresses without end (``a.js``, ``./a.js``, ``././a.js``)."""

    def __setitem__(self, address: str, file: str) -> None:
        if len(address) <= LONGEST:
            if len(self) >= ADDRESSES:
                self.clear()
            super().__setitem__(address, file)
