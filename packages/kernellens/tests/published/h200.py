"""What an H200 measured on 27 November 2026, beside the bound and the estimate of the same kernels and array expressions.

`h200.json` has the times of stage `times` in recordings/raw/nvidia-h200, four of its `kernels.json`, and the work of each kernel.  Array expressions
are accounted for anew: ``python -m published.h200`` writes all of them as JSON, ``--trace FOLDER`` traces the kernels of
`tests/gpu/launches.py` first.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

from kernellens import times
from kernellens.times import Work

STORED = Path(__file__).with_name("h200.json")
SIDE = 10_000


def kernels() -> dict[str, tuple[float, Work]]:
    """The measured seconds and the work of each kernel, by its part's name."""
    from . import workloads

    found = {}
    for name, case in json.loads(STORED.read_text(encoding="utf-8")).items():
        if "work" in case:
            values = case["work"]
            work = Work(**{**values, "reuse": workloads._reuse(values["reuse"]), "notes": tuple(values["notes"])})
            found[name] = case["seconds"], work
    return found


def expressions() -> dict[str, tuple[float, float, float]]:
    """The measured seconds, the bound and the estimate of each array expression."""
    import gpusim

    gpusim.activate()
    from gpusim.device import shapes

    shapes.begin(0.5)
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import array_expressions
    import cupy as cp

    from gpusim.hardware import gpus
    from kernellens.arrays.entry import taken

    array_expressions.N = SIDE
    functions = array_expressions.expressions(cp)
    x, y = cp.random.rand(SIDE, SIDE), cp.random.rand(SIDE, SIDE)
    i, f = cp.arange(SIDE, dtype=cp.int32), cp.linspace(0, 1, SIDE, dtype=cp.float32)
    functions |= {"std": lambda x, *_: x.ravel().std(), "std of columns": lambda x, *_: x.std(axis=0)}
    functions |= {"std of rows": lambda x, *_: x.std(axis=1), "sum": lambda x, *_: x.sum()}
    found = {}
    for name, case in json.loads(STORED.read_text(encoding="utf-8")).items():
        if "work" not in case:
            account = taken(
                functions[name.removeprefix("expression/")], (x, y, i, f, i % 2 == 0), {}, gpus.find("H200")
            )
            least = max(account.bound.seconds, account.launched.seconds)
            found[name] = case["seconds"], least, account.estimate.seconds
    return found


def cases() -> dict[str, tuple[float, float, float]]:
    """The measured seconds, the bound and the estimate of all of them."""
    found = {
        name: (seconds, times.bound_of(work, "H200").seconds, times.estimate_of(work, "H200").seconds)
        for name, (seconds, work) in kernels().items()
    }
    return found | expressions()


def trace(folder: str) -> None:
    """Trace the kernels again, at the sizes that were measured, and write `h200.json`."""
    import gpusim

    gpusim.activate()
    root = Path(__file__).parents[4]
    sys.path[:0] = [str(root / "tests"), str(root / "packages" / "gpusim" / "tests")]
    from gpu import launches

    from kernellens.times.launches import work_of_launch

    kept = {name: case for name, case in json.loads(STORED.read_text(encoding="utf-8")).items() if "work" not in case}
    for line in (Path(folder) / "results.jsonl").read_text(encoding="utf-8").splitlines():
        result = json.loads(line)
        if result["stage"] != "times" or "estimate" not in (result.get("result") or {}):
            continue
        found, name = result["result"], result["part"]
        kept[name] = {"seconds": found["measured"]}
        if name.startswith("kernel/"):
            kernel, grid, block, args = launches.MAKERS[name.removeprefix("kernel/")](False)
            work = work_of_launch(kernel, (grid, block, *args), None, 0, None, found["lens"]["registers"])
            kept[name]["work"] = dataclasses.asdict(work)
    STORED.write_text(json.dumps(kept, indent=0) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Write all cases as JSON; with ``--trace FOLDER`` trace the kernels first."""
    if "--trace" in arguments:
        trace(arguments[arguments.index("--trace") + 1])
    json.dump(cases(), sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
