"""The GPU tests of public packages, run by ``pytest --gpusim``: what passes, what does not, and why.

    python tests/public_packages/run.py --checkouts FOLDER [--only WORD] [--keep FOLDER] [--record]
    python tests/public_packages/run.py --summary FOLDER [--record]

`packages.json` says which packages, at which commit, and how their tests are called. FOLDER holds a checkout of each, named
``owner+name``; nothing of theirs is kept here. Their tests run as they are, in this Python, which has gpusim, pytest and
`requirements.txt`. ``left_out`` names tests that are not started, ``because`` explains failures by a part of their message.

`--keep` keeps pytest's reports in a folder, and `--summary` counts those in one. `--record` writes what came of it into
`results.json`, and the table made from that into `docs/testing-without-a-gpu.md`. The exit status is 1 where a test fails that
`packages.json` does not explain.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = json.loads((HERE / "packages.json").read_text(encoding="utf-8"))
RESULTS = HERE / "results.json"
PAGE = HERE.parents[1] / "docs" / "testing-without-a-gpu.md"
BETWEEN = "<!-- made by tests/public_packages/run.py -->\n", "<!-- end -->"
NOT_SIMULATED = "it is not simulated"


def run(package: dict, root: Path, report: Path) -> None:
    """Run the tests of a package and leave pytest's report."""
    git = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=False)
    if (root / ".git").exists() and git.stdout.strip() != package["commit"]:
        raise SystemExit(f"{root} is not at {package['commit']}: `git checkout` it there.")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GPUSIM_", "HUNDREDFOLD_"))}
    command = [sys.executable, "-m", "pytest", "--gpusim", *_paths(package, root), "-p", "no:cacheprovider"]
    command += ["-W", "ignore", "--tb=short", "-q", f"--junitxml={report}"]
    for name in package["left_out"]:
        command += ["--deselect" if "::" in name else "--ignore", name]
    subprocess.run(command, cwd=root, env={**clean, **package["environ"]}, check=False)


def _paths(package: dict, root: Path) -> list[str]:
    """The tests' files, a pattern as the shell would write it out."""
    return [str(path.relative_to(root)) for pattern in package["tests"] for path in sorted(root.glob(pattern))]


def outcome(package: dict, report: Path) -> dict:
    """Count pytest's report of a package: how many passed, skipped, were refused or failed, and why."""
    counts, why = Counter(passed=0, skipped=0, refused=0, failed=0), Counter()
    unexplained = []
    for case in ET.parse(report).iter("testcase"):
        bad = next((case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None)
        skip = case.find("skipped")
        if bad is None and skip is None:
            counts["passed"] += 1
            continue
        said = (skip if bad is None else bad).get("message") or ""
        refused = re.search(rf"(\S+) needs a GPU: {NOT_SIMULATED}", said)
        if refused:
            counts["refused"] += 1
            why[f"{refused[1]} is not simulated"] += 1
        elif bad is None:
            counts["skipped"] += 1
        else:
            counts["failed"] += 1
            name = f"{case.get('classname')}::{case.get('name')}"
            reasons = [text for part, text in package["because"].items() if part in said or part in name]
            why[reasons[0] if reasons else said.splitlines()[0][:200]] += 1
            if not reasons:
                unexplained.append(f"{name}: {said.splitlines()[0][:200]}")
    return {"commit": package["commit"], **counts, "why": dict(why.most_common()), "unexplained": unexplained}


def table(results: dict) -> str:
    """What the page shows."""
    lines = [
        "| package | its GPU code | passed | skipped | refused | failed | left out |",
        "|---|---|---|---|---|---|---|",
    ]
    notes = []
    for package in PACKAGES:
        name, repository = package["name"], package["repository"]
        got, left = results[name], package["left_out"]
        source = f"[{name}](https://github.com/{repository}/tree/{package['commit']}) `{package['commit'][:7]}`"
        numbers = [got[kind] for kind in ("passed", "skipped", "refused", "failed")]
        lines.append(f"| {source} | {package['uses']} | {' | '.join(map(str, numbers))} | {len(left)} |")
        notes += [f"- **{name}, {count} not passed:** {reason}" for reason, count in got["why"].items()]
        for reason, names in _by_reason(left).items():
            notes.append(f"- **{name}, left out:** {reason} ({', '.join(f'`{each}`' for each in names)})")
    return "\n".join([*lines, "", *notes, ""])


def _by_reason(left: dict[str, str]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for name, reason in left.items():
        reasons.setdefault(reason, []).append(name.rpartition("::")[2].rpartition("/")[2])
    return reasons


def page(text: str, results: dict) -> str:
    """The text of the page with the table of these results."""
    before, _, rest = text.partition(BETWEEN[0])
    return before + BETWEEN[0] + "\n" + table(results) + "\n" + BETWEEN[1] + rest.partition(BETWEEN[1])[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkouts", type=Path, help="folder of the checkouts")
    parser.add_argument("--only", help="a part of a package's name")
    parser.add_argument("--keep", type=Path, help="folder for pytest's reports")
    parser.add_argument("--summary", type=Path, help="only count the reports in this folder")
    parser.add_argument("--record", action="store_true", help="write results.json and the page's table")
    arguments = parser.parse_args()
    if not (arguments.checkouts or arguments.summary):
        parser.error("name the folder of the checkouts, or of reports")
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    unexplained = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.summary or arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for package in PACKAGES:
            report = folder.resolve() / f"{package['name']}.xml"
            if arguments.only and arguments.only not in package["name"]:
                continue
            if not arguments.summary:
                root = arguments.checkouts.resolve() / package["repository"].replace("/", "+")
                if not root.is_dir():
                    raise SystemExit(f"{arguments.checkouts} has no {root.name}: check out {package['commit']} there.")
                run(package, root, report)
            got = outcome(package, report)
            unexplained += got.pop("unexplained")
            results[package["name"]] = got
            print(package["name"], *(f"{what}: {count}" for what, count in got.items()), sep="\n  ", flush=True)
    if arguments.record:
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")
    print(*unexplained, sep="\n")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
