"""`make upgrade TO=26.12`: a rehearsal of another RAPIDS release, and a report of what drifts. Nothing of the checkout changes.

Four things are asked: does a lock resolve, and which of our bounds does it break; which public names came and went; which
parameters the real functions take and the simulated ones do not; which conformance tests fail with the versions of that lock.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

from hundredfold.setup import workspace

from . import ROOT, Stop, audit, environment, names, uv

RAPIDS = ("cudf-cu13", "cudf-polars-cu13", "dask-cudf-cu13", "dask-cuda")
"""Those of the extra cu13 that have RAPIDS' version."""

EXTRA = "cuml-cu13"
"""What the course simulates and does not install."""

CONFORMANCE = (
    "packages/gpusim/tests/conformance",
    "packages/gpusim/tests/libraries/simulated_cupyx/test_cupyx_signatures.py",
)

_PARAMETERS = """
import gpusim, inspect, importlib, json, sys, warnings
gpusim.activate()
warnings.simplefilter("ignore")
out = {}
for full in json.load(sys.stdin):
    owner, _, short = full.rpartition(".")
    parts, thing = owner.split("."), None
    for cut in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:cut]))
            for part in [*parts[cut:], short]:
                thing = getattr(thing, part)
            out[full] = [{2: "*", 4: "**"}.get(p.kind, "") + p.name for p in inspect.signature(thing).parameters.values()]
            break
        except Exception:
            continue
print(json.dumps(out))
"""


def command(arguments: list[str]) -> int:
    """rehearse another RAPIDS release, TO=26.12: lock, names, parameters and conformance against it (several GB; LOCK=1: only the lock)"""
    if arguments:
        raise Stop(f"{arguments[0]} is no option: make upgrade takes TO=26.12 and LOCK=1.")
    to = os.environ.get("TO", "")
    if not re.fullmatch(r"\d\d\.\d\d", to):
        raise Stop(f"TO={to} is no release of RAPIDS: make upgrade TO=26.12 takes its year and month.")
    place = ROOT / ".cache" / "upgrade" / to
    place.mkdir(parents=True, exist_ok=True)
    environment.ready(groups=["test"])
    report = [f"# RAPIDS {to}, rehearsed", ""]
    lock = resolve(to, place)
    report += ["## The lock", "", *drift(lock)]
    if os.environ.get("LOCK", "") in ("", "0"):
        real = environment.apart(place / "real", ["--requirement", str(lock)])
        lists = {library: read for library in names.LIBRARIES if (read := _real(real, library)) is not None}
        report += ["", "## Public names", "", *renamed(lists)]
        if lost := [library for library in names.LIBRARIES if library not in lists]:
            report.append(f"- NOT READ: {', '.join(lost)}. They could not be imported.")
        ours = environment.apart(
            place / "ours", ["--constraint", str(lock), *_loose(workspace.dependencies(ROOT)), *_tests()]
        )
        own = ["install", "--quiet", "--python", str(ours), "--no-deps", *environment.own(editable=True)]
        uv.run(uv.find() or uv.bring(environment.LOG), ["pip", *own], environment.LOG)
        simulated = _simulated(ours, lists)
        compared = (
            parameters(lists, simulated)
            if simulated
            else ["- NOT COMPARED: the simulator said nothing of any function."]
        )
        report += ["", "## Parameters", "", *compared]
        report += ["", "## Conformance, with the versions of that lock", "", *_conformance(ours, place)]
    (place / "report.md").write_text("\n".join(report) + "\n", encoding="utf-8")
    print(
        "\n".join(line if len(line) < 300 else f"{line[:300]} …" for line in report)
        + f"\n\nThe report is {(place / 'report.md').relative_to(ROOT)}, the lock {lock.relative_to(ROOT)}. The checkout is as it was."
    )
    return 0


def wanted(to: str, asked: list[str]) -> list[str]:
    """What is asked of the resolver: RAPIDS at a release, all else from our lower bound on, since RAPIDS decides about the upper ones."""
    month = f"{to}.*"
    found = []
    for requirement in asked:
        name = _name(requirement)
        found.append(f"{name}=={month}" if name in RAPIDS else _loose([requirement])[0])
    return [*dict.fromkeys(found), f"{EXTRA}=={month}"]


def resolve(to: str, place: Path) -> Path:
    """The lock of a release, for Linux and the Python of `.venv`.

    Raises
    ------
    Stop
        If there is none, with uv's reason in one sentence.
    """
    source, lock = place / "wanted.in", place / "lock.txt"
    asked = [*workspace.dependencies(ROOT), *workspace.dependencies(ROOT, "cu13")]
    source.write_text("\n".join(wanted(to, asked)) + "\n", encoding="utf-8")
    options = [
        "--python",
        str(environment.PYTHON),
        "--python-platform",
        "x86_64-manylinux_2_28",
        "--no-header",
        "--no-annotate",
        "--quiet",
        "--upgrade",
    ]
    try:
        uv.run(
            uv.find() or uv.bring(environment.LOG),
            ["pip", "compile", *options, str(source), "--output-file", str(lock)],
            environment.LOG,
        )
    except uv.NoNetwork:
        raise
    except Stop:
        raise refusal(to, environment.LOG.read_text(encoding="utf-8")) from None
    return lock


