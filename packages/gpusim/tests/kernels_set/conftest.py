"""A process for each way of running the set, started when first asked and kept to the end."""

from __future__ import annotations

import os
import pickle
import select
import struct
import subprocess
import sys
from pathlib import Path

import pytest

WORKER = Path(__file__).with_name("worker.py")

LIMIT = 300  # seconds for one entry, compilation included: a hang becomes a failure, nothing is measured by it


class Way:
    """Entries run in a process of their own; answers are kept, so that comparing the ways runs nothing twice."""

    def __init__(self, name: str) -> None:
        self.name, self.answers, self.process = name, {}, None

    def ask(self, entry: str) -> dict:
        if entry not in self.answers:
            self.answers[entry] = self._ask(entry)
        return self.answers[entry]

    def _ask(self, entry: str):
        if self.process is None:
            inherited = {k: v for k, v in os.environ.items() if not k.startswith(("GPUSIM_SIM", "NUMBA_"))}
            self.process = subprocess.Popen(
                [sys.executable, "-W", "ignore", str(WORKER), self.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=inherited,
            )
        self.process.stdin.write(f"{entry}\n".encode())
        self.process.stdin.flush()
        head = self._read(8, entry)
        return pickle.loads(self._read(struct.unpack("<Q", head)[0], entry))

    def _read(self, size: int, entry: str) -> bytes:
        found = b""
        while len(found) < size:
            ready, _, _ = select.select([self.process.stdout], [], [], LIMIT)
            piece = os.read(self.process.stdout.fileno(), min(size - len(found), 1 << 20)) if ready else b""
            if not piece:
                code = self.process.poll() if ready else f"no answer in {LIMIT} s"
                self.close()
                pytest.fail(f"the {self.name} process ended at {entry}: {code}")
            found += piece
        return found

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None


@pytest.fixture(scope="session")
def ways():
    """``ways(name)`` gives a way of running the set; all of them end with the session."""
    started: dict[str, Way] = {}

    def way(name: str) -> Way:
        return started.setdefault(name, Way(name))

    yield way
    for each in started.values():
        each.close()
