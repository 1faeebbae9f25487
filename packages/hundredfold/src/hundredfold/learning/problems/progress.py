"""The learner's progress: one line of JSON per verdict, in a file of theirs on this machine, and nowhere else unless they share
it with their class (`sharing`)."""

from __future__ import annotations

import datetime
import json
import os
from pathlib import Path
from typing import Any

from filelock import FileLock

from hundredfold import paths

from . import sharing
from .verdict import Verdict

_PATIENCE = 2.0  # seconds to wait for another notebook that is writing


def file() -> Path:
    """The progress file: ``progress.jsonl`` in the learner's state folder (environment variable HUNDREDFOLD_STATE)."""
    return Path(paths.state_dir()) / "progress.jsonl"


def record(verdict: Verdict) -> bool:
    """Append a verdict; False if it could not be written (no space, no permission, locked), which harms nothing.

    What a run of the solutions says is nobody's progress, and is not recorded.
    """
    if _in_solutions():
        return True
    line = {
        "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "problem": verdict.problem,
        "outcome": verdict.outcome,
        "reason": verdict.reason,
    }
    sharing.share(**line)
    try:
        path = file()
        data = json.dumps(line).encode() + b"\n"
        # Unbuffered: a buffer that could not be written would be written again when the file is closed.
        with FileLock(f"{path}.lock", timeout=_PATIENCE), open(path, "ab", buffering=0) as out:
            return sharing.append(out.fileno(), data)
    # NotImplementedError: a file system that has no locks. TimeoutError is an OSError.
    except (OSError, RuntimeError, NotImplementedError):
        return False


def _in_solutions() -> bool:
    """Whether this kernel's notebook is one of the solutions, as the Jupyter server tells its kernels."""
    return Path(os.environ.get("JPY_SESSION_NAME", "")).parent.name == "solutions"


def read() -> list[dict[str, Any]]:
    """All verdicts so far, oldest first; lines that are no JSON object are left out."""
    try:
        text = file().read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    found = []
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            found.append(entry)
    return found
