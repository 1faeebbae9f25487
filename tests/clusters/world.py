"""Hosts that are really apart, on one machine: network namespaces on a bridge, with cables that can be pulled.

Each host has addresses, ports, routes and a host name of its own; files are shared, as on a cluster with one home. All of it
lives in a mount, network and process namespace that ends with this process, however it ends, so no daemon can be left.
It needs root (or `sudo` without a password), Linux, and the Debian packages that `install.sh` brings.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEPLOY = ROOT / "deploy" / "clusters"
PATH = f"{Path(sys.executable).parent}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PATIENCE = 120
"""Seconds that anything may take which takes one or two when the machine is quiet."""


class World:
    """Hosts on a switch of their own: ``World(["login", "node1", "node2"])`` is a context manager.

    `folder` is a new temporary folder that all hosts see, removed at the end. A host is named as it was given; the n-th has the
    address 10.77.0.n.
    """

    def __init__(self, hosts: list[str]):
        self.hosts = list(hosts)
        self.folder = Path(tempfile.mkdtemp(prefix="hf-"))
        self.folder.chmod(0o755)  # munge takes no key from below a folder that others may write to
        self.environment = {
            "PATH": PATH,
            "HOME": str(self.folder / "home"),
            "LANG": "C.UTF-8",
            "USER": "root",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONWARNINGS": "ignore",
        }
        (self.folder / "home").mkdir()
        self._logs: list = []
        self._root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        log = (self.folder / "world.log").open("w")
        command = ["unshare", "--mount", "--net", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc"]
        self._init = subprocess.Popen(
            [*self._root, *command, "bash", str(HERE / "hosts" / "lan.sh"), str(self.folder), *self.hosts],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True,
        )  # fmt: skip
        self._logs.append(log)
        line = _line(self._init, PATIENCE)
        if line != "ready":
            said = (self.folder / "world.log").read_text()
            self.close()
            raise RuntimeError(
                "The hosts of the cluster tests cannot be made here: they need root, or sudo without a password, and the "
                f"right to make network namespaces (unshare --net). It said: {said.strip() or line!r}"
            )
        self._pid = _first_inside(self._init.pid)

    def __enter__(self) -> World:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()

    def close(self) -> None:
        """End all that runs in here and remove its files."""
        self._init.stdin.close()
        try:
            self._init.wait(10)
        except subprocess.TimeoutExpired:
            subprocess.run([*self._root, "kill", "-9", str(self._init.pid)], check=False)
            self._init.wait(PATIENCE)
        self._init.stdout.close()
        for log in self._logs:
            log.close()
        if not os.environ.get("HUNDREDFOLD_KEEP"):
            subprocess.run([*self._root, "rm", "-rf", str(self.folder)], check=False)

    def address(self, host: str) -> str:
        return f"10.77.0.{self.hosts.index(host) + 1}"

    def inside(self, host: str | None, *command: str | Path) -> list[str]:
        """The command that runs `command` on a host, or on the switch."""
        enter = [*self._root, "nsenter", "-t", str(self._pid), "--mount", "--net", "--pid", "--uts"]
        if host is not None:
            enter += ["ip", "netns", "exec", host, "unshare", "--uts"]
            enter += ["sh", "-c", 'hostname "$0" && exec "$@"', host]
        return [*enter, *map(str, command)]

    def start(self, host: str, *command: str | Path, log: str | None = None, env: dict | None = None):
        """Start a program on a host; its output goes to a file of `folder`, or through pipes both ways if no `log` is named."""
        out, into, errors = subprocess.PIPE, subprocess.PIPE, None
        if log:
            out, into, errors = (self.folder / log).open("a"), subprocess.DEVNULL, subprocess.STDOUT
            self._logs.append(out)
        words = self.inside(host, *self._words(command, env))
        return subprocess.Popen(words, stdin=into, stdout=out, stderr=errors, text=True, start_new_session=True)

    def run(self, host: str | None, *command: str | Path, check: bool = True, env: dict | None = None) -> str:
        """Run a program on a host, or on the switch, and return what it said on both outputs."""
        words = self.inside(host, *self._words(command, env))
        said = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        done = subprocess.run(words, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False, **said)
        if check and done.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))} on {host}: status {done.returncode}\n{done.stdout}")
        return done.stdout

    def _words(self, command: tuple, env: dict | None) -> list:
        """With the world's own environment and in the folder of the deployment files; through `env`, as sudo passes nothing on."""
        given = {**self.environment, **(env or {})}
        return ["env", "-i", "-C", DEPLOY, *(f"{name}={value}" for name, value in given.items()), *command]

    def processes(self, host: str) -> dict[int, str]:
        """The processes of a host, as numbered inside, and their command lines."""
        pids = ",".join(self.run(None, "ip", "netns", "pids", host).split())
        said = self.run(None, "ps", "-o", "pid=,args=", "-ww", "-p", pids, check=False) if pids else ""
        return {int(line.split()[0]): line.split(maxsplit=1)[1] for line in said.splitlines() if "defunct" not in line}

    def kill(self, host: str) -> None:
        """What a power cut does to a host: its cable is dead first, so nobody hears a good-bye, then all its processes."""
        self.unplug(host)
        self.end(host)

    def end(self, host: str, but: str | None = None) -> None:
        """End all processes of a host at once, but those that have these words in their command line."""
        deadline = time.monotonic() + PATIENCE
        while pids := [str(pid) for pid, line in self.processes(host).items() if but is None or but not in line]:
            self.run(None, "kill", "-9", *pids, check=False)
            if time.monotonic() > deadline:
                raise RuntimeError(f"Processes {pids} on {host} do not end.")
            time.sleep(0.05)

    def unplug(self, host: str) -> None:
        self.run(None, "ip", "link", "set", host, "down")

    def plug(self, host: str) -> None:
        self.run(None, "ip", "link", "set", host, "up")

    def between(self, hosts: list[str], cut: bool) -> None:
        """Cut these hosts off from each other, and from nobody else, or join them again."""
        for host in hosts:
            self.run(None, "bridge", "link", "set", "dev", host, "isolated", "on" if cut else "off")

    def text(self, log: str) -> str:
        path = self.folder / log
        return path.read_text(errors="replace") if path.exists() else ""


def until(condition, what: str, timeout: float = PATIENCE, every: float = 0.1):
    """Wait until a condition holds and return what it returned."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {timeout:g} s")
        time.sleep(every)
    return value


def install() -> None:
    """Bring what is missing of the Debian packages."""
    if shutil.which("apt-get") is None and shutil.which("slurmd") is None:
        raise RuntimeError("The cluster tests need Debian's slurm-wlm, munge, openssh-server and iproute2.")
    subprocess.run(["bash", str(HERE / "install.sh")], check=True, timeout=600)


def _line(process: subprocess.Popen, timeout: float) -> str:
    ready, _, _ = select.select([process.stdout], [], [], timeout)
    return process.stdout.readline().strip() if ready else ""


def _first_inside(pid: int) -> int:
    """Process 1 of the namespace, below sudo and unshare, by its number out here."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        numbers = re.search(r"^NSpid:(.*)$", Path(f"/proc/{pid}/status").read_text(), re.M).group(1).split()
        if len(numbers) > 1:
            return pid
        pid = int((Path(f"/proc/{pid}/task/{pid}/children").read_text().split() or [pid])[0])
    raise RuntimeError("The namespaces were made, and nothing runs in them.")
