"""1. What the machine is, whether each library computes on it, and its rates."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

TITLE = "Probe"
WORKERS = 1

#: Where NVIDIA's tools are that no PATH names: the toolkit's own places, and those of PyPI's wheels.
PLACES = (
    "/usr/local/cuda/bin",
    "/opt/nvidia/nsight-compute/*",
    "/usr/local/cuda/compute-sanitizer",
    "/usr/lib/nvidia-cuda-toolkit/compute-sanitizer",
)
TOOLS = ("nvidia-smi", "nvcc", "ncu", "compute-sanitizer", "cuobjdump", "nvdisasm")


def parts(about):
    return [
        {"name": "machine", "takes": 2, "patience": 90},
        {"name": "cupy", "takes": 5, "needs": ["cupy"] if not about["dry"] else [], "patience": 120},
        {"name": "numba", "takes": 5, "needs": ["numba_cuda"] if not about["dry"] else [], "patience": 120},
        {"name": "cudf", "takes": 8, "needs": ["cudf"] if not about["dry"] else [], "patience": 180, "alone": True},
        {"name": "rates", "takes": 8, "needs": ["cupy"] if not about["dry"] else [], "patience": 120},
        {"name": "launches", "takes": 5, "needs": ["numba"], "patience": 120},
        {"name": "transfers", "takes": 5, "needs": ["numba"], "patience": 120},
        {"name": "random", "takes": 5, "needs": ["numba"], "patience": 120},
    ]


def do(part, about):
    return {"machine": _machine, "cupy": _cupy, "numba": _numba, "cudf": _cudf, "rates": _rates}.get(
        part, _microbenchmark
    )(part, about)


def _machine(part, about):
    import platform

    from gpusim import hardware as machine

    probe = machine.probe()
    found = {
        "cpu": machine.cpu.cpu_name(),
        "cores": machine.cpu.cores(),
        "memory": machine.cpu.memory().total,
        "kernel": platform.release(),
        "python": platform.python_version(),
        "probe": json.loads(probe.to_json()),
        "packages": _packages(),
        "tools": {name: tool(name) for name in TOOLS},
        "counters": counters_allowed(),
        "commit": os.environ.get("HUNDREDFOLD_COMMIT") or _said(["git", "describe", "--always", "--dirty"]),
    }
    found["clocks"] = _said(
        [
            "nvidia-smi",
            "--query-gpu=clocks.sm,clocks.mem,clocks.max.sm,power.draw,temperature.gpu,mig.mode.current,compute_mode",
            "--format=csv",
        ]
    )
    found["caveats"] = caveats(found)
    return found


def _packages() -> dict[str, str]:
    """Versions as they are imported: a bundle's come before the machine's own of the same name."""
    import importlib.metadata

    found: dict[str, str] = {}
    for each in importlib.metadata.distributions():
        if name := each.metadata["Name"]:
            found.setdefault(name, each.version)
    return found


def tool(name: str) -> str:
    """Where one of NVIDIA's programs is; empty where it is not."""
    import sysconfig

    places = [
        *PLACES,
        f"{sysconfig.get_path('purelib')}/nvidia/*/compute-sanitizer",
        f"{sysconfig.get_path('purelib')}/nvidia/*/bin",
    ]
    if there := shutil.which(name):
        return there
    for place in places:
        for folder in sorted(Path("/").glob(place.lstrip("/")), reverse=True):
            if os.access(folder / name, os.X_OK) and (folder / name).is_file():
                return str(folder / name)
    return ""


def counters_allowed() -> str:
    """Whether the driver lets everybody read hardware counters: "all", "root only" (then root may), or "not known"."""
    try:
        text = Path("/proc/driver/nvidia/params").read_text()
    except OSError:
        return "not known"
    line = next((line for line in text.splitlines() if line.startswith("RmProfilingAdminOnly")), "")
    return {"0": "all", "1": "root only"}.get(line.rpartition(":")[2].strip(), "not known")


def caveats(found) -> list[str]:
    """What of the machine changes how results are to be read, a sentence each."""
    told = []
    for gpu in found["probe"]["gpus"]:
        if gpu["compute_mode"] != "default":
            told.append(
                f"{gpu['name']} is in compute mode {gpu['compute_mode']!r}: two workers on one GPU and four kernels at once cannot be shown, and the "
                "stages that need two processes on it fail; leave the mode as it is."
            )
        if gpu.get("mig"):
            told.append(
                f"{gpu['name']} is a MIG slice: its rates are the slice's, and no bound for the whole GPU holds for it."
            )
        if gpu.get("processes"):
            told.append(f"{len(gpu['processes'])} other processes are on {gpu['name']}: its times may be theirs too.")
    if found["counters"] == "root only" and hasattr(os, "geteuid") and os.geteuid() != 0:
        told.append(
            "Hardware counters are refused to all but root (ERR_NVGPUCTRPERM): sectors are told from microbenchmarks instead."
        )
    if not found["tools"]["ncu"]:
        told.append(
            "There is no ncu (no package index has it; it comes with the CUDA toolkit): sectors are told from microbenchmarks instead."
        )
    if not found["tools"]["compute-sanitizer"]:
        told.append(
            "There is no compute-sanitizer: the wheel nvidia-cuda-sanitizer-api has it (tests/gpu/pack, group tools)."
        )
    return told


