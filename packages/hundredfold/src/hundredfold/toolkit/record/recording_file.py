"""The file of a recording: one for each machine, written after each row, so that an interruption loses at most one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from hundredfold import paths


class CannotKeepError(ValueError):
    """A file is no recording, or is another's; the message says what to do."""


def begin(file: Path, machine: dict[str, Any], source: dict[str, str]) -> dict[str, Any]:
    """What is in the file already, ready to be gone on with; an empty recording where there is none.

    Raises
    ------
    CannotKeepError
        If the file is no recording, or was made on another machine or with other versions.
    """
    alone = "" if "gpu" in machine else " (CPU only)"
    fresh = {
        "$schema": "schema.json",
        "schema": 1,
        "kind": "recorded",
        "title": f"Recorded on {machine['name']}{alone}",
        "sources": {"run": source},
        "machines": {"here": machine},
        "rows": [],
    }
    if not file.exists():
        return fresh
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        before = kept["machines"]["here"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise CannotKeepError(f"{file} is no recording: name another file with --output.") from None
    differs = [name for name in ("cpu", "gpu", "gpus", "cores", "versions") if before.get(name) != machine.get(name)]
    if differs:
        raise CannotKeepError(
            f"{file} was recorded with another {' and '.join(differs)}: go on there, or begin anew with --again or another --output."
        )
    return kept


def write(file: Path, recording: dict[str, Any]) -> None:
    """Write it whole or not at all.

    Raises
    ------
    jsonschema.ValidationError
        If it is not as `recordings/schema.json` says; nothing is written.
    """
    schema = json.loads((paths.data_dir("recordings") / "schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(recording, schema)
    whole(file, json.dumps(recording, indent=1, ensure_ascii=False))


def whole(file: Path, text: str) -> None:
    """Write a text and a last newline, whole or not at all; the folder is made."""
    paths.write_whole(file, (text + "\n").encode(), 0o644)
