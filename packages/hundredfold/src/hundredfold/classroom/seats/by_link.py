"""What a link may have a learner's server do: whoever opens one is logged in, and two of Jupyter's extensions then ask nobody.

nbgitpuller puts any repository into any folder of the learner's home, also into one from which Jupyter starts programs, and shows words of
the link as HTML. jupyter-server-proxy shows what listens on a port as a page of the learner's own; where ports are shared
(`own_network = false`), that may be another learner's. It passes on what another's page sends to such a port, with the learner's login, and
leaves it to the program there to ask where that came from.

An address of Jupyter's own exports a notebook, by a module that the notebook names.
"""

from __future__ import annotations

import os
import socket
import warnings
from functools import wraps
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tornado.tcpclient import TCPClient
from tornado.web import HTTPError

from . import ports

#: What a link may bring is at an address that begins so.
HTTPS = "https://"


def install() -> None:
    """Have both do no more than they are there for, where they are installed."""
    try:
        from nbgitpuller import pull
    except ImportError:
        pass
    else:
        pull.GitPuller, pull.execute_cmd = _puller(pull.GitPuller), _without_links(pull.execute_cmd)
        with warnings.catch_warnings(action="ignore"):  # it guesses that this is Jupyter's server
            from nbgitpuller import handlers  # takes the class from there
        handlers.jinja_env.autoescape = True
        handlers.UIHandler.get = _of_a_repository(handlers.UIHandler.get)
    try:
        from jupyter_server_proxy.handlers import ProxyHandler
    except ImportError:
        pass
    else:
        ProxyHandler.proxy = _from_own_page(ProxyHandler.proxy)
        ProxyHandler.proxy_open = _from_own_page(ProxyHandler.proxy_open)
    TCPClient.connect = _to_own_program(TCPClient.connect)
    from jupyter_server.nbconvert.handlers import NbconvertFileHandler, NbconvertPostHandler

    NbconvertFileHandler.get = _by_what_is_installed(NbconvertFileHandler.get)
    NbconvertPostHandler.post = _by_what_is_installed(NbconvertPostHandler.post)


def _by_what_is_installed(own: Any) -> Any:
    """A method that exports a notebook. By its metadata a notebook names the exporter, which may be any module: the server would import it."""

    def refused(name: str) -> None:
        raise ImportError(f"{name} is no exporter that is installed.")

    @wraps(own)
    async def exported(handler: Any, *arguments: Any, **more: Any) -> Any:
        from nbconvert.exporters import base  # takes long to import, and few export

        base.import_item = refused
        return await own(handler, *arguments, **more)

    return exported


def _of_a_repository(own: Any) -> Any:
    """A method of nbgitpuller's page, which has a link to the repository. An address may also be a script."""

    @wraps(own)
    def checked(handler: Any) -> Any:
        if not (repository := handler.get_argument("repo")).startswith(HTTPS):
            raise HTTPError(400, f"A link brings an {HTTPS} repository, and this one is for {repository}.")
        return own(handler)

    return checked


def _puller(own: Any) -> Any:
    """nbgitpuller's class, which pulls from the network, into a folder that the learner sees, and moves none away.

    A folder that is there is a clone itself. In another, git would look for one around it, or take settings from files that are called
    as a repository's are, and a repository may bring those: git runs programs that they name.
    """

    def made(repository: str, folder: str, *, backup: Any = False, parent: Any = None, **more: Any) -> Any:
        root, place = (Path(os.path.expanduser(each)).resolve() for each in (parent.root_dir, folder))
        inner = place.relative_to(root).parts if place.is_relative_to(root) else ()
        new = not place.exists() or (place / ".git").is_dir()
        if not repository.startswith(HTTPS) or backup or not inner or any(part[0] == "." for part in inner) or not new:
            raise ValueError(
                f"A link brings an {HTTPS} repository into a new folder below {root}, and this one is for {repository} into {folder}"
                f"{', whose files it would move away' if backup else ''}. Nothing was changed."
            )
        return own(repository, str(place), parent=parent, **more)

    return made


def _without_links(own: Any) -> Any:
    """The function by which nbgitpuller runs git, which clones a link as a file. Through one the next pull would move files away that are elsewhere."""

    def run(command: list[str], **more: Any) -> Any:
        links = ["--config", "core.symlinks=false"] if command[:2] == ["git", "clone"] else []
        return own([*command[:2], *links, *command[2:]], **more)

    return run


def _from_own_page(own: Any) -> Any:
    """A method of jupyter-server-proxy's that refuses what another's page sends."""

    def checked(handler: Any, *more: Any, **named: Any) -> Any:
        if from_anothers_page(handler.request):
            raise HTTPError(403, "Another page sent this. Open the address itself.")
        return own(handler, *more, **named)

    return checked


def _to_own_program(own: Any) -> Any:
    """The method by which Tornado's clients connect, which sends nothing to another user's program on this machine."""

    async def connected(*arguments: Any, **more: Any) -> Any:
        stream = await own(*arguments, **more)
        if stream.socket.family != socket.AF_UNIX and ports.others(stream.socket):
            stream.close()
            raise HTTPError(403, "Another user's program listens on that port.")
        return stream

    return connected


def from_anothers_page(request: Any) -> bool:
    """Whether a page of another origin sends this, as far as the browser says; a link to open may be anywhere."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if request.method in ("GET", "HEAD") and request.headers.get("Sec-Fetch-Mode") == "navigate":
        return False
    if site is not None:  # which browsers send over HTTPS only
        return site not in ("same-origin", "none")
    return origin is not None and urlsplit(origin).netloc != request.host
