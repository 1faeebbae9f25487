"""``deploying.door``: settings with which nobody else reaches a scheduler.

They are tried, not read: a scheduler is started with them, and three clients knock, with the right certificate, with one of their
own making, and with none.
"""

from __future__ import annotations

import ipaddress
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from distributed import Security

from .. import guard
from ..guard import article, require_callable
from ..problem import Problem
from ..verdict import NotJudged, Verified, attempted, in_case, refuse
from . import certificates

HOST = "127.0.0.1"
ELSEWHERE = "10.20.30.40"  # a host on which nothing is started: only what is answered for it is looked at


def solution(host: str, folder: str) -> dict[str, Any]:
    """The arguments of a Scheduler that only those with the certificate reach, on this address only."""
    files = {f"tls_{role}_cert": f"{folder}/cert.pem" for role in ("scheduler", "worker", "client")}
    files |= {f"tls_{role}_key": f"{folder}/key.pem" for role in ("scheduler", "worker", "client")}
    security = Security(tls_ca_file=f"{folder}/ca.pem", require_encryption=True, **files)
    return {"host": host, "protocol": "tls", "security": security, "dashboard_address": "127.0.0.1:0"}


def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    """Ask for the settings, look at what must never be started, start the rest, and knock."""
    function = answers[0]
    require_callable(function, "settings")
    with tempfile.TemporaryDirectory(prefix="hundredfold-") as place:
        ours, theirs = (certificates.write(Path(place) / name) for name in ("ours", "theirs"))
        called = guard.call(function, HOST, str(ours), limit=problem.time_limit, wait=False)
        attempted(called.value, called.printed, first=True)
        settings = _settings(called.value)
        _look(settings)
        other = _settings(guard.call(function, ELSEWHERE, str(ours), limit=problem.time_limit, wait=False).value)
        if other.get("host") != ELSEWHERE and "interface" not in other:
            refuse(
                "literal",
                f"asked for the host {ELSEWHERE}, it still says {other.get('host')!r}: the argument is not used.",
            )
        with in_case(f"the host {ELSEWHERE}"):
            _look(other)
        _authority(settings["security"], ours)
        _knock(settings, ours, theirs)
        again = _settings(guard.call(function, HOST, str(theirs), limit=problem.time_limit, wait=False).value)
        with in_case("another folder"):
            _look(again)
            _kept(settings["security"], again["security"])
    return Verified(
        "A scheduler was started with it. A client with the certificate got an answer; one with a certificate of its own making and one "
        "with none did not. It listened on the host's address only, and its dashboard on 127.0.0.1."
    )


def _settings(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        refuse("type", f"it should return a dict, the arguments of a Scheduler; it returned {article(value)}.")
    return dict(value)


def _look(settings: dict[str, Any]) -> None:
    """Refuse what would open a door already while it is tried."""
    if "host" not in settings and "interface" not in settings:
        refuse("everywhere", "no host is given, so the scheduler listens on all addresses of the machine.")
    if settings.get("host") and not _one_address(str(settings["host"])):
        refuse("everywhere", f"the host {settings['host']!r} means all addresses of the machine.")
    security = settings.get("security")
    if security is None:
        refuse(
            "stranger",
            "no security is given. Whoever reaches the port can run code in your name: a scheduler runs what it is sent.",
        )
    if security is True:
        refuse(
            "stranger",
            "security=True makes new certificates for a LocalCluster, in this process. The hosts of your cluster have the files of "
            "`folder`, and nothing else.",
        )
    if not isinstance(security, Security):
        refuse("type", f"security should be a dask.distributed.Security; it is {article(security)}.")
    if not security.require_encryption:
        refuse(
            "unencrypted",
            "the Security does not say require_encryption=True: with it the same certificates would also serve a connection without "
            "encryption, if somebody writes tcp:// somewhere.",
        )
    protocol = settings.get("protocol")  # without one require_encryption makes Dask take tls (comm.addressing)
    if protocol and str(protocol).partition(":")[0] not in ("tls", "wss"):
        refuse("unencrypted", f"the protocol is {protocol!r}: certificates are of no use without tls.")
    dashboard = settings.get("dashboard_address")
    if settings.get("dashboard") is not False and not _loopback(dashboard):
        said = f"is {dashboard!r}"
        if not dashboard:  # distributed: None takes the scheduler's host, an empty one all addresses
            said = (
                "is not given, which means port 8787"
                if dashboard is None
                else f"{said}, which opens port 8787 on all addresses"
            )
        refuse(
            "dashboard",
            f"the dashboard's address {said}: anybody may look at your work, since it asks for no certificate. Keep it on 127.0.0.1 "
            "(`ssh -L` brings it to you).",
        )


def _authority(security: Security, folder: Path) -> None:
    """Refuse the certificate in place of the authority: it is trusted only where it has signed itself."""
    given = str(security.tls_ca_file or "")
    text = given if "\n" in given or not Path(given).is_file() else Path(given).read_text(encoding="ascii")
    if text == (folder / "cert.pem").read_text(encoding="ascii"):
        refuse("own", "cert.pem is given as the authority that is trusted; that is ca.pem.")


def _kept(first: Security, again: Security) -> None:
    """Refuse the files of the folder that was asked for before."""
    for field in ("tls_ca_file", "tls_scheduler_cert", "tls_scheduler_key"):
        if getattr(first, field) and getattr(first, field) == getattr(again, field):
            refuse("kept", f"asked for another folder, it still gives the same {field}.")


def _one_address(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return host not in ("", "*")


def _loopback(address: Any) -> bool:
    host = str(address or "").rpartition(":")[0].strip("[]").removeprefix("http://").removeprefix("//")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _knock(settings: dict[str, Any], ours: Path, theirs: Path) -> None:
    from .scheduler import try_doors

    try:
        doors = try_doors(settings, ours, theirs)
    except TimeoutError as error:
        raise NotJudged(f"It could not be tried here: {error}. Run the check again.") from None
    except Exception as error:
        said = " ".join(str(error).split())
        refuse("exception", f"a Scheduler does not start with it: {type(error).__name__}: {said[:200]}")
    if not doors.certified:
        refuse(
            "own",
            "a client with the certificates of `folder` gets no answer. Are ca.pem, cert.pem and key.pem each where they belong, "
            "for the scheduler as well?",
        )
    if doors.without or doors.other:
        refuse(
            "stranger",
            f"a client {'without a certificate' if doors.without else 'with a certificate of its own making'} got an answer.",
        )
    beyond = [name for name in doors.listening if not _loopback(f"{name}:0")]
    if beyond:
        refuse("everywhere", f"it listens on {beyond[0]}, asked for was {HOST} only.")
    seen = [name for name in doors.dashboard if not _loopback(f"{name}:0")]
    if seen:
        refuse("dashboard", f"its dashboard listens on {seen[0]}; it should be on 127.0.0.1 only.")


DOOR = Problem(
    id="deploying.door",
    title="Protect a scheduler",
    kind="write",
    answers=("settings",),
    specification=solution,
    lines=4,
    judge=judge,
    hints=(
        "A dict with four keys: host, protocol, security and dashboard_address. What happens where each is missing?",
        "Security takes tls_ca_file, and for each role a certificate and a key: tls_scheduler_cert, tls_scheduler_key, and so on "
        "for worker and client. require_encryption=True belongs there, too.",
        "The protocol is \"tls\" (without one, Dask takes it where encryption is required). A dashboard_address of \"127.0.0.1:0\" is a free port that only this machine reaches.",
    ),


    time_limit=10.0,
)  # fmt: skip
