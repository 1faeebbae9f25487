"""A learner's server on a hub: ``python -m hundredfold.seats.server [arguments]``, in place of ``jupyterhub-singleuser``.

It brings the learner's copies up to date, as `make lab` does, and is then JupyterHub's own server. A home folder that is full or
cannot be written to is no reason not to start: without a server, nobody could make room in it.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Refresh the copies, then become the server."""
    from hundredfold import workspace

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
    from . import light

    light.server()
    from jupyterhub.singleuser import main as singleuser

    sys.argv[0] = "jupyterhub-singleuser"
    singleuser()


if __name__ == "__main__":
    main()
