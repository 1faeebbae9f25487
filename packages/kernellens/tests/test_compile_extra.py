"""`lens.compile` with the real compiler: where the extra `compiler` is installed, or KERNELLENS_COMPILER names a Python that
has it.  It needs no GPU.
"""

import collections
import enum
import importlib.util
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import kernellens
from gpusim.hardware import capabilities
from kernellens.compiling import cubin, entry

pytestmark = pytest.mark.skipif(
    not os.environ.get("KERNELLENS_COMPILER") and importlib.util.find_spec("numba_cuda") is None,
    reason="needs NVIDIA's compiler: make setup EXTRA=compiler, or KERNELLENS_COMPILER=/a/python/that/has/it",
)

cuda = None  # set by conftest.py
GPUS = ("T4", "A100", "A10", "L4", "H200", "B200")
TABLE = np.arange(64, dtype=np.float64)
Weights = collections.namedtuple("Weights", "left right")


class Mode(enum.IntEnum):
    ADD = 1
    MULTIPLY = 2


@pytest.fixture(autouse=True, scope="module")
def the_compiler_is_there():
    assert entry.helper.missing() == ""


def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def tile(x, y):
    s = cuda.shared.array((32, 33), numba.float32)
    i, j = cuda.grid(2)
    s[cuda.threadIdx.x, cuda.threadIdx.y] = x[i, j]
    cuda.syncthreads()
    y[j, i] = s[cuda.threadIdx.y, cuda.threadIdx.x]


def spill(x, y):
    i = cuda.grid(1)
    a0, a1, a2, a3 = x[i], x[i + 1], x[i + 2], x[i + 3]
    a4, a5, a6, a7 = x[i + 4], x[i + 5], x[i + 6], x[i + 7]
    b0, b1, b2, b3 = x[i + 8], x[i + 9], x[i + 10], x[i + 11]
    b4, b5, b6, b7 = x[i + 12], x[i + 13], x[i + 14], x[i + 15]
    for _ in range(x.size):
        a0, a1, a2, a3 = a0 * b0 + a7, a1 * b1 + a0, a2 * b2 + a1, a3 * b3 + a2
        a4, a5, a6, a7 = a4 * b4 + a3, a5 * b5 + a4, a6 * b6 + a5, a7 * b7 + a6
        b0, b1, b2, b3, b4, b5, b6, b7 = b0 + a0, b1 + a1, b2 + a2, b3 + a3, b4 + a4, b5 + a5, b6 + a6, b7 + a7
    y[i] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7


def frame(x, y):
    i = cuda.grid(1)
    kept = cuda.local.array(100, numba.float32)
    for j in range(100):
        kept[j] = x[i + j]
    y[i] = kept[int(x[i])]


def constants(x):
    i = cuda.grid(1)
    x[i] = cuda.const.array_like(TABLE)[int(x[i]) & 63]


def gridsync(x):
    grid = cuda.cg.this_grid()
    x[cuda.grid(1)] += 1
    grid.sync()
    x[cuda.grid(1)] += 1


# What can be said beforehand.


@pytest.mark.parametrize("gpu", GPUS)
def test_what_a_kernel_takes_on_every_gpu(gpu):
    made = kernellens.compile(tile, "float32[:, ::1]", "float32[:, ::1]", gpu=gpu, blockdim=(32, 32))
    assert made.available, made
    assert made.shared == 32 * 33 * 4
    assert (made.stack, made.spills, made.constant, made.cooperative) == (0, 0, 0, False)
    assert 8 <= made.registers <= 40
    assert f".target sm_{made.cc[0]}{made.cc[1]}" in made.ptx and "bar.sync" in made.ptx
    assert made.occupancy().limits["threads"] == capabilities.of(made.cc).warps_per_sm // 32
    # ptxas names the architecture that it assembled for.
    assert re.search(rf"for 'sm_{made.cc[0]}{made.cc[1]}a?'", made.log)


