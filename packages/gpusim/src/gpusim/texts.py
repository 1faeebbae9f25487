"""Texts that Python compiles and that no file has: by ``exec``, in a magic of IPython, from ``-c`` or from standard input.

A kernel's source may be among them. CPython tells its audit hooks of each text that it compiles, and the hook here keeps the latest
that define functions. Imported at the start of every simulating process, so only what an interpreter has loaded anyway is imported here.
"""

from __future__ import annotations

import os
import stat
import sys

LATEST = 4096  # importing the simulated libraries compiles some 900, of 220 characters on average
LARGEST = 16 << 20  # characters, all of them together
_texts: dict[str, None] = {}  # in the order in which they were compiled last
_state = {"hooked": False}


def watch() -> None:
    """Keep the texts that are compiled from here on. An audit hook stays for as long as the process; a second call does nothing."""
    if not _state["hooked"]:
        _state["hooked"] = True
        sys.addaudithook(_heard)


def _heard(event: str, details: tuple) -> None:
    if event != "compile":
        return
    text, filename = details
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    if not isinstance(text, str) or not ("def " in text or "lambda" in text):
        return
    if isinstance(filename, str) and os.path.isabs(filename):
        return  # a module that is imported
    _texts.pop(text, None)
    _texts[text] = None
    while len(_texts) > LATEST or (len(text) > 4096 and sum(map(len, list(_texts))) > LARGEST):
        _texts.pop(
            list(_texts)[0], None
        )  # a list first: an error here, of two threads at once, would stop what is compiled


def latest() -> list[str]:
    """Return the texts, what was compiled last first."""
    return list(_texts)[::-1]


def keep_standard_input() -> None:
    """Where Python is about to read its program from a pipe, put a file in the pipe's place, which can be read again.

    Python reads all of such a program before it runs the first line, so nothing waits for longer than before.
    """
    command, *options = sys.orig_argv or [""]
    if not os.path.basename(command).lower().startswith("python"):
        return  # a program that Python is built into: its standard input is its own
    while options and options[0].startswith("-") and options[0] != "-" and options[0][1:2] not in ("c", "m", "-"):
        options = options[2 if options[0] in ("-W", "-X") else 1 :]
    if options[:1] not in ([], ["-"]) or sys.flags.interactive or os.name != "posix":
        return
    try:
        mode = os.fstat(0).st_mode
    except OSError:  # closed
        return
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return  # a terminal, or a file, which can be read again as it is
    import tempfile

    with tempfile.TemporaryFile() as file:
        while piece := os.read(0, 1 << 16):
            file.write(piece)
        file.seek(0)
        os.dup2(file.fileno(), 0)


def standard_input() -> str:
    """Return the program that standard input had, or an empty text where it cannot be read again."""
    try:
        size = os.fstat(0).st_size
        return os.pread(0, min(size, LARGEST), 0).decode(errors="replace")
    except (OSError, AttributeError):  # Windows has no pread
        return ""
