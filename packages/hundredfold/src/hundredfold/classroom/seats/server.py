"""A learner's server on a hub: ``python -m hundredfold.classroom.seats.server [arguments]``, in place of ``jupyterhub-singleuser``.

It brings the learner's copies up to date, as `make lab` does, and is then JupyterHub's own server. A home folder that is full or
cannot be written to is no reason not to start: without a server, nobody could make room in it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from pathlib import Path

from hundredfold import paths

from . import SERVER_VARIABLE, control
from .home import home_full, redirect_jupyter_folders

#: So many bytes the server's log has (`enter.LOG`): whoever reaches the hub has lines written there, and the disk is the learner's.
LOG_BYTES = 1 << 22


def main() -> None:
    """Refresh the copies, then become the server."""
    from hundredfold.notebook import workspace

    if full := home_full(Path.home()):
        print(f"Hundredfold: {full}", flush=True)
        _notice(full)
        redirect_jupyter_folders()
    folder = os.path.expanduser(os.environ.get("JUPYTERHUB_ROOT_DIR") or "~/hundredfold")
    os.environ["HUNDREDFOLD_WORK"] = folder
    try:
        said = str(workspace.refresh())
        if said:
            print(said, flush=True)
    except (OSError, TimeoutError) as error:
        print(
            f"Hundredfold: {folder} could not be brought up to date ({error}); the server starts as it is.", flush=True
        )
    if not os.path.isdir(folder):
        os.environ["JUPYTERHUB_ROOT_DIR"] = os.path.expanduser("~")
    paths.own_lab()
    from . import by_link, kernels, light

    light.server()
    from hundredfold.hub_page import little_of_strangers

    little_of_strangers()
    by_link.install()
    kernels.install()
    threading.Thread(target=_keep_short, args=(2,), daemon=True).start()
    _listen_where_told()
    from jupyterhub.singleuser import main as singleuser

    sys.argv[0] = "jupyterhub-singleuser"
    singleuser()


def _listen_where_told() -> None:
    """Have Jupyter's server take the socket that the spawner has handed on, instead of making one at that path, and little of strangers."""
    from jupyter_server.serverapp import ServerApp

    from .visitors import Visitors, keep_little

    own = ServerApp._bind_http_server_unix

    def bind(app: ServerApp) -> bool:
        app.http_server.request_callback = visitors = Visitors(app.web_app, os.environ.get("JUPYTERHUB_CLIENT_ID", ""))
        keep_little(visitors)
        line = control.handed_on(SERVER_VARIABLE)
        if line is None:
            return own(app)
        app.http_server.add_socket(line)
        return True

    ServerApp._bind_http_server_unix = bind


def _keep_short(log: int) -> None:
    """Begin the log anew whenever it is too long."""
    while True:
        time.sleep(1)
        with contextlib.suppress(OSError):
            if os.fstat(log).st_size > LOG_BYTES:
                os.ftruncate(log, 0)
                os.write(log, b"Hundredfold: this log was too long, and begins anew.\n")


def _notice(sentence: str) -> None:
    """Have the lab show a sentence to the learner (`hundredfold.classroom.seats.notice`)."""
    told = json.loads(os.environ.get("HUNDREDFOLD_NOTICES") or "[]")
    if sentence not in told:
        os.environ["HUNDREDFOLD_NOTICES"] = json.dumps([*told, sentence])


if __name__ == "__main__":
    main()
