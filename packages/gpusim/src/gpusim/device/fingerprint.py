"""Which source the engine runs from: what was compiled by another one is not used again."""

from __future__ import annotations

import functools
import hashlib
import os
import time
from pathlib import Path

_BEGAN = time.time() - 0.05  # a file's time may be that much behind the clock
_ROOT = Path(__file__).parents[1]
_FOLDERS = ("device", "kernels")


@functools.cache
def _read() -> tuple[tuple[Path, ...], str]:
    files = tuple(
        sorted(path for each in _FOLDERS for path in (_ROOT / each).rglob("*") if path.suffix in (".py", ".json"))
    )
    digest = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(_ROOT).as_posix()} {len(content)} ".encode() + content)
    return files, digest.hexdigest()


def fingerprint() -> str | None:
    """Return a hash of all of the engine's files; it changes with any of them.

    None where a file was changed after this process loaded the engine: the files may say something else than what runs.
    """
    try:
        files, digest = _read()
        changed = [os.stat(path) for path in files]
    except OSError:
        return None
    return None if any(max(at.st_mtime, at.st_ctime) > _BEGAN for at in changed) else digest
