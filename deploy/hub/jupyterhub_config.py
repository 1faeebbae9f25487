"""A JupyterHub for a class on one machine. What to set is in hub.toml beside this file; why it is so, in docs/administrators/threats.md.

The hub runs as root, since it starts each learner's server as that learner. Nothing but the proxy and the two pages listens on a
port, and on localhost unless hub.toml says otherwise: the hub, the proxy's API and all servers listen on Unix sockets. The ports are
such as only root can open: else a user of this machine could take one while the hub restarts, and be shown passwords.
"""

import inspect
import json
import os
import stat
import sys
import tempfile
import tomllib
from pathlib import Path
from urllib.parse import quote, urlsplit

import jupyterhub

from hundredfold.classroom.seats import hub_client, hub_database, hub_scopes, hub_socket, proxy
from hundredfold.classroom.seats.hook import Seats
from hundredfold.classroom.seats.limits import WrongLimit
from hundredfold.classroom.seats.people import INSTRUCTORS, GroupAuthenticator
from hundredfold.classroom.seats.plan import Impossible
from hundredfold.classroom.seats.proxy import secret
from hundredfold.classroom.seats.routes import HAProxy
from hundredfold.classroom.seats.shared_gpus import UnreadableGpus
from hundredfold.classroom.seats.spawner import NoCookies, SeatSpawner

c = get_config()  # noqa: F821

#: JupyterHub's major version that these settings are tried with: between majors, options change their meaning or go.
SERIES = 6
HERE = Path(__file__).resolve().parent
SETTINGS = Path(os.environ.get("HUNDREDFOLD_HUB", HERE / "hub.toml"))
NEEDED = {
    "hub": "address subdomains certificate key state run page_port own_network starting_at_once idle_minutes",
    "people": "learners instructors",
    "seats": "learners",
}
if jupyterhub.version_info[0] != SERIES:
    sys.exit(
        f"{Path(__file__).name} is for JupyterHub {SERIES} and this is {jupyterhub.__version__}: install what requirements/hub.txt pins "
        "(deploy/hub/README.md says how). Logins and servers that run are as they were."
    )
try:
    settings = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))
except (OSError, ValueError) as error:
    sys.exit(f"{SETTINGS} cannot be read: {error}")
for section, keys in NEEDED.items():
    if section not in settings:
        sys.exit(f"{SETTINGS} has no [{section}]: compare it with deploy/hub/hub.toml.")
    for key in keys.split():
        if key not in settings[section]:
            sys.exit(f"{SETTINGS}: [{section}] has no {key}, which it needs: compare it with deploy/hub/hub.toml.")
hub, seats, people = settings["hub"], settings["seats"], settings["people"]


def roots_folder(path: Path, mode: int = 0o700) -> Path:
    """Make a folder of root's, or end where others could have put something into one that is there, or could exchange it.

    Where `mode` lets others write, it is one of those in which each removes only what is theirs (1733).
    """
    path.mkdir(mode=mode, parents=True, exist_ok=True)
    for level in (path, *path.parents):
        found = level.lstat()
        may_write = found.st_mode & stat.S_ISVTX and (level != path or mode & stat.S_ISVTX)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != 0 or (found.st_mode & 0o022 and not may_write):
            sys.exit(
                f"{SETTINGS}: {path} has to be a folder into which only root can write, and {level} is not root's alone: name another, "
                f"or move {level} away and start the hub again."
            )
    path.chmod(mode)
    return path


def roots_port(url: str) -> str:
    """The address, if only root can listen there."""
    least = int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text())
    port = urlsplit(url).port or (443 if url.startswith("https") else 80)
    if len(names := proxy.ports(settings)[port]) > 1:
        sys.exit(f"{SETTINGS} names port {port} more than once ({', '.join(names)}): name another for each.")
    if port >= least:
        sys.exit(
            f"{SETTINGS}: every user of this machine can open port {port}, and so take the place of {url} while the hub restarts: "
            f"choose a port below {least}."
        )
    return url


STATE, RUN = roots_folder(Path(hub["state"])), roots_folder(Path(hub["run"]), 0o755)
roots_folder(RUN / "root")


def socket(path: Path) -> str:
    """The address of a Unix socket."""
    return f"http+unix://{quote(str(path), safe='')}"


# --- Where things listen.
c.JupyterHub.bind_url = roots_port(hub["address"])
# Each learner's pages on a name of their own: a browser then keeps what a learner's page does from the hub's pages, and from others'.
c.JupyterHub.subdomain_host = hub["subdomains"]
# A page on a name below the hub's can set cookies for all names below it. A browser lets it set none whose name begins with __Host-.
c.JupyterHub.cookie_host_prefix_enabled = hub["subdomains"].startswith("https://")
c.JupyterHub.hub_bind_url = c.JupyterHub.hub_connect_url = socket(RUN / "root" / "hub.sock")
c.JupyterHubHTTPClient.session_options = {"cookie_jar": NoCookies()}
hub_socket.guard()  # servers ask at sockets of their own (SeatSpawner), with a token, and have the API there, and no more
# The proxy is a unit of its own (hundredfold-proxy.service): learners stay connected to their servers while the hub restarts.
c.JupyterHub.proxy_class = HAProxy
c.HAProxy.folder = str(RUN / "root")
if hub["certificate"]:
    c.JupyterHub.ssl_cert, c.JupyterHub.ssl_key = hub["certificate"], hub["key"]

# --- Its log: what somebody chose (an address, a name) makes no line of it and moves no cursor.
c.JupyterHub.logging_config = {
    "filters": {"as text": {"()": "hundredfold.hub_page.AsText"}},
    "handlers": {"console": {"filters": ["as text"]}},
}

