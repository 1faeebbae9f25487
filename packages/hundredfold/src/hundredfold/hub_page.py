"""A page behind the hub's login: what the page on seats and the one on the class have in common, and a learner's server with them. Needs JupyterHub and Tornado."""

from __future__ import annotations

import ctypes
import logging
import os
import secrets
import signal
import sys
from pathlib import Path
from typing import Any

from jupyterhub.services.auth import HubOAuth, HubOAuthCallbackHandler, HubOAuthenticated, _ExpiringDict
from tornado import web


class Base(HubOAuthenticated, web.RequestHandler):
    _asked = False

    def get_current_user(self) -> Any:
        # JupyterHub asks who it is while it looks whether a request is forged, and looks that up while it asks: where it is forged, the
        # second would wait for the first, and the page for both, without end (jupyterhub/services/auth.py, _synchronize).
        if self._asked:
            return None
        self._asked = True
        return super().get_current_user()

    def set_default_headers(self) -> None:
        self.set_header("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cache-Control", "no-store")


class Page(Base):
    @web.authenticated
    def get(self) -> None:
        self.xsrf_token  # noqa: B018  (sets the cookie that the script sends back)
        self.set_header("Content-Type", "text/html; charset=UTF-8")
        self.finish((self.settings["page"] / "page.html").read_bytes())


class Part(Base):
    """The page's script and style."""

    @web.authenticated
    def get(self, kind: str) -> None:
        self.set_header("Content-Type", {"js": "text/javascript", "css": "text/css"}[kind] + "; charset=UTF-8")
        self.finish((self.settings["page"] / f"page.{kind}").read_bytes())


_PR_SET_PDEATHSIG = 1


def end_with_the_hub() -> None:
    """Have the kernel end this process when the hub ends, however it does (prctl(2)).

    A page that outlived a killed hub would keep its port, and ask with a token that the next hub does not know.
    """
    hub = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != hub:  # it has ended just now
        sys.exit("The hub has ended.")


class AsText(logging.Filter):
    """Of a log's messages, what moves a cursor or could be taken for another line is shown as text, and what is long is cut.

    Addresses are somebody's to choose: of 60 kB each, they would push everything else out of the log.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        said = plain(record.getMessage())
        record.msg, record.args = said if len(said) <= LETTERS else f"{said[:LETTERS]} … ({len(said)} letters)", None
        return True


#: So many letters of a log's message are kept.
LETTERS = 4000


def plain(message: str) -> str:
    """A message with its letters and line feeds, and everything else as Python writes it; a line feed is followed by a tab."""
    return "".join(
        "\n\t" if letter == "\n" else letter if letter.isprintable() or letter == "\t" else repr(letter)[1:-1]
        for letter in message
    )


def log_as_text() -> None:
    """Have this process log so. For the pages; deploy/hub/jupyterhub_config.py does it for the hub."""
    handler = logging.StreamHandler()
    handler.addFilter(AsText())
    logging.basicConfig(handlers=[handler], format="%(levelname)s %(message)s", level=logging.WARNING, force=True)


#: So many logins that are not finished are kept, and so many answers of the hub about tokens: the newest. So many letters has the address that a login
#: is to lead to, and the name of a browser's session, which is JupyterHub's own and has 32.
UNFINISHED, ADDRESS, SESSION = 10_000, 2000, 64


def little_of_strangers() -> None:
    """Have this process keep little of whoever has not logged in: few logins that they begin and do not finish, and few tokens that they make up.

    JupyterHub keeps for ten minutes where each login is to lead, and for five what the hub said of each token, by a cookie of the browser's: up
    to 16 kB for each, of whoever reaches the hub. Here a longer address leads to the first page, and a longer cookie counts as none.
    """
    if hasattr(HubOAuth, "_any_state"):
        return
    HubOAuth._any_state = state = HubOAuth.generate_state
    session, keep = HubOAuth.get_session_id, _ExpiringDict.__setitem__

    def generate_state(auth: HubOAuth, next_url: str | None = None, **more: Any) -> str:
        return state(auth, next_url if len(next_url or "") <= ADDRESS else None, **more)

    def get_session_id(auth: HubOAuth, handler: Any) -> str:
        return found if len(found := session(auth, handler)) <= SESSION else ""

    def keep_few(kept: _ExpiringDict, key: str, value: Any) -> None:
        while len(kept) >= UNFINISHED:
            del kept[next(iter(kept.timestamps))]
        keep(kept, key, value)

    HubOAuth.generate_state, HubOAuth.get_session_id = generate_state, get_session_id
    _ExpiringDict.__setitem__ = keep_few


#: So many bytes a request to a page has at most: it is read before anybody asks who sends it.
LARGEST = 1 << 16


def served(page: Path, prefix: str, handlers: dict[str, type], **settings: Any) -> web.Application:
    """An application of the hub's below `prefix`, which ends in a slash: the page in a folder, and what its script asks."""
    little_of_strangers()
    return web.Application(
        [
            (prefix, Page),
            (prefix + r"page\.(js|css)", Part),
            *((prefix + path, handler) for path, handler in handlers.items()),
            (prefix + "oauth_callback", HubOAuthCallbackHandler),
        ],
        page=page,
        cookie_secret=secrets.token_bytes(32),
        xsrf_cookies=True,
        xsrf_cookie_kwargs={"path": prefix, "samesite": "Strict"},
        **settings,
    )
