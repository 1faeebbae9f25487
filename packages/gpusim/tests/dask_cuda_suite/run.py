"""Dask-CUDA's own tests under the simulated library: how many of those that run here pass.

    python packages/gpusim/tests/dask_cuda_suite/run.py --checkout PATH      a checkout of rapidsai/dask-cuda

Nothing of the suite is kept here.  Each file runs with pytest in a process of its own that simulates one GPU, as the project's
own continuous integration does (``DASK_CUDA_TEST_SINGLE_GPU``).  Left out, each with its reason below, is what needs UCX, a DGX
or the benchmarks.  Tests that skip themselves count for nothing.  The last line tells the share that passes.
"""

from __future__ import annotations

import argparse
import collections
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

FILE_LIMIT = 1500  # seconds

# A file, or a part of a test's name → why it is left out.
LEFT_OUT = {
    "test_dgx": "asks for the network hardware of a DGX",
    "test_benchmarks": "runs the benchmark programs, which are not simulated: their numbers would be the CPU's",
    "ucx": "needs UCX, which is refused",
    "enable_infiniband": "needs UCX, which is refused",
    "mig": "needs a GPU that is split into MIG instances",
    "test_cudf_builtin_spilling": "is about the inside of cuDF's own spilling",
    "cudf_spill": "is about the inside of cuDF's own spilling",
}

# What the tests import beside Dask-CUDA, told of the simulated devices; and the entry point that makes `dask cuda`.
SHIM = {
    "cuda/__init__.py": "",
    "cuda/core/__init__.py": """
import types
import pynvml
from gpusim.device import device

class Device:
    def __init__(self, device_id=None):
        self.device_id = device.current() if device_id is None else device_id
    @property
    def uuid(self):
        return device.uuid(device.visible()[self.device_id])[4:]
    def set_current(self):
        device.use(self.device_id)
        pynvml.make_context(self.device_id)

system = types.SimpleNamespace(get_num_devices=device.count, num_devices=device.count())
""",
    "dask_cuda-26.10.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: dask-cuda\nVersion: 26.10.0\n",
    "dask_cuda-26.10.0.dist-info/entry_points.txt": "[dask_cli]\ncuda = dask_cuda.cli:cuda\n",
}


def left_out(name: str) -> str | None:
    """Why a test is left out, None if it counts."""
    return next((why for part, why in LEFT_OUT.items() if part in name.lower()), None)


def run_file(tests: Path, file: str, folder: Path, pattern: str | None) -> list[tuple[str, str, str]]:
    """Name, outcome and message of each test of a file."""
    report = folder / f"{file}.xml"
    environment = {**os.environ, "GPUSIM_SIMULATE": "1", "PYTHONPATH": str(folder / "shim")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"  # where `dask` is
    environment |= {"GPUSIM_GPUS": "1", "GPUSIM_GPU_MEMORY": "12GB", "DASK_CUDA_TEST_SINGLE_GPU": "1"}
    environment |= {"DASK_CUDA_WAIT_WORKERS_MIN_TIMEOUT": "30"}
    out = " and ".join(f"not {part}" for part in LEFT_OUT)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
    command += [f"{file}.py", "-k", f"({out}) and ({pattern})" if pattern else out]
    with open(folder / f"{file}.log", "wb") as log:
        try:
            subprocess.run(command, cwd=tests, env=environment, stdout=log, stderr=log, timeout=FILE_LIMIT)
        except subprocess.TimeoutExpired:
            return [(f"{file}::(all)", "fail", f"the file took longer than {FILE_LIMIT} s")]
    if not report.exists():
        text = (folder / f"{file}.log").read_text(errors="replace")
        return [(f"{file}::(all)", "fail", text.strip().splitlines()[-1] if text.strip() else "no report")]
    found = []
    for case in ET.parse(report).iter("testcase"):
        bad = case.find("failure") if case.find("failure") is not None else case.find("error")
        outcome = "fail" if bad is not None else "skip" if case.find("skipped") is not None else "pass"
        message = "" if bad is None else (bad.get("message") or bad.text or "").strip().splitlines()[0]
        found.append((f"{file}::{case.get('name')}", outcome, message))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkout", type=Path, required=True, help="a checkout of rapidsai/dask-cuda")
    parser.add_argument("--only", help="a part of the files' names")
    parser.add_argument("-k", dest="pattern", help="pytest's expression for the tests' names")
    parser.add_argument("--target", type=float, default=0.0, help="the share that must pass")
    arguments = parser.parse_args()
    source = arguments.checkout / "dask_cuda" / "tests"
    if not (source / "test_local_cuda_cluster.py").is_file():
        raise SystemExit(f"{arguments.checkout} holds no dask_cuda/tests: name a checkout of rapidsai/dask-cuda.")
    counts: dict[str, collections.Counter] = {}
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tests = Path(shutil.copytree(source, folder / "tests"))
        for place, text in SHIM.items():
            (folder / "shim" / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / "shim" / place).write_text(text)
        for path in sorted(tests.glob("test_*.py")):
            if left_out(path.stem) or (arguments.only and arguments.only not in path.stem):
                continue
            results = run_file(tests, path.stem, folder, arguments.pattern)
            counts[path.stem] = collections.Counter(outcome for _, outcome, _ in results)
            failures += [(test, message) for test, outcome, message in results if outcome == "fail"]
            print(f"{path.stem:32} {dict(counts[path.stem])}", flush=True)
    print("\nLeft out:")
    for part, why in LEFT_OUT.items():
        print(f"  {part:28} {why}")
    print("\nFailures:")
    for test, message in failures:
        print(f"  {test}: {message[:200]}")
    total = sum(counts.values(), collections.Counter())
    share = total["pass"] / max(1, total["pass"] + total["fail"])
    print(
        f"{total['pass']} of {total['pass'] + total['fail']} tests pass: {share:.1%} ({total['skip']} skip themselves)."
    )
    return 0 if share >= arguments.target else 1


if __name__ == "__main__":
    sys.exit(main())
