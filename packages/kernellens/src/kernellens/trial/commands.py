"""No program that is tried runs commands on this machine: what it would install, download or remove is noted and skipped.

Somebody's notebook may call ``os.system("apt install -y …")`` as well as write ``!apt install``.  This is put in place when
Python starts, also in the processes that the program starts (`sitecustomize`), and lets through only Python itself and a
few tools that libraries ask about the machine.
"""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence

ALLOWED = {
    "dot",
    "neato",
    "fc-list",
    "fc-match",
    "uname",
    "lscpu",
    "nproc",
    "ldconfig",
    "ld",
    "gcc",
    "cc",
    "objdump",
    "hostname",
}
"""Layout of graphs, and what Matplotlib, `platform` and `ctypes.util.find_library` ask."""
_PLACED = "_kernellens_trial"
Word = str | bytes | os.PathLike[str]

SITE = "from kernellens.trial import children, commands\ncommands.forbid()\nchildren.expect()\n"
"""`sitecustomize.py` of a tried program's processes."""

skip: Callable[[str], str] = lambda command: f"kernellens try: not run: {command}"  # noqa: E731 - replaced by `inside`
"""Notes a command; returns what is printed in its place."""


def allowed(words: Sequence[str]) -> bool:
    """Whether a program may be started: Python, but not to install, and tools that only look."""
    if not words:
        return False
    name = os.path.basename(str(words[0]))
    if os.path.realpath(str(words[0])) == os.path.realpath(sys.executable) or name.startswith("python"):
        installs = {"pip", "ensurepip", "conda", "uv"}
        return not any(words[k] == "-m" and words[k + 1] in installs for k in range(len(words) - 1))
    return name in ALLOWED


def forbid() -> None:
    """From here on, this process starts no other commands."""
    if getattr(os, _PLACED, False):
        return
    setattr(os, _PLACED, True)
    os.system = _system
    os.popen = _popen
    started = subprocess.Popen.__init__

    def start(self, args, *rest, **options):
        words = _words(args, bool(options.get("shell")))
        if words is None or not allowed(words):
            text = args if isinstance(args, str) else shlex.join(map(os.fsdecode, args))
            said = skip(text)
            args = [sys.executable, "-I", "-S", "-c", f"print({said!r})" if "nvidia-smi" in text else ""]
            options = {**options, "shell": False, "executable": None}
        return started(self, args, *rest, **options)

    subprocess.Popen.__init__ = start
    sys.addaudithook(_audit)


def _words(args: Word | Sequence[Word], shell: bool) -> list[str] | None:
    """The words of a command; None for what only a shell could take apart."""
    if isinstance(args, (str, bytes)):
        text = os.fsdecode(args)
        if shell and set(text) & set(";&|$`<>\n("):
            return None
        try:
            return shlex.split(text)
        except ValueError:
            return None
    if isinstance(args, os.PathLike):
        return [os.fsdecode(args)]
    return [os.fsdecode(word) for word in args]


def _system(command: Word) -> int:
    print(skip(os.fsdecode(command)))
    return 0


class _Pipe(io.StringIO):
    def close(self) -> None:
        super().close()


def _popen(command: Word, mode: str = "r", buffering: int = -1) -> io.StringIO:
    said = skip(os.fsdecode(command))
    return _Pipe(said if "nvidia-smi" in os.fsdecode(command) and "r" in mode else "")


def _audit(event: str, arguments: tuple) -> None:
    if event == "os.exec":
        words = [os.fsdecode(word) for word in arguments[1]]
        if not allowed([os.fsdecode(arguments[0]), *words[1:]]):
            raise PermissionError(skip(shlex.join(words)))
