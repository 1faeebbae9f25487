"""2. The lists of differences, the names and the kernel set against the real libraries: every difference from the simulated libraries, listed.

The cases are those of `packages/gpusim/tests/conformance`, run by its own functions, one at a time so that a crash costs one; `test_names.py` runs
as it is.  The kernels are those of `packages/gpusim/tests/kernels_set`, on the GPU and compiled for the CPU, and held together.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

TITLE = "Conformance"
WORKERS = 4

ROOT = Path(__file__).parents[3]
TESTS = ROOT / "packages" / "gpusim" / "tests"
FILES = {"test_names.py": TESTS / "conformance" / "test_names.py"}
NEEDS = {"cupy": ["cupy"], "cupyx": ["cupy", "scipy"], "cudf": ["cudf", "cupy"]}


def parts(about):
    from kernels_set import registry

    found = [
        {
            "name": f"{which}/{case['id']}",
            "takes": 1,
            "patience": 90,
            "needs": ["yaml"] if about["dry"] else ["yaml", *NEEDS[which], *case.get("needs", ())],
        }
        for which, cases in _differences().CASES.items()
        for case in (cases[:3] if about["dry"] else cases)
    ]
    found += [
        {"name": file, "takes": 30, "patience": 400, "needs": ["pytest", "nbval", "ipykernel", "yaml"]}
        for file in FILES
    ]
    names = registry.names()[10:13] if about["dry"] else registry.names()
    found += [
        {"name": f"kernel/{name}", "takes": 3, "patience": 200, "needs": ["numba"] if about["dry"] else ["numba_cuda"]}
        for name in names
    ]
    return found


def do(part, about):
    kind, _, name = part.partition("/")
    if kind == "kernel":
        return _kernel(name, about)
    if part in FILES:
        return _file(part)
    return _case(kind, name, about)


_kept: dict = {}


def _differences():
    """packages/gpusim/tests/conformance/test_differences.py, whose lists and judgement these are."""
    if "differences" not in _kept:
        file = TESTS / "conformance" / "test_differences.py"
        spec = importlib.util.spec_from_file_location("gpu_conformance_differences", file)
        _kept["differences"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return _kept["differences"]


def _case(which, name, about):
    from .probe import real

    real(about)
    module = _differences()
    case = next(each for each in module.CASES[which] if each["id"] == name)
    gpu = module.outcome(case["code"], module.scope(which, 0))
    host = module.outcome(case["code"], module.scope(which, 1))
    same = module.matches(gpu, case["gpu"]) and module.matches(host, case["host"])
    found = {"same": same}
    return (
        found
        if same
        else {
            **found,
            "code": case["code"],
            "gpu": gpu[:600],
            "listed": case["gpu"],
            "host": host[:300],
            "source": case["source"],
        }
    )


def _file(name):
    """A test file as it is; what failed, by name."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        str(FILES[name]),
        "-q",
        "-rfE",
        "--tb=line",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
    ]
    # The file puts the simulated libraries in place itself, where there is no GPU.
    env = {name: value for name, value in os.environ.items() if name != "GPUSIM_SIMULATE"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=390, check=False, cwd=ROOT, env=env)
    last = (done.stdout.strip().splitlines() or [done.stderr[-300:]])[-1]
    failed = re.findall(r"^(?:FAILED|ERROR) (\S.*)$", done.stdout, re.MULTILINE)
    if done.returncode not in (0, 1) or not re.search(r"\d+ (passed|failed|error)", done.stdout):
        raise RuntimeError(f"pytest ended with status {done.returncode}: {done.stdout[-600:]}{done.stderr[-600:]}")
    return {"same": done.returncode == 0, "said": last, "failed": [each[:300] for each in failed][:50]}


def _kernel(name, about):
    """One kernel of the set on the GPU: right by its specification, and the same as compiled for the CPU."""
    on_gpu = "interpreted" if about["dry"] else "gpu"
    gpu, cpu = (_way(each).ask(name) for each in (on_gpu, "compiled"))
    if gpu["error"]:
        # A kernel that faulted leaves a context in which every later launch fails.
        _kept.pop(on_gpu).close()
        return {"same": False, "error": gpu["error"][-1500:]}
    if cpu["error"]:
        return {"same": False, "error": f"The simulated library: {cpu['error'][-1500:]}"}
    found = _against(gpu, cpu)
    if found["same"] or about["dry"]:
        return found
    # A fused multiply-add rounds once where a CPU rounds twice: what differs by that alone is as it should be.
    unfused = _way("unfused").ask(name)
    if unfused["error"]:
        _kept.pop("unfused").close()
        return found
    return {**_against(unfused, cpu), "fused": found}


def _against(gpu, cpu):
    """What a run of the GPU says that is wrong by the specification, or not as the CPU's."""
    from kernels_set import registry

    wrong = [f"{label}: {said}"[:300] for label, _, said in gpu["cases"] if said]
    theirs = {label: after for label, after, _ in cpu["cases"]}
    apart = [
        f"{label}: {said}"[:300]
        for label, after, _ in gpu["cases"]
        if label in theirs and (said := registry.same(gpu["rules"], after, theirs[label]))
    ]
    return {"same": not wrong and not apart, "cases": len(gpu["cases"]), "wrong": wrong, "unlike the stand-in": apart}


def _way(name):
    """A process that runs the set one way (packages/gpusim/tests/kernels_set/conftest.py), kept for the kernels after this one."""
    if name not in _kept:
        spec = importlib.util.spec_from_file_location("gpu_kernels_conftest", TESTS / "kernels_set" / "conftest.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        os.environ.pop("GPUSIM_SIMULATE", None)
        _kept[name] = module.Way(name)
    return _kept[name]


def report(results):
    lines, differ = [], []
    for kind, title in (
        ("cupy/", "CuPy"),
        ("cupyx/", "cupyx"),
        ("cudf/", "cuDF"),
        ("kernel/", "kernels of the set"),
        ("test_", "files of names"),
    ):
        mine = {part: line for part, line in results.items() if part.startswith(kind)}
        same = sum(bool((line.get("result") or {}).get("same")) for line in mine.values())
        if mine:
            fused = sum("fused" in (line.get("result") or {}) and line["result"]["same"] for line in mine.values())
            rounded = f", {fused} of them when multiply-adds are not fused" if fused else ""
            lines.append(f"- {title}: {same} of {len(mine)} as listed{rounded}")
        differ += [(part, line) for part, line in mine.items() if not (line.get("result") or {}).get("same")]
    if differ:
        lines += ["", "| what differs | here | listed |", "|---|---|---|"]
    for part, line in differ:
        found = line.get("result") or {}
        here = (
            found.get("gpu")
            or found.get("error")
            or "; ".join(found.get("wrong", []) + found.get("unlike the stand-in", []) + found.get("failed", []))
        )
        lines.append(
            f"| {part} | {_cell(here or line.get('why', ''))} | {_cell(found.get('listed', found.get('said', '')))} |"
        )
    return lines


def _cell(text) -> str:
    return " ".join(str(text).replace("|", "\\|").split())[-220:]
