"""The kernel's half of the Dask plots beside a notebook: it tells the lab where the dashboard of this notebook's cluster is.

The other half is `etc/labextension/static/dashboard.js`. Between the two is a comm; in another front end, which has no such
target, it is closed and nothing comes of it.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import gpusim
from hundredfold.notebook import replay

if TYPE_CHECKING:
    from comm.base_comm import BaseComm
    from IPython.core.interactiveshell import InteractiveShell

#: As in dashboard.js.
TARGET = "hundredfold.notebook.dashboard"


def watch(ip: InteractiveShell) -> None:
    """Tell the lab after each cell where the cluster's dashboard is, if that has changed.

    Only in a kernel that our Jupyter server started (`KERNELLENS_BASE_URL`). Dask's warning that a dashboard's port is
    taken is silenced: the plots find the port that was taken instead, and nobody has to type it.
    """
    warnings.filterwarnings("ignore", message=r"\s*Port \d+ is already in use", category=UserWarning)
    if not os.environ.get("KERNELLENS_BASE_URL"):
        return
    replay.watch()
    unwatch(ip)
    ip.events.register("post_run_cell", _TELLER)


def unwatch(ip: InteractiveShell) -> None:
    """Tell no more."""
    if _TELLER in ip.events.callbacks["post_run_cell"]:
        ip.events.unregister("post_run_cell", _TELLER)


def link() -> str | None:
    """The address of the dashboard of this process' cluster, for the panel; None where there is none.

    A dashboard on this machine is given as a path below the Jupyter server, `proxy/PORT/`, which works in the plain lab as
    behind a hub or on Binder (jupyter-server-proxy); one elsewhere as Dask gives it.
    """
    cluster = _cluster()
    if cluster is None:
        return None
    import dask

    # Asked without the template that a hub may set for links: what we need from it is host and port.
    with dask.config.set({"distributed.dashboard.link": "{scheme}://{host}:{port}/status"}):
        found = cluster.dashboard_link
    parts = urlsplit(found or "")
    if parts.port and _is_here(parts.hostname or ""):
        return f"proxy/{parts.port}/"
    return found or None


def _cluster() -> Any:
    """The client in use, else a cluster that runs without one; nothing is imported for it."""
    client = sys.modules.get("distributed.client")
    spec = sys.modules.get("distributed.deploy.spec")
    if client is not None and (found := client._get_global_client()) is not None and found.status == "running":
        return found
    running = (
        [each for each in spec.SpecCluster._instances if each.status.name == "running"] if spec is not None else []
    )
    return running[-1] if running else None


def _is_here(host: str) -> bool:
    """Whether this name or address is this machine's own: a scheduler of Slurm's listens on the one that its workers reach."""
    import psutil

    own = {address.address for every in psutil.net_if_addrs().values() for address in every}
    return host == "localhost" or host in own


class _Teller:
    """What was told last, and the comm it was told through."""

    def __init__(self) -> None:
        self.told: str | None = None
        self.comm: BaseComm | None = None

    def __call__(self, *_: Any) -> None:
        try:
            now = link()
            if now is not None and now != self.told:
                self.told = now
                self._tell()
        except Exception:  # a plot that stays empty is no reason to put a traceback under the learner's cell
            self.told = None

    def _tell(self) -> None:
        from comm import create_comm

        data = self._said()
        if self.comm is None or getattr(self.comm, "_closed", False):
            self.comm = create_comm(target_name=TARGET, data=data)
            self.comm.on_msg(self._answer)
        else:
            self.comm.send(data)

    def _answer(self, _: Any) -> None:
        """A page that was loaded anew asks."""
        if self.comm is not None and self.told is not None:
            self.comm.send(self._said())

    def _said(self) -> dict[str, Any]:
        """The comm's data: the address, and whether the plots of GPUs have something to show."""

        return {"url": self.told, "gpu": not gpusim.active()}


_TELLER = _Teller()
