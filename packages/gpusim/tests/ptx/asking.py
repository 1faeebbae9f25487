"""A process of `worker`, started when first asked."""

from __future__ import annotations

import os
import pickle
import select
import struct
import subprocess
import sys
from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")
LIMIT = 1200
"""Seconds for one question: a hang becomes a failure, nothing is measured by it."""


class Worker:
    """Asks a process of its own, with the engine from `source` where that is not this checkout's."""

    def __init__(self, source: Path | None = None):
        self.source, self.process = source, None

    def ask(self, question: str) -> list:
        """The launches that a question leads to.

        Raises
        ------
        RuntimeError
            With what went wrong there.
        """
        if self.process is None:
            kept = {
                k: v
                for k, v in os.environ.items()
                if not k.startswith(("GPUSIM_", "NUMBA_", "HUNDREDFOLD_", "RECORD_"))
            }
            if self.source is not None:
                kept |= {"PYTHONPATH": str(self.source), "GPUSIM_CACHE": str(self.source / "cache")}
            command = [sys.executable, "-W", "ignore", str(WORKER)]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=kept)
        self.process.stdin.write(f"{question}\n".encode())
        self.process.stdin.flush()
        size = struct.unpack("<Q", self._read(8, question))[0]
        launches, error = pickle.loads(self._read(size, question))
        if error:
            raise RuntimeError(error)
        return launches

    def _read(self, size: int, question: str) -> bytes:
        found = b""
        while len(found) < size:
            ready, _, _ = select.select([self.process.stdout], [], [], LIMIT)
            piece = os.read(self.process.stdout.fileno(), min(size - len(found), 1 << 20)) if ready else b""
            if not piece:
                self.close()
                raise RuntimeError(f"the worker ended, or did not answer in {LIMIT} s: {question}")
            found += piece
        return found

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None
