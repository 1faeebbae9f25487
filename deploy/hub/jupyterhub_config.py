"""A JupyterHub for a class on one machine. What to set is in hub.toml beside this file; why it is so, in docs/administrators/threats.md.

The hub runs as root, since it starts each learner's server as that learner. Nothing but the proxy and the page on seats listens on
a port, and on localhost unless hub.toml says otherwise: the hub, the proxy's API and all servers listen on Unix sockets.
"""

import inspect
import json
import os
import secrets
import sys
import tomllib
from pathlib import Path
from urllib.parse import quote

import jupyterhub

from hundredfold.seats.boards import UnreadableGpus
from hundredfold.seats.hook import Seats
from hundredfold.seats.limits import WrongLimit
from hundredfold.seats.plan import Impossible
from hundredfold.seats.spawner import SeatSpawner

c = get_config()  # noqa: F821

#: JupyterHub's major version that these settings are tried with: between majors, options change their meaning or go.
SERIES = 6
HERE = Path(__file__).resolve().parent
SETTINGS = Path(os.environ.get("HUNDREDFOLD_HUB", HERE / "hub.toml"))
NEEDED = {
    "hub": "address certificate key state run proxy page_port starts_proxy own_network starting_at_once idle_minutes",
    "people": "groups admins",
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

STATE, RUN = Path(hub["state"]), Path(hub["run"])
STATE.mkdir(mode=0o700, parents=True, exist_ok=True)
RUN.mkdir(mode=0o755, parents=True, exist_ok=True)
(RUN / "root").mkdir(mode=0o700, exist_ok=True)


def socket(path: Path) -> str:
    """The address of a Unix socket."""
    return f"http+unix://{quote(str(path), safe='')}"


def secret(name: str) -> bytes:
    """32 random bytes that stay the same over restarts, in a file for root alone."""
    path = STATE / name
    if not path.exists():
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(32))
    return bytes.fromhex(path.read_text())


# --- Where things listen.
c.JupyterHub.bind_url = hub["address"]
c.JupyterHub.hub_bind_url = c.JupyterHub.hub_connect_url = socket(RUN / "hub.sock")
c.JupyterHub.hub_socket_mode = 0o666  # servers reach it as their learners; whoever asks has to show a token
c.ConfigurableHTTPProxy.api_url = socket(RUN / "root" / "proxy.sock")
c.ConfigurableHTTPProxy.command = hub["proxy"]
c.ConfigurableHTTPProxy.auth_token = secret("proxy.token").hex()
c.ConfigurableHTTPProxy.pid_file = str(RUN / "root" / "proxy.pid")
# As a unit of its own, the proxy keeps learners connected to their servers while the hub restarts.
c.ConfigurableHTTPProxy.should_start = hub["starts_proxy"]
if hub["certificate"]:
    c.JupyterHub.ssl_cert, c.JupyterHub.ssl_key = hub["certificate"], hub["key"]

# --- What outlives a restart of the hub: servers, logins, who sits where.
c.JupyterHub.cleanup_servers = False
c.JupyterHub.cleanup_proxy = hub["starts_proxy"]
c.JupyterHub.db_url = f"sqlite:///{STATE / 'hub.sqlite'}"
c.JupyterHub.cookie_secret = secret("cookie.secret")

# --- Who may log in: users of this machine, with their passwords, who are in these groups.
c.JupyterHub.authenticator_class = "pam"
c.PAMAuthenticator.allowed_groups = set(people["groups"])
c.PAMAuthenticator.admin_groups = set(people["admins"])
c.Authenticator.admin_users = set()
c.Authenticator.any_allow_config = True
c.JupyterHub.load_roles = []

# --- Seats.
known = [name for name in inspect.signature(Seats).parameters if name not in ("state", "run")]
if unknown := sorted(set(seats) - set(known)):
    sys.exit(f"{SETTINGS}: [seats] has no {', '.join(unknown)}; it has {', '.join(known)}.")
