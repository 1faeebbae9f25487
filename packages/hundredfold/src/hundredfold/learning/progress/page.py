"""The class live, behind the hub's login: ``python -m hundredfold.learning.progress.page``, started by the hub.

Who may see it is the hub's to say: the scope ``access:services!service=class``, which instructors have. It only reads: what learners
share in the class's folder (environment variable HUNDREDFOLD_CLASS), as `hundredfold progress --class` shows it, too.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from jupyterhub.services.auth import HubOAuth, HubOAuthCallbackHandler, HubOAuthenticated
from tornado import web

from . import classroom

HERE = Path(__file__).parent


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
        self.finish((HERE / "page.html").read_bytes())


class Part(Base):
    """The page's script and style."""

    @web.authenticated
    def get(self, kind: str) -> None:
        self.set_header("Content-Type", {"js": "text/javascript", "css": "text/css"}[kind] + "; charset=UTF-8")
        self.finish((HERE / f"page.{kind}").read_bytes())


class Summary(Base):
    @web.authenticated
    async def get(self) -> None:
        try:
            # One at a time: ten instructors' pages ask no more of the disk than one.
            async with self.settings["one"]:
                told = await asyncio.to_thread(classroom.summary, self.settings["folder"])
        except classroom.NoClass as error:
            raise web.HTTPError(503, str(error), reason="The folder of the class cannot be read") from None
        self.finish(told)


def application(folder: Path, prefix: str) -> web.Application:
    """The page's application below `prefix`, which ends in a slash."""
    return web.Application(
        [
            (prefix, Page),
            (prefix + r"page\.(js|css)", Part),
            (prefix + "api/summary", Summary),
            (prefix + "oauth_callback", HubOAuthCallbackHandler),
        ],
        folder=folder,
        one=asyncio.Lock(),
        cookie_secret=secrets.token_bytes(32),
        xsrf_cookies=True,
        xsrf_cookie_kwargs={"path": prefix, "samesite": "Strict"},
    )


async def main() -> None:
    """Serve until the hub ends this."""
    HubOAuth.instance(cache_max_age=10)  # seconds; then the hub is asked anew whether they are still an instructor
    url = urlparse(os.environ["JUPYTERHUB_SERVICE_URL"])
    made = application(Path(os.environ["HUNDREDFOLD_CLASS"]), os.environ["JUPYTERHUB_SERVICE_PREFIX"])
    made.listen(url.port, url.hostname)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
