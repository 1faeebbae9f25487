"""Accounts of shapes alone: the same as with data, in hardly any memory, and honest about what they cannot know."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import kernellens
from gpusim.hardware import gpus
from kernellens.arrays import entry

SCRIPT = Path(__file__).with_name("array_expressions.py")


def _child(*arguments, code=None, environment=None):
    command = [sys.executable, *(["-c", textwrap.dedent(code)] if code else [str(SCRIPT)]), *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=1200, check=False, env={**os.environ, **(environment or {})}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def both():
    return json.loads(_child("data")), json.loads(_child("shapes", environment={"GPUSIM_GPU_MEMORY": "1TB"}))


@pytest.mark.large
def test_the_account_of_shapes_is_the_account(both):
    """Every launch, byte, temporary, peak, group and time, for more than fifty expressions at 2 000 x 2 000."""
    data, shapes = both
    assert len(data) >= 50
    for name, account in data.items():
        assert shapes[name] == account, name


def test_the_account_has_what_the_engine_counted(both):
    for name, account in both[0].items():
        assert account["counted"] == account["engine"], name
        assert account["events"], name
        bound, launched, estimate = account["bound"]
        assert bound <= launched <= estimate, name


def test_ten_thousand_squared_takes_no_memory(cuda_free):
    """The account of sin² + cos² at 10 000 x 10 000 (800 MB an array, 4 of them at once) in a process of less than 400 MB."""
    code = """
        import resource
        import gpusim
        gpusim.activate()
        import cupy as cp
        import kernellens as lens
        account = lens.account(lambda x: cp.sin(x) ** 2 + cp.cos(x) ** 2, lens.array((10_000, 10_000)), shapes=True)
        print(account.peak, len(account.kernels), account.moved, account.flow.moved)
        # Its own is asked of /proc: what getrusage says begins with the size of the process that it was forked from.
        own = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, int(own) * 1024)
        """
    figures, memory = _child(code=code).splitlines()
    # By hand: x and at most three temporaries; sin, square, cos, square read 1 and write 1, add reads 2 and writes 1.
    assert figures.split() == [str(4 * 800_000_000), "5", str(11 * 800_000_000), str(2 * 800_000_000)]
    assert all(int(most) < 400_000_000 for most in memory.split()), memory


@pytest.fixture
def cuda_free():
    """For tests that use no kernel of this process."""


def test_in_a_child_the_arguments_stay_as_they_are(cp):
    x = cp.arange(12.0).reshape(3, 4)

    def double(a):
        a *= 2
        return a

    account = kernellens.account(double, x, shapes=True)
    assert account.shapes and [event.name for event in account.events] == ["cupy_multiply"]
    assert x.get().tolist() == np.arange(12.0).reshape(3, 4).tolist()


def test_views_of_one_array_stay_views_of_one(cp):
    """The halves of one array and the whole: 8 000 bytes are read once, however many views read them."""
    x = cp.zeros(1000)

    def three(a, b, c):
        return a.sum(), b.sum(), c.sum()

    for shapes in (False, True):
        account = kernellens.account(three, x[:500], x[500:], x, shapes=shapes)
        assert account.read == 2 * 4000 + 8000 and account.flow.read == 8000
        assert account.before >= 8000


def test_strides_are_taken_along(cp):
    x = cp.zeros((100, 60))

    def contiguous(a, b, c):
        return [cp.ascontiguousarray(each) for each in (a, b, c)]

    args = (x.T, x[::2, 3:], x[::-1])
    data, shapes = (kernellens.account(contiguous, *args, shapes=each) for each in (False, True))
    assert [(e.name, e.read, e.written) for e in data.events] == [(e.name, e.read, e.written) for e in shapes.events]
    assert len(data.events) == 3


def test_all_kinds_of_things_are_taken_along(cp):
    """The same launches with data and without, of what a notebook may hold; one array by two names stays one."""
    import functools

    from numba import cuda

    x = cp.arange(24.0).reshape(4, 6)
    structured = cp.zeros(5, dtype=[("a", "f4"), ("b", "i4")])

    class Model:
        def __init__(self):
            self.weights = cp.ones((6, 3))

        def __call__(self, a):
            return a @ self.weights

    def f(things):
        yield cp.asarray(things["numba"]) + 1
        yield things["field"]["a"] + 1
        yield from (a + 1 for a in things["arrays"])
        yield things["model"](things["arrays"][0])
        yield things["partial"](x)
        yield things["random"].rand(5)
        yield things["polynomial"](x)
        yield things["ufunc"](x).astype(things["dtype"])
        yield cp.asarray(things["host"])

    things = {
        "numba": cuda.to_device(np.ones(7)),
        "field": structured,
        "arrays": [
            x,
            x > 3,
            x.sum(),
            x[::-1, ::-2],
            cp.broadcast_to(x[0], (4, 6)),
            cp.asfortranarray(x),
            x.view("i8"),
            x * 1j,
        ],
        "model": Model(),
        "partial": functools.partial(cp.multiply, x),
        "random": cp.random.RandomState(3),
        "polynomial": cp.poly1d([1, 2, 3]),
        "ufunc": cp.sin,
        "dtype": cp.float32,
        "host": np.arange(5),
    }
    data, shapes = (kernellens.account(lambda things: list(f(things)), things, shapes=each) for each in (False, True))
    assert [(e.name, e.read, e.written) for e in data.events] == [(e.name, e.read, e.written) for e in shapes.events]
    assert data.flow == shapes.flow and len(data.events) > 15
    # One array, by two ways: read once.
    assert next(e.read for e in data.events if e.name == "cupy_multiply") == x.nbytes


def test_kernels_of_all_kinds_are_taken_along(cp):
    from cupyx.scipy.special import erf, expit

    source = 'extern "C" __global__ void twice(double* y) { y[threadIdx.x] *= 2; }'
    module = cp.RawModule(code=source)
    kernels = {
        "module": lambda x: module.get_function("twice")((1,), (8,), (x,)),
        "raw": cp.RawKernel(source, "twice"),
        "vectorized": cp.vectorize(lambda x: x + 1),
        "special": expit,
        "named after its module": erf,
        "elementwise": cp.ElementwiseKernel("T x", "T y", "y = 2 * x", "doubled"),
        "reduction": cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares"),
        "fused": cp.fuse(kernel_name="fused")(lambda x: cp.sqrt(x) + 1),
    }

    def f(kernels, x):
        kernels["module"](x)
        kernels["raw"]((1,), (8,), (x,))
        return [
            kernels[name](x)
            for name in ("vectorized", "special", "named after its module", "elementwise", "reduction", "fused")
        ]

    data, shapes = (kernellens.account(f, kernels, cp.ones(8), shapes=each) for each in (False, True))
    assert [(e.name, e.read, e.written) for e in data.events] == [(e.name, e.read, e.written) for e in shapes.events]
    assert len(data.events) == 8


def test_every_ufunc_is_found_by_its_name(cp):
    import cupyx.scipy.special

    from kernellens.arrays import pickled

    ufuncs = {
        each.name: each
        for library in (cp, cupyx, cupyx.scipy.special)
        for each in vars(library).values()
        if type(each).__name__ == "ufunc" and not isinstance(each, np.ufunc)
    }
    assert len(ufuncs) > 150
    assert not [name for name, each in ufuncs.items() if pickled._named(name).name != each.name]


def test_what_goes_along_shares_the_room_and_keeps_its_names(cp, monkeypatch):
    from kernellens.arrays import pickled

    class Made:
        """An array that is there only while it is packed."""

        def __init__(self, value):
            self.value = value

        def __reduce__(self):
            return list, ((cp.full(4, self.value),),)

    packing = pickled.Packing()
    first, second = (packing.pack(Made(value), data=True) for value in (1.0, 2.0))
    assert [float(pickled.unpack(each)[0][0]) for each in (first, second)] == [1.0, 2.0]
    monkeypatch.setattr(pickled, "MOST", 10_000)
    packing = pickled.Packing()
    packing.pack(np.zeros(800))
    with pytest.raises(pickled.CannotShipError, match="2 GB in all"):
        packing.pack(np.zeros(800))


def test_a_kernel_without_its_code_cannot_be_taken_along(cp, monkeypatch):
    """As the real CuPy's `RawModule.get_function` makes it."""
    from kernellens.arrays import pickled

    kernel = cp.RawKernel("", "twice")
    monkeypatch.setattr(kernel, "code", None)
    with pytest.raises(pickled.CannotShipError, match="get_function"):
        pickled.Packing().pack(kernel)


