"""The Dask panel's addresses in the Jupyter server, without Dask until somebody uses them.

dask-labextension imports `distributed` when the server starts, for every learner, also those who never start a cluster. So our
settings switch it off (`etc/jupyter_server.json`), and its addresses are here: that there are no clusters yet is answered at
once, anything else loads it.
"""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web
from tornado.routing import Router


class NoClusters(APIHandler):
    """``GET dask/clusters`` while there can be none: JupyterLab asks every few seconds."""

    @web.authenticated
    def get(self) -> None:
        self.finish("[]")


class Panel(Router):
    """Finds the panel's handlers, and imports it when it is needed for the first time."""

    def __init__(self, serverapp: Any) -> None:
        self.serverapp = serverapp
        self.listing = re.compile(re.escape(url_path_join(serverapp.base_url, "dask/clusters")) + "/?")
        self.inner: Router | None = None

    def find_handler(self, request: Any, **kwargs: Any) -> Any:
        app = self.serverapp.web_app
        if self.inner is None and request.method == "GET" and self.listing.fullmatch(request.path):
            return app.get_handler_delegate(request, NoClusters)
        if self.inner is None:
            self.inner = type(app.wildcard_router)(app, self._handlers())
        return self.inner.find_handler(request, **kwargs)

    def _handlers(self) -> list[Any]:
        """What dask-labextension would add to the server."""
        import dask
        import dask_labextension

        # A template for links to dashboards is for kernels, which have it from their environment. In the server it would send
        # the panel's own proxy in a circle, to a page that does not exist.
        dask.config.set({"distributed.dashboard.link": "{scheme}://{host}:{port}/status"})
        found: list[Any] = []
        app = SimpleNamespace(
            settings=self.serverapp.web_app.settings, add_handlers=lambda host, handlers: found.extend(handlers)
        )
        dask_labextension.load_jupyter_server_extension(SimpleNamespace(web_app=app, log=self.serverapp.log))
        return found


def install(serverapp: Any) -> None:
    """Add the panel's addresses to a Jupyter server."""
    # Tornado's own way: Jupyter's takes handlers alone, to see that each asks for a login. Those that are found here do.
    rules = [(url_path_join(serverapp.base_url, "dask/.*"), Panel(serverapp))]
    web.Application.add_handlers(serverapp.web_app, ".*$", rules)
