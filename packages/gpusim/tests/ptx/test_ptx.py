"""Kernels as the simulator's engine runs them, and as NVIDIA's own compiled code says: `make test-all ARGS=ptx`.

It needs NVIDIA's compilers, which need no GPU.  README.md says what this proves, and what it does not.
"""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ROOT = Path(__file__).parents[4]
sys.path.insert(0, str(TESTS))
from kernels_set import registry  # noqa: E402

from ptx import compiler, faults, verdicts  # noqa: E402
from ptx.asking import Worker  # noqa: E402
from ptx.recording import FOLDER, read  # noqa: E402

HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(
    not compiler.there(), reason="needs NVIDIA's compilers: KERNELLENS_COMPILER=/a/python/that/has/them"
)
SMOKE = (
    "every_atomic_uint32",
    "shuffle_directions",
    "nbody_tiled",
    "softmax_rows",
    "grid_sync_diffusion",
    "record_argument",
)
FAMILIES = (
    *("math_float32", "math_float64", "cuda", "builtin", "numpy"),
    *("libdevice_float32", "libdevice_float64", "libdevice_int"),
    *(
        f"operator_{kind}_"
        for kind in ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64")
    ),
)
RECORDED = {
    "the course's notebooks": [
        *(f"{folder}/{unit}.ipynb" for unit in ("02_memory", "04_compiling", "05_kernels", "06_fast-kernels") for folder in ("notebooks", "solutions")),
        "solutions/15_capstone.ipynb",
    ],
    "the problems' right answers": [
        "packages/hundredfold/tests/learning/problems/test_known_answers.py", "-k",
        "right and (kernels or fast_kernels or capstone or compiling or memory or protocols)",
    ],
    "CUDA C++ of the tests": ["packages/gpusim/tests/libraries/c_kernels"],
}  # fmt: skip


@pytest.fixture(scope="module")
def worker():
    made = Worker()
    yield made
    made.close()


def held(launches, sources=""):
    """No difference that is not explained; returns the kinds of verdicts."""
    judged = [(launch, verdicts.judge(launch)) for launch in launches]
    wrong = [f"{launch.source} {launch.name}: {v.why}" for launch, v in judged if v.kind == "differs"]
    assert not wrong, "\n".join(wrong)
    return Counter(v.kind for _, v in judged)


def worst(kinds: Counter) -> str:
    return max(kinds, key=verdicts.KINDS.index)


def listed(kinds: Counter) -> str:
    return ", ".join(f"{kinds[kind]} {kind}" for kind in verdicts.KINDS if kinds[kind])


@pytest.mark.large
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.smoke] if name in SMOKE else []) for name in registry.names()]
)
def test_a_kernel_of_the_set(worker, name, record_property):
    kinds = held(worker.ask(f"set {name}"))
    record_property("counted", f"entries of the kernel set beside PTX, {worst(kinds)}")
    assert sum(kinds.values()) and not kinds["found"] and not kinds["too long"]


@pytest.mark.large
@pytest.mark.parametrize(
    "family", [pytest.param(each, marks=[pytest.mark.smoke] if each == "cuda" else []) for each in FAMILIES]
)
def test_functions_and_operators(worker, family, record_property):
    kinds = held(worker.ask(f"functions {family}"))
    record_property("said", f"functions beside PTX, {family}: {listed(kinds)}")
    assert kinds and not kinds["too long"]


@pytest.mark.large
@pytest.mark.parametrize("beginning", ["arithmetic_", "casts_", "unary_", "functions_", "pairs_", "bits_"])
def test_cuda_cpp(worker, beginning, record_property):
    kinds = held(worker.ask(f"cpp {beginning}"))
    record_property("said", f"CUDA C++ beside PTX, {beginning}: {listed(kinds)}")
    assert kinds and not kinds["too long"]


@pytest.mark.large
@pytest.mark.parametrize("what", RECORDED)
def test_launches_of_other_tests(tmp_path, what, record_property):
    """The kernels that these tests launch, whatever else they look at."""
    env = os.environ | {FOLDER: str(tmp_path), "PYTHONPATH": str(HERE / "hook")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "recording_plugin", *RECORDED[what]]
    told = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    launches = list(read(tmp_path))
    assert len(launches) >= 20, told.stdout[-2000:]
    kinds = held(launches)
    record_property("said", f"{what} beside PTX: {listed(kinds)}")
    assert kinds["exact"] > len(launches) / 2 and kinds["too long"] <= 1


@pytest.mark.large
@pytest.mark.parametrize("fault", faults.FAULTS, ids=[each.name for each in faults.FAULTS])
def test_a_planted_fault_is_found(tmp_path, fault):
    """In a copy of the engine with one mistake more, the same launches differ."""
    shutil.copytree(ROOT / "packages" / "gpusim" / "src" / "gpusim", tmp_path / "gpusim")
    file = tmp_path / "gpusim" / fault.file
    text = file.read_text()
    assert text.count(fault.old) == 1, f"{fault.old!r} stands {text.count(fault.old)} times in {fault.file}"
    file.write_text(text.replace(fault.old, fault.new))
    planted = Worker(tmp_path)
    try:
        launches = planted.ask(fault.ask)
    finally:
        planted.close()
    assert any(verdicts.judge(launch).kind == "differs" for launch in launches)
