"""Which types the functions of kernels take: those that numba-cuda 0.30.4 declares or can compile, and no others.

Each line was given to numba-cuda. `packages/gpusim/tests/compiler_sweep` does so again, and to many more, where it is installed.
"""

import linecache
import types

import numpy as np
import pytest

from gpusim.kernels import Kernel
from gpusim.kernels.backends import numpy as interpreted
from gpusim.kernels.faults import UncompilableError
from gpusim.kernels.frontend import intrinsics

cuda = types.ModuleType("numba.cuda")
vars(cuda).update(intrinsics.TOP)

REFUSED = [
    ("out[0] = cuda.syncthreads_count(v)", "bool"),
    ("out[0] = cuda.syncthreads_and(v)", "float32"),
    ("out[0] = cuda.syncthreads_or(v > 1)", "int32"),
    ("y[0] = cuda.shfl_sync(-1, v, 0)", "uint32"),
    ("y[0] = cuda.shfl_down_sync(-1, v, 1)", "uint64"),
    ("y[0] = cuda.shfl_xor_sync(-1, v, 1)", "bool"),
    ("y[0] = cuda.shfl_up_sync(-1, v, 1)", "int16"),
    ("y[0] = cuda.shfl_sync(v, 1, 0)", "float32"),
    ("y[0] = cuda.shfl_sync(-1, 1, v)", "uint8"),
    ("out[0] = cuda.ballot_sync(-1, v)", "float64"),
    ("out[0] = cuda.all_sync(v, True)", "float32"),
    ("out[0] = cuda.any_sync(v, True)", "int8"),
    ("out[0] = cuda.match_any_sync(-1, v)", "complex64"),
    ("out[0] = cuda.ffs(v)", "int16"),
    ("out[0] = cuda.ffs(v)", "float32"),
    ("y[0] = cuda.selp(v, 1, 2)", "int32"),
    ("y[0] = cuda.selp(v > 1, v, 1.0)", "int32"),
    ("y[0] = cuda.selp(v > 1, v, v)", "int8"),
    ("cuda.nanosleep(v)", "complex64"),
    ("cuda.threadfence(1)", "int32"),
    ("cuda.atomic.add(x, (0,), 1)", "int32"),
    ("cuda.atomic.add(x, 0, 1)", "int8"),
    ("s = cuda.local.array(0, np.int32)", "int32"),
    ("s = cuda.shared.array(-1, np.int32)", "int32"),
    ("s = cuda.shared.array(4.0, np.int32)", "int32"),
    ("i = cuda.grid(1.0)", "int32"),
    ("x[v] = 1", "bool"),
    ("x.sort()", "int32"),
    ("y[0] = x.sum(0)", "int32"),
    ("z = x.flags", "int32"),
    ("print(x)", "int32"),
    ("print(v)", "complex64"),
    ("raise ValueError(x[0])", "int32"),
    ("y[0] = np.sqrt(v)", "float16"),
]
ACCEPTED = [
    ("out[0] = cuda.syncthreads_count(v)", "int8"),
    ("out[0] = cuda.syncthreads_or(int(v > 1))", "int32"),
    ("y[0] = cuda.shfl_sync(-1, v, 0)", "float64"),
    ("y[0] = cuda.shfl_sync(v, 1, v)", "uint64"),
    ("out[0] = cuda.ballot_sync(-1, v > 1)", "float64"),
    ("out[0] = cuda.ballot_sync(v, v)", "uint32"),
    ("out[0] = cuda.match_any_sync(-1, v)", "uint64"),
    ("cuda.syncwarp(v)", "float32"),
    ("out[0] = cuda.popc(v)", "float32"),
    ("out[0] = cuda.brev(v)", "bool"),
    ("out[0] = cuda.ffs(v)", "uint64"),
    ("y[0] = cuda.selp(v > 1, v, v)", "int16"),
    ("cuda.nanosleep(v)", "float32"),
    ("cuda.atomic.add(x, v, 1)", "float32"),
    ("s = cuda.shared.array(0, np.int32)", "int32"),
    ("y[0] = math.exp2(v)", "bool"),
]


@pytest.fixture(params=["compiled", "interpreted"])
def compile_line(request):
    def compile_line(line, name):
        text = f"def kernel(x, y, v, out):\n    {line}\n"
        filename = f"<{line}, {name}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        space = {"cuda": cuda, "np": np, "math": __import__("math")}
        exec(compile(text, filename, "exec"), space)
        dtype = np.dtype(name)
        arguments = (np.zeros(4, dtype), np.zeros(4), dtype.type(1), np.zeros(4, np.int64))
        kernel = Kernel(space["kernel"])
        if request.param == "interpreted" or kernel.compiled(arguments) is None:
            function = kernel.function()
            interpreted.compile_kernel(function, interpreted.argument_types(function, arguments))

    return compile_line


@pytest.mark.parametrize(("line", "name"), REFUSED)
def test_refused_at_work_and_here(compile_line, line, name):
    with pytest.raises(UncompilableError):
        compile_line(line, name)


@pytest.mark.parametrize(("line", "name"), ACCEPTED)
def test_accepted_at_work_and_here(compile_line, line, name):
    compile_line(line, name)
