"""What a learner shares with their class: the same verdicts as in the progress file, and predictions, in a folder of this machine.

Nothing is shared unless the learner said so (``hundredfold progress --share DIR``) or the hub's administrator did (environment
variable HUNDREDFOLD_CLASS); a learner's own "no" counts more than the hub's "yes".  What is shared holds no name: each learner
has a file of their own there, named at random, to which lines are only ever added.

A class's folder belongs to whoever made it, and nobody else may write into it. It holds their ``settings.json``, and a folder
``answers`` of mode 1733 for the learners' files, in which no learner can find another's. While it is full, or the learner's part of it,
lines wait in the learner's state folder, and go before the next one that there is room for.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
from pathlib import Path
from typing import Any

from filelock import FileLock

from hundredfold import paths

VARIABLE = "HUNDREDFOLD_CLASS"
ANSWERS = "answers"
"""The folder for learners' files, in the class's folder."""
_PATIENCE = 2.0  # seconds to wait for another notebook that is writing
_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
_MOST_WAITING = 1 << 20  # bytes; a learner who solves everything at the tenth try writes a tenth of it

full = False
"""Whether the last line that was to be shared found no room in the class's folder."""


class CannotShare(RuntimeError):
    """A class's folder that cannot be written to; the message says what to do."""


def folder() -> Path | None:
    """The class's folder that this learner shares with; None if nothing is shared."""
    chosen = _choice()
    named = chosen["folder"] if "folder" in chosen else os.environ.get(VARIABLE)
    return Path(named).expanduser() if named else None


def choose(place: str | os.PathLike[str] | None) -> Path | None:
    """Share from now on with the class in the folder `place`, or with nobody (None), which also takes back what was shared.

    Returns the file that was removed, if one was.

    Raises
    ------
    CannotShare
        If there is no such folder, or a file cannot be made in it. Then everything is as before.
    """
    removed = None
    with _locked():
        before = _choice()
        if place is None:
            old = folder()
            if old is not None and (name := before.get("files", {}).get(str(old))):
                removed = old / ANSWERS / name
                removed.unlink(missing_ok=True)
                _waiting(name).unlink(missing_ok=True)
            files = {where: name for where, name in before.get("files", {}).items() if where != str(old)}
            _write({"folder": None, "files": files})
            return removed
        where = Path(place).expanduser().resolve()
        after = {"folder": str(where), "files": before.get("files", {})}
        try:
            if not (where / ANSWERS).is_dir():
                raise CannotShare(f"There is no class's folder {where}: ask your instructor which one it is.")
            os.close(_open(where / ANSWERS / after["files"].setdefault(str(where), _new_name())))
        except OSError as error:
            raise CannotShare(f"Nothing can be written into {where} ({error.strerror}): ask your instructor.") from None
        _write(after)
    return None


def share(**line: Any) -> bool:
    """Append a line to the learner's file in the class's folder; False if nothing is shared, or it could not be written.

    `full` then says whether there was no room, so that the line waits.
    """
    global full
    full = False
    try:
        where = folder()
        if where is None:
            return False
        data = json.dumps(line, allow_nan=False).encode() + b"\n"
        with _locked():
            mine = _mine(where)
            waits = _waiting(mine)
            data = (waits.read_bytes() if waits.exists() else b"") + data
            full = not _added(where / ANSWERS / mine, data)
            if not full:
                waits.unlink(missing_ok=True)
            elif len(data) <= _MOST_WAITING:
                part = waits.with_suffix(f".{os.getpid()}")
                part.write_bytes(data)
                os.replace(part, waits)
        return not full
    # NotImplementedError: a file system that has no locks. TimeoutError is an OSError.
    except (OSError, RuntimeError, NotImplementedError, ValueError):
        return False


def _added(path: Path, data: bytes) -> bool:
    """Append to the learner's file; False if there is no room for all of it, and then nothing is appended."""
    try:
        handle = _open(path)
        try:
            return append(handle, data)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _FULL:
            raise
        return False


def with_names(place: Path) -> bool:
    """Whether whoever made the class's folder has switched names on."""
    return settings(place).get("names") is True


def settings(place: Path) -> dict[str, Any]:
    """What whoever made the class's folder set in its ``settings.json``; anybody else's file of that name counts for nothing."""
    file = place / "settings.json"
    try:
        found, folder = file.lstat(), place.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_uid != folder.st_uid or folder.st_mode & stat.S_IWOTH:
            return {}
        told = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def append(handle: int, data: bytes) -> bool:
    """Append a whole line to an open file, or nothing: False if the disk was full half-way.  The caller holds a lock."""
    start = os.lseek(handle, 0, os.SEEK_END)
    if os.write(handle, data) != len(data):
        # A full disk leaves half a line, and the next one would be glued to it.
        os.ftruncate(handle, start)
        return False
    return True


def _open(path: Path) -> int:
    """Open the learner's file to append, never through a link that somebody else put there; make it if it is not there."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, 0o600)
    owner = path.parent.stat().st_uid
    if owner not in (0, os.fstat(handle).st_uid) and hasattr(os, "fchmod"):
        os.fchmod(
            handle, 0o644
        )  # the instructor's folder: they read it, and who cannot list the folder does not find it
    return handle


def _mine(where: Path) -> str:
    """The name of the learner's file in a folder; a new one is noted before it is used."""
    chosen = _choice()
    files = chosen.setdefault("files", {})
    if str(where) not in files:
        files[str(where)] = _new_name()
        _write(chosen)
    return files[str(where)]


def _new_name() -> str:
    return f"{secrets.token_hex(16)}.jsonl"


def _choice() -> dict[str, Any]:
    """What the learner chose: ``folder`` (None: nobody) if they did, and the ``files`` that are theirs, by folder."""
    try:
        found = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError, RuntimeError):
        return {}
    if not isinstance(found, dict) or not isinstance(found.get("files", {}), dict):
        return {}
    return found


def _write(choice: dict[str, Any]) -> None:
    paths.write_whole(_file(), json.dumps(choice).encode())


def _file() -> Path:
    return Path(paths.state_dir()) / "sharing.json"


def _waiting(mine: str) -> Path:
    """Where lines wait for room in the learner's file of this name in a class's folder."""
    return Path(paths.state_dir()) / f"unshared-{mine}"


def _locked() -> FileLock:
    return FileLock(f"{_file()}.lock", timeout=_PATIENCE)
