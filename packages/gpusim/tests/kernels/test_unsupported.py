"""What a GPU's compiler does not have is refused here too, with what to write instead.

Each line was given to numba-cuda 0.30.4, which refuses the first kind and takes the second; `packages/kernellens/tests/test_compile_extra.py`
does so again where it is installed.
"""

import linecache
import math
import re

import numpy as np
import pytest
from numba.core import event

from gpusim.kernels import Kernel
from gpusim.kernels.faults import UncompilableError

REFUSED = {
    "x[0] = np.sqrt(y[0])": "write math.sqrt(x)",
    "x[0] = np.exp(y[0])": "write math.exp(x)",
    "x[0] = np.abs(y[0])": "write abs(x)",
    "x[0] = np.floor(y[0])": "write math.floor(x)",
    "x[0] = np.power(y[0], 2)": "write x ** y",
    "x[0] = np.add(y[0], y[1])": "write x + y",
    "x[0] = np.isfinite(y[0])": "write math.isfinite",
    "x[0] = np.round(y[0])": "write round",
    "x[0] = np.sign(y[0])": "np.sign does not exist in a kernel",
    "x[0] = np.max(y)": "write a loop with max(a, b)",
    "x[0] = y.min()": "The method min does not exist in a kernel",
    "x[0] = np.median(y)": "np.median does not exist",
    "x[0] = np.percentile(y, 50)": "np.percentile does not exist",
    "x[0] = np.interp(1.0, y, y)": "np.interp does not exist",
    "x[0] = np.linalg.norm(y)": "np.linalg.norm is a library's",
    "x[0] = np.linalg.det(z)": "np.linalg.det is a library's",
    "x[0] = y @ y": "The product @",
    "x[0] = np.random.random()": "numba.cuda.random",
    "x[0] = np.random.randint(3)": "numba.cuda.random",
    "x[0] = y.ravel()[0]": "write reshape",
    "x[0] = math.gcd(4, 6)": "math.gcd does not exist",
    "x[0] = hash(w[0])": "hash does not exist",
    "np.sqrt(y, x)": "write math.sqrt",
    "x[1:3] = y[0:2]": "write a loop",
    "x[:] = y": "write a loop",
    "x[...] = y": "write a loop",
    "z[0] = y[0:2]": "write a loop",
    "z[:, 0] = y[0:2]": "write a loop",
    "x[0:2] += y[0:2]": "write a loop",
    "del y": "del cannot be used",
}
TAKEN = (
    *("x[0] = np.sin(y[0])", "x[0] = np.log2(y[0])", "x[0] = np.hypot(y[0], y[1])", "x[0] = np.maximum(y[0], y[1])"),
    *("x[0] = np.sum(y)", "x[0] = y.mean()", "x[0] = np.argmax(y)", "x[:] = 0"),
    *("x[0] = np.trace(z)", "x[0] = np.searchsorted(y, 1.0)", "x[0] = y.reshape(z.shape)[0, 0]", "x[0] = y[1:3][0]"),
    *("x[0] = math.sqrt(y[0])", "x[0] = abs(y[0])", "x[0] = round(y[0])", "x[0] = y[0] ** 0.5", "np.sin(y, x)"),
    *("x[0:2] = (1.0, 2.0)", "z[0] = 1.0", "x[...] = y[0]"),
    *(
        "x[1:3] = y[0]",
        "x[0] = np.isnan(y[0])",
        "x[0] = np.float64(3)",
        "x[0] = np.finfo(np.float32).eps",
    ),
)


def kernel(line):
    source = f"def kernel(x, y, z, w):\n    {line}\n"
    name = f"<absent {line}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {"np": np, "math": math}
    exec(compile(source, name, "exec"), scope)
    return scope["kernel"]


ARGUMENTS = (np.zeros(4), np.zeros(4), np.zeros((2, 2)), np.zeros(4, np.int64))


@pytest.mark.large(smoke=8)
@pytest.mark.parametrize("line", REFUSED)
def test_refused(line):
    with pytest.raises(UncompilableError, match=re.escape(REFUSED[line])) as error:
        Kernel(kernel(line)).compiled(ARGUMENTS)
    assert error.value.line == 2 and error.value.source_line == line


def test_what_is_refused_by_its_name_is_not_compiled_before():
    """np.percentile took 6 s of processor time: Numba compiles what is called to find its type."""
    with event.install_recorder("numba:compile") as compiled, pytest.raises(UncompilableError, match="percentile"):
        Kernel(kernel("x[0] = np.percentile(y, 50)")).compiled(ARGUMENTS)
    names = {each.data["dispatcher"].py_func.__name__ for _, each in compiled.buffer}
    assert len(names) == 2, "the loop over threads, and the kernel in it"


IN_DEVICE_FUNCTIONS = [line for line in REFUSED if line.startswith("x[0] = ") and "z" not in line and "w" not in line]


@pytest.mark.large("waits")  # what is refused is `test_refused`'s; this is where
@pytest.mark.parametrize("waits", [False, True], ids=["", "waiting"])
@pytest.mark.parametrize("line", IN_DEVICE_FUNCTIONS)
def test_refused_in_a_device_function_too(line, waits, cuda, device_function):
    """One that waits for other threads is put into its kernel, any other is compiled by itself."""
    source = f"def inner(x, y):\n    {line}\n    {'cuda.syncthreads()' if waits else 'pass'}\n"
    name = f"<absent inner {line} {waits}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {"np": np, "math": math, "cuda": cuda}
    exec(compile(source, name, "exec"), scope)
    inner = device_function(scope["inner"])

    def outer(x, y):
        inner(x, y)

    with pytest.raises(UncompilableError, match=re.escape(REFUSED[line])) as error:
        Kernel(outer).compiled(ARGUMENTS[:2])
    if not waits:
        assert error.value.function == "inner" and error.value.line == 2 and error.value.source_line == line


@pytest.mark.large
@pytest.mark.parametrize("line", TAKEN)
def test_taken(line):
    assert Kernel(kernel(line)).compiled(ARGUMENTS) is not None


def test_a_float_as_an_index_is_said_in_its_own_words():
    """It was told as "there is no assignment to an element for array(float64, 1d, C), float64, int 1"."""
    for line in ("x[y[0] / 2] = 1", "x[0] = y[y[0]]", "z[0, y[0] * 2] = 1", "x[0] = z[y[0], 1]"):
        with pytest.raises(UncompilableError, match=r"has a whole number, not a float64: index with // "):
            Kernel(kernel(line)).compiled(ARGUMENTS)
