"""`lens.compile` where the real compiler is not installed: types, refusals, what is missing.  With it: test_compile_extra.py."""

import collections
import enum
import pickle
import subprocess
import sys

import numba
import numpy as np
import pytest

import kernellens
from gpusim.hardware.gpus import UnknownGpuError
from gpusim.kernels.faults import UncompilableError
from kernellens.compiling import argument_types, entry, kernel_data
from kernellens.compiling.helper import Helper

cuda = None  # set by conftest.py
SCALE = 3
Pair = collections.namedtuple("Pair", "a b")


class Colour(enum.IntEnum):
    RED = 1
    BLUE = 2


class Absent(Helper):
    """No compiler, whatever is installed here."""

    def missing(self):
        return "numba-cuda is not installed in this environment."


class There(Helper):
    """A compiler that says what it is told to."""

    def __init__(self, answer, ccs=((7, 5), (8, 0), (9, 0))):
        super().__init__()
        self.about = {"ccs": list(ccs), "versions": {"nvidia-nvvm": "13.0.88"}, "disassembler": None}
        self.reply, self.requests = answer, []

    def missing(self):
        return ""

    def ask(self, request, name="the kernel"):
        self.requests.append(pickle.loads(pickle.dumps(request)))
        return dict(self.reply)


@pytest.fixture(autouse=True)
def absent(monkeypatch):
    monkeypatch.setattr(entry, "helper", Absent())
    monkeypatch.setattr(entry, "_kept", collections.OrderedDict())


def refused(text, types=("TypingError", "NumbaError"), places=()):
    return {"ok": False, "types": list(types), "text": text, "places": list(places), "warnings": []}


def elf(**sizes):
    """The least of an ELF file that has sections of these names and sizes."""
    import struct

    names = b"\0" + b"".join(name.encode().replace(b"__", b".") + b"\0" for name in sizes)
    headers, at = [struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, 64, len(names), 0, 0, 0, 0)], 1
    for name, size in sizes.items():
        headers.append(struct.pack("<IIQQQQIIQQ", at, 1, 0, 0, 0, size, 0, 0, 0, 0))
        at += len(name.replace("__", ".")) + 1
    head = b"\x7fELF\x02\x01" + bytes(34) + struct.pack("<Q", 64 + len(names)) + bytes(10)
    return head + struct.pack("<HHH", 64, len(headers), 0) + names + b"".join(headers)


def built(**more):
    log = "Function properties for k\n 8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
    log += "Used 40 registers, used 1 barriers, 2048 bytes smem"
    made = {
        "ok": True,
        "ptx": ".target sm_90a",
        "llvm": "; ModuleID",
        "entry": "k",
        "cooperative": False,
        "by": "nvJitLink",
        "log": log,
    }
    return made | {"cubin": elf(__nv__constant3=512, __text__k=128), "warnings": []} | more


def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = SCALE * a * x[i] + y[i]


# What is described as what.


def test_arguments_are_typed_as_for_a_launch(simulated_libraries):
    import cupy

    columns = np.zeros((4, 5), np.float32, order="F")
    read = np.zeros(3)
    read.flags.writeable = False
    expected = [
        (1, "int64"), (2**40, "int64"), (2**63, "uint64"), (-1.5, "float64"), (True, "boolean"), (1j, "complex128"),
        (np.float32(1), "float32"), (np.int8(1), "int8"), (np.bool_(True), "boolean"),
        (np.zeros((4, 5), np.int8), "int8[:, ::1]"), (columns, "float32[::1, :]"), (columns[::2], "float32[:, :]"),
        (np.zeros(8)[::2], "float64[:]"), (np.zeros(0), "float64[::1]"), (np.zeros((1, 1)), "float64[:, ::1]"),
        (read, "float64[::1] read-only"), ((1, np.zeros(2)), "(int64, float64[::1])"),
        (Pair(1, 2.0), "Pair(int64, float64)"), (Colour.RED, "Colour"),
        (cupy.zeros((4, 5), cupy.float32), "float32[:, ::1]"), (cupy.zeros((4, 5)).T, "float64[::1, :]"),
        (cupy.zeros((4, 5))[:, ::2], "float64[:, :]"), (cupy.broadcast_to(cupy.zeros(5), (4, 5)), "float64[:, :]"),
        (cuda.to_device(columns), "float32[::1, :]"), (cuda.In(np.zeros(2)), "float64[::1]"),
    ]  # fmt: skip
    for value, wanted in expected:
        assert argument_types.text(argument_types.describe(value)) == wanted, value


