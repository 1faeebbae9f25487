"""Where a report goes: to a file that the learner names, or beside the notebook; and never over somebody else's.

Each learner's state folder has a mark, a random word that names nobody. A page carries the mark of who wrote it; only a page with one's own
is replaced by the next one.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path

from hundredfold import paths

META = "hundredfold-report"
_FOUND = re.compile(rf'<meta name="{META}" content="([0-9a-f]{{32}})">')
_HEAD = 4096  # characters in which the mark stands
_MOST = 1000  # numbered names that are tried


@dataclass(frozen=True)
class Place:
    """Where a page was written, whether one of the learner's own was replaced, and which name was taken by another."""

    path: Path
    replaced: bool = False
    taken: Path | None = None


def mark() -> str:
    """Return this learner's mark, 32 hexadecimal digits; made when it is first asked for. Where it cannot be kept, a new one each time."""
    with contextlib.suppress(OSError):
        file = Path(paths.state_dir()) / "report-mark"
        with contextlib.suppress(FileExistsError), open(file, "x", encoding="ascii") as out:
            out.write(uuid.uuid4().hex)
        kept = file.read_text(encoding="ascii", errors="replace").strip()
        if re.fullmatch("[0-9a-f]{32}", kept):
            return kept
    return uuid.uuid4().hex


def wanted(path: str | os.PathLike[str] | None, default: str) -> Path:
    """Return the file that a page should go to.

    A name without a folder is beside the notebook, that is in the working folder (or in HUNDREDFOLD_REPORTS, which the build of the course
    uses, so that it leaves nothing behind). A folder gets the default name.

    Raises
    ------
    ValueError
        If the name does not end in .html, or its folder is not there; the message says what to write.
    """
    named = Path(default if path is None else path).expanduser()
    file = Path(os.environ.get("HUNDREDFOLD_REPORTS") or ".") / named
    if file.is_dir():
        file = file / default
    if file.suffix.lower() not in (".html", ".htm"):
        raise ValueError(
            f'A report is a page: give it a name that ends in .html, such as "{file.stem or "report"}.html".'
        )
    if not file.parent.is_dir():
        raise ValueError(f"There is no folder {file.parent}: make it first, or name another one.")
    return file


def write(html: str, file: Path, own: str, replace: bool = False) -> Place:
    """Write a page whole or not at all, to `file` or, where that is taken, to the next free name: ``page-2.html``.

    Taken is a name whose file does not carry the mark `own`, whatever is in it; with `replace` none is.

    Raises
    ------
    OSError
        If the folder cannot be written to; the message says so.
    """
    try:
        return _write(html, file, own, replace)
    except OSError as error:
        raise OSError(
            f"The report could not be written to {file} ({error.strerror or error}): name a file in a folder of yours."
        ) from None


def _write(html: str, file: Path, own: str, replace: bool) -> Place:
    handle, name = tempfile.mkstemp(prefix=f".{file.stem}-", suffix=".part", dir=file.parent)
    part = Path(name)
    try:
        with open(handle, "w", encoding="utf-8") as out:
            out.write(html)
        part.chmod(0o644)
        if replace or _mine(file, own):
            before = file.exists()
            os.replace(part, file)
            return Place(file, replaced=before)
        for number in range(1, _MOST):
            free = file if number == 1 else file.with_stem(f"{file.stem}-{number}")
            if number > 1 and _mine(free, own):
                os.replace(part, free)
                return Place(free, replaced=True, taken=file)
            try:
                os.link(part, free)  # fails where the name is taken, also by somebody who was faster
            except FileExistsError:
                continue
            except OSError:  # a file system without links
                with open(free, "x", encoding="utf-8") as out:
                    out.write(html)
            return Place(free, taken=file if number > 1 else None)
        raise OSError(f"{_MOST} names like {file.name} are taken")
    finally:
        part.unlink(missing_ok=True)


def _mine(file: Path, own: str) -> bool:
    try:
        with open(file, encoding="utf-8", errors="replace") as there:
            found = _FOUND.search(there.read(_HEAD))
    except OSError:
        return False
    return found is not None and found[1] == own
