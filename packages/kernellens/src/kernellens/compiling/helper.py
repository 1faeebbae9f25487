"""The warm helper process that holds the real ``numba.cuda``: started once, restarted when it is lost, used by all threads."""

from __future__ import annotations

import atexit
import contextlib
import importlib.metadata
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

PYTHON_SETTING = "KERNELLENS_COMPILER"
SECONDS_SETTING = "KERNELLENS_COMPILER_SECONDS"
SECONDS = 300.0
"""How long a compilation may take; the first imports the compiler, which takes seconds on a slow disk."""
CHILD = Path(__file__).with_name("child")
_NOT_THERE = ("GPUSIM_SIMULATE", "NUMBA_ENABLE_CUDASIM", "NUMBA_CUDA_DEFAULT_PTX_CC", "NUMBA_FORCE_CUDA_CC")
_WITHOUT = "numba-cuda is not installed in this environment."


class CompilerError(RuntimeError):
    """The compiler gave no answer: it crashed, or took too long.  What was asked for can be asked for again."""


class CompilerTimeoutError(CompilerError):
    """A compilation took longer than it may."""


class Helper:
    """The process, and whether there is one to be had.

    Parameters
    ----------
    python : str, optional
        The interpreter; else that of ``KERNELLENS_COMPILER``, or this process's own.
    child : Path
        The program that it runs.

    Attributes
    ----------
    about : dict
        What it said when it started: compute capabilities (``ccs``), ``versions``, ``disassembler``; empty before.
    starts : int
        How many processes there have been.
    """

    def __init__(self, python: str | None = None, child: Path = CHILD) -> None:
        self._python, self._child = python, child
        self._lock = threading.RLock()
        self._process: subprocess.Popen | None = None
        self._connection: Connection | None = None
        self._said: IO[bytes] | None = None
        self._owner = 0
        self._missing: str | None = None
        self.about: dict[str, Any] = {}
        self.starts = 0
        atexit.register(self.stop)

    @property
    def python(self) -> str:
        return self._python or os.environ.get(PYTHON_SETTING) or sys.executable

    def missing(self) -> str:
        """Why there is no compiler, in a sentence; empty where there is one.  Starts the process to find out.

        Raises
        ------
        CompilerError
            If it does not come up.
        """
        with self._lock:
            if self._missing is None:
                # Not started for nothing: to import Numba takes a second.
                ours = self._child == CHILD and not self._elsewhere()
                if ours and importlib.util.find_spec("numba_cuda") is None:
                    self._missing = _WITHOUT
                else:
                    self._alive()
            return self._missing or ""

    def ask(self, request: dict, name: str = "the kernel") -> dict:
        """Send a request and wait for the answer.

        If the process dies over it, another one is asked once.

        Raises
        ------
        CompilerTimeoutError, CompilerError
        """
        with self._lock:
            for last in (False, True):
                connection = self._alive()
                try:
                    connection.send(request)
                    return self._receive(connection, name)
                except (EOFError, OSError) as error:
                    words = self._last_words()
                    self.stop()
                    if last:
                        raise CompilerError(
                            f"The compiler ended twice over {name}{words}. A later compilation starts another one; if it is "
                            "always this kernel, take lines out of it until it compiles."
                        ) from error
                except BaseException:
                    # Ctrl-C, say: what it would answer later belongs to nobody, so the next request gets a new process.
                    self.stop()
                    raise
            raise AssertionError("not reached")

    def stop(self) -> None:
        """End the process, if there is one; the next request starts another."""
        process, connection, said = self._process, self._connection, self._said
        self._process = self._connection = self._said = None
        if connection is not None:
            connection.close()
        if said is not None:
            said.close()
        if process is not None and self._owner == os.getpid():
            process.kill()
            with contextlib.suppress(Exception):
                process.wait(10)

    def _elsewhere(self) -> bool:
        return self.python != sys.executable  # a venv's interpreter is a link to another's: compare names, not files

    def _alive(self) -> Connection:
        if self._process is not None and (self._owner != os.getpid() or self._process.poll() is not None):
            self.stop()  # it has ended; or this process is a fork, and the helper its parent's
        return self._start() if self._connection is None else self._connection

    def _start(self) -> Connection:
        ours, theirs = socket.socketpair()
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_THERE}
        self._said = tempfile.TemporaryFile(prefix="kernellens-compiler-")
        command = [self.python, str(self._child), str(theirs.fileno()), str(os.getpid())]
        try:
            self._process = subprocess.Popen(
                command,
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=self._said,
                env=environment,
                start_new_session=True,  # out of reach of the terminal's Ctrl-C
            )
        except OSError as error:
            ours.close()
            self._said.close()
            self._said = None
            raise CompilerError(f"The compiler's process cannot be started with {self.python}: {error}.") from None
        finally:
            theirs.close()
        self._owner = os.getpid()
        self._connection = connection = Connection(ours.detach())
        self.starts += 1
        try:
            self.about = self._receive(connection, "its start")
        except (EOFError, OSError) as error:
            words = self._last_words()
            self.stop()
            raise CompilerError(f"The compiler's process ended when it was started{words}.") from error
        except BaseException:
            self.stop()
            raise
        self._missing = self._why_not()
        return connection

    def _why_not(self) -> str:
        if not self.about["ready"]:
            return f"of the real CUDA compiler something is missing ({self.about['why']})."
        if self.about["magic"] != importlib.util.MAGIC_NUMBER:
            return (
                f"{PYTHON_SETTING} names an interpreter of another Python version than this one; name one of Python "
                f"{sys.version_info[0]}.{sys.version_info[1]}."
            )
        return ""

    def _receive(self, connection: Connection, name: str) -> dict:
        seconds = float(os.environ.get(SECONDS_SETTING) or SECONDS)
        if not connection.poll(seconds):
            self.stop()
            raise CompilerTimeoutError(
                f"The compiler has not answered for {seconds:.0f} seconds over {name}: it was ended, and the next "
                f"compilation starts another. Allow more time with {SECONDS_SETTING}=."
            )
        return connection.recv()

    def _last_words(self) -> str:
        """How the process ended, and the end of what it had to say."""
        if self._process is None:
            return ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        code, words = self._process.returncode, ""
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                words = f" ({signal.Signals(-code).name})"
        elif code:
            words = f" (exit status {code})"
        if self._said is not None:
            self._said.seek(0)
            lines = self._said.read().decode(errors="replace").strip().splitlines()
            words += f", saying: {lines[-1].strip()}" if lines else ""
        return words


helper = Helper()
"""The one of this process."""