def test_the_example_of_a_described_argument_is_typed_the_same(simulated_libraries):
    for text in ("int64", "boolean", "float32[::1]", "float32[:]", "int8[:, ::1]", "int8[::1, :]", "int8[:, :]"):
        kind = argument_types.describe(text)
        assert argument_types.text(kind) == text
        assert argument_types.describe(argument_types.example(kind)) == kind
    assert numba.typeof(argument_types.example(argument_types.describe("int8[::1, :]"))).layout == "F"


def test_what_stands_for_an_argument():
    class Shaped:
        shape, dtype = (10_000, 10_000), np.dtype("f4")

    record = np.dtype([("x", "f4"), ("n", "i4")])
    assert argument_types.describe(np.float32) == argument_types.describe("float32") == ("scalar", np.dtype("f4"))
    assert argument_types.describe(numba.float32[:, ::1]) == argument_types.describe("float32[:, ::1]")
    assert argument_types.describe(Shaped()) == argument_types.describe("float32[:, ::1]")
    assert argument_types.describe(numba.typeof(np.zeros(2, record))) == argument_types.describe(np.zeros(2, record))
    assert argument_types.describe(numba.types.UniTuple(numba.int64, 2)) == argument_types.describe((1, 2))
    for wrong in ("float32[", "text", "object", [1], {}, None, 2**64, -(2**63) - 1, object()):
        with pytest.raises(TypeError):
            argument_types.describe(wrong)


# Without the compiler.


def test_without_the_compiler_types_are_checked_and_the_rest_is_said_to_be_missing():
    made = kernellens.compile(cuda.jit(saxpy), 2.0, np.zeros(4, np.float32), np.zeros(4, np.float32), gpu="A100")
    assert (made.available, made.errors, made.signature) == (False, [], "float64, float32[::1], float32[::1]")
    assert (made.gpu, made.cc, made.registers, made.shared, made.ptx, made.sass) == (
        "A100",
        (8, 0),
        None,
        None,
        None,
        None,
    )
    assert "numba-cuda is not installed" in made.missing and "compiler" in made.missing
    assert "Its types are right" in repr(made) and made.missing in repr(made)
    with pytest.raises(kernellens.compiling.NotCompiledError, match="numba-cuda is not installed"):
        made.occupancy(256)


def appends(x):
    y = []
    y.append(x[0])


def undefined(x):
    x[0] = alpha * x[0]  # noqa: F821


def runtime_shape(x, n):
    tile = cuda.shared.array(n, numba.float32)
    tile[0] = x[0]


def returns(x):
    return x[0]


def plain(v):
    return v + 1


def calls_plain(x):
    x[0] = plain(x[0])


def too_much_shared(x):
    tile = cuda.shared.array((128, 128), numba.float32)
    tile[0, 0] = x[0]
    x[0] = tile[0, 0]


def in_a_device_function(x):
    i = cuda.grid(1)
    x[i] = attribute(x[i])


@numba.njit
def attribute(v):
    return v.size_of


REFUSED = [
    (appends, ("float32[::1]",), 2, "list"),
    (undefined, ("float32[::1]",), 2, "'alpha': it is not defined"),
    (runtime_shape, ("float32[::1]", "int64"), 2, "must be known when the kernel is compiled"),
    (returns, ("float32[::1]",), 2, "returns nothing"),
    (calls_plain, ("float32[::1]",), 2, r"plain is a plain Python function.*@cuda.jit\(device=True\)"),
    (in_a_device_function, ("float32[::1]",), 3, "Unknown attribute 'size_of'"),
    (
        saxpy,
        ("float32", "float32[:, ::1]", "float32[:, ::1]"),
        4,
        "there is no assignment to an element|no conversion|array",
    ),
]