def test_code_that_goes_by_value_keeps_its_file(monkeypatch):
    """By it a kernel's source and an account's lines are found; cloudpickle 3.1.3 drops it."""
    import types

    import cloudpickle

    from kernellens.arrays import pickled

    plain = cloudpickle.Pickler.dispatch_table[types.CodeType]

    def without(code):
        made, args = plain(code)
        return made, tuple("<dynamic-code>" if each == code.co_filename else each for each in args)

    monkeypatch.setitem(cloudpickle.Pickler.dispatch_table, types.CodeType, without)

    def outer():
        return lambda: 1

    there = pickled.unpack(pickled.Packing().pack(outer))
    assert there.__code__.co_filename == there().__code__.co_filename == __file__ and there()() == 1


def test_who_wants_values_is_told_where(cp):
    def until(x):
        y = x + 1
        while float(y.sum()) > 3:
            y /= 2
        return y

    with pytest.raises(
        kernellens.ValuesNeededError, match=r"Line \d+, while float\(y.sum\(\)\) > 3: .*leave the line out"
    ):
        kernellens.account(until, cp.ones(10), shapes=True)
    with pytest.raises(kernellens.ValuesNeededError, match=r"return x\[x > 0\]: .*--fraction 0.1"):
        kernellens.account(_selected, cp.ones(10), shapes=True)
    account = kernellens.account(_selected, cp.ones(1000), shapes=True, fraction=0.25)
    assert account.events[-1].written == 250 * 8
    assert account.assumed == ["a mask selects 0.25 of the elements"]
    assert "selects 0.25 of the elements (assumed)" in str(account)


