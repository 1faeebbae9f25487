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
from .properties import GRADING, Attempt, seed_of
from .verdict import WRONG, Verdict

_FAILED = 5  # cases that refused earlier attempts and are tried first
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
    if verdict.case:
        line["case"] = verdict.case
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


def attempt(problem: str) -> Attempt:
    """What the next attempt at a problem is judged by: how many were refused so far, and by which cases."""
    if _in_solutions():
        return GRADING
    refused = [line for line in read() if line.get("problem") == problem and line.get("outcome") == WRONG]
    if not refused:
        return GRADING
    cases = dict.fromkeys(str(line["case"]) for line in reversed(refused) if line.get("case"))
    return Attempt(seed_of(problem, len(refused) + 1), tuple(cases)[:_FAILED])


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