def test_local_arrays_constants_and_spills():
    assert kernellens.compile(frame, "float32[::1]", "float32[::1]", gpu="H200").stack == 400  # 100 float32
    for gpu in ("T4", "H200"):
        assert kernellens.compile(constants, "float64[::1]", gpu=gpu).constant == 512  # 64 float64
    free = kernellens.compile(spill, "float64[::1]", "float64[::1]", gpu="H200")
    assert free.spills == 0 and free.registers > 32
    few = kernellens.compile(cuda.jit(max_registers=32)(spill), "float64[::1]", "float64[::1]", gpu="H200")
    assert few.registers <= 32 and few.spill_stores > 0 and few.spill_loads > 0
    assert few.stack >= 8 * 4  # 16 float64 that live on are 32 registers, and there are counters besides


def test_float64_that_nobody_asked_for_is_counted():
    def tenth(x, y):
        i = cuda.grid(1)
        y[i] = 0.1 * x[i]

    def tenth_as_it_should_be(x, y):
        i = cuda.grid(1)
        y[i] = np.float32(0.1) * x[i]

    args = ("float32[::1]", "float32[::1]")
    assert kernellens.compile(tenth, *args).doubles == 1
    assert "float64 (1 instruction)" in kernellens.compile(tenth, *args, gpu="T4").advice[0]
    assert kernellens.compile(tenth_as_it_should_be, *args).doubles == 0


def test_a_kernel_that_calls_device_functions_and_one_that_syncs_the_grid():
    @cuda.jit(device=True)
    def inner(v):
        return math.sin(v) * v

    @cuda.jit(device=True)
    def outer(v):
        return inner(v) + inner(v + 1)

    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        x[i] = outer(x[i])

    assert kernellens.compile(kernel, "float64[::1]", gpu="H200").available
    synced = kernellens.compile(gridsync, "float64[::1]", gpu="H200")
    assert synced.available and synced.cooperative


def test_the_figures_are_those_of_the_machine_code():
    for kernel, args in ((saxpy, ("float64", "float32[::1]", "float32[::1]")), (tile, ("float32[:, ::1]",) * 2)):
        made = kernellens.compile(kernel, *args, gpu="A100")
        sizes = cubin.sections(made._cubin)
        assert sizes[f".text.{made._entry}"] > 0
        assert sizes.get(f".nv.shared.{made._entry}", 0) == made.shared


def test_the_instructions_where_there_is_a_disassembler():
    made = kernellens.compile(saxpy, "float32", "float32[::1]", "float32[::1]", gpu="H200")
    if entry.helper.about["disassembler"] is None:
        assert made.sass is None
    else:
        assert "FFMA" in made.sass and "EXIT" in made.sass


def test_options_of_jit_reach_the_compiler():
    def divide(x, y):
        i = cuda.grid(1)
        y[i] = x[i] / y[i]

    args = ("float32[::1]", "float32[::1]")
    exact, fast = kernellens.compile(divide, *args), kernellens.compile(cuda.jit(fastmath=True)(divide), *args)
    assert "div.rn.f32" in exact.ptx and "div.rn.f32" not in fast.ptx
    debugging = kernellens.compile(cuda.jit(debug=True, opt=False)(tile), *("float32[:, ::1]",) * 2)
    assert debugging.available and debugging.shared == 32 * 33 * 4
    bounded = kernellens.compile(cuda.jit(launch_bounds=128)(divide), *args)
    assert re.search(r"\.maxntid\s+128", bounded.ptx)


def test_what_a_kernel_refers_to_arrives(simulated_libraries):
    from types import ModuleType

    from numba.cuda import libdevice

    own = ModuleType("learners_own")
    own.FACTOR = 1234577.0
    weights = Weights(7654321.0, 2)

    @cuda.jit("float32(float32)", device=True)
    def declared(v):
        return libdevice.fast_cosf(v)

    @numba.njit
    def of_the_cpu(v):
        return v + 1

    def kernel(x, mode):
        i = cuda.grid(1)
        if mode == Mode.MULTIPLY:
            x[i] *= own.FACTOR
        else:
            x[i] += weights.left
        cuda.atomic.max(x, 0, of_the_cpu(declared(x[i])))

    made = kernellens.compile(kernel, "float64[::1]", Mode.ADD)
    assert made.available, made
    # The two numbers, and the function of libdevice, are in what was made.
    for value in (own.FACTOR, weights.left):
        assert f"0d{np.float64(value).view(np.uint64):016X}" in made.ptx
    assert "cos.approx" in made.ptx


