"""Asking the hub and learners' servers, through their Unix sockets, in the name of the page on seats."""

from __future__ import annotations

import http.client
import json
import os
import socket
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .hook import folder_name

#: Where `hub.toml` is unless HUNDREDFOLD_HUB names another.
SETTINGS = Path("/etc/hundredfold/hub.toml")
#: The secret of the page on seats, in the state folder; made by jupyterhub_config.py.
TOKEN = "page.token"
#: A server that computes answers in milliseconds; one that is swapped out or stopped must not hold up the rest (seconds).
PATIENCE = 15.0


class NoAnswer(RuntimeError):
    """The hub or a server does not answer as it should; the message says who, and what to do."""


@dataclass(frozen=True)
class Site:
    """One hub on this machine: its state folder, its folder of sockets, and the page's token."""

    state: Path
    run: Path
    token: str

    @classmethod
    def found(cls, settings: str | os.PathLike[str] | None = None) -> Site:
        """The hub that this `hub.toml` describes.

        Raises
        ------
        NoAnswer
            If there is none, or it is not for this user to read.
        """
        path = Path(settings or os.environ.get("HUNDREDFOLD_HUB") or SETTINGS)
        try:
            hub = tomllib.loads(path.read_text(encoding="utf-8"))["hub"]
            return cls.at(hub["state"], hub["run"])
        except FileNotFoundError:
            raise NoAnswer(f"There is no {path}: name the hub's settings with --settings /path/to/hub.toml.") from None
        except (OSError, KeyError, ValueError) as error:
            raise NoAnswer(f"{path} cannot be read as a hub's settings: {error}.") from None

    @classmethod
    def at(cls, state: str | os.PathLike[str], run: str | os.PathLike[str]) -> Site:
        """The hub with these folders; NoAnswer as above."""
        file = Path(state) / TOKEN
        try:
            return cls(Path(state), Path(run), file.read_text(encoding="utf-8").strip())
        except PermissionError:
            raise NoAnswer("Who sits where is for root's eyes: run the same command with sudo.") from None
        except FileNotFoundError:
            raise NoAnswer(
                f"{file} is not there: the hub has not been started yet (systemctl start hundredfold-hub)."
            ) from None

    def hub(self, path: str) -> Any:
        """The hub's answer to a GET below ``/hub/api/``, as data."""
        return _ask(self.run / "hub.sock", "GET", f"/hub/api/{path}", self.token, "the hub")

    def server(self, owner: str, method: str, path: str, body: Any = None) -> Any:
        """What a learner's server answers, as data; None where it answers nothing."""
        where = "/".join(quote(part, safe="") for part in owner.split("/", 1))
        return _ask(
            self.run / folder_name(owner) / "server.sock",
            method,
            f"/user/{where}/{path}",
            self.token,
            f"the server of {owner}",
            body,
        )


class _Line(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


def _ask(path: Path, method: str, url: str, token: str, who: str, body: Any = None) -> Any:
    line = _Line(path)
    headers = {"Authorization": f"token {token}", "Content-Type": "application/json", "Accept": "application/json"}
    try:
        line.request(method, url, None if body is None else json.dumps(body), headers)
        answer = line.getresponse()
        said = answer.read()
    except PermissionError:
        raise NoAnswer("Who sits where is for root's eyes: run the same command with sudo.") from None
    except (OSError, http.client.HTTPException) as error:
        raise NoAnswer(f"{who[0].upper()}{who[1:]} does not answer ({error}).") from None
    finally:
        line.close()
    if answer.status >= 400:
        raise NoAnswer(f"{who[0].upper()}{who[1:]} answers {answer.status} {answer.reason} to {method} {url}.")
    try:
        return json.loads(said) if said else None
    except ValueError:
        raise NoAnswer(f"{who[0].upper()}{who[1:]} answers {method} {url} with what is no JSON.") from None
