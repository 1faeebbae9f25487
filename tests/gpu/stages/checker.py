"""5c. The broken kernels of `packages/kernellens/tests/broken` under compute-sanitizer, beside what the lens finds in them; and right ones, for false alarms.

Each variant goes under the tool that is made for its kind of mistake; then under the others.  What no tool can see is told apart: races in
global memory (racecheck looks at shared memory), shared memory that was never set (initcheck looks at global memory), indices below zero that
land in the array, and what no GPU compiles or launches.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TITLE = "compute-sanitizer"
WORKERS = 6
PACKAGES = Path(__file__).parents[3] / "packages"
TESTS = PACKAGES / "gpusim" / "tests"

TOOL = {
    "out-of-bounds": "memcheck",
    "race": "racecheck",
    "barrier-divergence": "synccheck",
    "uninitialised-shared": "initcheck",
    "negative-index": "memcheck",
}
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
#: What the checker says, by the tool that says it.
SAID = re.compile(
    r"========= (?:Error: |Warning: )?(Invalid __\w+ \w+|Invalid \w+ argument|(?:Potential )?(?:RAW|WAR|WAW) hazard|Race reported|Uninitialized __\w+ memory \w+|Barrier error[^\n]*|Program hit [^\n]{0,80})"
)


def parts(about):
    sys.path[:0] = [str(TESTS), str(PACKAGES / "kernellens" / "tests")]
    from broken.all_variants import VARIANTS
    from kernels_set import registry

    from .probe import tool

    need = ["numba"] if about["dry"] else ["numba_cuda", *([] if tool("compute-sanitizer") else ["compute-sanitizer"])]
    checked = [each for each in VARIANTS if each.kind in TOOL]
    if about["dry"]:
        first = {each.kind: each for each in checked}
        return [
            {"name": f"{TOOL[each.kind]}: {each.name}", "takes": 5, "patience": 120, "needs": need}
            for each in first.values()
        ]
    fitting = [f"{TOOL[each.kind]}: {each.name}" for each in checked]
    right = [f"memcheck: right {name}" for name in registry.names()] + [
        f"racecheck: right {name}" for name in registry.names()
    ]
    others = [f"{tool}: {each.name}" for each in checked for tool in TOOLS if tool != TOOL[each.kind]]
    return [{"name": each, "takes": 6, "patience": 60, "needs": need} for each in [*fitting, *right, *others]]


def do(part, about):
    from .probe import tool

    which, _, name = part.partition(": ")
    program = [sys.executable, "-W", "ignore", "-m", "gpu.breaking", name]
    if about["dry"]:
        done = subprocess.run(program, capture_output=True, text=True, timeout=110, check=False)
        found = re.findall(r"^LAUNCH (\w+)", done.stdout, re.MULTILINE)
    else:
        command = [tool("compute-sanitizer"), "--tool", which, "--print-limit", "20", "--launch-timeout", "60"]
        # What a kernel does is asked for, not what the driver answers a library that tries what there is.
        command += ["--report-api-errors", "no"] if which == "memcheck" else []
        # No timeout: the runner's patience ends, and takes the kernel that hangs with it. A timeout here would leave it on the GPU.
        done = subprocess.run([*command, *program], capture_output=True, text=True, check=False)
        found = sorted(set(SAID.findall(done.stdout)))
    if (
        not about["dry"]
        and "========= ERROR SUMMARY" not in done.stdout
        and "========= RACECHECK SUMMARY" not in done.stdout
    ):
        raise RuntimeError(
            f"it ended with status {done.returncode} and no summary: {done.stdout[-500:]}{done.stderr[-300:]}"
        )
    errors = re.findall(r"(?:ERROR SUMMARY: (\d+)|RACECHECK SUMMARY: (\d+))", done.stdout)
    count = sum(int(each or other) for each, other in errors)
    return {
        "found": bool(found or count),
        "said": found[:6],
        "errors": count,
        **_of_lens(name),
        "launch": _launch(done.stdout),
    }


def _launch(text):
    return next((line[7:300] for line in text.splitlines() if line.startswith("LAUNCH ")), "")


def _of_lens(name):
    """What the lens says: of a variant its declared finding (held by `packages/kernellens/tests` on every run), of a right kernel nothing or what it deserves."""
    sys.path[:0] = [str(TESTS), str(PACKAGES / "kernellens" / "tests")]
    from broken.all_variants import VARIANTS
    from broken.deserved import DESERVED

    if name.startswith("right "):
        return {"lens": sorted(kind for kind, _ in DESERVED.get(name.removeprefix("right "), ()))}
    broken = next(each for each in VARIANTS if each.name == name)
    return {"lens": [broken.kind]}


def report(results):
    tally: dict[tuple, list[int]] = {}
    lines, alarms = [], []
    for part, line in results.items():
        which, _, name = part.partition(": ")
        found = line.get("result")
        if found is None:
            alarms.append(f"- {part}: {line['status']}: {' '.join(line.get('why', '').split())[:200]}")
            continue
        kind = "a right kernel" if name.startswith("right ") else (found["lens"] or ["nothing"])[0]
        each = tally.setdefault((kind, which), [0, 0])
        each[0] += found["found"]
        each[1] += 1
        if name.startswith("right ") and found["found"] and not found["lens"]:
            alarms.append(f"- {part}: the checker finds {'; '.join(found['said'])[:200]}, the lens nothing")
    if tally:
        lines += ["| the lens finds | tool | the tool finds it in |", "|---|---|---:|"]
        lines += [f"| {kind} | {which} | {found} of {of} |" for (kind, which), (found, of) in sorted(tally.items())]
    return [*lines, "", *alarms] if alarms else lines
