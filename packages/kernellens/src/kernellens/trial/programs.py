"""Which programs are meant, and copies of their folders to run them in."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MOST_BYTES = 512 * 1024**2
"""What is copied of a folder, in bytes; what is larger is left out and said."""
MOST_FILES = 5_000
_NEVER = {".git", ".ipynb_checkpoints", "__pycache__", "node_modules", ".venv", "venv", ".mypy_cache", ".pytest_cache"}


class NoProgramError(ValueError):
    """What was named cannot be tried; the message is a sentence."""


def find(names: list[str]) -> list[Path]:
    """The programs that are meant: files as they are, folders as all notebooks under them.

    Raises
    ------
    NoProgramError
    """
    found: list[Path] = []
    for name in names:
        path = Path(name)
        if path.is_dir():
            notebooks = [file for file in sorted(path.rglob("*.ipynb")) if not _hidden(file.relative_to(path))]
            if not notebooks:
                raise NoProgramError(f"There is no notebook under {name}. Scripts are named one by one.")
            found += notebooks
        elif not path.exists():
            raise NoProgramError(f"There is no file {name}.{_near(path)}")
        elif path.suffix not in (".ipynb", ".py"):
            raise NoProgramError(f"{name} is neither a notebook (.ipynb) nor a Python script (.py).")
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def copy(program: Path, root: Path | None, target: Path) -> tuple[Path, list[str]]:
    """Copy a program's folder, so that nothing of its author's is written to.

    Parameters
    ----------
    root : Path or None
        The folder to copy; the program's own if None. The program must be under it.

    Returns
    -------
    program : Path
        The program in the copy.
    left_out : list of str
        What was too large, with its size.
    """
    program = program.resolve()
    root = program.parent if root is None else root.resolve()
    if not program.is_relative_to(root):
        raise NoProgramError(f"{program} is not under {root}.")
    files, room, left_out = 0, MOST_BYTES, []
    own = {target.resolve(), target.parent.resolve()}  # below `root` where temporary files are
    # Nearest first: what does not fit is what is farthest from the program's folder.
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if name not in _NEVER and Path(folder, name) not in own and not _environment(Path(folder, name))
        )
        into = target / Path(folder).relative_to(root)
        into.mkdir(parents=True, exist_ok=True)
        for name in sorted(names):
            source = Path(folder, name)
            try:
                size = source.stat().st_size
                if not source.is_file():
                    continue
                if size > room or files >= MOST_FILES:
                    left_out.append(f"{source.relative_to(root)} ({size / 1e6:.0f} MB)")
                    continue
                shutil.copyfile(source, into / name)
            except OSError as error:
                left_out.append(f"{source.relative_to(root)} ({error.strerror})")
                continue
            room, files = room - size, files + 1
        if files >= MOST_FILES:
            folders.clear()
            left_out.append(f"what else is under {Path(folder).relative_to(root)}")
    there = target / program.relative_to(root)
    if not there.exists():
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(program, there)
    return there, left_out


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") or part in _NEVER for part in path.parts)


def _environment(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").exists() or (folder / "conda-meta").exists()


def _near(path: Path) -> str:
    import difflib

    try:
        there = sorted(path.parent.iterdir(), key=lambda entry: entry.suffix == path.suffix)
    except OSError:
        return ""
    # Without the ending, which alone makes short names alike; of two with one name the one with this ending.
    names = {entry.stem: entry.name for entry in there}
    near = difflib.get_close_matches(path.stem, names, n=1)
    return f" Did you mean {path.parent / names[near[0]]}?" if near else ""
