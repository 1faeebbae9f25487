"""What is called certain, against what the real compiler left: no more operations than stand in the PTX it made."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kernellens import times

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "ptx_operations.json").read_text(encoding="utf-8"))

COUNT = """
import json, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
import gpusim
gpusim.activate()
from kernels_set import registry
import kernellens as lens
from kernellens.times import operations
entries, out = registry.load(), {}
for name in sys.argv[2:]:
    case = list(entries[name].cases(registry.seeded(name)))[-1]
    blocks = [0, 1] if str(case.grid) not in ("1", "(1,)", "(1, 1)") else None
    trace = lens.trace(entries[name].kernel, case.grid, case.block, *case.args, sharedmem=case.shared, blocks=blocks)
    found = operations.operations(trace.log, trace.function, trace.results)
    each = trace.log.threads_per_block
    out[name] = [case.label, *({k: float(v.max()) / each for k, v in t.items()} for t in (found.certain, found.done))]
print(json.dumps(out))
"""


PLAIN = (
    "saxpy complex_multiply_add record_nested_array vector_types butterfly_sum laplacian_shared_halo "
    "stencil_1d_shared fbpic_divide_by_volume fbpic_filter particle_push"
).split()
"""Kernels that call no function of math."""


def count(names):
    """The label of each kernel's case, and what is certain and what was done, in operations a thread."""
    command = [sys.executable, "-c", COUNT, str(HERE.parents[1] / "gpusim" / "tests"), *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def counted():
    return count(RECORDED["kernels"])


@pytest.mark.large
@pytest.mark.parametrize("name", RECORDED["kernels"])
def test_nothing_is_certain_that_the_compiler_left_out(counted, name):
    label, certain, _ = counted[name]
    wanted = RECORDED["kernels"][name]
    assert label == wanted["label"]
    for kind, count in certain.items():
        assert count <= wanted["operations"].get(kind, 0) + 1e-9, kind


def test_what_is_certain_is_most_of_it():
    """Of kernels that call no function of math, seven tenths of the operations in the PTX are called certain."""
    ours = theirs = 0.0
    for name, (_, certain, _) in count(PLAIN).items():
        for kind in ("float64", "float32"):
            ours += certain.get(kind, 0.0)
            theirs += RECORDED["kernels"][name]["operations"].get(kind, 0)
    assert 0.7 < ours / theirs <= 1


def test_functions_have_costs_of_both_widths():
    rows = times.costs.table()
    assert set(rows) == {"float32", "float32 fast", "float64"}
    assert set(rows["float32"]) == set(rows["float64"]) >= {"sin", "exp", "log", "pow", "sqrt", "div", "tanh", "erf"}
    for name, (floats, special, others) in rows["float64"].items():
        assert floats > 0 and special >= 0 and others >= 0
        fast = rows["float32 fast"][name]
        assert sum(fast) <= sum(rows["float32"][name])


@pytest.mark.parametrize(
    "name, letter, constant, slots",
    [
        # x² is one multiplication, x³ two, x⁸ three squarings.
        *[("pow", "d", 2, {"float64": 1}), ("pow", "d", 3, {"float64": 2}), ("pow", "f", 8, {"float32": 3})],
        *[("add", "l", None, {"int32": 2}), ("mul", "l", None, {"int32": 4}), ("add", "i", None, {"int32": 1})],
        *[("truediv", "d", None, {"float64": 9, "special": 1, "int32": 6}), ("lt", "f", None, {"float32": 1})],
    ],
)
def test_costs_of_operators(name, letter, constant, slots):
    assert times.costs.binary(name, letter, constant).slots == slots
