"""``hundredfold hub check``: what an administrator has set up, looked at as the hub and its learners will meet it.

Where it can, it tries: it runs this Python as a user without rights, reads the hub's settings as the hub and its proxy do, and makes a
seat's own network and folders. Nothing is changed but what the hub makes when it starts: its folders and secrets.
"""

from __future__ import annotations

import ctypes
import grp
import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from . import enter
from .groups import Groups
from .hook import Seats
from .people import NOBODY, NotAllowed, _exists, person
from .proxy import ports as ports_of
from .proxy import prepare, program

#: The path of root's login shell and of sudo on Debian and its relatives.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#: From this version on each mount of /proc hides other users' processes by itself (proc(5), hidepid).
LINUX = (5, 8)
UNITS, TMPFILES = Path("/etc/systemd/system"), Path("/etc/tmpfiles.d/hundredfold.conf")
PATIENCE = 60.0
#: From this version on HAProxy takes new servers while it runs, without being told that this is an experiment.
HAPROXY = (2, 6)
#: So many members of a group are named that something is wrong with.
MOST = 5


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: whether it is as it should be, and if not, what to do. `fix` without `bad` is a thing to know."""

    bad: bool
    what: str
    fix: str = ""


def ok(what: str) -> Finding:
    return Finding(False, what)


def bad(what: str, fix: str) -> Finding:
    return Finding(True, what, fix)


def note(what: str, fix: str) -> Finding:
    return Finding(False, what, fix)


def findings(settings: Path) -> Iterator[Finding]:
    """All of it, in the order of the guide; what needs a setting that is missing is left out."""
    if os.geteuid() != 0:
        yield bad("This is not root", "sudo hundredfold hub check")
        return
    yield from machine()
    yield from python(sys.executable)
    yield from on_path()
    try:
        told = tomllib.loads(settings.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        yield bad(
            f"{settings} cannot be read: {error}",
            "cp deploy/hub/hub.toml /etc/hundredfold/, or name it with --settings",
        )
        return
    yield from read_as_the_hub(settings)
    looks: list[Callable[[], Iterable[Finding]]] = [
        lambda: proxy(told["hub"]),
        lambda: people(told["people"]),
        lambda: homes(Path(told["hub"]["state"]), told["people"]["learners"]),
        lambda: address(told["hub"]),
        lambda: (
            shared(Path(told["class"]["folder"]), Path(told["hub"]["state"]), told["people"]["learners"])
            if told.get("class", {}).get("folder")
            else ()
        ),
        lambda: seat(told["hub"]["own_network"], told["hub"]["run"]),
        units,
        lambda: ports(told) if not _active("hundredfold-hub") else (),
    ]
    for look in looks:
        with suppress(KeyError, TypeError, AttributeError, ValueError):  # of hub.toml, which was named above
            yield from look()


def machine() -> Iterator[Finding]:
    """The kernel, its control groups, and how passwords are asked for."""
    version = tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])
    if version < LINUX:
        yield bad(f"Linux {os.uname().release} does not hide processes in a seat alone", "install Linux 5.8 or newer")
    missing = {"memory", "cpu", "pids"} - set(Groups("check").folders)
    if missing:
        yield bad(
            f"The kernel has no control group for {' and '.join(sorted(missing))} here, so seats cannot be limited",
            "boot with systemd.unified_cgroup_hierarchy=1 cgroup_enable=memory",
        )
    else:
        yield ok(f"Linux {os.uname().release} counts memory, cores and processes")
        if _systemd():
            yield from limited()
    if not any((Path(folder) / "login").exists() for folder in ("/etc/pam.d", "/usr/lib/pam.d")):
        yield bad("PAM has no service `login`, with which passwords are checked", "apt install login")


def limited() -> Iterator[Finding]:
    """Whether a unit like the hub's can limit a seat, tried in one: what root's shell may do with control groups says nothing about it."""
    code = (
        "from hundredfold.classroom.seats.groups import Groups\n"
        "made = Groups('hub-check')\n"
        "print(' and '.join(made.make(2**30, 1)), end='')\n"
        "made.close()"
    )
    unit = ["systemd-run", "--quiet", "--wait", "--collect", "--pipe", "--property=Delegate=yes"]
    try:
        done = subprocess.run(
            [*unit, sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        yield bad(f"A unit cannot be started to try a seat's limits: {error}", "systemctl status says what is wrong")
        return
    if done.returncode or done.stdout:
        what = done.stdout or (done.stderr.strip().splitlines() or ["no message"])[-1]
        yield bad(
            f"The hub's unit cannot limit seats: {what}",
            "run the hub on the machine itself, or in a container that may write its control groups (/sys/fs/cgroup)",
        )
    else:
        yield ok("A unit with Delegate=yes can limit a seat's memory, cores and processes")


def python(executable: str) -> Iterator[Finding]:
    """Whether a user without rights can run this Python and import what learners' servers import."""
    code = "import hundredfold.classroom.seats.server, jupyterlab, jupyterhub; print(jupyterhub.__version__)"
    command = [executable, "-I", "-c", code]
    try:
        done = subprocess.run(
            command, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", env={"PATH": PATH}, capture_output=True, text=True, timeout=PATIENCE
        )  # fmt: skip
    except PermissionError:
        yield bad(
            f"Learners cannot run {executable}: {closed(executable)}",
            "make the environment anew with a Python for all users: rm -r /opt/hundredfold; /usr/bin/python3 -m venv /opt/hundredfold; then install again",
        )
        return
    except subprocess.TimeoutExpired:
        yield bad(
            f"{executable} does not start within {PATIENCE:g} s as another user",
            "look at the machine's load, then try again",
        )
        return
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    if done.returncode and "Permission" in done.stderr:
        yield bad(f"Learners cannot read all of {sys.prefix}: {last}", f"chmod -R go+rX {sys.prefix}")
    elif done.returncode:
        yield bad(
            f"A learner's server cannot start: {last}",
            "install requirements/ and the three packages again, as the guide says",
        )
    else:
        yield ok(f"All users can run {executable}, with JupyterHub {done.stdout.strip()}")