@pytest.mark.parametrize(
    ("kernel", "args", "line", "says"), REFUSED, ids=lambda value: getattr(value, "__name__", None)
)
def test_what_numba_refuses_is_a_finding_with_its_line(kernel, args, line, says):
    made = kernellens.compile(kernel, *args)
    (finding,) = made.errors
    assert (finding.kind, finding.severity, finding.line) == ("uncompilable", "error", line)
    assert pytest.raises(UncompilableError, kernellens.compile, kernel, *args, raise_on_error=True).match(says)
    assert finding.sentence in repr(made) and not made.available
    if kernel is in_a_device_function:
        assert finding.function == "attribute"


def test_more_static_shared_memory_than_a_block_can_have():
    (finding,) = kernellens.compile(too_much_shared, "float32[::1]").errors
    assert "65536" in finding.sentence and "49152" in finding.sentence


# With one, which says what these tests tell it to.


def test_what_the_compiler_says_is_what_the_result_has(monkeypatch):
    there = There(built())
    monkeypatch.setattr(entry, "helper", there)
    made = kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]", gpu="H200", blockdim=256, sharedmem=1024)
    assert made.available and not made.missing and not made.errors
    assert (made.registers, made.shared, made.stack, made.spill_stores, made.spill_loads, made.constant) == (
        *(40, 2048, 8, 4, 12, 512),
    )
    assert made.spills == 16
    # 40 registers × 32 = 1 280; a partition's 16 384 have room for 12 warps; 48 warps are 6 blocks of 8.
    assert made.occupancy().blocks_per_sm == 6
    assert made.occupancy().shared == 3072
    assert made.occupancy(128, sharedmem=0).blocks_per_sm == 12
    for words in (
        "40 a thread",
        "2048 bytes a block and 1024 dynamic",
        "4 stored and 12 loaded",
        "512 bytes",
        "NVVM 13.0.88",
    ):
        assert words in repr(made)
    (request,) = there.requests
    assert request["cc"] == (9, 0) and request["arguments"] == made_of("float64", "float32[::1]", "float32[::1]")
    kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]", gpu="H100")
    assert len(there.requests) == 1  # the same compute capability: nothing new to ask
    kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]", gpu="A100")
    assert len(there.requests) == 2


def test_what_the_figures_suggest(monkeypatch):
    ptx = "\tcvt.f64.f32 \t%fd1, %f1;\n\tmul.f64 \t%fd2, %fd1, 0d3FB999999999999A;\n\t@%p1 fma.rn.f64 %fd3, %fd2, %fd1, %fd2;\n"
    monkeypatch.setattr(entry, "helper", There(built(ptx=ptx)))
    made = kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]", gpu="T4")
    assert made.doubles == 2  # the conversion is none of them
    doubles, spills = made.advice
    # T4: 8.1 TFLOP/s of float32, 0.253 of float64: 1/32.
    assert "float64 (2 instructions)" in doubles and "on T4 float64 runs at 1/32 of float32's rate" in doubles
    assert "Registers ran out" in spills and spills in repr(made)
    assert len(kernellens.compile(saxpy, 1.0, "float64[::1]", "float64[::1]", gpu="T4").advice) == 1  # float64 is meant
    log = built()["log"].replace("8 bytes", "400 bytes").replace("4 bytes spill", "0 bytes spill").replace("12 ", "0 ")
    monkeypatch.setattr(entry, "helper", There(built(log=log)))
    (local,) = kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]", gpu="A100").advice
    assert "400 bytes of each thread's local arrays lie in memory" in local


def made_of(*texts):
    return tuple(map(argument_types.describe, texts))


