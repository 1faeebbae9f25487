"""What came of the programs of `list.json`, counted: the last lines of `run.py`, and README.md beside it.

    python packages/kernellens/tests/public_notebooks/table.py [--results FILE]

RESULTS, of `run.py`, is entered in the list first; then README.md is written from the list.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
LIST, PAGE = HERE / "list.json", HERE / "README.md"
TRIED, REPOSITORIES, LEFT_OUT, RUN = 80, 6, 0.40, 0.92
NEEDS = re.compile(r"\((network|library [\w.-]+|C\+\+ toolchain)\)$")


@dataclass
class Count:
    """Programs by what came of them.

    Attributes
    ----------
    left_out : int
        Need the network, a C++ toolchain or a library that is not simulated.
    older : int
        Use what the locked version of a real library no longer has, and end on a GPU as here.
    """

    tried: int = 0
    left_out: int = 0
    older: int = 0
    ran: int = 0
    failed: int = 0

    def shares(self, older_left_out: bool) -> tuple[float, float]:
        """The share that is left out, and of the rest the share that runs to the end."""
        out = self.left_out + (self.older if older_left_out else 0)
        return out / max(self.tried, 1), self.ran / max(self.tried - out, 1)


def key(entry: dict) -> str:
    return f"{entry['repository']}:{entry['path']}"


def load() -> dict:
    return json.loads(LIST.read_text(encoding="utf-8"))


def fate(entry: dict) -> str:
    """`left_out`, `ran`, `older` or `failed`."""
    if entry.get("left_out"):
        return "left_out"
    if entry["status"] == "ran":
        return "ran"
    return "older" if entry.get("real_refuses") else "failed"


def count(entries: list[dict]) -> Count:
    found = collections.Counter(fate(entry) for entry in entries)
    return Count(len(entries), found["left_out"], found["older"], found["ran"], found["failed"])


def reached(entries: list[dict]) -> bool:
    """Whether enough was tried, and enough of it runs, older programs being left out."""
    whole = count(entries)
    left, ran = whole.shares(True)
    return (
        whole.tried >= TRIED
        and len({entry["repository"] for entry in entries}) >= REPOSITORIES
        and left <= LEFT_OUT
        and ran >= RUN
    )


def page(listed: dict) -> str:
    """README.md."""
    entries = listed["programs"]
    lines = [
        "# Public GPU notebooks and scripts, run here",
        "",
        "*Made by `packages/kernellens/tests/public_notebooks/table.py` from `list.json`; do not edit.*",
        "",
        "Each is run by `kernellens try`, unmodified, with no network, five minutes for a cell, in one process of its own. Of a",
        f"repository all GPU programs are listed; {len(listed['not_tried'])} files are no programs (fragments that no Python",
        "runs, exercises with gaps, tests, programs for one cluster or cloud) and stand in `list.json` under `not_tried`, each",
        "with its reason.",
        "",
        "**Left out**: a line of it needs the network, a C++ toolchain or a library that is not simulated; the line is below.",
        "**Older**: it uses what the locked version of a real library no longer has or refuses, and ends on a GPU as it does here.",
        "**Later**: nobody had looked at these when the simulated libraries were written; they were taken up whole, in search of what fails.",
        "",
    ]
    lines += _table(entries)
    lines += ["", "## Two ways to count", "", *_shares(entries), ""]
    lines += ["## Not run to the end", ""]
    lines += [f"- {_name(e)}: {e['status']}. {e.get('why_not', '')}".rstrip() for e in entries if fate(e) == "failed"]
    lines += ["", "## Older", ""]
    lines += [f"- {_name(e)}: {e['real_refuses']}" for e in entries if fate(e) == "older"]
    lines += ["", "## Left out", ""]
    lines += [f"- {_name(e)}: {e['left_out']}" for e in entries if fate(e) == "left_out"]
    return "\n".join(lines) + "\n"


def _name(entry: dict) -> str:
    return f"{entry['repository']} `{entry['path']}`"


def _row(name: str, found: Count) -> str:
    return f"| {name} | {found.tried} | {found.left_out} | {found.older} | {found.ran} | {found.failed} |"


def _table(entries: list[dict]) -> list[str]:
    lines = ["| repository | tried | left out | older | ran | failed |", "|---|--:|--:|--:|--:|--:|"]
    groups = collections.defaultdict(list)
    for entry in entries:
        groups[entry["repository"]].append(entry)
    first = [name for name in sorted(groups) if not any(e.get("later") for e in groups[name])]
    later = [name for name in sorted(groups) if name not in first]
    lines += [_row(name, count(groups[name])) for name in first]
    lines.append(_row("**these**", count([e for name in first for e in groups[name]])))
    lines += [_row(f"{name} (later)", count(groups[name])) for name in later]
    lines.append(_row("**later**", count([e for name in later for e in groups[name]])))
    lines.append(_row("**all**", count(entries)))
    return lines


def _shares(entries: list[dict]) -> list[str]:
    lines = ["| older programs are | which | left out | of the rest run to the end |", "|---|---|--:|--:|"]
    parts = {
        "all": entries,
        "first": [e for e in entries if not e.get("later")],
        "later": [e for e in entries if e.get("later")],
    }
    for older, words in ((True, "left out (a library outside of the lock)"), (False, "failures")):
        for name, part in parts.items():
            left, ran = count(part).shares(older)
            lines.append(f"| {words} | {name} | {left:.1%} | {ran:.1%} |")
    return lines


def summary(entries: list[dict], results: dict[str, dict]) -> tuple[str, bool]:
    """The last lines of a run, and whether what has to be reached is; of what has a result, or is left out."""
    known = []
    for entry in entries:
        result = results.get(key(entry))
        if result or entry.get("left_out"):
            known.append({**entry, "status": result["status"] if result else "left out"})
    return "\n".join([*_table(known), "", *_shares(known)]), reached(known)


def enter(listed: dict, results: dict[str, dict]) -> None:
    """Write down in the list what came of each."""
    for entry in listed["programs"]:
        result = results.get(key(entry))
        if result is None:
            continue
        place = f" (cell {result['cell']})" if result.get("cell") and result["status"] != "ran" else ""
        entry["status"] = result["status"] + place


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path)
    arguments = parser.parse_args()
    listed = load()
    if arguments.results:
        enter(listed, json.loads(arguments.results.read_text(encoding="utf-8")))
        LIST.write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(listed), encoding="utf-8")
    return 0 if reached(listed["programs"]) else 1


if __name__ == "__main__":
    sys.exit(main())
