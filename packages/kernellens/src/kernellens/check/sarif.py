"""Findings as SARIF 2.1.0 [OASIS, Static Analysis Results Interchange Format], which code hosts show beside the lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import kernellens

RULES = {
    "out-of-bounds": "A kernel reads or writes an element that its array does not have.",
    "negative-index": "A kernel uses a negative index that its source does not write as one.",
    "race": "Two threads use one element, one of them writes it, and nothing orders them.",
    "barrier-divergence": "Threads of a block part at a barrier.",
    "uninitialised-shared": "A kernel reads shared memory before anything was written there.",
    "uninitialised-local": "A kernel reads an element of a local array before the thread has written it.",
    "launch": "A launch that the device refuses.",
    "uncompilable": "A kernel that does not compile.",
}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def log(outcomes: list[Any]) -> dict[str, Any]:
    """Return the log of what was found in some programs (`kernellens.trial.outcome.Outcome`).

    A program that did not run to its end stands among the notifications of the run, unless a finding tells why.
    """
    results = [_result(outcome.path, finding) for outcome in outcomes for finding in outcome.findings]
    used = sorted({result["ruleId"] for result in results})
    for result in results:
        result["ruleIndex"] = used.index(result["ruleId"])
    rules = [{"id": name, "shortDescription": {"text": RULES.get(name, name)}} for name in used]
    driver = {"name": "kernellens", "version": kernellens.__version__, "rules": rules}
    failed = [outcome for outcome in outcomes if outcome.status != "ran" and not outcome.findings]
    invocation: dict[str, Any] = {"executionSuccessful": not failed}
    if failed:
        invocation["toolExecutionNotifications"] = [_notification(outcome) for outcome in failed]
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(path: str, finding: dict[str, Any]) -> dict[str, Any]:
    where, line = "", finding.get("file_line")
    location = _location(finding.get("path") or path, line)
    if path.endswith(".ipynb") and not finding.get("path"):
        # A notebook's file has no lines that its reader knows: the place is the cell's, and is said.
        cell = (
            f"cell {finding['cell']}, line {line} of it" if finding.get("cell") and line else f"line {finding['line']}"
        )
        where = f"{finding['kernel']}, {cell}: "
        location = _location(path, None) | {"logicalLocations": [{"fullyQualifiedName": where[:-2]}]}
    return {
        "ruleId": finding["kind"],
        "level": "error" if finding["severity"] == "error" else "warning",
        "message": {"text": where + finding["sentence"]},
        "locations": [location],
    }


def _notification(outcome: Any) -> dict[str, Any]:
    said = f"{outcome.error}: {outcome.message}" if outcome.error else outcome.message or outcome.status
    line = outcome.line if not outcome.path.endswith(".ipynb") else None
    return {"level": "error", "message": {"text": said}, "locations": [_location(outcome.path, line)]}


def _location(path: str, line: int | None) -> dict[str, Any]:
    place = Path(path)
    uri = place.as_uri() if place.is_absolute() else quote(place.as_posix())
    location: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if line:
        location["region"] = {"startLine": line}
    return {"physicalLocation": location}
