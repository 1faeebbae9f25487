"""Where the course's files are: what is shipped, what may be thrown away, and what must be kept."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[0]


def repository() -> Path | None:
    """Return the root of the checkout this package runs from; None where it was installed as a wheel."""
    root = _PACKAGE.parents[1]
    try:
        ours = 'name = "hundredfold"' in (root / "pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        return None
    return root if ours and _PACKAGE == root / "packages" / "hundredfold" / "src" / "hundredfold" else None


def data_dir(name: str) -> Path:
    """Return the folder of shipped data called `name`, such as "recordings" or "data".

    The copy inside the installed package (`hundredfold/_recordings`) where there is one, else the checkout's own folder.

    Raises
    ------
    FileNotFoundError
        If neither is there.
    """
    root = repository()
    for folder in [_PACKAGE / f"_{name}", *([root / name] if root else [])]:
        if folder.is_dir():
            return folder
    raise FileNotFoundError(
        f"This installation of Hundredfold has no {name!r}: install it anew, or run it from a checkout."
    )


def cache_dir() -> Path:
    """Return the folder for what can be made again (measured rates, compiled kernels); it is made. GPUSIM_CACHE overrides it."""
    return _made("GPUSIM_CACHE", _user_folder("cache"), "cache")


def state_dir() -> Path:
    """Return the folder for what must be kept (the learner's progress); it is made. HUNDREDFOLD_STATE overrides it."""
    return _made("HUNDREDFOLD_STATE", _user_folder("state"), "state")


def _user_folder(kind: str) -> Path | None:
    """The platform's own place, by the XDG rules on Linux; None for a user without a home."""
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "hundredfold" / kind
    if sys.platform == "darwin":
        return home / "Library" / ("Caches" if kind == "cache" else "Application Support") / "hundredfold"
    variable, default = ("XDG_CACHE_HOME", ".cache") if kind == "cache" else ("XDG_STATE_HOME", ".local/state")
    named = os.environ.get(variable, "")
    return (Path(named) if os.path.isabs(named) else home / default) / "hundredfold"


def _made(variable: str, folder: Path | None, kind: str) -> Path:
    """Make the folder; where a home is read-only or missing, a private one among the temporary files serves instead."""
    override = os.environ.get(variable)
    if override:
        folder = Path(override).expanduser()
        folder.mkdir(parents=True, exist_ok=True)  # asked for by name: a failure must be heard
        return folder
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
        except OSError:
            pass
    spare = private_temporary() / kind
    spare.mkdir(exist_ok=True, mode=0o700)
    return spare


def private_temporary() -> Path:
    """Return this user's folder among the temporary files; it is made.

    Where all users share the folder for temporary files, a neighbour can make one of that name first, with files in it that would be
    read as this user's. A folder that is not this user's alone is left, and one that nobody can guess is made, once in a process.
    """
    user = getattr(os, "getuid", lambda: "user")()
    folder = Path(tempfile.gettempdir()) / f"hundredfold-{user}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    found = folder.lstat()
    mine = not hasattr(os, "getuid") or (found.st_uid == user and not found.st_mode & 0o077)
    return folder if stat.S_ISDIR(found.st_mode) and mine else _unguessable()


@cache
def _unguessable() -> Path:
    return Path(tempfile.mkdtemp(prefix="hundredfold-"))
