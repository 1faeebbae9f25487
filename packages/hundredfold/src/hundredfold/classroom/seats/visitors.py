"""What a learner's server reads of a request before it knows who sends it, hands out, and keeps of it afterwards.

Jupyter's server takes a whole request into memory, 512 MB of it, and then asks for a login. It hands out its own files without one, of which
whoever does not read them has a hundred kilobytes wait in the seat. It keeps every address by which somebody asked for such a file, and every
language that a browser names. Whoever reached the hub could so fill a learner's seat without an account, and the kernel would end the
server with all that ran in it. It asks the hub about every token, and about its own learner's no more when it has asked about many.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import wraps
from types import SimpleNamespace
from typing import Any

from tornado.httputil import HTTPHeaders, HTTPMessageDelegate, HTTPServerConnectionDelegate, parse_cookie
from tornado.web import HTTPError, decode_signed_value

from .by_link import from_anothers_page

#: So many bytes of a request are read of whoever has not logged in at this server. One address has 1 024 connections at most (`proxy.py`).
LARGEST = 1 << 16

#: So many addresses of the server's own files are kept, and of languages, and so many letters each has at most. A page of the lab asks for 300.
MOST, LONGEST = 2000, 300

#: The hub is asked about so many tokens and codes at a time of whoever has no cookie. A seat has 64 connections to it (`hub_socket.py`).
AT_ONCE = 16


class Visitors(HTTPServerConnectionDelegate):
    """Stands before a server's application `behind`: large requests are for who has logged in there, from its own pages.

    `client` is what the hub's OAuth calls this server (JUPYTERHUB_CLIENT_ID). The cookie of a login has that name.
    """

    def __init__(self, behind: Any, client: str) -> None:
        self.behind, self.names = behind, (client, f"__Host-{client}")

    def start_request(self, server_conn: object, request_conn: Any) -> HTTPMessageDelegate:
        return _Request(self.behind.start_request(server_conn, request_conn), request_conn, self.are_strange)

    def are_strange(self, request: Any) -> bool:
        """Whether a request comes from another's page, or has no cookie of a login. Whether a login still holds is asked later, of the hub."""
        return from_anothers_page(request) or not self._have_logged_in(request.headers)

    def _have_logged_in(self, headers: HTTPHeaders) -> bool:
        """Whether a request has a cookie of a login, which this server has signed."""
        secret, cookies = self.behind.settings["cookie_secret"], parse_cookie(headers.get("Cookie", ""))
        return any(decode_signed_value(secret, name, cookies.get(name)) is not None for name in self.names)


class _Request(HTTPMessageDelegate):
    def __init__(self, behind: HTTPMessageDelegate, connection: Any, are_strange: Callable[[Any], bool]) -> None:
        self.behind, self.connection, self.are_strange = behind, connection, are_strange

    def headers_received(self, start_line: Any, headers: HTTPHeaders) -> Any:
        asked = SimpleNamespace(method=start_line.method, headers=headers, host=headers.get("Host", ""))
        if self.are_strange(asked):
            self.connection.set_max_body_size(LARGEST)
        return self.behind.headers_received(start_line, headers)

    def data_received(self, chunk: bytes) -> Any:
        return self.behind.data_received(chunk)

    def finish(self) -> None:
        self.behind.finish()

    def on_connection_close(self) -> None:
        self.behind.on_connection_close()


class Few(dict[str, Any]):
    """What is kept by a word that somebody else chooses: few, and short ones. A file has addresses without end (``a.js``, ``./a.js``, ``././a.js``)."""

    def __setitem__(self, word: str, kept: Any) -> None:
        if len(word) <= LONGEST:
            if len(self) >= MOST:
                self.clear()
            super().__setitem__(word, kept)


def keep_little(visitors: Visitors) -> None:
    """Have this process keep little of what strangers say, ask the hub about few of them, and hand out its own files to those alone who have logged in."""
    from jupyter_server import i18n
    from jupyter_server.base.handlers import FileFindHandler
    from jupyterhub.services.auth import HubOAuth
    from tornado.web import StaticFileHandler

    FileFindHandler._static_paths = Few()
    i18n.TRANSLATIONS_CACHE["nbjs"] = Few()
    own = StaticFileHandler.get

    @wraps(own)
    def get(handler: Any, *arguments: Any, **more: Any) -> Any:
        if not getattr(handler, "_token_authenticated", False) and visitors.are_strange(handler.request):
            raise HTTPError(403)
        return own(handler, *arguments, **more)

    StaticFileHandler.get = get
    turns = asyncio.Semaphore(AT_ONCE)
    who, finish = HubOAuth._get_user, HubOAuth._token_for_code

    async def _get_user(auth: HubOAuth, handler: Any) -> Any:
        if not auth.get_token(handler, in_cookie=False):
            return await who(auth, handler)
        async with turns:
            return await who(auth, handler)

    async def _token_for_code(auth: HubOAuth, *arguments: Any, **more: Any) -> Any:
        async with turns:
            return await finish(auth, *arguments, **more)

    HubOAuth._get_user, HubOAuth._token_for_code = _get_user, _token_for_code
