"""Public GPU notebooks and scripts, tried with `kernellens try`: how many run to their end.

    python packages/kernellens/tests/public_notebooks/run.py --checkouts FOLDER [--only WORD] [--results FILE] [--extra FOLDER]

`list.json` says which: repository, path, commit and what came of it last.  Nothing of theirs is kept here: FOLDER holds a
checkout of each repository, named ``owner+name``.  What needs the network, a C++ toolchain or a library that is none of
those simulated is left out, with the line that needs it (``left_out``).  ``not_tried`` names files of the same repositories that
are no programs: fragments that no Python runs, or for versions of long ago.  EXTRA is a folder of packages that the
notebooks import besides (Matplotlib and its like), put on PYTHONPATH.

``real_refuses`` names what the locked version of the real library refuses too, with where it does: programs for older
versions.  ``later`` marks programs of repositories that were taken up when the others ran, whole, in search of what fails.
`table.py` counts them, with the former left out and as failures, and writes README.md.

One at a time, each cell with five minutes (``--timeout``).  The exit status is 0 where the shares are reached: at least 80 tried of six
repositories, at most 40 % left out, of the rest at least 92 % run to the end, older programs being left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import table  # noqa: E402
from table import LIST, key  # noqa: E402


def attempt(
    folder: Path, entry: dict, extra: str | None, timeout: float, keep: Path | None,
    seconds: float | None = None, check: bool = True,
) -> dict:  # fmt: skip
    """What `kernellens try` says of one program.

    `timeout` is for a cell, `seconds` for the whole.  Unchecked, kernels are not looked at for races, which takes time.
    """
    root = folder / entry["repository"].replace("/", "+")
    program = root / entry["path"]
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_"))
    }
    environment.setdefault("NUMBA_NUM_THREADS", "8")  # several ask for more threads than this machine may have cores
    if extra:
        environment["PYTHONPATH"] = extra
    # Its folder, or the nearest above it that its paths lead to.
    top = (root / entry["root"]) if entry.get("root") else program.parent
    command = [Path(sys.executable).with_name("kernellens"), "try", "--json", "--timeout", str(timeout)]
    command += ["--allow-out-of-bounds", "--go-on", "--root", top, program]
    if check:
        command.append("--allow-races")
    else:
        environment["GPUSIM_TRACE"] = "off"
    if entry.get("arguments"):
        command += ["--arguments", entry["arguments"]]
    if keep is not None:
        command += ["--keep", keep / entry["repository"].replace("/", "+") / Path(entry["path"]).parent]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        done = subprocess.run(command, env=environment, text=True, check=False, timeout=seconds, **streams)
        return json.loads(done.stdout)[0]
    except subprocess.TimeoutExpired:
        return {"status": "too long", "message": f"longer than {seconds:g} s"}
    except (ValueError, IndexError):
        return {"status": "no answer", "message": done.stderr[-500:]}


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
    text, enough = table.summary(entries, results)
    print(text)
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
