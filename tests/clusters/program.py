"""A program on a host and what it says: lines of JSON, of which each is waited for with a time-out."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time

from world import HERE, World

PROGRAMS = HERE / "programs"


class Silent(AssertionError):
    """What was waited for was not said: the program hangs, or has ended."""


class Program:
    """`Program(world, host, "on_hosts.py", {…})` starts it; what it says stands in `heard`, what it complains of in `errors`."""

    def __init__(self, world: World, host: str, script: str, asked: dict, env: dict | None = None):
        self.heard: list[dict] = []
        self._lines: queue.Queue = queue.Queue()
        self._errors = world.folder / f"program-{len(list(world.folder.glob('program-*')))}.err"
        self._errors.touch()
        command = [
            "sh",
            "-c",
            f'exec "$@" 2>{self._errors}',
            "sh",
            sys.executable,
            PROGRAMS / script,
            json.dumps(asked),
        ]
        self.process = world.start(host, *command, env=env)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    @property
    def errors(self) -> str:
        return self._errors.read_text(errors="replace")

    def waiting(self) -> bool:
        """Whether it has said something that nobody has heard yet."""
        return not self._lines.empty()

    def tell(self, **what: object) -> None:
        """A line for the program."""
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def wait(self, *events: str, timeout: float = 240) -> dict:
        """The next thing said that is one of these events; what is said before it is kept in `heard`."""
        end = time.monotonic() + timeout
        while True:
            try:
                said = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                said = None
            if said is None:
                raise Silent(
                    f"{events} not said within {timeout:g} s; before: {self.heard[-3:]}\n{self.errors[-4000:]}"
                )
            self.heard.append(said)
            if said["event"] in events:
                return said

    def end(self, timeout: float = 120) -> int:
        """Let it come to its end, and return its exit status."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Silent(f"the program did not end within {timeout:g} s; it said {self.heard[-3:]}") from None
