"""Findings as SARIF 2.1.0 [OASIS, Static Analysis Results Interchange Format], which code hosts show beside the lines."""

from __future__ import annotations

from typing import Any

import hundredfold

RULES = {
    "out-of-bounds": "A kernel reads or writes an element that its array does not have.",
    "negative-index": "A kernel uses a negative index that its source does not write as one.",
    "race": "Two threads use one element, one of them writes it, and nothing orders them.",
    "barrier-divergence": "Threads of a block part at a barrier.",
    "uninitialised-shared": "A kernel reads shared memory before anything was written there.",
    "launch": "A launch that the device refuses.",
    "uncompilable": "A kernel that does not compile.",
}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def log(outcomes: list[Any]) -> dict[str, Any]:
    """Return the log of what was found in some programs (`hundredfold.trial.outcome.Outcome`)."""
    results = [_result(outcome.path, finding) for outcome in outcomes for finding in outcome.findings]
    used = sorted({result["ruleId"] for result in results})
    rules = [{"id": name, "shortDescription": {"text": RULES.get(name, name)}} for name in used]
    driver = {"name": "hundredfold", "version": hundredfold.__version__, "rules": rules}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _result(path: str, finding: dict[str, Any]) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": finding.get("path") or path}}
    if finding.get("file_line") and not path.endswith(".ipynb"):
        location["region"] = {"startLine": finding["file_line"]}
    where = f"{finding['kernel']}, line {finding['line']}: " if path.endswith(".ipynb") else ""
    return {
        "ruleId": finding["kind"],
        "level": "error" if finding["severity"] == "error" else "warning",
        "message": {"text": where + finding["sentence"]},
        "locations": [{"physicalLocation": location}],
    }
