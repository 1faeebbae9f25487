"""The hub's proxy as a unit of its own: ``python -m hundredfold.classroom.seats.proxy``, with what hub.toml says.

It is then no child of the hub's, so learners stay connected while the hub restarts. JupyterHub starts it with the same arguments
(jupyterhub/proxy.py, ConfigurableHTTPProxy.start) where hub.toml says ``starts_proxy = true``.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from .hub_client import SETTINGS

#: What the hub shows the proxy, in the state folder.
TOKEN = "proxy.token"


def command(hub: dict[str, Any]) -> list[str]:
    """The proxy's command line for the ``[hub]`` of a hub.toml."""
    address, run = urlsplit(hub["address"]), Path(hub["run"])
    said = [
        *hub["proxy"],
        *("--ip", address.hostname or "127.0.0.1", "--port", str(address.port or (443 if hub["certificate"] else 80))),
        *("--api-socket", str(run / "root" / "proxy.sock")),
        *("--error-target", f"http+unix://{quote(str(run / 'root' / 'hub.sock'), safe='')}/hub/error"),
    ]
    if hub["subdomains"]:
        said.append("--host-routing")
    if hub["certificate"]:
        said += ["--ssl-cert", hub["certificate"], "--ssl-key", hub["key"]]
    return said


def ports(settings: dict[str, Any]) -> dict[int, list[str]]:
    """Port → what a hub.toml says it is for: `address`, `page_port`, and `[class] port` where a class is shared."""
    hub, shared = settings["hub"], settings.get("class", {})
    listens = urlsplit(hub["address"])
    said = [
        (listens.port or (443 if listens.scheme == "https" else 80), "address"),
        (int(hub["page_port"]), "page_port"),
    ]
    if shared.get("folder"):
        said.append((int(shared["port"]), "[class] port"))
    found: dict[int, list[str]] = {}
    for port, name in said:
        found.setdefault(port, []).append(name)
    return found


def secret(file: Path) -> str:
    """32 random bytes, as hexadecimal digits, that stay the same over restarts, in a file for root alone; whoever comes first makes it."""
    if not file.exists():
        handle, part = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as made:
            made.write(secrets.token_hex(32))
        with suppress(FileExistsError):
            os.link(part, file)
        os.unlink(part)
    return file.read_text(encoding="utf-8").strip()


def main() -> None:
    """Become the proxy."""
    file = Path(os.environ.get("HUNDREDFOLD_HUB") or SETTINGS)
    try:
        hub = tomllib.loads(file.read_text(encoding="utf-8"))["hub"]
        said, token = command(hub), secret(Path(hub["state"]) / TOKEN)
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"{file} cannot be read as a hub's settings: {error!r}")
    (Path(hub["run"]) / "root" / "proxy.sock").unlink(missing_ok=True)
    os.umask(0o077)
    os.execve(said[0], said, {**os.environ, "CONFIGPROXY_AUTH_TOKEN": token})


if __name__ == "__main__":
    main()
