"""CuPy's own tests under the simulated library: how many of those that are collected pass.

    python packages/gpusim/tests/cupy_suite/run.py --checkout PATH [--part math --part core …] [--json FILE]

PATH is a checkout of cupy/cupy (v14.2.0) or what a source package holds: ``cupy/testing`` and ``tests/cupy_tests`` are read from
it and nothing of it is kept here.  Tests that compile C++, look inside the compiler or call NVIDIA's libraries directly are left
out, each with its reason (`selection.py`).  A test *with a twin* runs with NumPy too and has to give the same
(``cupy.testing.numpy_cupy_*``).  What fails is expected where `known.json` gives its reason; anything else makes the exit status
1, as does a share below the targets.
"""

from __future__ import annotations

import argparse
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

LIMIT = 3600  # seconds for one part
BAD = ("fail", "time-out", "crash", "unimportable")
TARGETS = {True: 0.99, False: 0.97}


def files_of(checkout: Path, part: str) -> list[str]:
    tests = checkout / "tests" / "cupy_tests"
    found = []
    for name in selection.PARTS[part]:
        place = tests / name
        files = sorted(place.rglob("test_*.py")) if place.is_dir() else [place]
        found += [str(file.relative_to(tests)) for file in files if file.exists()]
    return found if part == "kernels" else [name for name in found if name not in selection.KERNELS]


def run_part(checkout: Path, part: str, keyword: str) -> list[dict]:
    """The lines of a part's tests.  After a crash the files behind the one that crashed are run by a new process."""
    lines: dict[str, dict] = {}
    files = files_of(checkout, part)
    for name in [name for name in files if selection.reason(name) is not None]:
        files.remove(name)
        lines[name] = {
            "test": name,
            "outcome": "left out",
            "detail": selection.reason(name),
            "count": count(checkout, name),
        }
    if keyword:
        files = [name for name in files if keyword in name]
    while files:
        done, note = run_files(checkout, files)
        lines.update(done)
        crashed = [entry for entry in done.values() if entry["outcome"] == "started"]
        for entry in crashed:
            entry.update(outcome="crash", detail=note)
        if not crashed:
            break
        at = crashed[0]["test"].partition("::")[0]
        files = files[next(i for i, name in enumerate(files) if name == at) + 1 :] if at in files else []
    for entry in lines.values():
        entry["part"] = part
    return list(lines.values())


