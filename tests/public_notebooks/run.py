"""Public GPU notebooks and scripts, tried with `hundredfold try`: how many run to their end.

    python tests/public_notebooks/run.py --checkouts FOLDER [--only WORD] [--results FILE] [--extra FOLDER]

`list.json` says which: repository, path, commit and what came of it last.  Nothing of theirs is kept here: FOLDER holds a
checkout of each repository, named ``owner+name``.  What needs the network, a C++ toolchain or a library that is none of
those stood in for is left out, with the line that needs it (``left_out``).  ``not_tried`` names files of the same repositories that
are no programs: fragments that no Python runs, or for versions of long ago.  EXTRA is a folder of packages that the
notebooks import besides (Matplotlib and its like), put on PYTHONPATH.

``real_refuses`` names what the locked version of the real library refuses too, with where it does: programs for older
versions.  They count as not run; a second share leaves them aside.  ``later`` marks programs of repositories that were taken
up when the others ran, in search of outputs to compare with: they are counted on a line of their own, which says how the
stand-ins do with programs that nobody had looked at.

One at a time, each cell with five minutes (``--timeout``), and the cells after one that fails run too, for
``compare.py``; what counts is whether none did.  The last line tells the shares; the exit status is 0 where they are reached:
at least 80 tried of six repositories, at most 40 % left out, of the rest at least 92 % run to the end.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LIST = HERE / "list.json"
TRIED, REPOSITORIES, LEFT_OUT, RUN = 80, 6, 0.40, 0.92


def attempt(folder: Path, entry: dict, extra: str | None, timeout: float, keep: Path | None) -> dict:
    """What `hundredfold try` says of one program."""
    root = folder / entry["repository"].replace("/", "+")
    program = root / entry["path"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HUNDREDFOLD_")}
    environment.setdefault("NUMBA_NUM_THREADS", "8")  # several ask for more threads than this machine may have cores
    if extra:
        environment["PYTHONPATH"] = extra
    # Its folder, or the nearest above it that its paths lead to.
    top = (root / entry["root"]) if entry.get("root") else program.parent
    command = [Path(sys.executable).with_name("hundredfold"), "try", "--json", "--timeout", str(timeout)]
    command += ["--allow-out-of-bounds", "--allow-races", "--go-on", "--root", top, program]
    if entry.get("arguments"):
        command += ["--arguments", entry["arguments"]]
    if keep is not None:
        command += ["--keep", keep / entry["repository"].replace("/", "+") / Path(entry["path"]).parent]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    try:
        return json.loads(done.stdout)[0]
    except (ValueError, IndexError):
        return {"status": "no answer", "message": done.stderr[-500:]}


def summary(entries: list[dict], results: dict[str, dict]) -> tuple[str, bool]:
    """The last lines, and whether what has to be reached is."""
    later = [entry for entry in entries if entry.get("later") and key(entry) in results]
    tried = [entry for entry in entries if not entry.get("later") and key(entry) in results]
    left = [entry for entry in tried if entry.get("left_out")]
    refused = [entry for entry in tried if entry.get("real_refuses") and results[key(entry)]["status"] != "ran"]
    rest = [entry for entry in tried if not entry.get("left_out")]
    ran = [entry for entry in rest if results[key(entry)]["status"] == "ran"]
    lines = [f"{'repository':50s} {'tried':>5s} {'left out':>8s} {'ran':>5s} {'failed':>6s}"]
    for name in sorted({entry["repository"] for entry in tried}):
        of = [[e for e in group if e["repository"] == name] for group in (tried, left, ran)]
        n, out, good = map(len, of)
        lines.append(f"{name:50s} {n:5d} {out:8d} {good:5d} {n - out - good:6d}")
    share_left = len(left) / max(len(tried), 1)
    share_ran = len(ran) / max(len(rest), 1)
    repositories = len({entry["repository"] for entry in tried})
    lines.append(
        f"{len(tried)} tried of {repositories} repositories; {len(left)} left out ({share_left:.1%}); "
        f"{len(ran)} of the other {len(rest)} run to the end ({share_ran:.1%})."
    )
    outdated = len(ran) / max(len(rest) - len(refused), 1)
    lines.append(
        f"{len(refused)} that do not are refused by the locked version of the real library too (`real_refuses`); "
        f"without these {outdated:.1%}."
    )
    fresh = [entry for entry in later if not entry.get("left_out")]
    lines.append(
        f"Taken up later (`later`): {len(later)} of {len({entry['repository'] for entry in later})} more repositories; "
        f"{len(later) - len(fresh)} left out; {sum(results[key(e)]['status'] == 'ran' for e in fresh)} of the other "
        f"{len(fresh)} run to the end."
    )
    enough = len(tried) >= TRIED and repositories >= REPOSITORIES and share_left <= LEFT_OUT and share_ran >= RUN
    return "\n".join(lines), enough


def key(entry: dict) -> str:
    return f"{entry['repository']}:{entry['path']}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkouts", type=Path, help="folder of the checkouts")
    parser.add_argument("--only", action="append", help="run only those whose repository or path holds this")
    parser.add_argument("--results", type=Path, default=Path("public-notebooks.json"), help="kept and gone on with")
    parser.add_argument("--again", action="store_true", help="run those again that have a result")
    parser.add_argument("--failed", action="store_true", help="run those again that did not run to the end")
    parser.add_argument("--extra", help="folder of further packages")
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--keep", type=Path, help="folder for what they printed")
    parser.add_argument("--summary", action="store_true", help="only show the results that there are")
    arguments = parser.parse_args()
    entries = json.loads(LIST.read_text(encoding="utf-8"))["programs"]
    results = json.loads(arguments.results.read_text(encoding="utf-8")) if arguments.results.exists() else {}
    if not arguments.summary:
        for entry in entries:
            name = key(entry)
            known = results.get(name, {}).get("status")
            if arguments.only and not any(word in name for word in arguments.only):
                continue
            if (
                known
                and not arguments.again
                and not (arguments.failed and known != "ran" and not entry.get("left_out"))
            ):
                continue
            result = attempt(arguments.checkouts, entry, arguments.extra, arguments.timeout, arguments.keep)
            # Another run may have written meanwhile.
            if arguments.results.exists():
                results = json.loads(arguments.results.read_text(encoding="utf-8"))
            results[name] = result
            new = arguments.results.with_suffix(".new")
            new.write_text(json.dumps(results, indent=1), encoding="utf-8")
            new.replace(arguments.results)
            place = ", ".join(f"{what} {result[what]}" for what in ("cell", "line") if result.get(what))
            said = (result.get("message", "").splitlines() or [""])[0][:150]
            print(f"{result['status']:14s} {name}  {place}  {result.get('error', '')}: {said}", flush=True)
    text, enough = summary(entries, results)
    print(text)
    counts = collections.Counter(result["status"] for result in results.values())
    print(", ".join(f"{status} {n}" for status, n in counts.most_common()))
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
