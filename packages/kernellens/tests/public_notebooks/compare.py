"""What public notebooks print here, beside the outputs stored in them: the numbers, with a tolerance.

    python packages/kernellens/tests/public_notebooks/compare.py --checkouts FOLDER --kept FOLDER

KEPT is the folder that `run.py --keep` filled.  Cells that time something, print addresses or draw are not compared.  Each
notebook of `list.json` that has ``compared`` is: all its cells agree but those that it lists with a reason (another random
generator, an older version's layout, what the locked version refuses).  A cell that did not run here is neither: what it has
was not seen here.  The exit status is 0 if ten do.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
TIMED = re.compile(r"%time|%%time|timeit|perf_counter|time\.|elapsed|clock\(|nvidia-smi|getsizeof|benchmark", re.I)
SAYS_TIME = re.compile(
    r"\b(ms|µs|us|ns|sec|secs|seconds?|Wall time|CPU times|GB/s|per loop|0x[0-9a-f]+)\b|\d s\b|object at"
)
RTOL, ENOUGH = 2e-3, 10


def texts(cell: dict) -> str:
    """What a cell printed: its text, not its pictures nor what went to stderr."""
    found = []
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream" and output.get("name", "stdout") == "stdout":
            found.append("".join(output["text"]))
        elif output["output_type"] in ("execute_result", "display_data", "pyout"):
            found.append("".join(output.get("data", output).get("text/plain", output.get("text", ""))))
    return "\n".join(found)


def same(one: str, other: str) -> bool:
    """Whether two texts have the same numbers; the last digit that is shown may differ by one.

    NumPy's newer `shape=(…)` is no number of theirs, and rows may stand in another order: groups have none in cuDF.
    """
    one, other = (re.sub(r",\s+shape=\([^)]*\)", "", text) for text in (one, other))
    return any(
        len(a) == len(b) and all(_close(x, y) for x, y in zip(a, b, strict=True))
        for a, b in (
            (NUMBER.findall(one), NUMBER.findall(other)),
            (NUMBER.findall(_sorted(one)), NUMBER.findall(_sorted(other))),
        )
    )


def _sorted(text: str) -> str:
    return "\n".join(sorted(text.splitlines()))


def _close(x: str, y: str) -> bool:
    digits = max(len(text.partition("e")[0].partition(".")[2]) for text in (x.lower(), y.lower()))
    least = 1.01 * 10.0**-digits if "." in x + y and "e" not in (x + y).lower() else 0.0
    return math.isclose(float(x), float(y), rel_tol=RTOL, abs_tol=least)


def code_cells(path: Path) -> list[dict]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = notebook.get("cells") or [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def compare(stored: Path, ours: Path) -> tuple[list[int], list[int]]:
    """The cells that agree, and those that do not; only cells that ran here."""
    agree, differ = [], []
    for number, (a, b) in enumerate(zip(code_cells(stored), code_cells(ours), strict=True), 1):
        if b.get("execution_count") is None:
            continue
        source, theirs, mine = "".join(a.get("source", a.get("input", ""))), texts(a), texts(b)
        if not NUMBER.search(theirs) or TIMED.search(source) or SAYS_TIME.search(theirs):
            continue
        (agree if same(theirs, mine) else differ).append(number)
    return agree, differ


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--all", action="store_true", help="also those that are not listed as compared")
    parser.add_argument("--show", help="print both sides of the cells that differ, of notebooks whose path holds this")
    arguments = parser.parse_args()
    good = 0
    for entry in json.loads((HERE / "list.json").read_text(encoding="utf-8"))["programs"]:
        if not entry["path"].endswith(".ipynb") or not (arguments.all or "compared" in entry):
            continue
        name = entry["repository"].replace("/", "+")
        stored, ours = arguments.checkouts / name / entry["path"], arguments.kept / name / entry["path"]
        if not ours.exists():
            print(f"{'not run':8s} {name}/{entry['path']}")
            continue
        agree, differ = compare(stored, ours)
        known = {int(cell) for cell in entry.get("compared", {}).get("differ", {})}
        fine = bool(agree) and set(differ) <= known
        good += fine and "compared" in entry
        print(f"{'same' if fine else 'differs':8s} {name}/{entry['path']}: {len(agree)} cells agree, {differ} do not")
        if arguments.show and arguments.show in entry["path"]:
            for number in differ:
                print(f"--- cell {number}, stored:\n{texts(code_cells(stored)[number - 1])[:1500]}")
                print(f"--- here:\n{texts(code_cells(ours)[number - 1])[:1500]}")
    print(f"{good} notebooks agree with the outputs stored in them.")
    return 0 if good >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
