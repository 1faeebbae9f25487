"""numba-cuda's own tests under the simulated library: how many of those that are about results pass.

    python packages/gpusim/tests/numba_cuda_suite/run.py --checkout PATH     a checkout of NVIDIA/numba-cuda, or where it is installed
    python packages/gpusim/tests/numba_cuda_suite/run.py --installed         the tests of the CUDA target that Numba itself still carries

Nothing of the suite is kept here.  Tests about the driver, about generated code, about the compiler's insides and about
the machine are left out, each with its reason (`selection.py`); ``--excluded`` lists them.  Each file runs in a process of
its own, each test has a minute.  A file that cannot be imported counts with all its tests as failed.  The last line tells
the share that passes; the exit status is 0 where it reaches ``--target``.
"""

from __future__ import annotations

import argparse
import ast
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import selection  # noqa: E402

FILE_LIMIT = 900  # seconds


def suite_of(checkout: Path) -> Path:
    """The ``tests`` folder of a checkout or an installation."""
    for place in ("numba_cuda/numba/cuda/tests", "numba/cuda/tests", "tests", "."):
        if (checkout / place / "cudapy").is_dir():
            return (checkout / place).resolve()
    raise SystemExit(f"{checkout} holds no numba_cuda/numba/cuda/tests/cudapy: name a checkout of NVIDIA/numba-cuda.")


def installed() -> Path:
    import importlib.util

    return Path(importlib.util.find_spec("numba").origin).parent / "cuda" / "tests"


def count(path: Path) -> int:
    """How many tests a file holds, by its text."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return sum(isinstance(node, ast.FunctionDef) and node.name.startswith("test") for node in ast.walk(tree)) or 1


def run_file(tests: Path, file: str) -> list[dict]:
    """The lines of one file's tests; those that a crash or the limit cut off are failures."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.jsonl"
        command = [sys.executable, str(HERE / "child.py"), str(tests), file, str(results)]
        environment = {**os.environ, "PYTHONFAULTHANDLER": "1"}
        note = ""
        with open(Path(folder) / "log", "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=environment)
            try:
                code = process.wait(FILE_LIMIT)
                note = f"the process ended with {code}" if code else ""
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                note = f"the file took longer than {FILE_LIMIT} s"
        text = results.read_text(encoding="utf-8") if results.exists() else ""
        log_text = (Path(folder) / "log").read_text(encoding="utf-8", errors="replace")
    lines: dict[str, dict] = {}
    for line in text.splitlines():
        entry = json.loads(line)
        lines[entry["test"]] = entry
    path = tests / f"{file}.py"
    for entry in lines.values():
        if entry["outcome"] == "started":
            entry.update(outcome="crash", detail=f"{note}\n{log_text[-2000:]}")
    if not lines or any(entry["outcome"] == "unimportable" for entry in lines.values()):
        detail = next(iter(lines.values()))["detail"] if lines else f"{note}\n{log_text[-2000:]}"
        return [
            {
                "test": f"{file}::({count(path)} tests)",
                "outcome": "unimportable",
                "detail": detail,
                "count": count(path),
            }
        ]
    if note:
        missing = count(path) - len(lines)
        if missing > 0:
            lines["rest"] = {"test": f"{file}::(the rest)", "outcome": "crash", "detail": note, "count": missing}
    return list(lines.values())


def cause(detail: str) -> str:
    """The last line of a traceback that says something, numbers and names of things blurred, to group by."""
    lines = [line.strip() for line in detail.strip().splitlines() if line.strip()]
    telling = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Fault|Warning|Import)\b", line)]
    text = (telling or lines or ["?"])[-1]
    return re.sub(r"0x[0-9a-f]+", "0x…", text)[:150]


def report(entries: list[dict], arguments) -> float:
    size = collections.Counter()
    by_file: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for entry in entries:
        n = entry.get("count", 1)
        size[entry["outcome"]] += n
        by_file[entry["test"].partition("::")[0]][entry["outcome"]] += n
    bad = ("fail", "time-out", "crash", "unimportable")
    print(f"{'file':44} {'pass':>5} {'fail':>5} {'skip':>5} {'left out':>8}")
    for file, counts in sorted(by_file.items()):
        failed = sum(counts[outcome] for outcome in bad)
        if counts["pass"] or failed or arguments.excluded:
            print(f"{file:44} {counts['pass']:5} {failed:5} {counts['skip']:5} {counts['excluded']:8}")
    reasons = collections.Counter()
    for entry in entries:
        if entry["outcome"] == "excluded":
            reasons[entry["category"], entry["detail"]] += 1
    print("\nLeft out:")
    for category, meaning in selection.CATEGORIES.items():
        total = sum(n for (kind, _), n in reasons.items() if kind == category)
        print(f"  {total:4}  {meaning}")
        if arguments.excluded:
            for (kind, why), n in sorted(reasons.items()):
                if kind == category:
                    print(f"        {n:4}  {why}")
    causes = collections.defaultdict(list)
    for entry in entries:
        if entry["outcome"] in bad:
            causes[f"[{entry['outcome']}] {cause(entry['detail'])}"].append(entry)
    print("\nFailures by cause:")
    for text, group in sorted(causes.items(), key=lambda item: -sum(e.get("count", 1) for e in item[1])):
        print(f"  {sum(e.get('count', 1) for e in group):4}  {text}")
        for entry in group[: None if arguments.verbose else 3]:
            print(f"          {entry['test']}")
    failed = sum(size[outcome] for outcome in bad)
    share = size["pass"] / max(1, size["pass"] + failed)
    for folder in ("doc_examples",):
        chosen = [entry for entry in entries if entry["test"].startswith(folder)]
        passed = sum(entry["outcome"] == "pass" for entry in chosen)
        counted = passed + sum(entry.get("count", 1) for entry in chosen if entry["outcome"] in bad)
        print(f"\nNumba's published CUDA examples: {passed} of {counted} pass.")
    print(
        f"{size['pass']} of {size['pass'] + failed} tests about results pass: {share:.1%} "
        f"({size['skip']} skipped by their own conditions, {size['excluded']} left out)."
    )
    return share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--checkout", type=Path, help="a checkout of NVIDIA/numba-cuda")
    where.add_argument("--installed", action="store_true", help="the CUDA tests in the installed Numba")
    parser.add_argument("--only", default="", help="files whose name contains this (several: with commas)")
    parser.add_argument("--json", type=Path, help="write every test's outcome there")
    parser.add_argument("--excluded", action="store_true", help="list what is left out, with the reasons")
    parser.add_argument("--verbose", action="store_true", help="name every test that fails")
    parser.add_argument("--target", type=float, default=0.9)
    arguments = parser.parse_args()
    tests = installed() if arguments.installed else suite_of(arguments.checkout)
    wanted = [part for part in arguments.only.split(",") if part]
    entries = []
    for path in sorted(tests.glob("*/test_*.py")):
        file = f"{path.parent.name}/{path.stem}"
        if wanted and not any(part in file for part in wanted):
            continue
        why = selection.reason(file, "", "")
        if why is not None:
            entries.append(
                {"test": file, "outcome": "excluded", "detail": why[1], "category": why[0], "count": count(path)}
            )
            continue
        found = run_file(tests, file)
        entries += found
        outcomes = collections.Counter()
        for entry in found:
            outcomes[entry["outcome"]] += entry.get("count", 1)
        print(f"{file}: {dict(outcomes)}", file=sys.stderr, flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(entries, indent=1), encoding="utf-8")
    raise SystemExit(0 if report(entries, arguments) >= arguments.target else 1)


if __name__ == "__main__":
    main()