def _said(command) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def real(about) -> None:
    """The simulated libraries where this is a dry run; otherwise nothing: `import cupy` is the real one's."""
    if about["dry"]:
        import gpusim

        gpusim.activate()


def _cupy(part, about):
    real(about)
    import cupy as cp

    x = cp.arange(1 << 20, dtype=cp.float64)
    kernel = cp.ElementwiseKernel("T x", "T y", "y = 2 * x + 1", "probe")
    total = float(kernel(x).sum())
    assert total == float((1 << 20) * ((1 << 20) - 1) + (1 << 20)), total
    return {"version": cp.__version__, "runtime": str(cp.cuda.runtime.runtimeGetVersion()), "right": True}


def _numba(part, about):
    real(about)
    import numba
    import numpy as np
    from numba import cuda

    @cuda.jit
    def add(x, y, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i] + y[i]

    x = np.arange(10_000.0)
    out = cuda.to_device(np.zeros_like(x))
    add[-(-x.size // 256), 256](cuda.to_device(x), cuda.to_device(2 * x), out)
    assert np.array_equal(out.copy_to_host(), 3 * x)
    found = {"version": numba.__version__, "right": True}
    if about["dry"]:
        return found  # no code for a GPU, so no registers
    registers = add.get_regs_per_thread()
    return {**found, "registers": registers if isinstance(registers, int) else list(registers.values())}


def _cudf(part, about):
    """A pruned library that has lost the code it needs shows it here, before anything relies on it."""
    real(about)
    import cudf

    assert int(cudf.Series([1, 2, 3]).sum()) == 6
    table = cudf.DataFrame({"k": [1, 2, 1, 3], "v": [1.0, 2.0, 3.0, 4.0]})
    groups = table.groupby("k").v.mean().sort_index().to_pandas().tolist()
    merged = len(table.merge(table, on="k"))
    assert groups == [2.0, 2.0, 4.0] and merged == 6, (groups, merged)
    return {"version": cudf.__version__, "right": True}


def _rates(part, about):
    import dataclasses

    if about["dry"]:
        import time

        import numpy as np

        x, y = np.ones(1 << 20), np.empty(1 << 20)
        start = time.perf_counter()
        np.copyto(y, x)
        return {"bandwidth": 2 * x.nbytes / (time.perf_counter() - start), "device": "this CPU"}
    from hundredfold.toolkit import calibrate_gpu

    rates = calibrate_gpu.measure_gpu()
    from gpusim import hardware as machine

    machine.rates.save(machine.rates.key(), rates)
    return dataclasses.asdict(rates)


def _microbenchmark(part, about):
    real(about)
    from .. import microbenchmarks

    small = (
        {"launches": {"count": 20}, "transfers": {"sizes": (1 << 10, 1 << 16)}, "random": {"n": 1 << 16}}
        if about["dry"]
        else {}
    )
    return getattr(microbenchmarks, part)(**small.get(part, {}))


def report(results):
    lines = []
    if machine := results.get("machine", {}).get("result"):
        gpu = (machine["probe"]["gpus"] or [{"name": "no GPU"}])[0]["name"]
        packages = machine["packages"]
        named = [
            f"{n} {packages[n]}"
            for n in sorted(packages)
            if n.lower().startswith(("cupy", "numba", "cudf", "dask", "numpy", "pandas", "polars"))
        ]
        lines += [
            f"- {gpu}; driver {machine['probe']['driver']}; {machine['cpu']}, {machine['cores']} cores; Python {machine['python']}; commit {machine['commit']}"
        ]
        lines += [f"- {', '.join(named)}", *(f"- {caveat}" for caveat in machine["caveats"])]
    if rates := results.get("rates", {}).get("result"):
        units = {
            "bandwidth": (1e12, "TB/s copied"),
            "fp64": (1e12, "TFLOP/s float64"),
            "fp32": (1e12, "TFLOP/s float32"),
            "gemm64": (1e12, "TFLOP/s matrix float64"),
        }
        lines.append("- " + ", ".join(f"{rates[k] / by:.3g} {unit}" for k, (by, unit) in units.items() if rates.get(k)))
    for part in ("launches", "transfers", "random"):
        for row in (results.get(part, {}).get("result") or {}).get("rows", ()):
            lines.append(f"- {row['what']}: {row['value']:.3g} {row['unit']}")
    for part in ("cupy", "numba", "cudf"):
        if (found := results.get(part)) and found["status"] != "done":
            lines.append(f"- {part}: {found['status']}: {found.get('why', '')}")
    return lines