def closed(executable: str) -> str:
    """Why others cannot run a program: the first folder or file on its way, links followed, that is closed to them."""
    path, seen = Path(executable), []
    for _ in range(40):
        seen += [*reversed(path.parents), path]
        if not path.is_symlink():
            break
        path = Path(os.path.normpath(path.parent / os.readlink(path)))
    for level in seen:
        if not level.is_symlink() and not os.stat(level).st_mode & 0o001:
            return f"it is {path}, and {level} is closed to them"
    return f"it is {path}, which is not for them to run"


def on_path() -> Iterator[Finding]:
    """Whether root finds the commands that the guide names."""
    if shutil.which("hundredfold", path=PATH):
        yield ok("root finds the command hundredfold")
    else:
        yield bad(
            "root does not find the command hundredfold",
            f"ln -sf {Path(sys.executable).parent}/hundredfold /usr/local/bin/",
        )


def read_as_the_hub(settings: Path) -> Iterator[Finding]:
    """The settings, read by the hub's own configuration, which says in a sentence what cannot be."""
    from traitlets.config.loader import PyFileConfigLoader

    configuration = settings.with_name("jupyterhub_config.py")
    if not configuration.is_file():
        yield bad(f"There is no {configuration}", f"cp deploy/hub/jupyterhub_config.py {settings.parent}/")
        return
    before = os.environ.get("HUNDREDFOLD_HUB")
    os.environ["HUNDREDFOLD_HUB"] = str(settings)
    try:
        PyFileConfigLoader(str(configuration)).load_config()
    except SystemExit as ended:
        yield bad(str(ended), f"change {settings}")
        return
    except Exception as error:  # a configuration that somebody changed
        yield bad(
            f"{configuration} cannot be read: {type(error).__name__}: {error}",
            f"cp deploy/hub/jupyterhub_config.py {settings.parent}/",
        )
        return
    finally:
        if before is None:
            del os.environ["HUNDREDFOLD_HUB"]
        else:
            os.environ["HUNDREDFOLD_HUB"] = before
    told = tomllib.loads(settings.read_text(encoding="utf-8"))
    seats = Seats(told["hub"]["state"], **told["seats"])
    yield ok(
        f"{settings}: "
        + ", ".join(
            f"{place.room} seats on {place.title} GPUs"
            if place.name == "simulated"
            else f"{place.room} seats on {place.title}"
            for place in seats.places
        )
    )


