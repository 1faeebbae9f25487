"""Count the operations in the PTX of the kernel set's kernels: writes `ptx_operations.json` beside this file.

Run with a Python that has the real numba-cuda and its compiler (the extra `compiler`), without the simulated libraries:

    python packages/kernellens/tests/make_ptx_operations.py
"""

from __future__ import annotations

import contextlib
import importlib
import json
import re
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "gpusim" / "tests"))
FLOAT = re.compile(r"(fma|add|sub|mul|div|neg|sqrt|rcp|rsqrt|ex2|lg2|sin|cos|tanh|abs|min|max|cvt)\S*\.(f64|f32|f16)")
INTEGER = re.compile(r"(mad|add|sub|mul|shl|or|sad|min|max|dp\w+)\S*\.[subi]\d+")


def operations(ptx: str) -> dict[str, int] | None:
    """Operations by type; None where a branch goes back, so that they may be done more than once."""
    found: dict[str, int] = {}
    labels = set()
    for line in ptx.splitlines():
        line = re.sub(r"^@!?%p\d+\s+", "", line.strip())
        label = re.match(r"(\$\w+):", line)
        if label:
            labels.add(label.group(1))
        jump = re.match(r"bra(?:\.uni)?\s+(\$\w+)", line)
        if jump and jump.group(1) in labels:
            return None
        name = re.match(r"([a-z][a-z0-9_.]*)\s", line)
        if not name:
            continue
        floating, integer = FLOAT.match(name.group(1)), INTEGER.match(name.group(1))
        if floating:
            kind = {"f64": "float64", "f32": "float32", "f16": "float16"}[floating.group(2)]
            found[kind] = found.get(kind, 0) + (2 if floating.group(1) == "fma" else 1)
        elif integer:
            found["int32"] = found.get("int32", 0) + (2 if integer.group(1) == "mad" else 1)
    return found


def main() -> None:
    from kernels_set import registry
    from numba import cuda, typeof
    from numba.cuda.cudadrv.error import CudaSupportError

    warnings.simplefilter("ignore")
    file = HERE / "ptx_operations.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    for path in registry.modules():
        # A module that compiles with given types at once needs a driver: what it registered before that is there.
        with contextlib.suppress(CudaSupportError):
            importlib.import_module(f"kernels_set.{path.parent.name}.{path.stem}")
    for name in data["kernels"]:
        entry = registry.ENTRIES[name]
        case = list(entry.cases(registry.seeded(name)))[-1]
        types = tuple(typeof(value) for value in case.args)
        fast = bool(entry.kernel.targetoptions.get("fastmath"))
        ptx, _ = cuda.compile(entry.kernel.py_func, types, cc=(8, 0), output="ptx", fastmath=fast)
        found = operations(ptx)
        if found is None:
            raise SystemExit(f"{name} has a loop: take it out of the list.")
        data["kernels"][name] = {"label": case.label, "operations": found}
    file.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
