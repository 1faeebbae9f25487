"""cuDF's own tests under the simulated library: how many pass.

    python packages/gpusim/tests/cudf_suite/run.py --checkout PATH [--each N] [FILE|FOLDER …]

PATH is a checkout of rapidsai/cudf; nothing of it is kept here.  The files of a folder share a process.  A test that
ends in ``NotSimulatedError`` counts as not simulated, a file that cannot be imported as one failure; skipped and expected
failures are told and count for nothing.  ``--each`` runs so many cases of each test function, evenly spread.  The last
line tells the share that passes; the exit status is 0 where it reaches ``--target``.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FILE_LIMIT = 1800  # seconds for the files of a folder


def package_of(checkout: Path) -> Path:
    """The ``cudf`` folder of a checkout."""
    for place in ("python/cudf/cudf", "cudf", "."):
        if (checkout / place / "tests").is_dir() and (checkout / place / "testing").is_dir():
            return (checkout / place).resolve()
    raise SystemExit(f"{checkout} holds no python/cudf/cudf/tests: name a checkout of rapidsai/cudf.")


def run_files(suite: Path, package: Path, files: list[Path], each: int, limit: int) -> list[dict]:
    """The outcomes of the tests of some files, in one process."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.jsonl"
        environment = {
            **os.environ,
            "CUDF_SUITE": str(package),
            "CUDF_RESULTS": str(results),
            "CUDF_EACH": str(each),
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
        }
        command = [sys.executable, "-m", "pytest", "-p", "child", "-p", "no:cacheprovider", "--continue-on-collection-errors", "-q", "--import-mode=importlib",
                   "--rootdir", str(suite), "-c", os.devnull, "--tb=short", *map(str, files)]  # fmt: skip
        with open(Path(folder) / "log", "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=environment)
            try:
                process.wait(limit)
                note = ""
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                note = f"the folder took longer than {limit} s"
        text = results.read_text(encoding="utf-8") if results.exists() else ""
        lines = [json.loads(line) for line in text.splitlines()]
        entries = [line for line in lines if "test" in line]
        collected = sum(line.get("collected", 0) for line in lines)
        missing = collected - len(entries)
        if note and missing > 0:
            entries.append({"test": str(files[0]), "outcome": "cut off", "detail": note, "count": missing})
        if not lines:
            tail = (Path(folder) / "log").read_text(encoding="utf-8", errors="replace")[-1500:]
            entries.append({"test": str(files[0]), "outcome": "unimportable", "detail": tail})
    return entries


def cause(detail: str) -> str:
    """The line of a traceback that says what went wrong, to group by."""
    telling = [line[1:].strip() for line in detail.splitlines() if line.startswith("E ")]
    text = (telling or detail.strip().splitlines() or ["?"])[-1 if not telling else 0]
    return re.sub(r"0x[0-9a-f]+", "0x…", text)[:140]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkout", type=Path, required=True, help="a checkout of rapidsai/cudf")
    parser.add_argument("--each", type=int, default=0, help="cases of each test function (0: all)")
    parser.add_argument("--target", type=float, default=0.0, help="share in percent that must pass")
    parser.add_argument("--failures", type=Path, help="write each failure with its reason to this file")
    parser.add_argument("--limit", type=int, default=FILE_LIMIT, help="seconds for one file")
    parser.add_argument("files", nargs="*", help="files or folders of the suite, all by default")
    arguments = parser.parse_args()
    package = package_of(arguments.checkout)
    totals: collections.Counter = collections.Counter()
    causes: collections.Counter = collections.Counter()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        # Outside the package, so that pytest does not take its folders for parts of an installed cudf.
        suite = Path(folder) / "suite"
        shutil.copytree(package / "tests", suite, ignore=shutil.ignore_patterns("__init__.py", "__pycache__"))
        wanted = [suite / name for name in arguments.files] or [suite]
        files = sorted({f for w in wanted for f in ([w] if w.is_file() else w.rglob("test_*.py"))})
        print(f"{'file':64} {'pass':>6} {'fail':>6} {'unsim.':>6} {'skip':>6}")
        folders: dict[Path, list[Path]] = {}
        for file in files:
            folders.setdefault(file.parent, []).append(file)
        for together in folders.values():
            by_file: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
            for entry in run_files(suite, package, together, arguments.each, arguments.limit):
                name = entry["test"].partition("::")[0].removeprefix(str(suite)).lstrip("/")
                by_file[name][entry["outcome"]] += entry.get("count", 1)
                if entry["outcome"] not in ("pass", "skip", "xfail"):
                    causes[cause(entry["detail"])] += 1
                    failures.append(entry)
            for name, counts in sorted(by_file.items()):
                totals += counts
                bad = counts["fail"] + counts["unimportable"] + counts["cut off"]
                left = counts["skip"] + counts["xfail"]
                print(f"{name:64} {counts['pass']:6} {bad:6} {counts['not simulated']:6} {left:6}", flush=True)
    if arguments.failures:
        arguments.failures.write_text("".join(f"## {e['test']}\n{e['outcome']}\n{e['detail']}\n\n" for e in failures))
    print("\nMost frequent causes:")
    for text, n in causes.most_common(40):
        print(f"{n:6}  {text}")
    bad = totals["fail"] + totals["unimportable"] + totals["cut off"]
    ran = totals["pass"] + bad + totals["not simulated"]
    share = 100 * totals["pass"] / ran if ran else 0.0
    print(f"\n{totals['pass']} of {ran} pass ({share:.1f} %); {bad} fail, {totals['not simulated']} not simulated, "
          f"{totals['skip'] + totals['xfail']} skipped or expected to fail.")  # fmt: skip
    return 0 if share >= arguments.target else 1


if __name__ == "__main__":
    raise SystemExit(main())