def proxy(hub: dict[str, Any]) -> Iterator[Finding]:
    """Whether there is a HAProxy to which servers can be added while it runs, and which takes its configuration."""
    try:
        haproxy = program()
    except FileNotFoundError as error:
        yield bad(str(error), "apt install haproxy; systemctl disable --now haproxy, unless something else needs it")
        return
    try:
        told = subprocess.run([haproxy, "-v"], capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        yield bad(f"The proxy cannot be started: {error}", "apt install --reinstall haproxy")
        return
    version = re.search(r"version ((\d+)\.(\d+)\S*)", told)
    if version is None or (int(version[2]), int(version[3])) < HAPROXY:
        yield bad(
            f"{haproxy} is {version[1] if version else 'no HAProxy'}, and the hub needs {HAPROXY[0]}.{HAPROXY[1]} or newer",
            "install a newer one: Debian 12 and Ubuntu 24.04 have it",
        )
        return
    try:
        with tempfile.TemporaryDirectory() as trial:
            (Path(trial) / "root").mkdir()
            subprocess.run(
                [haproxy, "-c", "-f", str(prepare({**hub, "run": trial}))],
                capture_output=True, text=True, timeout=PATIENCE, check=True,
            )  # fmt: skip
    except subprocess.CalledProcessError as error:
        said = " ".join(next((line for line in error.stderr.splitlines() if "ALERT" in line), "no message").split())
        yield bad(f"The proxy does not take hub.toml: {said}", "change hub.toml")
    except (OSError, ValueError, subprocess.SubprocessError) as error:  # also a certificate that is no text
        yield bad(f"The proxy does not take hub.toml: {error}", "change hub.toml")
    else:
        yield ok(f"The proxy can start: HAProxy {version[1]}")


def people(groups: dict[str, list[str]]) -> Iterator[Finding]:
    """The groups, and whether their members can have a server."""
    everyone = [*groups["learners"], *groups["instructors"]]
    for kind in ("learners", "instructors"):
        members: set[str] = set()
        for group in groups[kind]:
            try:
                found = grp.getgrnam(group)
            except KeyError:
                yield bad(f"There is no group {group}, of which hub.toml makes {kind}", f"groupadd {group}")
                continue
            members |= {*found.gr_mem, *(user.pw_name for user in pwd.getpwall() if user.pw_gid == found.gr_gid)}
        if not members and all(map(_exists, groups[kind])):
            yield note(f"Nobody is in the groups of {kind} yet", f"usermod -aG {(groups[kind] or ['…'])[0]} NAME")
        if not members:
            continue
        wrong = [each for name in sorted(members) for each in member(name, everyone)]
        yield from wrong[:MOST]
        if len(wrong) > MOST:
            yield bad(f"{len(wrong) - MOST} more of the {kind} cannot have a server", "fix these, then check again")
        if not wrong:
            yield ok(f"Members of the groups of {kind} can log in: {len(members)}")


def member(name: str, groups: list[str]) -> Iterator[Finding]:
    """What keeps this member of a group from a server."""
    try:
        user = person(name, groups)
    except NotAllowed as error:
        yield bad(str(error), f"gpasswd -d {name} GROUP, or give them another account")
        return
    try:
        owner = os.stat(user.pw_dir).st_uid
    except OSError as error:
        yield bad(f"{name}'s home folder {user.pw_dir} is not there ({error.strerror})", f"mkhomedir_helper {name}")
        return
    if owner != user.pw_uid:
        yield bad(f"{name}'s home folder {user.pw_dir} belongs to somebody else", f"chown -R {name}: {user.pw_dir}")


def address(hub: dict[str, Any], resolve: Callable[[str], Any] = socket.gethostbyname) -> Iterator[Finding]:
    """Whether browsers find the hub by its names, and whether its certificate is for them."""
    listens, name = urlsplit(hub["address"]), urlsplit(hub["subdomains"]).hostname or ""
    if listens.scheme == "http" and listens.hostname not in ("127.0.0.1", "localhost", "::1"):
        yield bad(
            f"The hub listens at {hub['address']} without a certificate: everybody on the way reads passwords",
            'set address = "https://…" with certificate and key, or "http://127.0.0.1:888" behind a web server that has them',
        )
    if not name or name == "localhost" or name.endswith(".localhost"):
        yield note("Browsers of this machine alone reach the hub", "README.md, Open it to others")
    else:
        for each in (name, f"check.{name}"):
            try:
                resolve(each)
            except OSError:
                yield bad(f"DNS does not know {each}", f"give {name} and *.{name} the address of this machine")
                return
        yield ok(f"DNS knows {name} and the names below it")
    if hub["certificate"]:
        yield from certificate(Path(hub["certificate"]), Path(hub["key"]), name)


def certificate(file: Path, key: Path, name: str) -> Iterator[Finding]:
    """Whether a certificate fits its key, is of today, and is for this name and those below it."""
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        found = x509.load_pem_x509_certificate(file.read_bytes())
        private = load_pem_private_key(key.read_bytes(), None)
    except (OSError, ValueError, TypeError) as error:
        yield bad(
            f"{file} or {key} cannot be read: {error}", "name a certificate and its key in PEM, without a password"
        )
        return
    if private.public_key() != found.public_key():
        yield bad(f"{key} is not the key of {file}", "name the pair in hub.toml")
        return
    if not found.not_valid_before_utc <= datetime.now(UTC) < found.not_valid_after_utc:
        yield bad(f"{file} is valid until {found.not_valid_after_utc:%Y-%m-%d}", "get a new certificate")
        return
    try:
        names = set(
            found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value.get_values_for_type(
                x509.DNSName
            )
        )
    except x509.ExtensionNotFound:
        names = set()
    wanted = {name, f"*.{name}"} if name else set()
    if missing := sorted(wanted - names):
        yield bad(f"{file} is not for {' and '.join(missing)}", f"get a certificate for {name} and *.{name}")
    else:
        yield ok(f"{file} is valid until {found.not_valid_after_utc:%Y-%m-%d}")


def homes(state: Path, groups: list[str]) -> Iterator[Finding]:
    """Learners who can fill more than a disk of their own: the hub's, on which then nobody logs in, or one that others save on."""
    if not state.is_dir():  # the hub has not been started, and could not be tried
        return
    places = {}
    for name in members(groups):
        with suppress(OSError):
            places[name] = os.stat(pwd.getpwnam(name).pw_dir).st_dev
    theirs = list(places.values())
    for disk, what in (
        (os.stat(state).st_dev, f"the disk of {state}, and then nobody logs in"),
        (None, "a disk on which others save"),
    ):
        on_it = [
            name for name, place in places.items() if (place == disk if disk is not None else theirs.count(place) > 1)
        ]
        free = [name for name in on_it if not quota(Path(pwd.getpwnam(name).pw_dir), pwd.getpwnam(name).pw_uid)]
        if free:
            yield note(
                f"No quota keeps {some(free)} from filling {what}", "quotas for homes (README.md, Look after it)"
            )
            return
    if places:
        yield ok("No learner can fill another disk than their own")


def members(groups: list[str]) -> list[str]:
    """The members of these groups, as far as there are such groups."""
    return sorted({name for group in groups if _exists(group) for name in grp.getgrnam(group).gr_mem})


def some(names: list[str]) -> str:
    """The first of many names, and how many more there are."""
    return ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")


def shared(folder: Path, state: Path, groups: list[str]) -> Iterator[Finding]:
    """What a learner can fill who writes into the class's folder without end."""
    guide = "README.md, The class's page"
    if os.stat(folder).st_dev == os.stat(state).st_dev:
        yield note(
            f"Learners can fill the disk of {state}: {folder} is on it", f"give it a file system of its own ({guide})"
        )
        return
    free = [name for name in members(groups) if not quota(folder, pwd.getpwnam(name).pw_uid)]
    if free:
        yield note(
            f"{folder} is a file system of its own, and one learner can fill it for all: no quota holds {some(free)}",
            f"setquota for each ({guide})",
        )
    else:
        yield ok(f"{folder} is a file system of its own, with a quota for each learner")


_QUOTACTL_FD, _Q_GETQUOTA = 443, 0x800007 << 8  # quotactl_fd(2), on all architectures; for users


def quota(folder: Path, uid: int) -> int | None:
    """How many bytes this user may have in the folder's file system; None where nothing holds them."""
    told = (ctypes.c_uint64 * 9)()  # struct if_dqblk begins with the hard limit, in KiB
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        failed = ctypes.CDLL(None).syscall(_QUOTACTL_FD, file, _Q_GETQUOTA, uid, ctypes.byref(told))
    finally:
        os.close(file)
    return None if failed or not told[0] else told[0] << 10


def seat(own_network: bool, run: str) -> Iterator[Finding]:
    """A seat's network, folders and loss of rights, tried with a user that has none."""
    nobody = pwd.getpwuid(NOBODY)
    what = {
        "user": nobody.pw_name, "uid": NOBODY, "gid": nobody.pw_gid, "home": "/", "groups": [], "own_network": own_network,
        "relays": [], "run": [run], "devices": ["/dev/null", "/dev/urandom"], "temporary": 2**20,
    }  # fmt: skip
    command = [
        sys.executable,
        "-I",
        "-S",
        enter.__file__,
        json.dumps(what),
        "--",
        sys.executable,
        "-I",
        "-S",
        "-c",
        "pass",
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        said = done.stderr.strip().splitlines()
    except subprocess.TimeoutExpired:
        said = [f"it does not start within {PATIENCE:g} s"]
    else:
        if done.returncode == 0:
            yield ok("A program starts in a seat, in a network and with folders of its own")
            return
    yield bad(
        f"A seat cannot be made: {(said or ['no message'])[-1]}",
        "run the hub on the machine itself, or in a container with CAP_SYS_ADMIN",
    )


def units() -> Iterator[Finding]:
    """systemd's units: there, of this version, and running."""
    if not _systemd():
        yield bad(
            "systemd does not run here, which starts the hub and its proxy", "set the hub up on a machine with systemd"
        )
        return
    copy = "cp deploy/hub/systemd/*.service /etc/systemd/system/; systemctl daemon-reload"
    if not TMPFILES.is_file():
        yield bad(
            f"There is no {TMPFILES}, so the folder of sockets is not there after a restart",
            "cp deploy/hub/systemd/hundredfold.conf /etc/tmpfiles.d/; systemd-tmpfiles --create hundredfold.conf",
        )
    for name in ("hundredfold-proxy", "hundredfold-seats", "hundredfold-hub"):
        file = UNITS / f"{name}.service"
        if not file.is_file():
            yield bad(f"There is no {file}", copy)
            continue
        if name == "hundredfold-hub":
            yield from unit(file.read_text(encoding="utf-8"), copy)
        if _active(name):
            yield ok(f"{name} runs")
        elif (
            subprocess.run(["systemctl", "is-failed", "--quiet", name], capture_output=True, check=False).returncode
            == 0
        ):
            yield bad(f"{name} has failed", f"journalctl -u {name} -n 20 says why")
        else:
            yield note(f"{name} does not run yet", f"systemctl enable --now {name}")


def unit(text: str, copy: str) -> Iterator[Finding]:
    """Of the hub's unit, what seats cannot do without."""
    if not re.search(r"(?m)^Delegate=yes$", text):
        yield bad("hundredfold-hub.service has no Delegate=yes, without which no seat can be limited", copy)
    if re.search(r"(?m)^(ProtectClock|PrivateDevices)=yes$", text):
        yield bad("hundredfold-hub.service closes devices, so learners may have no /dev/nvidia0", copy)


def ports(told: dict[str, Any]) -> Iterator[Finding]:
    """Whether the hub's ports are free, where it does not run."""
    wanted = ports_of(told)
    taken = []
    for port, names in wanted.items():
        if len(names) > 1:
            yield bad(
                f"hub.toml names port {port} more than once ({', '.join(names)})",
                "name another port below 1024 for each",
            )
        with socket.socket() as probe:
            try:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
            except OSError:
                taken.append(port)
                yield bad(
                    f"Another program has port {port}, which hub.toml names ({names[0]})",
                    f"see which: ss -ltnp 'sport = :{port}'; end it, or name another port below 1024",
                )
    if not taken:
        yield ok(f"The ports {', '.join(map(str, sorted(wanted)))} are free")


def _systemd() -> bool:
    """Whether systemd is this machine's first process (sd_booted(3))."""
    return Path("/run/systemd/system").is_dir()


def _active(name: str) -> bool:
    """Whether a unit of systemd's runs."""
    if shutil.which("systemctl") is None:
        return False
    return subprocess.run(["systemctl", "is-active", "--quiet", name], capture_output=True, check=False).returncode == 0
