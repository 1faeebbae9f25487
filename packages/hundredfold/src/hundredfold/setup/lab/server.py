"""Our part of the Jupyter server: BokehJS for the figures from the server itself, so that they need no network, the start page, a
workspace of JupyterLab for each syllabus, the Dask panel's addresses, and what a hub has to tell a learner.

It is enabled by `etc/jupyter/jupyter_server_config.d/hundredfold.json`, which the package installs.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from jupyter_server.base.handlers import APIHandler, FileFindHandler
from jupyter_server.utils import url_path_join
from tornado import web

from hundredfold.classroom.seats import control, notice, trust
from hundredfold.setup.lab import panel_routes

#: Below the server's base URL; `kernellens.plot` loads BokehJS from here.
PATH = "hundredfold/bokehjs"
_START_PAGE = [sys.executable, "-P", "-m", "hundredfold.setup.lab.start_page"]


class BokehJS(FileFindHandler):
    """BokehJS as a static file, which is for whoever Jupyter's own are for (it holds nothing of the learner's)."""

    def set_headers(self) -> None:
        super().set_headers()
        # The address names no version, so the browser asks again after an hour; a copy that is still right is not sent twice.
        self.set_header("Cache-Control", "public, max-age=3600")

    def compute_etag(self) -> str | None:
        # FileFindHandler switches entity tags off; Tornado's own is the file's hash, which an update of Bokeh changes.
        return super(FileFindHandler, self).compute_etag()


class StartPage(APIHandler):
    """``GET hundredfold/start``: the start page is brought up to date; the answer says whether it changed."""

    @web.authenticated
    async def get(self) -> None:
        process = await asyncio.create_subprocess_exec(*_START_PAGE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said, error = await process.communicate()
        if process.returncode:
            raise web.HTTPError(500, error.decode(errors="replace").strip().rpartition("\n")[2])
        self.finish({"changed": said.strip() == b"changed"})


def bokehjs() -> Path:
    """The folder of BokehJS in the installed Bokeh, found without importing Bokeh."""
    spec = importlib.util.find_spec("bokeh")
    assert spec is not None and spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations))) / "server" / "static"


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "hundredfold.setup.lab.server"}]


def _load_jupyter_server_extension(serverapp: Any) -> None:
    handler = (url_path_join(serverapp.base_url, PATH, "(.*)"), BokehJS, {"path": str(bokehjs())})
    serverapp.web_app.add_handlers(".*$", [handler])
    # Kernels inherit it: a figure has to know where its notebook is served from (on a hub: /user/NAME/).
    os.environ["KERNELLENS_BASE_URL"] = serverapp.base_url
    # A drawing that can be touched is a page within the lab's. JupyterHub's server would allow that to no page, where nothing is said.
    headers = serverapp.web_app.settings.setdefault("headers", {})
    headers.setdefault("Content-Security-Policy", "frame-ancestors 'self'")
    panel_routes.install(serverapp)
    notice.install(serverapp)
    control.install(serverapp)
    trust.install(serverapp)
    serverapp.web_app.add_handlers(".*$", [(url_path_join(serverapp.base_url, "hundredfold/start"), StartPage)])
    if (done := subprocess.run(_START_PAGE, capture_output=True, text=True)).returncode:
        serverapp.log.warning("Hundredfold: no start page: %s", done.stderr.strip().rpartition("\n")[2])
    _put_workspaces(serverapp)


def _put_workspaces(serverapp: Any) -> None:
    """Put in place what `/lab/workspaces/half-day` and its like open; a lab without them still works."""
    from hundredfold.classroom.syllabi import layout
    from hundredfold.notebook import workspace

    try:
        below = workspace.folder().relative_to(Path(serverapp.root_dir).resolve()).as_posix()
    except ValueError:
        return  # the copies cannot be reached from this server's root
    named = serverapp.config.get("LabApp", {}).get("workspaces_dir")
    try:
        layout.put(Path(named or jupyterlab_workspaces()), below)
    except OSError as error:
        serverapp.log.warning("Hundredfold: no workspaces for the syllabi: %s.", error)


def jupyterlab_workspaces() -> str:
    """Where JupyterLab keeps workspaces unless it is told otherwise."""
    from jupyterlab.commands import get_workspaces_dir

    return get_workspaces_dir()