if not isinstance(seats.get("cores", 2), int | float):
    sys.exit(f"{SETTINGS}: [seats] cores = {seats['cores']!r}, which is to be a number.")
try:
    seating = Seats(STATE, run=RUN, **seats)
except (WrongLimit, Impossible, UnreadableGpus) as error:
    sys.exit(f"{SETTINGS}: {error}")
seating.attach(c)
c.JupyterHub.spawner_class = SeatSpawner
c.SeatSpawner.run_folder = str(RUN)
c.SeatSpawner.own_network = hub["own_network"]

# --- A learner's server: JupyterLab on their copies, which are refreshed first and never overwritten.
bin = Path(sys.executable).parent
c.Spawner.cmd = [str(bin / "python"), "-m", "hundredfold.seats.server"]
c.Spawner.environment = {"PATH": f"{bin}:/usr/local/bin:/usr/bin:/bin"}
c.Spawner.notebook_dir = "~/hundredfold"
c.Spawner.default_url = "/lab/tree/notebooks/01_arrays.ipynb"
# Where thirty arrive at once, they start in turns, and wait for it; the hub's own limit would show the rest a page that says that
# it failed.
c.SeatSpawner.starting_at_once = hub["starting_at_once"]
c.JupyterHub.concurrent_spawn_limit = 0
c.Spawner.start_timeout = 300
c.Spawner.http_timeout = 180
c.JupyterHub.active_server_limit = 0  # the ledger counts seats

# --- Who has left gives the seat back.
# So often the hub also looks whether the proxy knows of every server: after a crash of the proxy it does not.
c.JupyterHub.last_activity_interval = 15
roles, services = [], []
if hub["idle_minutes"]:
    c.Spawner.args = [f"--ServerApp.shutdown_no_activity_timeout={60 * hub['idle_minutes']}"]

# --- The page on seats: /services/seats/, for admins.
services.append(
    {
        "name": "seats",
        "url": f"http://127.0.0.1:{hub['page_port']}",  # the hub takes no socket here; the page asks for the hub's login
        "command": [str(bin / "python"), "-m", "hundredfold.seats.page"],
        "environment": {
            "JUPYTERHUB_API_URL": socket(RUN / "hub.sock") + "/hub/api",
            "HUNDREDFOLD_STATE_FOLDER": str(STATE),
            "HUNDREDFOLD_RUN_FOLDER": str(RUN),
            "PATH": f"{bin}:/usr/local/bin:/usr/bin:/bin",
        },
        "api_token": secret("page.token").hex(),  # also root's, for `hundredfold seats status`
        "oauth_no_confirm": True,
        "oauth_client_allowed_scopes": ["identify"],
    }
)
roles.append(
    {
        "name": "seats",
        "services": ["seats"],
        "scopes": ["list:users", "read:servers", "access:servers"],
    }
)

# --- The class: /services/class/, for admins. Learners' verdicts and predictions are shared with it if hub.toml names a folder.
course = settings.get("class", {"folder": ""})
if course["folder"]:
    shared = Path(course["folder"])
    shared.mkdir(parents=True, exist_ok=True)
    shared.chmod(0o1733)  # all may add files of their own, and nobody but root finds another's
    part = shared / f".settings.{os.getpid()}"
    part.write_text(json.dumps({"names": course["names"], "per": "owner"}))
    part.chmod(0o644)  # learners may know whether their names are shown
    part.replace(shared / "settings.json")
    c.Spawner.environment["HUNDREDFOLD_CLASS"] = str(shared)
    services.append(
        {
            "name": "class",
            "url": f"http://127.0.0.1:{course['port']}",
            "command": [str(bin / "python"), "-m", "hundredfold.progress.page"],
            "environment": {
                "JUPYTERHUB_API_URL": socket(RUN / "hub.sock") + "/hub/api",
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
