"""Where the simulator keeps what can be made again: compiled kernels and measured rates."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path


def cache_dir() -> Path:
    """Return the folder for what can be made again (measured rates, compiled kernels); it is made. GPUSIM_CACHE overrides it."""
    return made("GPUSIM_CACHE", user_folder("cache", "gpusim"), "cache")


def user_folder(kind: str, name: str) -> Path | None:
    """The platform's own place, by the XDG rules on Linux; None for a user without a home.

    Parameters
    ----------
    kind : "cache" or "state"
    name : str
        The program whose folder it is.
    """
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / name / kind
    if sys.platform == "darwin":
        return home / "Library" / ("Caches" if kind == "cache" else "Application Support") / name
    variable, default = ("XDG_CACHE_HOME", ".cache") if kind == "cache" else ("XDG_STATE_HOME", ".local/state")
    named = os.environ.get(variable, "")
    return (Path(named) if os.path.isabs(named) else home / default) / name


def made(variable: str, folder: Path | None, kind: str) -> Path:
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
    folder = Path(tempfile.gettempdir()) / f"gpusim-{user}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    return folder if is_private(folder) else _unguessable()


def is_private(folder: Path) -> bool:
    """Whether a folder is this user's alone, and no link."""
    found = folder.lstat()
    mine = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
    return stat.S_ISDIR(found.st_mode) and mine


@cache
def _unguessable() -> Path:
    return Path(tempfile.mkdtemp(prefix="gpusim-"))
