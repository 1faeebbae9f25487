"""What stands between nbgrader and a kernel in its container: ``python -P -m hundredfold.classroom.assignment.contained JSON -- docker run …``.

The kernel runs a learner's code, and nbgrader keeps whatever the kernel says. So this process, which is the kernel's for nbgrader, carries
the bytes between the two, so many and for so long; then it ends the container. It also takes what the container's programs write to
their terminal, of which Docker would keep all, and what is sent with the bytes (`hundredfold.classroom.seats.relay`).

JSON names the `folder` where nbgrader connects, `inside` of it the container's own, the `ports` of the kernel, the `seconds` and the bytes (`most`) that
there are, and the command that ends the container (`end`).
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from hundredfold.classroom.seats import relay

#: So much of what the container's programs write is shown (bytes): why it did not start, say.
SHOWN = 4000


class Carried(relay.Relay):
    """A relay of so many bytes in all: whoever reads them keeps them."""

    def __init__(self, lines: list[tuple[int, str]], server: int, most: int) -> None:
        super().__init__(lines, server)
        self.left = most

    def receive(self, end: relay.End) -> bytes:
        data = super().receive(end)
        self.left -= len(data)
        if self.left < 0:
            sys.exit("This notebook says more than c.InContainer.most allows, so its container is ended.")
        return data


def main() -> None:
    what, command = json.loads(sys.argv[1]), sys.argv[3:]
    for number, why in (
        (signal.SIGALRM, f"This notebook has run for {what['seconds']} s, so its container is ended."),
        (signal.SIGTERM, None),
    ):
        signal.signal(number, lambda *_, why=why: sys.exit(why))
    signal.alarm(what["seconds"])
    docker = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nbgrader's interrupt is for the kernel, to which Docker hands it on
    shown = threading.Thread(target=_show, args=[docker.stderr], daemon=True)
    shown.start()
    try:
        _carry(what, docker)
    finally:
        signal.alarm(0)
        subprocess.run(what["end"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        shown.join(5)


def _carry(what: dict[str, Any], docker: subprocess.Popen) -> None:
    """Carry bytes until the container ends."""
    server = os.pidfd_open(docker.pid)
    theirs = [os.path.join(what["inside"], f"kernel-{port}") for port in what["ports"]]
    while not all(map(_listens, theirs)):
        if docker.poll() is not None:
            sys.exit(docker.returncode)
        time.sleep(relay.PAUSE)
    # The kernel has made its sockets, and has run nothing of a learner's. From now on nothing more is made beside them, on the grader's disk.
    os.chmod(what["inside"], 0o711)
    lines = []
    for port, path in zip(what["ports"], theirs, strict=True):
        line = socket.socket(socket.AF_UNIX)
        line.bind(os.path.join(what["folder"], f"kernel-{port}"))
        lines.append((line.detach(), path))
    carried = Carried(lines, server, what["most"])
    while True:
        carried.step()


def _listens(path: str) -> bool:
    with suppress(OSError):
        relay.connected(path).close()
        return True
    return False


def _show(pipe: Any) -> None:
    """Show the first of what Docker says, as text, and read the rest, so that nobody waits for it."""
    said = pipe.read(SHOWN).decode(errors="replace")
    print(
        "".join(letter if letter.isprintable() or letter == "\n" else "\N{REPLACEMENT CHARACTER}" for letter in said),
        end="",
        file=sys.stderr,
        flush=True,
    )
    while pipe.read(1 << 16):
        pass


if __name__ == "__main__":
    main()
