"""What a link may have a learner's server do: whoever opens one is logged in, and two of Jupyter's extensions then ask nobody.

nbgitpuller puts any repository into any folder of the learner's home, also into one from which Jupyter starts programs. jupyter-server-proxy
shows what listens on a port as a page of the learner's own; where ports are shared (`own_network = false`), that may be another learner's. It
passes on what another's page sends to such a port, with the learner's login, and leaves it to the program there to ask where that came from.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


def install() -> None:
    """Have both do no more than they are there for, where they are installed."""
    try:
        from nbgitpuller import pull  # its handlers are imported later, and take the class from here
    except ImportError:
        pass
    else:
        pull.GitPuller = _puller(pull.GitPuller)
    try:
        from jupyter_server_proxy.handlers import ProxyHandler
    except ImportError:
        pass
    else:
        ProxyHandler.proxy = _to_own_port(ProxyHandler.proxy)
        ProxyHandler.proxy_open = _to_own_port(ProxyHandler.proxy_open)


def _puller(own: Any) -> Any:
    """nbgitpuller's class, which pulls from the network, into a folder that the learner sees, and moves none away."""

    def made(repository: str, folder: str, *, backup: Any = False, parent: Any = None, **more: Any) -> Any:
        root, place = (Path(os.path.expanduser(each)).resolve() for each in (parent.root_dir, folder))
        inner = place.relative_to(root).parts if place.is_relative_to(root) else ()
        if not repository.startswith("https://") or backup or not inner or any(part[0] == "." for part in inner):
            raise ValueError(
                f"A link brings an https:// repository into a new folder below {root}, and this one is for {repository} into {folder}"
                f"{', whose files it would move away' if backup else ''}. Nothing was changed."
            )
        return own(repository, str(place), parent=parent, **more)

    return made


def _to_own_port(own: Any) -> Any:
    """A method of jupyter-server-proxy's that refuses a port at which another user's program listens, and what another's page sends."""
    from tornado.web import HTTPError

    def checked(handler: Any, host: str, port: Any, *more: Any, **named: Any) -> Any:
        if from_anothers_page(handler.request):
            raise HTTPError(403, "Another page sent this. Open the address itself.")
        if listeners(int(port)) - {os.getuid()}:
            raise HTTPError(403, f"Another user's program listens on port {port}.")
        return own(handler, host, port, *more, **named)

    return checked


def from_anothers_page(request: Any) -> bool:
    """Whether a page of another origin sends this, as far as the browser says; a link to open may be anywhere."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if request.method in ("GET", "HEAD") and request.headers.get("Sec-Fetch-Mode") == "navigate":
        return False
    if site is not None:  # which browsers send over HTTPS only
        return site not in ("same-origin", "none")
    return origin is not None and urlsplit(origin).netloc != request.host


def listeners(port: int) -> set[int]:
    """The numbers of the users whose programs listen on a port of this network (proc(5), net/tcp)."""
    found = set()
    for file in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        try:
            lines = Path(file).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            words = line.split()
            if words[3] == "0A" and int(words[1].rpartition(":")[2], 16) == port:
                found.add(int(words[7]))
    return found