def test_arguments_of_all_kinds_are_typed_as_described(simulated_libraries):
    import cupy

    record = np.zeros(3, np.dtype([("x", "f4"), ("n", "i4")], align=True))

    def kernel(a, b, c, d, e, f):
        a[0, 0] = b[0][0] + b[1] + c.left + d.n + e + f[0].x

    args = (cupy.zeros((4, 5)).T, (np.zeros(2), 3), Weights(1.0, 2), record[0], np.int8(1), record)
    made = kernellens.compile(kernel, *args)
    assert made.available, made
    assert made.signature == (
        "float64[::1, :], (float64[::1], int64), Weights(float64, int64), record, int8, record[::1]"
    )


def test_a_function_without_readable_source_is_compiled_all_the_same():
    scope = {"cuda": cuda}
    exec("def typed_in(x):\n    x[cuda.grid(1)] = 1\n", scope)
    assert kernellens.compile(scope["typed_in"], "float32[::1]").available
    exec("def typed_in(x):\n    x[cuda.grid(1)] = x.colour\n", scope)
    (finding,) = kernellens.compile(scope["typed_in"], "float32[::1]").errors
    assert finding.line == 2 and "colour" in finding.sentence


# What it refuses.


def allocates(x):
    x[0] = np.linalg.norm(x)


def in_a_device_function(x):
    i = cuda.grid(1)
    x[i] = attribute(x[i])


@numba.njit
def attribute(v):
    return v.size_of


def too_much(x):
    kept = cuda.shared.array((128, 128), numba.float32)
    i, j = cuda.grid(2)
    kept[i, j] = x[i]
    cuda.syncthreads()
    x[i] = kept[j, i]


LARGE = np.zeros(20_000)


def too_many_constants(x):
    x[0] = cuda.const.array_like(LARGE)[int(x[0])]


@pytest.mark.parametrize(
    ("kernel", "line", "says"),
    [
        (allocates, 2, "np.linalg.norm is a library's"),
        (in_a_device_function, 3, "Unknown attribute 'size_of'"),
        (too_much, None, "65536"),
        (too_many_constants, None, "take 160000 bytes, and constant memory has 65536"),
    ],
)
def test_refusals(kernel, line, says):
    (finding,) = kernellens.compile(kernel, "float32[::1]", gpu="T4").errors
    assert says in finding.sentence and finding.line == line


def test_names_imported_by_name(simulated_libraries):
    from numba.cuda import atomic, grid

    def counted(x):
        x[grid(1)] = 1

    def added(x):
        x[0] = 1
        atomic.add(x, 0, 1)

    assert kernellens.compile(counted, "float32[::1]").available
    (finding,) = kernellens.compile(added, "float32[::1]").errors
    assert "only as cuda.atomic" in finding.sentence and finding.line == 3


def test_recursion_is_refused_there_as_here():
    @cuda.jit(device=True)
    def countdown(x, n):
        if n > 0:
            countdown(x, n - 1)
        x[0] += 1

    @cuda.jit
    def recursive(x):
        countdown(x, 3)

    (finding,) = kernellens.compile(recursive, "float32[::1]").errors
    assert "calls itself" in finding.sentence and finding.line == 4

    @cuda.jit(device=True)
    def factorial(n):  # Numba finds its types, and numba-cuda 0.30 has no code for it ("insert_unresolved_ref")
        return 1 if n < 2 else n * factorial(n - 1)

    @cuda.jit
    def typed(x):
        x[0] = factorial(5)

    (finding,) = kernellens.compile(typed, "float32[::1]").errors
    assert "calls itself" in finding.sentence and finding.line == 3


def test_a_gpu_older_than_the_compiler():
    made = kernellens.compile(saxpy, "float32", "float32[::1]", "float32[::1]", gpu="V100")
    if (7, 0) in entry.helper.about["ccs"]:  # CUDA 12
        assert made.available
    else:
        assert "gpu='T4'" in made.missing