def _selected(x):
    return x[x > 0]


def test_errors_are_those_of_the_code(cp):
    with pytest.raises(ValueError, match="mismatch in its core dimension") as caught:
        kernellens.account(lambda a: a @ a[1:], cp.ones((4, 4)), shapes=True)
    assert any("in line" in note for note in caught.value.__notes__)
    with pytest.raises(TypeError, match="Argument 1 is a DataFrame|Argument 1 is a cudf object.*make it in the code"):
        import cudf

        kernellens.account(lambda df: df, cudf.DataFrame({"a": [1]}), shapes=True)
    with pytest.raises(TypeError, match="Argument 1 is a generator, which cannot be taken along"):
        kernellens.account(lambda g: g, (i for i in range(3)), shapes=True)


def test_what_does_not_fit_is_said(cp):
    account = kernellens.account(lambda a: a + 1, kernellens.array((100_000, 100_000)), shapes=True, gpu="T4")
    assert not account.fits and "That does not fit: a T4 has 17.2 GB" in " ".join(str(account).split())


def test_arrays_that_are_not_there(cp):
    assert repr(kernellens.array((3, 4), "int8", "F")) == "lens.array((3, 4), 'int8', order='F')"
    account = kernellens.account(
        lambda a, b: a + b["k"], kernellens.array(100, "float32"), {"k": kernellens.array((5, 100), "int8")}
    )
    assert account.events[0].read == 400 + 500 and account.events[0].written == 5 * 400
    for wrong in ({"shape": -1}, {"shape": 3, "dtype": "U5"}, {"shape": 3, "order": "K"}):
        with pytest.raises(ValueError, match=r"shape|Device arrays hold numbers|order must be"):
            kernellens.array(**wrong)


def test_on_a_gpu_machine_the_real_cupy_is_not_touched(tmp_path):
    """A module that calls itself cupy, whose arrays have attributes and no data: reading any would raise."""
    (tmp_path / "cupy").mkdir()
    (tmp_path / "cupy" / "__init__.py").write_text(
        textwrap.dedent("""
        import numpy as np
        class Memory:
            def __init__(self, size): self.ptr, self.size = 0x7f0000000000, size
        class Pointer:
            def __init__(self, mem): self.mem, self.ptr = mem, mem.ptr
        class ndarray:
            def __init__(self, shape):
                self.shape, self.dtype, self.size = shape, np.dtype("f8"), int(np.prod(shape))
                self.strides = tuple(np.empty(shape, "i1").strides[k] * 8 for k in range(len(shape)))
                self.data = Pointer(Memory(self.size * 8))
            __cuda_array_interface__ = {}
            def __getattr__(self, name): raise AssertionError(f"the real cupy was touched: {name}")
        def __getattr__(name): raise AssertionError(f"the real cupy was touched: {name}")
        """)
    )
    code = f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        import cupy as cp
        import kernellens
        x = cp.ndarray((3000, 2000))
        def twice(a):
            return cp.exp(a) * 2
        account = kernellens.account(twice, x)
        print([e.name for e in account.events], account.peak, account.shapes, cp.__file__.startswith({str(tmp_path)!r}))
        from IPython.core.interactiveshell import InteractiveShell
        from kernellens.magics import register
        shell = InteractiveShell.instance()
        register(shell)
        shell.user_ns.update(cp=cp, x=x, twice=twice, n=3)
        shell.run_cell("%%lens\\ny = twice(x) + n\\nprint(y)")
        print("y" in shell.user_ns)
        """
    out = _child(code=code, environment={"GPUSIM_SIMULATE": ""})
    assert "['cupy_exp', 'cupy_multiply'] 144000000 True True" in out
    assert "<3000 × 2000, float64: only the shape is known>" in out and "cupy_add" in out
    assert "was not run on this machine's GPU" in " ".join(out.split()) and out.strip().endswith("False")


def test_gpus_by_name(cp):
    with pytest.raises(gpus.UnknownGpuError, match="nearest known: A100"):
        kernellens.account(lambda: None, gpu="a1000", shapes=True)
    assert entry.account(lambda: None, gpu="l4").gpu.name == "L4"
