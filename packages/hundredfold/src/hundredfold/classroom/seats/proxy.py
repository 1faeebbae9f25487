"""The hub's proxy is HAProxy: ``python -m hundredfold.classroom.seats.proxy`` starts it, with what hub.toml says.

It is no child of the hub's, so learners stay connected while the hub restarts. The hub tells it routes through a socket (`routes.py`).
A visitor may be anybody, and a learner's server any program, so HAProxy is set to believe neither.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .hub_client import SETTINGS

#: Where the hub tells the proxy its routes, in the folder of root's.
ADMIN, MAP, BACKEND = "proxy.sock", "routes.map", "servers"
#: So many connections there are at a time, and of one address. A learner's browser has about twenty; a class may share an address.
MOST, MOST_OF_ONE = 8192, 1024
#: Where HAProxy is, beside the folders that root's PATH may have (Debian puts it in /usr/sbin).
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_CONFIGURATION = """\
# Written by hundredfold.classroom.seats.proxy whenever the proxy starts.
global
    stats socket {root}/{ADMIN} mode 600 level admin
    maxconn {MOST}
    # A request's line and headers have half of that.
    tune.bufsize 32768
    tune.maxrewrite 16384
    ssl-default-bind-options ssl-min-ver TLSv1.2

defaults
    mode http
    timeout connect 5s
    timeout http-request 20s
    timeout http-keep-alive 60s
    timeout client 1h
    timeout server 1h
    # Jupyter's websockets say something every half minute.
    timeout tunnel 1h
    timeout client-fin 30s
    timeout server-fin 30s
    # A connection to a server is for one request. What is left in it of a request or an answer is nobody else's.
    http-reuse never
    option http-server-close
    # A server that never answers does not keep a visitor who has gone.
    option abortonclose
    option forwardfor if-none

frontend visitors
    bind {listens}
    option disable-h2-upgrade
    # A web server in front, which asks from this machine.
    acl front {front}
    stick-table type ipv6 size 100k expire 1h store conn_cur
    # Of IPv6 whoever has one has 2^64: they count as one. (An address of IPv4 may be written as one of IPv6, and counts by itself.)
    tcp-request connection track-sc0 src if {{ src 0.0.0.0/0 }}
    tcp-request connection track-sc0 src,ipmask(32,64)
    tcp-request connection reject if {{ sc0_conn_cur gt {MOST_OF_ONE} }} !front
    # Host and path together choose a server, so a slash in Host would choose another. fhdr is all of it: of hdr, a comma makes two.
    http-request deny deny_status 400 unless {{ req.fhdr(host) -m reg ^([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]+)?$ }}
    http-request set-var(txn.host) req.fhdr(host),field(1,:),lower
    http-request set-var(txn.path) path
    http-request set-var(txn.route) {route}
    http-request set-var(txn.server) var(txn.route),map_beg({root}/{MAP})
    acl routed var(txn.server) -m found
    # A method that is made up would be counted by its name, and so be in the hub's memory for ever (jupyterhub/metrics.py).
    http-request deny deny_status 405 unless {{ method GET HEAD POST PUT PATCH DELETE OPTIONS }}
    # Who asks is believed of a web server in front. It adds to X-Forwarded-For, where the last one counts, and
    # may pass on the others as a visitor made them up.
    http-request del-header x-forwarded- -m beg unless front
    http-request del-header forwarded
    http-request del-header x-real-ip
    http-request del-header x-scheme
    http-request set-header X-Forwarded-Proto {scheme} unless {{ req.hdr(x-forwarded-proto) -m found }}
    http-request del-header upgrade unless {{ req.hdr(upgrade) -i websocket }}
{names}    use_backend {BACKEND} if routed
    default_backend hub

backend hub
    # The hub is asked once all of a request is there.
    option http-buffer-request
    server hub unix@{root}/hub.sock
    http-error status 503 content-type text/plain string "The hub starts. Try again in a moment."

# Of a weight of 0, a server has the requests that name it, and no other.
backend {BACKEND}
    balance random
    use-server %[var(txn.server)] if TRUE
    retries 0
    # What a page of a learner's says holds for itself: not before addresses that are not its own, and not for longer than it is open.
    http-response del-header service-worker-allowed
    http-response del-header ^(alt-svc|clear-site-data|nel|report-to|strict-transport-security)$ -m reg
    http-error status 503 content-type "text/html; charset=utf-8" string "Your server appears to be down. Start it again <a href='{home}/hub/home'>from the hub</a>."
"""

# A learner's pages are below a name of their own. Under it the hub shows nothing: a login page there would be the learner's to read.
_NAMES = """\
    http-request redirect code 302 location {home}%[pathq] if !routed METH_GET !{{ var(txn.host) -m str {name} }}
    http-request deny deny_status 404 if !routed !{{ var(txn.host) -m str {name} }}
"""


def configuration(hub: dict[str, Any]) -> str:
    """HAProxy's configuration for the ``[hub]`` of a hub.toml."""
    address, home, root = urlsplit(hub["address"]), hub["subdomains"].rstrip("/"), Path(hub["run"]) / "root"
    listens = f"{address.hostname or '127.0.0.1'}:{address.port or (443 if hub['certificate'] else 80)}"
    tls = bool(hub["certificate"])
    return _CONFIGURATION.format(
        ADMIN=ADMIN, MAP=MAP, MOST=MOST, BACKEND=BACKEND, root=root, home=home,
        listens=f"{listens} ssl crt {root}/proxy.pem alpn http/1.1" if tls else listens,
        scheme="https" if tls else "http",
        front="always_false" if tls else "src 127.0.0.1 ::1", MOST_OF_ONE=MOST_OF_ONE,
        route="var(txn.host),concat(,txn.path,/)" if home else "var(txn.path),concat(/)",
        names=_NAMES.format(home=home, name=urlsplit(home).hostname) if home else "",
    )  # fmt: skip


def program() -> str:
    """Where HAProxy is.

    Raises
    ------
    FileNotFoundError
        If it is not installed.
    """
    found = shutil.which("haproxy", path=PATH)
    if found is None:
        raise FileNotFoundError("There is no haproxy on this machine (apt install haproxy).")
    return found


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


def prepare(hub: dict[str, Any]) -> Path:
    """Write what HAProxy reads into the folder of root's, and return its configuration."""
    root = Path(hub["run"]) / "root"
    made = root / "proxy.cfg"
    (root / MAP).write_text("")
    made.write_text(configuration(hub), encoding="utf-8")
    if hub["certificate"]:  # HAProxy wants both in one file
        pem = Path(hub["certificate"]).read_text() + "\n" + Path(hub["key"]).read_text()
        (root / "proxy.pem").touch(mode=0o600)
        (root / "proxy.pem").write_text(pem)
    return made


def main() -> None:
    """Become the proxy."""
    file = Path(os.environ.get("HUNDREDFOLD_HUB") or SETTINGS)
    os.umask(0o077)
    try:
        made, haproxy = prepare(tomllib.loads(file.read_text(encoding="utf-8"))["hub"]), program()
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"The proxy cannot be started with {file}: {error}")
    os.execv(haproxy, [haproxy, "-db", "-f", str(made)])


if __name__ == "__main__":
    main()