def refusal(to: str, said: str) -> Stop:
    """What uv said about a release that cannot be had, in one sentence."""
    reason = re.search(r"Because (.+?)(?: and you require|, we can conclude|$)", " ".join(said.split()))
    return Stop(
        f"RAPIDS {to} cannot be installed beside the course: {reason[1] if reason else f'see {environment.LOG}'}."
    )


def drift(lock: Path) -> list[str]:
    """What the lock breaks of our bounds, and which versions it changes of what the course asks for."""
    there, before = audit.pins([lock]), audit.pins([ROOT / "requirements" / "cu13.txt"])
    lines, changed = [], []
    for requirement in [*workspace.dependencies(ROOT), *workspace.dependencies(ROOT, "cu13")]:
        name = re.sub(r"[-_.]+", "-", _name(requirement)).lower()
        new, old = (", ".join(sorted(pins.get(name, {"none"}))) for pins in (there, before))
        if not _within(requirement, there.get(name, set())):
            lines.append(
                f"- **{name}**: this release takes {new}; our bounds are `{_bounds(requirement)}`, our lock has {old}."
            )
        elif new != old:
            changed.append(f"{name} {old} → {new}")
    lines = lines or ["- Within our bounds."]
    return [*lines, f"- Other versions, within our bounds: {'; '.join(changed) or 'none'}."]


def renamed(lists: dict[str, dict]) -> list[str]:
    """Names that came and went, of each library, against the lists that the simulator has."""
    lines = []
    for library, read in lists.items():
        old = json.loads(_listed(library).read_text(encoding="utf-8"))
        new = read["names"]
        came, went = (
            [
                f"{owner}.{name}"
                for owner in sorted({*one, *two})
                for name in sorted(set(two.get(owner, "").split()) - set(one.get(owner, "").split()))
            ]
            for one, two in ((old, new), (new, old))
        )
        lines.append(f"- **{library}**: {len(came)} came, {len(went)} went.")
        lines += [f"  - {word}: {', '.join(some)}" for word, some in (("came", came), ("went", went)) if some]
    return lines


def parameters(lists: dict[str, dict], simulated: dict[str, list[str]]) -> list[str]:
    """Parameters of real functions that the simulated ones do not take."""
    lines = []
    for library, read in lists.items():
        for full, real in sorted(read["parameters"].items()):
            ours = simulated.get(full)
            if ours is None or any(each.startswith("**") for each in ours):
                continue
            known = {"self", "cls", *(each.lstrip("*") for each in ours)}
            if missing := [each for each in real if not each.startswith(("*", "_")) and each not in known]:
                lines.append(f"- `{full}` takes {', '.join(missing)}.")
        lines.append(f"- {library}: {sum(full in simulated for full in read['parameters'])} functions compared.")
    return lines


def _real(python: Path, library: str) -> dict | None:
    done = subprocess.run(
        [str(python), "-I", names.__file__, library],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return json.loads(done.stdout) if done.returncode == 0 else None


def _simulated(python: Path, lists: dict[str, dict]) -> dict[str, list[str]]:
    asked = [full for read in lists.values() for full in read["parameters"]]
    done = subprocess.run(
        [str(python), "-c", _PARAMETERS],
        input=json.dumps(asked),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        env=environment.environ(python),
    )
    return json.loads(done.stdout) if done.returncode == 0 else {}


def _conformance(python: Path, place: Path) -> list[str]:
    said = place / "conformance.xml"
    run = [str(python), "-m", "pytest", "-q", "-p", "no:xdist", f"--junitxml={said}", *CONFORMANCE]
    with open(place / "conformance.log", "w", encoding="utf-8") as log:
        subprocess.call(run, cwd=ROOT, env=environment.environ(python), stdout=log, stderr=subprocess.STDOUT)
    if not said.exists():
        return [f"- NOT RUN: {place / 'conformance.log'} says why."]
    cases = list(ET.parse(said).iter("testcase"))
    failed = [case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None]
    return [f"- {len(cases) - len(failed)} of {len(cases)} tests pass.", *(f"- fails: `{name}`" for name in failed)]


def _tests() -> list[str]:
    import tomllib

    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["test"]


def _listed(library: str) -> Path:
    return ROOT / "packages" / "gpusim" / "src" / "gpusim" / "libraries" / library / "names.json"


def _name(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement)[0]


def _bounds(requirement: str) -> str:
    return re.sub(r"^[\w.-]+(\[[^\]]*\])?|;.*", "", requirement).strip()


def _loose(requirements: list[str]) -> list[str]:
    """Requirements with their lower bounds only; what is pinned is free."""
    out = []
    for each in requirements:
        head = re.match(r"[\w.-]+(\[[^\]]*\])?", each)[0]
        lower = [bound for bound in _bounds(each).split(",") if bound.startswith(">=")]
        out.append(head + ",".join(lower))
    return out


def _within(requirement: str, versions: set[str]) -> bool:
    from packaging.requirements import Requirement

    specifier = Requirement(requirement).specifier
    return bool(versions) and all(version in specifier for version in versions)
