"""The control socket of a learner's server on a hub: root asks there what runs, ends a kernel, and tells the learner something.

It lies in a folder that only root enters, and the proxy does not lead to it. So whoever reaches it may use it, and nobody has to send
a token, which a learner's process could keep.
"""

from __future__ import annotations

import os
import socket
from datetime import UTC, datetime
from typing import Any

from jupyter_core.utils import ensure_async
from tornado import web
from tornado.escape import json_decode
from tornado.httpserver import HTTPServer

from . import CONTROL_VARIABLE, notice


class Kernels(web.RequestHandler):
    """``GET /kernels``: id, notebook, state and last use of each kernel."""

    async def get(self) -> None:
        server = self.settings["serverapp"]
        paths = {
            each["kernel"]["id"]: each["path"] for each in await ensure_async(server.session_manager.list_sessions())
        }
        self.finish(
            {
                "kernels": [
                    {
                        "id": kernel["id"],
                        "path": paths.get(kernel["id"], kernel["name"]),
                        "state": kernel["execution_state"] or "unknown",
                        "last": kernel["last_activity"],
                    }
                    for kernel in await ensure_async(server.kernel_manager.list_kernels())
                ]
            }
        )


class Kernel(web.RequestHandler):
    """``DELETE /kernels/ID?idle=SECONDS``: end it, if nobody has used it for so long."""

    async def delete(self, kernel: str) -> None:
        manager = self.settings["serverapp"].kernel_manager
        if kernel not in manager:
            raise web.HTTPError(404)
        told = await ensure_async(manager.kernel_model(kernel))
        unused = (datetime.now(UTC) - datetime.fromisoformat(told["last_activity"])).total_seconds()
        if told["execution_state"] != "idle" or unused < float(self.get_query_argument("idle")):
            raise web.HTTPError(409)
        await ensure_async(manager.shutdown_kernel(kernel))
        self.set_status(204)


class Notice(web.RequestHandler):
    """``POST /notice {"message": …}``: show it in the learner's lab."""

    def post(self) -> None:
        notice.tell(self.settings["serverapp"], json_decode(self.request.body)["message"])
        self.set_status(204)


def install(serverapp: Any) -> None:
    """Listen, where a hub's spawner has handed the socket on."""
    line = handed_on(CONTROL_VARIABLE)
    if line is None:
        return
    routes = [("/kernels", Kernels), ("/kernels/([0-9a-f-]+)", Kernel), ("/notice", Notice)]
    HTTPServer(web.Application(routes, serverapp=serverapp)).add_socket(line)


def handed_on(variable: str) -> socket.socket | None:
    """The socket whose file descriptor the variable has, listening; None where there is none. It is nobody's that this process starts."""
    number = os.environ.pop(variable, "")
    if not number:
        return None
    line = socket.socket(fileno=int(number))
    line.set_inheritable(False)
    line.setblocking(False)
    line.listen(128)
    return line
