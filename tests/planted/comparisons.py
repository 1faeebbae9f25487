"""The three comparisons with real GPUs' code, outputs and times, each by a part that takes seconds, for a copy of the packages."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
KERNELS = (
    *("set compaction_atomic", "set lane_facts"),
    *("cpp arithmetic_i1_i1", "cpp functions_double_30"),
)
"""What is asked of NVIDIA's compiled code, of the 488 kernels of the part `ptx`."""
NOTEBOOKS = tuple(
    f"rapidsai/cudf:docs/cudf/source/cudf/{name}.ipynb" for name in ("missing-data", "guide-to-udfs", "cupy-interop")
)
"""Which notebooks run, of the list of the part `public-outputs`: 97 cells of them are compared, and all agree."""


def ptx(source: Path) -> list[str]:
    """What differs from NVIDIA's compiled code, where the packages are those in `source`."""
    sys.path.insert(0, str(ROOT / "packages" / "gpusim" / "tests"))
    from ptx import verdicts
    from ptx.asking import Worker

    worker, found = Worker(source), []
    try:
        for kernel in KERNELS:
            try:
                launches = worker.ask(kernel)
            except RuntimeError as error:  # refused here, and compiled by NVIDIA's compiler
                found.append(f"{kernel}: {str(error).splitlines()[-1]}")
            else:
                found += [f"{kernel} {each.name}" for each in launches if verdicts.judge(each).kind == "differs"]
    finally:
        worker.close()
    return found


def outputs(source: Path) -> list[str]:
    """What is not as listed of these notebooks' cells."""
    listing = _module("outputs")
    entries = json.loads(listing.LIST.read_text(encoding="utf-8"))["notebooks"]
    found = []
    for entry in entries:
        if listing.key(entry) not in NOTEBOOKS:
            continue
        checkouts = Path(os.environ["CHECKOUTS"])
        outcome = listing.attempt(checkouts, entry, str(source), 400, None, 1200, check=False)
        found += [f"{listing.key(entry)}: {each}" for each in listing.wrong(entry, listing.found(outcome))]
    return found


def times(source: Path) -> list[str]:
    """Which tests of the published times fail."""
    child = Path(__file__).with_name("times_child.py")
    environ = os.environ | {"PYTHONPATH": str(source)}
    done = subprocess.run([sys.executable, child], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return [line for line in done.stdout.splitlines() if line.startswith("FAILED")]


COMPARISONS: dict[str, Callable[[Path], list[str]]] = {"ptx": ptx, "outputs": outputs, "times": times}


def _module(name: str) -> ModuleType:
    """A script of the public notebooks' tests."""
    file = ROOT / "packages" / "kernellens" / "tests" / "public_notebooks" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"planted_{name}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
