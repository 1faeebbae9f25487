"""What CuPy's own headers declare for its elementwise and reduction kernels: NVRTC and the simulator judge the same operations.

`CHECKOUTS` names a folder with a checkout of CuPy, `cupy+cupy`, of the lock's version.
"""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import cupy_lines  # noqa: E402

REAL, CHECKOUT = os.environ.get("KERNELLENS_COMPILER"), Path(os.environ.get("CHECKOUTS", "nowhere")) / "cupy+cupy"
INCLUDED = CHECKOUT / "cupy" / "_core" / "include"
pytestmark = [
    pytest.mark.large,
    pytest.mark.skipif(
        not (REAL and INCLUDED.exists()), reason="needs NVIDIA's compiler and CHECKOUTS=FOLDER with a checkout of CuPy"
    ),
]
HEADERS = "".join(
    f"#include <cupy/{name}>\n" for name in ("complex.cuh", "carray.cuh", "atomics.cuh", "math_constants.h")
)


def real(kernels):
    """What NVRTC says of each kernel behind CuPy's headers."""
    asked = json.dumps([HEADERS, kernels])
    told = subprocess.run([REAL, str(HERE / "cpp_real.py"), str(INCLUDED)], input=asked, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def said(make) -> str:
    """What the simulator says of a kernel; nothing where it takes it."""
    try:
        make()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return ""


def elementwise(operation):
    from cupy._c_kernels.elementwise import ElementwiseKernel, _compiled

    ins = [f"{dtype} {name}" for name, (dtype, _) in cupy_lines.NUMBERS.items()]
    raws = [f"raw {dtype} {name}" for name, (dtype, _, _) in cupy_lines.RAW.items() if name != "m"]
    outs = ["raw float64 m", *(f"{dtype} {name}" for name, (dtype, _) in cupy_lines.OUT.items())]
    kernel = ElementwiseKernel(", ".join(ins + raws), ", ".join(outs), operation, "k")
    kinds = [
        ("raw", p.dtype, cupy_lines.RAW[p.name][2])
        if p.raw
        else ("out" if p in kernel.out_params else "in", p.dtype, 0)
        for p in kernel.params
    ]
    text, raw = kernel._code(tuple(kinds), {}, 1)
    _compiled(text, "k", (), tuple(raw.items()))


def reduction(parts):
    from cupy._c_kernels.reduction import ReductionKernel, _compiled

    kernel = ReductionKernel("float32 x, int32 k, complex64 z, raw float32 r", "float32 y", *parts, "0", "k")
    kinds = [("in", np.dtype(d)) for d in ("f4", "i4", "c8")] + [("raw", np.dtype("f4")), ("out", np.dtype("f4"))]
    _compiled(kernel._code(tuple(kinds), {}), "k", (), 0)


def judge(simulated_libraries, asked, kernels, ask):
    """Compare what the two say of each operation."""
    importlib.import_module("cupy")
    told = real(kernels)
    mine = [said(lambda each=each: ask(each)) for each in asked]
    assert 0.25 < sum(map(bool, told)) / len(told) < 0.75
    pairs = list(zip(asked, told, mine, strict=True))
    left_out = [each for each, a, b in pairs if not a and b.startswith("NotSimulatedError")]
    differing = [
        f"{each}: {a or 'taken'} | here: {b or 'taken'}"
        for each, a, b in pairs
        if bool(a) != bool(b) and each not in left_out
    ]
    assert len(left_out) <= 0.02 * len(asked), left_out  # refused by name
    assert len(differing) <= 0.01 * len(asked), "\n".join(differing)


def test_elementwise_kernels(simulated_libraries):
    asked = cupy_lines.operations()
    judge(simulated_libraries, asked, [cupy_lines.elementwise(n, each) for n, each in enumerate(asked)], elementwise)


def test_reduction_kernels(simulated_libraries):
    asked = cupy_lines.reductions()
    judge(simulated_libraries, asked, [cupy_lines.reduction(n, each) for n, each in enumerate(asked)], reduction)