def test_a_gpu_that_this_compiler_has_no_code_for(monkeypatch):
    monkeypatch.setattr(entry, "helper", There(built()))
    made = kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]", gpu="V100")
    assert not made.available and not made.errors
    assert "from 7.5 to 9.0, and V100 has 7.0. The nearest GPU it compiles for: gpu='T4' (7.5)." in made.missing
    assert "CUDA 12 compiles for it" in made.missing
    # The types are looked at all the same.
    assert kernellens.compile(appends, "float32[::1]", gpu="V100").errors[0].kind == "uncompilable"


def test_a_refusal_of_the_compiler_alone_has_its_line(monkeypatch):
    first = saxpy.__code__.co_firstlineno
    for text, places in ((f'No\n\nFile "test_compile.py", line {first + 3}:\n', ()), ("No", ((__file__, first + 3),))):
        monkeypatch.setattr(entry, "helper", There(refused(text, places=places)))
        monkeypatch.setattr(entry, "_kept", collections.OrderedDict())
        (finding,) = kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]").errors
        assert (finding.kind, finding.line) == ("uncompilable", 4)
        assert "y[i] = SCALE * a * x[i] + y[i]" in finding.sentence


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "ptxas error   : Entry function 'k' uses too much shared data (0x19000 bytes, 0xc000 max)",
            "102400 bytes of static shared memory, and a block can have 49152",
        ),
        (
            "ERROR_PTX_COMPILE (4)\nnvJitLink error log: ptxas error   : File uses too much global constant data (0x27100 bytes, "
            "0x10000 max)\nERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (ltoPtx)",
            "cuda.const arrays take 160000 bytes, and constant memory has 65536",
        ),
        (
            "ptxas fatal   : Value 'sm_99' is not defined for option 'gpu-name'",
            "the assembler says: Value 'sm_99' is not",
        ),
    ],
)
def test_what_the_assembler_refuses(monkeypatch, text, says):
    monkeypatch.setattr(entry, "helper", There(refused(text, ("LinkerError", "RuntimeError"))))
    (finding,) = kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]").errors
    assert says in finding.sentence


def test_a_name_that_numba_knows_only_through_its_module(monkeypatch):
    """The real numba-cuda refuses `from numba.cuda import atomic` in a kernel; what was imported may have another name, too."""
    add = cuda.atomic.add

    def kernel(x):
        add(x, 0, 1)

    text = "Untyped global name 'add': Cannot determine Numba type of <class 'type'>"
    monkeypatch.setattr(entry, "helper", There(refused(text)))
    (finding,) = kernellens.compile(kernel, "float32[::1]").errors
    assert "Numba knows it only as cuda.atomic.add: write that" in finding.sentence


def test_a_library_that_is_missing_is_no_refusal(monkeypatch):
    monkeypatch.setattr(entry, "helper", There(refused("nvvm cannot be found", ("DynamicLibNotFoundError",))))
    made = kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]")
    assert made.errors == [] and "nvvm cannot be found" in made.missing


# Which arguments.


def test_a_kernel_that_knows_its_types_needs_no_arguments():
    declared = cuda.jit("void(float32, float32[::1], float32[::1])")(saxpy)
    assert kernellens.compile(declared).signature == "float32, float32[::1], float32[::1]"
    # A launch would convert the number, and so the kernel is compiled as it was declared.
    assert kernellens.compile(declared, 2, np.zeros(2, "f4"), np.zeros(2, "f4")).signature.startswith("float32,")
    launched = cuda.jit(saxpy)
    with pytest.raises(TypeError, match=r"saxpy takes 3 arguments \(a, x, y\): pass them as in a launch"):
        kernellens.compile(launched)
    arrays = cuda.to_device(np.zeros(4)), cuda.to_device(np.zeros(4))
    launched[200, 32](2.0, *arrays)
    assert kernellens.compile(launched).signature == "float64, float64[::1], float64[::1]"
    launched[200, 32](2, *arrays)
    with pytest.raises(TypeError, match=r"several already; say which:\n  float64, .*\n  int64, "):
        kernellens.compile(launched)