def run_files(checkout: Path, files: list[str]) -> tuple[dict[str, dict], str]:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.jsonl"
        command = [sys.executable, str(HERE / "child.py"), str(checkout), str(results), *files]
        environment = {
            "GPUSIM_GPUS": "2",
            "GPUSIM_GPU_MEMORY": "4GiB",
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        with open(Path(folder) / "log", "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=environment)
            try:
                note = f"the process ended with {process.wait(LIMIT)}"
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                note = f"longer than {LIMIT} s"
        note += "\n" + (Path(folder) / "log").read_text(encoding="utf-8", errors="replace")[-3000:]
        text = results.read_text(encoding="utf-8") if results.exists() else ""
    lines: dict[str, dict] = {}
    for line in text.splitlines():
        entry = json.loads(line)
        if entry["outcome"] != "started" or entry["test"] not in lines:
            lines[entry["test"]] = entry
    if not lines:
        print(note, file=sys.stderr)
        return {name: {"test": name, "outcome": "unimportable", "detail": note} for name in files}, note
    return lines, note


def count(checkout: Path, name: str) -> int:
    """How many test functions a file that is left out holds, by its text."""
    text = (checkout / "tests" / "cupy_tests" / name).read_text(encoding="utf-8")
    return len(re.findall(r"^\s*def test_", text, re.M))


def known() -> list[tuple[str, str]]:
    """Patterns of tests that fail, and why."""
    return [tuple(pair) for pair in json.loads((HERE / "known.json").read_text(encoding="utf-8"))]


def cause(detail: str) -> str:
    """The line of a traceback that tells most."""
    lines = [line[2:] if line.startswith("E ") else "" for line in detail.splitlines()]
    errors = [
        line.strip() for line in lines if re.match(r"\s*[\w.]+(Error|Exception|Warning|Attribute|Import)\b", line)
    ]
    text = errors[-1] if errors else (detail.strip().splitlines() or ["?"])[-1]
    return re.sub(r"0x[0-9a-f]+", "0x…", text)[:160]


def share(counts: collections.Counter) -> float:
    counted = sum(counts[outcome] for outcome in ("pass", "not simulated", *BAD))
    return counts["pass"] / counted if counted else 1.0


def report(entries: list[dict], verbose: bool) -> bool:
    reasons = known()
    table: dict = collections.defaultdict(collections.Counter)
    causes = collections.defaultdict(list)
    unknown = []
    for entry in entries:
        n, twin = entry.get("count", 1), entry.get("twin")
        for key in {(entry["part"], twin), ("all", twin), ("all", None)}:
            table[key][entry["outcome"]] += n
        if entry["outcome"] in (*BAD, "not simulated"):
            why = next((why for pattern, why in reasons if re.search(pattern, entry["test"])), None)
            entry["reason"] = why
            causes[f"[{entry['outcome']}] {cause(entry['detail'])}"].append(entry["test"])
            if why is None and entry["outcome"] in BAD:
                unknown.append(entry["test"])
    heads = ("pass", "fail", "not simulated", "skip", "left out")
    print(f"{'part':14} {'twin':5} " + " ".join(f"{head:>13}" for head in heads) + f" {'share':>8}")
    for (part, twin), counts in sorted(
        table.items(), key=lambda item: (item[0][0] == "all", item[0][0], str(item[0][1]))
    ):
        row = {**counts, "fail": sum(counts[outcome] for outcome in BAD)}
        label = {True: "with", False: "none", None: "both" if part == "all" else "?"}[twin]
        print(f"{part:14} {label:5} " + " ".join(f"{row.get(head, 0):13}" for head in heads) + f" {share(counts):8.2%}")
    left = collections.Counter()
    for entry in entries:
        if entry["outcome"] == "left out":
            left[entry["detail"]] += entry.get("count", 1)
    print("\nLeft out:")
    for why, n in left.most_common():
        print(f"  {n:6}  {why}")
    print("\nFailures by cause:")
    for text, tests in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"  {len(tests):5}  {text}")
        for test in tests[: None if verbose else 2]:
            print(f"           {test}")
    if unknown:
        print(f"\n{len(unknown)} failures have no reason in known.json.")
    reached = all(share(table["all", twin]) >= target for twin, target in TARGETS.items())
    return reached and not unknown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--checkout", type=Path, required=True, help="a checkout of cupy/cupy")
    parser.add_argument("--part", action="append", choices=list(selection.PARTS), help="several times for several")
    parser.add_argument("--only", default="", help="files whose name contains this")
    parser.add_argument("--json", type=Path, help="write every test's outcome there")
    parser.add_argument("--verbose", action="store_true", help="name every test that fails")
    arguments = parser.parse_args()
    if not (arguments.checkout / "tests" / "cupy_tests").is_dir() or not (arguments.checkout / "cupy/testing").is_dir():
        raise SystemExit(
            f"{arguments.checkout} holds no tests/cupy_tests and cupy/testing: name a checkout of cupy/cupy."
        )
    entries = []
    for part in arguments.part or selection.DEFAULT:
        found = run_part(arguments.checkout.resolve(), part, arguments.only)
        entries += found
        outcomes = collections.Counter(entry["outcome"] for entry in found)
        print(f"{part}: {dict(outcomes)}", file=sys.stderr, flush=True)
        if arguments.json:
            arguments.json.write_text(json.dumps(entries, indent=1), encoding="utf-8")
    good = report(entries, arguments.verbose)
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
