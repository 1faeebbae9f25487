"""What a preflight has run: a line for each notebook on each seat, only ever added to."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

from hundredfold import paths

from .jobs import Job
from .running import Outcome


def file() -> Path:
    """``preflight.jsonl`` in the state folder of whoever runs it."""
    return Path(paths.state_dir()) / "preflight.jsonl"


def note(job: Job, outcome: Outcome) -> None:
    """Keep an outcome; a disk that is full costs a repetition, no more."""
    line = json.dumps({"key": job.key, **asdict(outcome)}).encode() + b"\n"
    try:
        handle = os.open(file(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line)  # in one piece: two preflights at once do not mix their lines
        finally:
            os.close(handle)
    except OSError:
        pass


def passed(jobs: list[Job]) -> dict[Job, Outcome]:
    """Of these jobs those that were run before and went well, with the last outcome of each."""
    known: dict[str, Outcome] = {}
    try:
        lines = file().read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    for line in lines:
        try:
            told = json.loads(line)
            key = told.pop("key")
            known[key] = Outcome(**{**told, "unlimited": tuple(told["unlimited"])})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
    return {job: known[job.key] for job in jobs if job.key in known and known[job.key].ok}