# --- What outlives a restart of the hub: servers, logins, who sits where.
c.JupyterHub.cleanup_servers = False
c.JupyterHub.db_url = f"sqlite:///{STATE / 'hub.sqlite'}"
hub_database.guard()
hub_scopes.guard()
c.JupyterHub.cookie_secret = bytes.fromhex(secret(STATE / "cookie.secret"))

# --- Who may log in: users of this machine, with their passwords, who are in these groups. Nobody is an admin of JupyterHub's:
# a page of a learner's that an admin opened could act for them.
c.JupyterHub.authenticator_class = GroupAuthenticator
c.GroupAuthenticator.learners = people["learners"]
c.GroupAuthenticator.instructors = people["instructors"]
c.SeatSpawner.groups = [*people["learners"], *people["instructors"]]
roles = [
    {"name": "admin", "users": [], "services": []},  # named, so that an earlier version's admins are none any more
    {
        "name": "instructors",
        "groups": [INSTRUCTORS],
        "scopes": ["access:services!service=seats", "access:services!service=class"],
    },
]

# --- Seats.
known = [name for name in inspect.signature(Seats).parameters if name != "state"]
if unknown := sorted(set(seats) - set(known)):
    sys.exit(f"{SETTINGS}: [seats] has no {', '.join(unknown)}; it has {', '.join(known)}.")
if not isinstance(seats.get("cores", 2), int | float):
    sys.exit(f"{SETTINGS}: [seats] cores = {seats['cores']!r}, which is to be a number.")
try:
    seating = Seats(STATE, **seats)
except (WrongLimit, Impossible, UnreadableGpus) as error:
    sys.exit(f"{SETTINGS}: {error}")
seating.attach(c)
c.JupyterHub.spawner_class = SeatSpawner
c.SeatSpawner.run_folder = str(RUN)
c.SeatSpawner.own_network = hub["own_network"]

# --- A learner's server: JupyterLab on their copies, which are refreshed first and never overwritten.
bin = Path(sys.executable).parent
c.Spawner.cmd = [str(bin / "python"), "-m", "hundredfold.classroom.seats.server"]
c.Spawner.environment = {"PATH": f"{bin}:/usr/local/bin:/usr/bin:/bin"}
c.Spawner.notebook_dir = "~/hundredfold"
c.Spawner.default_url = "/lab/tree/start.md"
# Where thirty arrive at once, they start in turns, and wait for it; the hub's own limit would show the rest a page that says that
# it failed.
c.SeatSpawner.starting_at_once = hub["starting_at_once"]
c.JupyterHub.concurrent_spawn_limit = 0
c.Spawner.start_timeout = 300
c.Spawner.http_timeout = 180
c.JupyterHub.active_server_limit = 0  # the allocations counts seats

# --- Who has left gives the seat back.
# So often the hub also looks whether the proxy knows of every server: after a crash of the proxy it does not.
c.JupyterHub.last_activity_interval = 15
services = []
if hub["idle_minutes"]:
    c.Spawner.args = [f"--ServerApp.shutdown_no_activity_timeout={60 * hub['idle_minutes']}"]

# --- The page on seats: /services/seats/, for instructors.
services.append(
    {
        "name": "seats",
        "url": roots_port(
            f"http://127.0.0.1:{hub['page_port']}"
        ),  # the hub takes no socket here; the page asks for the hub's login
        "command": [str(bin / "python"), "-m", "hundredfold.classroom.seats.page"],
        "environment": {
            "JUPYTERHUB_API_URL": socket(RUN / "root" / "hub.sock") + "/hub/api",
            "HUNDREDFOLD_STATE_FOLDER": str(STATE),
            "HUNDREDFOLD_RUN_FOLDER": str(RUN),
            "PATH": f"{bin}:/usr/local/bin:/usr/bin:/bin",
        },
        "api_token": secret(STATE / hub_client.TOKEN),  # also root's, for `hundredfold seats status`
        "oauth_no_confirm": True,
        "oauth_client_allowed_scopes": ["identify"],
    }
)
roles.append(
    {
        "name": "seats",
        "services": ["seats"],
        "scopes": ["list:users", "read:servers", "delete:servers"],
    }
)

# --- The class: /services/class/, for instructors. Learners' verdicts and predictions are shared with it if hub.toml names a folder.
course = settings.get("class", {"folder": ""})
if course["folder"]:
    shared = roots_folder(Path(course["folder"]), 0o755)
    answers = roots_folder(
        shared / "answers", 0o1733
    )  # all may add files of their own, and nobody but root finds another's
    handle, part = tempfile.mkstemp(dir=shared)
    with os.fdopen(handle, "w") as file:
        json.dump({"names": course["names"], "per": "owner"}, file)
        os.fchmod(handle, 0o644)  # learners may know whether their names are shown
    os.replace(part, shared / "settings.json")
    c.Spawner.environment["HUNDREDFOLD_CLASS"] = str(shared)
    services.append(
        {
            "name": "class",
            "url": roots_port(f"http://127.0.0.1:{course['port']}"),
            "command": [str(bin / "python"), "-m", "hundredfold.learning.progress.page"],
            "environment": {
                "JUPYTERHUB_API_URL": socket(RUN / "root" / "hub.sock") + "/hub/api",
                "HUNDREDFOLD_CLASS": str(shared),
                "HUNDREDFOLD_RUN_FOLDER": str(RUN),
                "PATH": f"{bin}:/usr/local/bin:/usr/bin:/bin",
            },
            "oauth_no_confirm": True,
            "oauth_client_allowed_scopes": ["identify"],
        }
    )
c.JupyterHub.services = services
c.JupyterHub.load_roles = roles
