"""Where the course's files are: what is shipped, and what must be kept. What may be thrown away is the simulator's (`gpusim`)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from gpusim.hardware.paths import is_private, made, private_temporary, user_folder

__all__ = [
    "UnknownUnit",
    "data_dir",
    "own_lab",
    "private_temporary",
    "repository",
    "state_dir",
    "units",
    "write_whole",
]

_PACKAGE = Path(__file__).resolve().parent
_INSIDE = Path("packages", "hundredfold")  # of a checkout


def repository() -> Path | None:
    """Return the root of the checkout this package runs from; None where it was installed as a wheel."""
    if len(_PACKAGE.parents) < 4:  # installed into a folder near the root
        return None
    root = _PACKAGE.parents[3]
    try:
        ours = 'name = "hundredfold"' in (root / _INSIDE / "pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        return None
    return root if ours and _PACKAGE == root / _INSIDE / "src" / "hundredfold" else None


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


def own_lab() -> None:
    """Have Jupyter, in this process and those it starts, read our settings for a lab of the course's own first.

    They switch Jupytext off, which `hundredfold build` needs and a lab does not. When a notebook is saved, Jupytext also writes the files that the
    notebook names, over those that are there: somebody else's notebook could so replace the learner's.
    """
    ours, other = str(_PACKAGE / "etc" / "own_lab"), os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, (ours, other)))


class UnknownUnit(LookupError):
    """There is no such unit; the message names those there are."""


def units(named: Iterable[str], stems: Iterable[str]) -> list[str]:
    """Those of `stems` (``01_arrays``) that are named as 1, 01, arrays or 01_arrays, each once; all where none is named.

    Raises
    ------
    UnknownUnit
        If a name is none of theirs.
    """
    known, found = list(dict.fromkeys(stems)), {}
    for unit in named:
        fits = [stem for stem in known if unit in (stem, *stem.split("_", 1), stem.partition("_")[0].removeprefix("0"))]
        if not fits:
            raise UnknownUnit(f"There is no unit {unit!r}. There are: {', '.join(known)}.")
        found |= dict.fromkeys(fits)
    return list(found) or known


def state_dir() -> Path:
    """Return the folder for what must be kept (the learner's progress); it is made. HUNDREDFOLD_STATE overrides it."""
    state = made("HUNDREDFOLD_STATE", user_folder("state", "hundredfold"), "state")
    if is_temporary(state):  # before 0.2.0 that folder was called after the course
        before = state.parent.with_name(state.parent.name.replace("gpusim", "hundredfold", 1))
        with suppress(OSError):  # there is none, or `state` has files already
            if is_private(before):
                (before / "state").rename(state)
    return state


def is_temporary(state: Path) -> bool:
    """Whether the folder for what must be kept is among the temporary files: there is no home that can be written to."""
    return state.parent.name.startswith("gpusim-")


def write_whole(file: Path, data: bytes, mode: int | None = None, *, sync: bool = False) -> None:
    """Write a file whole or not at all; its folder is made.

    Parameters
    ----------
    mode : int, optional
        Its permissions; by default those that the process's umask leaves.
    sync : bool
        Wait until it is on the disk: a machine that loses its power has the old file or the new one.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            if sync:
                out.flush()
                os.fsync(out.fileno())
        if mode is None:
            os.umask(mask := os.umask(0))
            mode = 0o666 & ~mask
        os.chmod(part, mode)
        os.replace(part, file)
    except BaseException:
        os.unlink(part)
        raise