def test_a_signature_is_one_text():
    signature = "void(float32, float32[:, ::1], float32[:, ::1])"
    assert kernellens.compile(saxpy, signature).signature == "float32, float32[:, ::1], float32[:, ::1]"
    with pytest.raises(TypeError, match="is no signature"):
        kernellens.compile(saxpy, "float32 -> (int64)")


def test_bad_input():
    with pytest.raises(UnknownGpuError, match="H200"):
        kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]", gpu="H20O")
    with pytest.raises(ValueError, match="two whole numbers"):
        kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]", gpu=(9,))
    with pytest.raises(TypeError, match="takes 3 arguments"):
        kernellens.compile(saxpy, 1.0, "float32[::1]")
    with pytest.raises(TypeError, match="leave the launch configuration out"):
        kernellens.compile(cuda.jit(saxpy)[200, 32], 1.0, "float32[::1]", "float32[::1]")
    with pytest.raises(TypeError, match="not builtins.list"):
        kernellens.compile(saxpy, 1.0, [1.0], "float32[::1]")
    with pytest.raises(ValueError, match="two whole numbers"):
        kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]", gpu=("9", "0"))


# What goes to the other process.


def test_what_a_kernel_refers_to_goes_along(simulated_libraries):
    import math
    from types import ModuleType

    from numba.cuda import atomic, libdevice

    own = ModuleType("learners_own")
    own.LIMIT, own.UNUSED = 5, object()
    table = np.arange(4)

    @cuda.jit(device=True, fastmath=True)
    def device(v):
        return math.sin(v) + libdevice.fast_cosf(v)

    def kernel(x):
        i = cuda.grid(1)
        values = cuda.const.array_like(table)
        atomic.add(x, i, device(x[i]) + own.LIMIT + values[Colour.BLUE] + SCALE)

    sent = kernel_data.Carried(kernel)
    values = (
        dict(zip(kernel.__code__.co_freevars, sent.functions[0]["closure"], strict=True)) | sent.functions[0]["globals"]
    )
    assert values["cuda"] == ("module", "numba.cuda")
    assert values["atomic"] == ("attribute", "numba.cuda", "atomic")
    assert values["device"] == (
        "dispatcher",
        1,
        {"device": True, "fastmath": True} | _defaults(values["device"][2]),
        [],
    )
    assert pickle.loads(values["table"][1]).tolist() == [0, 1, 2, 3]
    assert values["own"] == ("namespace", "learners_own", {"LIMIT": ("plain", pickle.dumps(5))})
    assert values["Colour"] == ("enum", "Colour", {"RED": 1, "BLUE": 2}, True, None)
    assert [place[0] for place in sent.places] == ["kernel", "device"]
    assert sent.functions[1]["name"] == "device"
    assert pickle.loads(pickle.dumps(sent.functions)) == sent.functions


def _defaults(options):
    return {name: value for name, value in options.items() if name not in ("device", "fastmath")}


def test_a_function_that_calls_itself_goes_once():
    def again(n):
        return again(n - 1) if n else 0

    sent = kernel_data.Carried(again)
    assert len(sent.functions) == 1 and sent.functions[0]["closure"] == [("function", 0)]


def test_what_nobody_can_send_is_said_by_its_type():
    thing = type("Thing", (), {"__module__": "learners_own"})()
    sent = kernel_data.Carried(lambda x: thing)
    assert sent.functions[0]["closure"] == [("opaque", "learners_own", "Thing")]


def test_to_import_the_lens_does_not_import_numba():
    code = "import sys; import kernellens as lens; from kernellens import compiling; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_compute_capability_may_be_named_as_text(monkeypatch):
    """It was taken for a GPU's name; and one that was asked for stood in the head twice."""
    monkeypatch.setattr(entry, "helper", Absent())
    for text in ("8.0", "sm_80", (8, 0)):
        found = kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]", gpu=text)
        assert found.cc == (8, 0)
        assert str(found).splitlines()[0].endswith("for compute capability 8.0")
    assert "for A100, compute capability 8.0" in str(
        kernellens.compile(saxpy, 1.0, "float32[::1]", "float32[::1]", gpu="A100")
    )