def _absent():
    """The lines of packages/gpusim/tests/kernels/test_unsupported.py."""
    path = Path(__file__).parents[2] / "gpusim" / "tests" / "kernels" / "test_unsupported.py"
    spec = importlib.util.spec_from_file_location("absent_lines", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LINES = _absent()


@pytest.mark.large("line", by=lambda line: (line in LINES.TAKEN, line[:9]))  # one of each that begin alike
@pytest.mark.parametrize("line", [*LINES.REFUSED, *LINES.TAKEN])
def test_what_the_engine_says_a_gpu_does_not_have(line):
    made = kernellens.compile(LINES.kernel(line), "float64[::1]", "float64[::1]", "float64[:, ::1]", "int64[::1]")
    assert made.available == (line in LINES.TAKEN), made


# All kernels of the engine's test set.

WHOLE_SET = """
import sys
sys.path.insert(0, sys.argv[1])
import gpusim
gpusim.activate()
import numba.cuda.dispatcher
import kernellens as lens
from kernels_set import registry

compiled, refused = set(), []

def call(kernel, args, configuration):
    types = tuple(map(kernel.typeof_pyval, args))
    if (kernel, types) in compiled:
        return
    compiled.add((kernel, types))
    made = lens.compile(kernel, *args, gpu="H200", blockdim=configuration.blockdim, sharedmem=configuration.sharedmem)
    if not made.available or made.occupancy().why:
        refused.append(f"{name}: {made}")

numba.cuda.dispatcher.CUDADispatcher.call = call  # compiled for a GPU in place of being run here
for name, entry in registry.load().items():
    for case in entry.cases(registry.seeded(name)):
        registry.run(entry, case)
        break
print("\\n".join(refused))
print(len(compiled))
"""


def test_every_kernel_of_the_engine_s_set_is_compiled():
    tests = str(Path(__file__).parents[2] / "gpusim" / "tests")
    command = [sys.executable, "-c", WHOLE_SET, tests]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    *refused, compiled = done.stdout.strip().splitlines()
    assert not "".join(refused).strip(), "\n".join(refused)
    assert int(compiled) >= 223


# Beside others.


def test_it_works_in_a_process_that_simulates(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import kernellens as lens\n"
        "from numba import cuda\n"
        "import cupy\n"
        "@cuda.jit\n"
        "def add(x):\n"
        "    i = cuda.grid(1)\n"
        "    if i < x.size:\n"
        "        x[i] += 1\n"
        "x = cupy.zeros(100)\n"
        "add[4, 32](x)\n"
        "made = lens.compile(add, x)\n"
        "assert made.available, made\n"
        "assert float(x.sum()) == 100\n"
        "print(made.registers)\n"
    )
    done = subprocess.run([sys.executable, "-m", "gpusim", str(script)], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    assert 4 <= int(done.stdout.split()[-1]) <= 40


def test_the_assembler_of_the_toolkit_agrees_about_a_kernel_of_one_piece(tmp_path):
    """nvJitLink's ptxas and the program, of other versions: for a kernel as simple as this they come to the same."""
    program = entry.helper.about["ptxas"]
    if program is None:
        pytest.skip("no ptxas here: it is in the wheel nvidia-cuda-nvcc")
    made = kernellens.compile(tile, "float32[:, ::1]", "float32[:, ::1]", gpu="A100")
    (tmp_path / "tile.ptx").write_text(made.ptx)
    command = [program, "-v", "-arch=sm_80", str(tmp_path / "tile.ptx"), "-o", str(tmp_path / "tile.cubin")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert f"Used {made.registers} registers" in said and "4224 bytes smem" in said


def test_a_simulated_kernel_shows_the_real_compilers_code(monkeypatch):
    kernel = cuda.jit(saxpy)
    x, y = np.ones(4, np.float32), np.zeros(4, np.float32)
    kernel[1, 32](np.float32(2), x, y)
    (ptx,) = kernel.inspect_asm().values()
    (llvm,) = kernel.inspect_llvm().values()
    assert ".visible .entry" in ptx and "fma.rn.f32" in ptx
    assert "nvptx64-nvidia-cuda" in llvm and "saxpy" in llvm
    assert ".target sm_75" in kernel.overloads[next(iter(kernel.overloads))].inspect_asm(cc=(7, 5))


def looked_up(x, out):
    table = cuda.local.array(256, numba.float32)
    i = cuda.grid(1)
    for k in range(256):
        table[k] = x[k] * i
    out[i] = table[int(x[i]) % 256]


def test_a_simulated_kernel_has_the_real_compilers_registers_and_local_memory(monkeypatch):
    for function, least in ((saxpy, 0), (looked_up, 1024)):
        kernel = cuda.jit(function)
        signature = numba.void(*[numba.float32] * (function is saxpy), numba.float32[::1], numba.float32[::1])
        kernel.compile(signature)
        made = kernellens.compile(kernel)
        assert kernel.get_regs_per_thread(signature) == made.registers > 0
        assert kernel.get_local_mem_per_thread() == {signature.args: made.stack} and made.stack >= least


def test_a_raw_kernel_has_the_real_compilers_registers_and_local_memory(simulated_libraries):
    import cupy

    code = """
    extern "C" __global__ void few(float* x) { x[threadIdx.x] = 1; }
    extern "C" __global__ void many(const float* x, float* y) { float t[N]; for (int i = 0; i < N; i++) t[i] = x[i] * threadIdx.x; y[0] = t[(int)y[1]]; }
    template <typename T> __global__ void mangled(T* x) { x[0] = 1; }
    """
    few, many = (cupy.RawKernel(code, name, ("-DN=300",)) for name in ("few", "many"))
    assert 0 < few.num_regs < many.num_regs and few.local_size_bytes == 0 and many.local_size_bytes >= 1200
    assert many.attributes["local_size_bytes"] == many.local_size_bytes
    mangled = cupy.RawModule(code=code, options=("-DN=3",), name_expressions=["mangled<float>"]).get_function(
        "mangled<float>"
    )
    with pytest.raises(AttributeError, match="num_regs"):
        mangled.num_regs  # noqa: B018


def transpose_signed(x, out):
    tile = cuda.shared.array((32, 33), numba.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for k in range(0, 32, 8):
        if top + ty + k < x.shape[0] and left + tx < x.shape[1]:
            tile[ty + k, tx] = x[top + ty + k, left + tx]
    cuda.syncthreads()
    for k in range(0, 32, 8):
        if left + ty + k < out.shape[0] and top + tx < out.shape[1]:
            out[left + ty + k, top + tx] = tile[tx, ty + k]


def transpose_unsigned(x, out):
    tile = cuda.shared.array((32, 33), numba.float32)
    tx, ty = np.uint32(cuda.threadIdx.x), np.uint32(cuda.threadIdx.y)
    left, top = np.uint32(cuda.blockIdx.x * 32), np.uint32(cuda.blockIdx.y * 32)
    rows, columns = np.uint32(x.shape[0]), np.uint32(x.shape[1])
    for k in range(0, 32, 8):
        i, j = np.uint32(top + ty + np.uint32(k)), np.uint32(left + tx)
        if i < rows and j < columns:
            tile[np.uint32(ty + np.uint32(k)), tx] = x[i, j]
    cuda.syncthreads()
    for k in range(0, 32, 8):
        i, j = np.uint32(left + ty + np.uint32(k)), np.uint32(top + tx)
        if i < columns and j < rows:
            out[i, j] = tile[tx, np.uint32(ty + np.uint32(k))]


@pytest.mark.parametrize(("kernel", "count"), [(transpose_signed, 208), (transpose_unsigned, 136)])
def test_unit_06_says_how_many_instructions_an_index_costs(kernel, count):
    x = np.zeros((64, 64), np.float32)
    ptx = kernellens.compile(cuda.jit(kernel), x, x.copy(), blockdim=(32, 8), gpu="H200").ptx
    lines = [line.strip() for line in ptx.splitlines() if line.startswith("\t")]
    assert sum(not line.startswith((".", "//")) for line in lines) == count
