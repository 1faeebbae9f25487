"""A real JupyterHub with real system users, and learners who use it from outside: by HTTP and websockets, as a browser does."""

from __future__ import annotations

import contextlib
import grp
import html
import json
import os
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
import websocket

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy" / "hub"
#: For what hangs: a busy machine may take ten times as long as a quiet one (seconds).
PATIENCE = 300.0


def until(what: str, ask: Callable[[], Any], patience: float = PATIENCE, pause: float = 0.1) -> Any:
    """Ask until the answer is true, and return it; give up with `what` was waited for."""
    end = time.monotonic() + patience
    while True:
        answer = ask()
        if answer:
            return answer
        assert time.monotonic() < end, f"{what}: not within {patience:g} s"
        time.sleep(pause)


_given: set[int] = set()  # ports that a test has and may not have opened yet
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])  # each has its own ports
_workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))


def free_port() -> int:
    """A port of those that only root can open, and that browsers do not refuse (the Fetch standard's list of bad ports)."""
    left = sorted({*range(640 + _worker, 989, _workers)} - _given)
    for port in random.sample(left, len(left)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            _given.add(port)
            return port
    raise AssertionError("no port below 1024 is free")


def _as_browsers_do(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """Names below `localhost` are this machine, without asking anybody (RFC 6761, as browsers and systemd-resolved have it)."""

    def resolved(host: Any, *more: Any, **named: Any) -> Any:
        local = isinstance(host, str) and host.endswith(".localhost")
        return resolve("127.0.0.1" if local else host, *more, **named)

    return resolved


socket.getaddrinfo = _as_browsers_do(socket.getaddrinfo)


class People:
    """System users and groups for one test session, removed at its end."""

    def __init__(self) -> None:
        self.mark = (
            f"hf{os.getpid() % 100000}{uuid.uuid4().hex[:2]}"  # a class has people of its own beside the session's
        )
        self.learners, self.teachers = f"{self.mark}l", f"{self.mark}t"
        for group in (self.learners, self.teachers):
            subprocess.run(["groupadd", group], check=True)
        self.names: list[str] = []

    def add(self, who: str, teacher: bool = False) -> str:
        """Make a user with a home folder, and a password that is the name; return the name."""
        name = f"{self.mark}{who}"
        group = self.teachers if teacher else self.learners
        subprocess.run(["useradd", "-m", "-s", "/bin/bash", "-G", group, name], check=True, capture_output=True)
        subprocess.run(["chpasswd"], input=f"{name}:{name}\n", text=True, check=True)
        self.names.append(name)
        return name

    def remove(self) -> None:
        for name in self.names:
            for process in of_user(name):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            until(f"{name}'s processes end", lambda name=name: not of_user(name), 30)
            subprocess.run(["userdel", "-r", name], check=True, capture_output=True)
        for group in (self.learners, self.teachers):
            with contextlib.suppress(KeyError):
                grp.getgrnam(group)
                subprocess.run(["groupdel", group], check=True)


def of_user(name: str) -> list[int]:
    """The processes of a user that are not zombies."""
    uid, found = pwd.getpwnam(name).pw_uid, []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if folder.stat().st_uid == uid and " Z " not in (folder / "stat").read_text().rpartition(")")[2][:3]:
                found.append(int(folder.name))
    return found


def as_user(name: str, code: str, *arguments: str, timeout: float = 120, **env: str) -> subprocess.CompletedProcess:
    """Run Python code on this machine as another user, outside of all servers: what an ssh login would allow."""
    user = pwd.getpwnam(name)
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        user=user.pw_uid,
        group=user.pw_gid,
        extra_groups=[],
        cwd="/",
        env={"HOME": user.pw_dir, "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", **env},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


class Proxy:
    """The proxy as its systemd unit runs it, with its rights, but for the Python and hub.toml; started again a second after it ended."""

    def __init__(self, hub: Hub) -> None:
        unit = (DEPLOY / "systemd" / "hundredfold-proxy.service").read_text()
        python, *rest = re.search(r"^ExecStart=(.*)$", unit, re.M)[1].split()
        assert python == "/opt/hundredfold/bin/python"
        rights = re.search(r"^CapabilityBoundingSet=CAP_(\w+)$", unit, re.M)[1].lower()
        self.command = ["setpriv", f"--bounding-set=-all,+{rights}", "--no-new-privs", "--", sys.executable, *rest]
        self.hub, self.log = hub, hub.folder / "proxy.log"
        for folder, mode in ((hub.state, 0o700), (hub.run, 0o755), (hub.run / "root", 0o700)):  # systemd and tmpfiles.d
            folder.mkdir(mode=mode, parents=True, exist_ok=True)
        self.env = {**os.environ, "HUNDREDFOLD_HUB": str(hub.settings)}
        self.process: subprocess.Popen | None = None
        self._stop = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()

    def _keep(self) -> None:
        while not self._stop.is_set():
            with open(self.log, "a") as log:
                self.process = subprocess.Popen(
                    self.command,
                    env=self.env,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    umask=0o077,
                    start_new_session=True,
                )
            while self.process.poll() is None and not self._stop.is_set():
                time.sleep(0.1)
            self._stop.wait(1.0)  # RestartSec

    def kill(self) -> None:
        """What a crash does."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        self._stop.set()
        self._keeper.join()
        self.kill()


class Hub:
    """The hub of deploy/hub, with settings of its own, in folders of its own.

    With `subdomains`, as it comes, each learner's server has a name of its own; without, all are below one name. `options` are JupyterHub's.
    """

    def __init__(
        self, folder: Path, people: People, *options: str, subdomains: bool = True, https: bool = False, **seats: Any
    ) -> None:
        self.people, self.others = people, frozenset(people.names)  # who was there before sits at another hub
        self.port, self.subdomains, self.options = free_port(), subdomains, options
        self.address = f"http{'s' * https}://{'hub.localhost' if subdomains else '127.0.0.1'}:{self.port}"
        self.certificate = certificate(folder) if https else None
        self.run = Path(f"/run/{people.mark}-{uuid.uuid4().hex[:4]}")
        self.state = folder / "state"
        self.log = folder / "hub.log"
        self.folder = folder
        self.settings = folder / "hub.toml"
        text = (DEPLOY / "hub.toml").read_text()
        changes = {
            "address": f"http{'s' * https}://127.0.0.1:{self.port}", "subdomains": self.address if subdomains else "", "state": str(self.state), "run": str(self.run),
            "page_port": free_port(), "learners": [people.learners], "instructors": [people.teachers],
            "seats.learners": 8, "memory": "2G", "cores": 1, **{"seats.learners" if key == "learners" else key: value for key, value in seats.items()},
        }  # fmt: skip
        if self.certificate:
            changes |= {"certificate": str(self.certificate), "key": str(self.certificate.with_suffix(".key"))}
        text = changed(text, changes)
        self.settings.write_text(text)
        self.process: subprocess.Popen | None = None
        self.proxy: Proxy | None = None

    def start(self) -> None:
        self.proxy = self.proxy or Proxy(self)
        self.before = len(self.log.read_text()) if self.log.exists() else 0
        env = {**os.environ, "HUNDREDFOLD_HUB": str(self.settings), "PYTHONUNBUFFERED": "1"}
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "jupyterhub", "-f", str(DEPLOY / "jupyterhub_config.py"), *self.options],
                cwd=self.folder, env=env, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        until("the hub runs", self._runs, pause=0.5)

    def _runs(self) -> bool:
        if self.process.poll() is not None:
            raise AssertionError(self.log.read_text()[-3000:])
        return "JupyterHub is now running" in self.log.read_text()[self.before :]

    def stop(self, how: int = signal.SIGTERM) -> None:
        """End the hub; servers go on."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(60)

    def _own(self) -> list[str]:
        return [name for name in self.people.names if name not in self.others]

    def close(self) -> None:
        """End the hub, its proxy and whatever they left."""
        self.stop()
        if self.proxy is not None:
            self.proxy.close()
        for process in (*self.left(), *(process for name in self._own() for process in of_user(name))):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        until("all ends", lambda: not self.left(), 30)
        shutil.rmtree(self.run, ignore_errors=True)

    def left(self) -> list[int]:
        """Processes that were told this hub's folder: its proxy, its page, servers."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                told = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
                if f"{self.run}/".encode() in told or f"HUNDREDFOLD_RUN_FOLDER={self.run}\0".encode() in told:
                    found.append(int(folder.name))
        return found

    def seats(self) -> dict[str, str]:
        """owner → place, as the allocations has them."""
        entries = json.loads((self.state / "seats.json").read_text())["seats"]
        return {entry["owner"]: entry["place"] for entry in entries}


def certificate(folder: Path) -> Path:
    """A certificate for the hub and the names below it, which signs itself; its key is beside it."""
    made = folder / "hub.pem"
    names = "DNS:hub.localhost,DNS:*.hub.localhost,IP:127.0.0.1"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=hub",
         "-addext", f"subjectAltName={names}", "-keyout", str(made.with_suffix(".key")), "-out", str(made)],
        check=True, capture_output=True,
    )  # fmt: skip
    return made


def changed(text: str, changes: dict[str, Any]) -> str:
    """A hub.toml with other values; ``seats.learners`` is the `learners` of ``[seats]``."""
    for key, value in changes.items():
        section, _, name = key.rpartition(".")
        before = rf"(?ms)(^\[{section}\].*?)" if section else "(?m)()"
        text, count = re.subn(
            rf"{before}^{name} = [^\n]*$", lambda m, n=name, v=value: f"{m[1]}{n} = {json.dumps(v)}", text, count=1
        )
        assert count == 1, f"hub.toml has no {key}"
    return text


class Learner:
    """Somebody with a browser."""

    def __init__(self, hub: Hub, name: str) -> None:
        self.hub, self.name = hub, name
        self.session = requests.Session()
        # A browser asks anew when a line that was kept open turns out to have been closed (the proxy does so after
        # 5 idle seconds); requests does not, and would say that the connection was reset. So none is kept open.
        self.session.headers["Connection"] = "close"
        self.session.verify = str(hub.certificate) if hub.certificate else True
        self.session.trust_env = False  # else REQUESTS_CA_BUNDLE of whoever runs this would win
        self.origin = hub.address.replace("://", f"://{name}.") if hub.subdomains else hub.address
        self.base = f"{self.origin}/user/{name}/"
        self.line = hub.run / "@hub" / f"{name}.sock"  # where their server reaches the hub

    def cookies(self, url: str) -> dict[str, str]:
        """What a browser has for this address, the nearest path's where a name occurs twice."""
        parts = urlsplit(url)
        found = [c for c in self.session.cookies if parts.path.startswith(c.path) and _is_for(c, parts.hostname)]
        return {c.name: c.value for c in sorted(found, key=lambda c: len(c.path))}

    def xsrf(self, path: str) -> str:
        """The token against forged requests that the page at `path` sets as a cookie."""
        return self.cookies(urljoin(self.base if path.startswith("/user/") else self.hub.address, path)).get(
            "_xsrf", ""
        )

    def service(self, name: str) -> str:
        """The address of one of the hub's services."""
        host = self.hub.address.replace("://", f"://{name}--service.") if self.hub.subdomains else self.hub.address
        return f"{host}/services/{name}/"

    def log_in(self, password: str | None = None) -> requests.Response:
        page = self.session.get(f"{self.hub.address}/hub/login", timeout=PATIENCE)
        token = re.search(r'name="_xsrf" value="([^"]*)"', page.text)[1]
        return self.session.post(
            f"{self.hub.address}/hub/login?next=/hub/home",
            data={"username": self.name, "password": self.name if password is None else password, "_xsrf": token},
            timeout=PATIENCE,
        )

    def open(self) -> requests.Response:
        """Open the server's page as a browser does that follows the hub's button, and wait until it is there."""
        self._press()
        pressed = time.monotonic()

        def there() -> requests.Response | None:
            nonlocal pressed
            page = self.session.get(urljoin(self.base, "lab"), timeout=PATIENCE)
            if page.ok and page.url.startswith(self.base):
                return page
            self._refused(page)
            if page.status_code == 424 and time.monotonic() - pressed > 3:
                # Nothing starts (the hub was started anew in between, say): the page has the button again.
                self._press()
                pressed = time.monotonic()
            self._listen(page)
            return None

        return until(f"{self.name}'s server", there, pause=0.5)

    def _listen(self, page: requests.Response) -> None:
        """Wait as the page of a server that starts does: by one line on which the hub says when it is there, or has failed."""
        line = re.search(r'EventSource\("([^"]+)"\)', page.text)
        if line is None:
            return
        address = urljoin(self.hub.address, html.unescape(line[1]))
        with (
            contextlib.suppress(requests.RequestException),
            self.session.get(address, stream=True, timeout=PATIENCE) as events,
        ):
            for said in events.iter_lines():
                if said.startswith(b"data:") and {"ready", "failed"} & json.loads(said[5:]).keys():
                    return

    def _press(self) -> None:
        page = self.session.get(f"{self.hub.address}/hub/spawn", timeout=PATIENCE)
        self._refused(page)  # a start that failed at once is a 503, and the page of the server says the same

    @staticmethod
    def _refused(page: requests.Response) -> None:
        """Fail on what a learner could not fix by waiting."""
        assert page.status_code in (200, 404, 424, 502, 503), f"{page.status_code}: {words(page.text)[-600:]}"
        assert "Spawn failed" not in page.text, words(page.text)[-600:]

    def api(self, method: str, path: str, **more: Any) -> requests.Response:
        """Ask the learner's server."""
        url = urljoin(self.base, f"api/{path}")
        headers = {"X-XSRFToken": self.xsrf(f"/user/{self.name}/")}
        return self.session.request(method, url, headers=headers, timeout=PATIENCE, **more)

    def kernel(self) -> str:
        """Start a kernel and return its id."""
        answer = self.api("POST", "kernels", json={"name": "python3"})
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def socket(self, path: str) -> websocket.WebSocket:
        """A websocket of the learner's server, with the browser's cookies."""
        url = urljoin(self.base, path).replace("http", "ws", 1)
        wanted = "; ".join(f"{name}={value}" for name, value in self.cookies(self.base).items())
        token = self.xsrf(f"/user/{self.name}/")
        return websocket.create_connection(
            f"{url}?_xsrf={token}",
            cookie=wanted,
            timeout=PATIENCE,
            origin=self.origin,
            sslopt={"ca_certs": self.session.verify} if self.hub.certificate else None,
        )

    def run(self, kernel: str, code: str, patience: float | None = None) -> str:
        """Run code in a kernel and return what it printed; a traceback fails the test, and so does silence of `patience` seconds.

        What came on stderr is left out: a busy library says there that it waits.
        """
        with contextlib.closing(self.socket(f"api/kernels/{kernel}/channels")) as line:
            if patience is not None:
                line.settimeout(patience)
            content = {
                "code": code,
                "silent": False,
                "store_history": True,
                "allow_stdin": False,
                "stop_on_error": True,
            }
            message = self._send(line, "shell", "execute_request", content)
            said = ""
            while True:
                heard = json.loads(line.recv())
                if heard.get("parent_header", {}).get("msg_id") != message:
                    continue
                kind, content = heard["msg_type"], heard["content"]
                if kind == "stream" and content["name"] == "stdout":
                    said += content["text"]
                if kind in ("execute_result", "display_data"):
                    said += content["data"].get("text/plain", "")
                if kind == "error":
                    raise AssertionError("\n".join(content["traceback"]))
                if kind == "status" and content["execution_state"] == "idle":
                    return said

    def ask(self, line: websocket.WebSocket, channel: str, kind: str, content: dict) -> dict:
        """What a kernel replies to a message."""
        message = self._send(line, channel, kind, content)
        while True:
            heard = json.loads(line.recv())
            if heard.get("parent_header", {}).get("msg_id") == message and heard["msg_type"].endswith("_reply"):
                return heard["content"]

    def _send(self, line: websocket.WebSocket, channel: str, kind: str, content: dict) -> str:
        message = uuid.uuid4().hex
        header = {
            "msg_id": message,
            "msg_type": kind,
            "username": "",
            "session": uuid.uuid4().hex,
            "version": "5.3",
        }
        line.send(
            json.dumps({"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": channel})
        )
        return message

    def leave(self) -> None:
        """Stop the server, as the button in the hub's control panel does."""
        url = f"{self.hub.address}/hub/api/users/{self.name}/server"
        answer = self.session.delete(
            url,
            headers={"X-XSRFToken": self.xsrf("/hub/"), "Referer": f"{self.hub.address}/hub/home"},
            timeout=PATIENCE,
        )
        assert answer.status_code in (202, 204), answer.text
        until(f"{self.name}'s server ends", lambda: self.name not in self.hub.seats())


def _is_for(cookie: Any, host: str) -> bool:
    return host == cookie.domain.lstrip(".") or (cookie.domain.startswith(".") and host.endswith(cookie.domain))


def words(page: str) -> str:
    """What a page says."""
    return " ".join(re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL).split())


@contextlib.contextmanager
def people() -> Iterator[People]:
    assert os.geteuid() == 0, "these tests make system users: run `make test-all ARGS=hub` as root"
    made = People()
    try:
        yield made
    finally:
        made.remove()
