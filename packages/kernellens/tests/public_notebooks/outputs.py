"""What public notebooks print here, beside the outputs that a real GPU left in them.

    python packages/kernellens/tests/public_notebooks/outputs.py --checkouts FOLDER [--only WORD] [--write]
    python packages/kernellens/tests/public_notebooks/outputs.py --page

`outputs.json` lists the notebooks: repository, commit, path and licence, the GPU that their outputs name, how many cells agree
and are set apart (`kernellens.trial.outputs` has the rules), and of each cell that differs the reason.  Nothing of theirs is
kept here: FOLDER holds a checkout of each repository, named ``owner+name``.

They are run one at a time, each cell with `CELL` seconds, each notebook with `SECONDS`, and all with `MEMORY` bytes: what needs
more did not run.  The exit status is 0 if each cell that differs has a reason, and no fewer cells agree than are listed.
``--write`` lists what was found; reasons stay.  ``--page`` makes OUTPUTS.md of the list.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from run import attempt  # noqa: E402
from table import key  # noqa: E402

from kernellens.trial.outputs import RULES  # noqa: E402

LIST, PAGE = HERE / "outputs.json", HERE / "OUTPUTS.md"
CELL, SECONDS, MEMORY = 150, 600, 14 * 10**9


def found(outcome: dict) -> dict:
    """What `outputs.json` keeps of an outcome of `kernellens try`; the reasons of what differs are left empty."""
    compared = [each for each in outcome.get("compared", []) if each["apart"] != ["not stored"]]
    apart = Counter(each["apart"][-1] for each in compared if each["verdict"] == "set apart")
    allowed = Counter(rule for each in compared if each["verdict"] == "agrees" for rule in each["apart"])
    return {
        "agree": sum(each["verdict"] == "agrees" for each in compared),
        "allowed": dict(sorted(allowed.items())),
        "apart": dict(sorted(apart.items())),
        "differ": {str(each["cell"]): "" for each in compared if each["verdict"] == "differs"},
        "stopped": stopped(outcome),
    }


def stopped(outcome: dict) -> str:
    """The first cell that failed, and what it said; empty if all ran."""
    if outcome["status"] == "ran":
        return ""
    said = re.sub(r" \(/\S+\)", "", (outcome.get("message", "").splitlines() or [""])[0])[
        :120
    ]  # no path of this machine
    place = f"cell {outcome['cell']}: " if outcome.get("cell") else ""
    return f"{place}{outcome.get('error') or outcome['status']}: {said}"


def wrong(entry: dict, now: dict) -> list[str]:
    """What is not as listed."""
    said = []
    if now["agree"] < entry["agree"]:
        said.append(f"{now['agree']} cells agree, {entry['agree']} are listed")
    return said + [f"cell {cell} differs" for cell in now["differ"] if not entry["differ"].get(cell)]


def counts(entries: list[dict]) -> Counter:
    """Notebooks of which a cell was compared, cells compared, and how many of them agree and differ."""
    total = Counter()
    for entry in entries:
        agree, differ = entry["agree"], len(entry["differ"])
        total.update(agree=agree, differ=differ, cells=agree + differ, notebooks=int(agree + differ > 0))
    return total


def page(listed: dict) -> str:
    """OUTPUTS.md."""
    entries = listed["notebooks"]
    total = counts(entries)
    allowed = sum((Counter(entry["allowed"]) for entry in entries), Counter())
    apart = sum((Counter(entry["apart"]) for entry in entries), Counter())
    lines = [
        "# What public notebooks print here, and printed on a GPU",
        "",
        "*Made by `packages/kernellens/tests/public_notebooks/outputs.py --page` from `outputs.json`; do not edit.*",
        "",
        "Public notebooks have the outputs of a real GPU stored in them. `kernellens try` runs each here, unmodified, and compares cell by cell.",
        f"Of {len(entries)} notebooks, {total['notebooks']} have cells that can be compared: {total['cells']} cells. "
        f"{total['agree']} agree ({total['agree'] / max(total['cells'], 1):.1%}), {total['differ']} differ. "
        f"{sum(bool(entry['gpu']) for entry in entries)} of the notebooks name their GPU. "
        "What a notebook does on the CPU, such as pandas' answers beside cuDF's, is compared, too.",
        "",
        "The rules are those of `packages/kernellens/src/kernellens/trial/outputs.py`:",
        "",
        "| rule | what is meant | cells set apart | cells that agree beside it |",
        "|---|---|--:|--:|",
    ]
    lines += [
        f"| {rule} | {what} | {apart[rule]} | {allowed[rule]} |" for rule, what in RULES.items() if rule != "not stored"
    ]
    lines += [
        "",
        "## By repository",
        "",
        "| repository | licence | notebooks | cells | agree | differ |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for repository in sorted({entry["repository"] for entry in entries}, key=str.lower):
        group = [entry for entry in entries if entry["repository"] == repository]
        found = counts(group)
        numbers = " | ".join(str(found[name]) for name in ("notebooks", "cells", "agree", "differ"))
        lines.append(f"| {repository} | {group[0]['licence']} | {numbers} |")
    lines += ["", "## Each cell that differs", ""]
    for entry in entries:
        lines += [
            f"- {entry['repository']} `{entry['path']}`, cell {cell}: {why}" for cell, why in entry["differ"].items()
        ]
    lines += [
        "",
        "## Stopped before the end",
        "",
        "Cells behind these can lack what they need. They are set apart where they print something else.",
        "",
    ]
    for entry in entries:
        if entry["stopped"]:
            lines.append(f"- {entry['repository']} `{entry['path']}`: {entry['stopped']}")
    lines += ["", "## Left out", ""]
    lines += ["| repository | notebooks | why |", "|---|--:|---|"]
    lines += [f"| {each['repository']} | {each['notebooks']} | {each['why']} |" for each in listed["left_out"]]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkouts", type=Path, help="folder of the checkouts")
    parser.add_argument("--list", type=Path, default=LIST, help="which notebooks")
    parser.add_argument("--only", action="append", help="run only those whose repository or path holds this")
    parser.add_argument("--keep", type=Path, help="folder for what they printed")
    parser.add_argument("--write", action="store_true", help="list what was found")
    parser.add_argument("--page", action="store_true", help="only make OUTPUTS.md")
    arguments = parser.parse_args()
    listed, failed = json.loads(arguments.list.read_text(encoding="utf-8")), 0
    if arguments.page:
        PAGE.write_text(page(listed), encoding="utf-8")
        return 0
    if arguments.checkouts is None:
        parser.error("--checkouts names the folder of the checkouts")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for entry in listed["notebooks"]:
        if arguments.only and not any(word in key(entry) for word in arguments.only):
            continue
        now = found(attempt(arguments.checkouts, entry, None, CELL, arguments.keep, SECONDS, check=False))
        said = wrong(entry, now)
        failed += bool(said)
        print(f"{'; '.join(said) or 'as listed'}: {key(entry)}", flush=True)
        if arguments.write:
            now["differ"] = {cell: entry["differ"].get(cell, "") for cell in now["differ"]}
            entry.update(now)
            arguments.list.write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    total = counts(listed["notebooks"])
    print(f"Listed: {total['notebooks']} notebooks, {total['cells']} cells compared, {total['agree']} agree.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
