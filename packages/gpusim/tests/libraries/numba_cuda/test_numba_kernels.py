"""Kernels: every way to make and launch one, what they take, and what is refused."""

import functools
import linecache
import pickle
import threading
import warnings
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from numba import float32, float64, int32, types, void
from numba.core.errors import NumbaPerformanceWarning
from scipy import special

from gpusim.kernels.faults import UncompilableError


def make(cuda, *jit_args, **options):
    def add_one(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    return cuda.jit(*jit_args, **options)(add_one) if jit_args or options else cuda.jit(add_one)


@pytest.mark.large
@pytest.mark.parametrize(
    "how",
    [
        ((), {}),
        ((), {"fastmath": True}),
        ((), {"lineinfo": True, "max_registers": 32, "opt": True, "cache": True, "inline": "always"}),
        ((), {"debug": True, "opt": False}),
        ((), {"launch_bounds": (256, 2), "forceinline": True, "shared_memory_carveout": "MaxShared"}),
        (("void(float32[:])",), {}),
        ((void(float32[:]),), {}),
        (((float32[::1],),), {}),
        ((["void(float64[:])", void(float32[:])],), {}),
        (([(float32[:],), (float64[:],)],), {"fastmath": True}),
    ],
    ids=str,
)
def test_every_form_of_jit_makes_a_kernel_that_runs(cuda, how):
    kernel = make(cuda, *how[0], **how[1])
    x = np.arange(10, dtype=np.float32)
    kernel[1, 32](x)
    assert x.tolist() == list(range(1, 11)) and kernel.__name__ == "add_one"
    assert kernel.specialized == (len(how[0]) == 1 and not isinstance(how[0][0], list))


def test_the_bare_decorator_with_empty_brackets_and_docs(cuda):
    @cuda.jit()
    def documented(x):
        """Says what it does."""
        x[0] = 1

    assert documented.__doc__ == "Says what it does." and documented.py_func.__name__ == "documented"
    assert "documented" in repr(documented)


def test_launch_configurations(cuda):
    @cuda.jit
    def where(out):
        x, y, z = cuda.grid(3)
        out[x, y, z] += 100 * cuda.blockIdx.x + 10 * cuda.threadIdx.y + 1

    def wanted(grid, block):
        sizes = tuple(g * b for g, b in zip(grid, block, strict=True))
        x, y, _ = np.indices(sizes)
        return 100 * (x // block[0]) + 10 * (y % block[1]) + 1

    for grid, block in (((2, 1, 1), (4, 2, 2)), ((1, 2), (2, 3)), ([3], [2]), (2, 3), (np.int64(2), np.int32(3))):
        full = [(*np.atleast_1d(dim).tolist(), 1, 1)[:3] for dim in (grid, block)]
        out = np.zeros(tuple(g * b for g, b in zip(*full, strict=True)), int)
        where[grid, block](out)
        assert (out == wanted(*full)).all()
    out = np.zeros((2, 1, 1), int)
    where[1, 2, 0](out)
    where[1, 2, cuda.stream()](out)
    where[1, 2, cuda.default_stream(), 16](out)
    where.configure(1, 2)(out)
    assert out.ravel().tolist() == [4, 4]
    where[1, 2].pre_launch_callbacks.append(lambda kernel, config: seen.append((config.griddim, config.blockdim)))
    seen = []
    where[1, 2](out)
    assert seen == [((1, 1, 1), (2, 1, 1))]


def test_wrong_launches_speak_the_real_words(cuda):
    kernel = make(cuda)
    x = cuda.to_device(np.zeros(4))
    with pytest.raises(ValueError, match="Kernel launch configuration was not specified. Use the syntax:"):
        kernel(x)
    with pytest.raises(TypeError, match="must specify at least the griddim and blockdim"):
        kernel[1](x)  # it has no length
    with pytest.raises(ValueError, match="must specify at least the griddim and blockdim"):
        kernel[1,](x)
    with pytest.raises(ValueError, match="must be a sequence of 1, 2 or 3 integers"):
        kernel[1, (1, 1, 1, 1)](x)
    with pytest.raises(TypeError, match="griddim must be a sequence of integers, got"):
        kernel[4 / 2, 32](x)
    with pytest.raises(TypeError, match="not enough arguments: expected 1, got 0"):
        kernel[1, 32]()
    with pytest.raises(TypeError, match="too many arguments: expected 1, got 2"):
        kernel[1, 32](x, x)
    with pytest.raises(TypeError, match="Expected a Stream object.*got int"):
        kernel[1, 32, 7](x)
    from numba.cuda.cudadrv.driver import CudaAPIError

    with pytest.raises(CudaAPIError, match="CUDA_ERROR_INVALID_VALUE"):
        kernel[1, 1025](x)
    bounded = make(cuda, launch_bounds=64)
    with pytest.raises(CudaAPIError, match="launch_bounds=64"):
        bounded[1, 128](x)
    kernel[1, 32](x)
    assert x.copy_to_host().tolist() == [1] * 4  # the next launch is unaffected


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        ([1, 2], NotImplementedError, "A list cannot be passed to a kernel: pass numpy.asarray"),
        ("text", NotImplementedError, "Text cannot be passed"),
        (None, NotImplementedError, "None cannot be passed"),
        ({1: 2}, ValueError, "A dict cannot be passed"),
        # Its repr would differ between xdist's workers.
        pytest.param(object(), ValueError, "A kernel takes arrays, numbers, tuples", id="an object"),
        (np.array([None]), TypeError, "Python objects"),
        (2**64, ValueError, "too large"),
    ],
    ids=repr,
)
def test_arguments_that_no_kernel_takes(cuda, value, error, words):
    @cuda.jit
    def kernel(x, y):
        y[0] = 1

    with pytest.raises(error, match=words):
        kernel[1, 1](value, np.zeros(1))


def test_a_container_is_refused_at_each_launch(cuda):
    @cuda.jit
    def kernel(values, out):
        out[0] = values[0]

    out = cuda.device_array(1)
    for _ in range(2):
        with pytest.raises(numba.core.errors.NumbaRuntimeError, match="NRT required but not enabled, for values"):
            kernel[1, 1]([1.0], out)
        kernel[1, 1](np.ones(1), out)
    assert len(kernel.overloads) == 1


def test_wrong_options(cuda):
    with pytest.raises(NotImplementedError, match="bounds checking is not supported"):
        cuda.jit(boundscheck=True)
    with pytest.raises(NotImplementedError, match="linking"):
        cuda.jit(link=["x.cu"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'nogil'"):
        cuda.jit(nogil=True)
    with pytest.raises(TypeError, match="CUDA kernel must have void return type"):
        cuda.jit("float32(float32[:])")(lambda x: None)
    with pytest.raises(ValueError, match="Got 4 launch bounds"):
        cuda.jit(launch_bounds=(128, 2, 4, 8))
    with pytest.raises(ValueError, match="Carveout must be between"):
        cuda.jit(shared_memory_carveout=101)
    with pytest.raises(numba.core.errors.DeprecationError, match="Signatures should be passed"):
        cuda.jit(argtypes=(float32,))
    with pytest.raises(TypeError, match="takes a Python function, not int"):
        cuda.jit(3)
    with pytest.warns(numba.core.errors.NumbaInvalidConfigWarning, match="debug=True with opt=True"):
        cuda.jit(debug=True)


def test_scalars_tuples_and_enums(cuda):
    import collections
    import enum

    class Colour(enum.IntEnum):
        RED = 3

    Pair = collections.namedtuple("Pair", "a b")

    @cuda.jit
    def kernel(i, f, z, b, n, t, p, out):
        out[0] = i
        out[1] = f
        out[2] = z.imag
        out[3] = b
        out[4] = n
        out[5] = t[1] + t[0][0]
        out[6] = p.a[0] + p.b

    x = np.array([5.0])
    out = np.zeros(7)
    kernel[1, 1](7, 1.5, 2j, True, np.int8(-3), (x, 2), Pair(x, 0.5), out)
    assert out.tolist() == [7, 1.5, 2, 1, -3, 7, 5.5]

    @cuda.jit
    def coloured(c, out):
        out[0] = c

    number = np.zeros(1, int)
    coloured[1, 1](Colour.RED, number)
    assert number[0] == 3


def test_declared_types_convert_scalars_and_refuse_other_arrays(cuda):
    @cuda.jit("void(int8, float32, float64[:])")
    def kernel(i, f, out):
        out[0] = i
        out[1] = f

    out = np.zeros(2)
    kernel[1, 1](300, 0.1, out)
    assert out.tolist() == [44, float(np.float32(0.1))]
    with pytest.raises(
        TypeError, match=r"No matching definition for argument type\(s\) int64, float64, array\(float32"
    ):
        kernel[1, 1](1, 1.0, np.zeros(2, np.float32))
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        kernel[1, 1](1.5, 1.0, out)

    @cuda.jit([void(int32, float64[:]), void(float64, float64[:])])
    def either(x, out):
        out[0] = x / 2

    either[1, 1](np.int32(3), out)
    assert out[0] == 1.5 and set(either.signatures) == {(types.int32, float64[:]), (types.float64, float64[:])}


def test_signatures_overloads_and_specialisation(cuda):
    kernel = make(cuda)
    kernel[1, 32](np.zeros(3))
    kernel[1, 32](np.zeros(3, np.int8))
    kernel[1, 32](cuda.to_device(np.zeros(3)))
    assert kernel.signatures == [(float64[::1],), (types.int8[::1],)] and list(kernel.overloads) == kernel.signatures
    assert kernel.nopython_signatures == [void(float64[::1]), void(types.int8[::1])]
    special = kernel.specialize(np.zeros(3))
    assert kernel.specialize(float64[::1]) is special
    assert special.specialized and special is kernel.specialize(np.zeros(8)) and not kernel.specialized
    x = np.zeros(3)
    special[1, 32](x)
    assert x.tolist() == [1] * 3
    with pytest.raises(RuntimeError, match="already specialized"):
        special.specialize(x)
    kernel.compile((float32[::1],))
    assert len(kernel.overloads) == 3
    kernel.recompile()
    kernel[1, 32](x)
    assert x.tolist() == [2] * 3


def test_what_a_kernel_uses(cuda, monkeypatch):
    @cuda.jit
    def tiled(x):
        tile = cuda.shared.array(64, float32)
        own = cuda.local.array(4, int32)
        i = cuda.threadIdx.x
        own[0] = i
        tile[i] = x[i]
        cuda.syncthreads()
        x[i] = tile[63 - i] + own[0]

    x = np.arange(64, dtype=np.float32)
    tiled[1, 64](x)
    assert (x == 63).all()
    kinds = (float32[::1],)
    assert tiled.get_shared_mem_per_block(void(*kinds)) == 256 and tiled.get_shared_mem_per_block() == {kinds: 256}
    assert tiled.get_const_mem_size() == {kinds: 0}
    assert tiled.get_max_threads_per_block() == {kinds: 1024}
    assert tiled.overloads[kinds].max_cooperative_grid_blocks(64) == 32 * 132
    assert tiled.overloads[kinds].max_cooperative_grid_blocks((32, 32), 0) == 2 * 132
    for ask in (tiled.inspect_sass_cfg, tiled.inspect_lto_ptx):
        with pytest.raises(NotImplementedError, match="not simulated"):
            ask()
    asked = []
    compilers = [SimpleNamespace(load=lambda: lambda *given: asked.append(given) or f"code {given[2]}")]
    with monkeypatch.context() as patched:
        patched.setattr(
            "importlib.metadata.entry_points", lambda group: compilers if group == "gpusim.compiler" else []
        )
        assert tiled.inspect_asm() == {kinds: "code asm"} and tiled.inspect_llvm(void(*kinds)) == "code llvm"
        assert tiled.overloads[kinds].inspect_sass() == "code sass"
        assert asked == [(tiled, kinds, what, None) for what in ("asm", "llvm", "sass")]
        assert tiled.get_regs_per_thread() == {kinds: "code registers"}
        assert tiled.get_local_mem_per_thread(void(*kinds)) == "code stack"
        assert cuda.compile_ptx(tiled.py_func, kinds, cc=(7, 5)) == ("code asm", types.none) and asked[-1][1:] == (
            kinds,
            "asm",
            (7, 5),
        )
        assert cuda.compile_ptx_for_current_device(tiled.py_func, kinds)[0] == "code asm" and asked[-1][3] == (9, 0)
        with pytest.raises(NotImplementedError, match="device function"):
            cuda.compile_ptx(tiled.py_func, kinds, device=True)
        compilers.clear()
        ptx = functools.partial(cuda.compile_ptx, tiled.py_func, kinds)
        figures = tiled.get_regs_per_thread, tiled.get_local_mem_per_thread
        for ask in (tiled.inspect_llvm, tiled.inspect_asm, tiled.inspect_sass, ptx, *figures):
            with pytest.raises(NotImplementedError, match=r"pip install 'kernellens\[compiler\]'"):
                ask()
    for ask in (cuda.compile, cuda.compile_for_current_device, cuda.declare_device):
        with pytest.raises(NotImplementedError, match="Nearest simulated"):
            ask(tiled, kinds)


def test_device_functions(cuda):
    @cuda.jit(device=True)
    def square(x):
        return x * x

    @cuda.jit("int32(int32, int32)", device=True, inline="always")
    def plus(a, b):
        return a + b

    @numba.njit
    def half(x):
        return x / 2

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = half(square(x[i])) + plus(1, 2)

    out = np.zeros(4)
    kernel[1, 32](np.arange(4), out)
    assert out.tolist() == [3, 3.5, 5, 7.5]

    @cuda.jit
    def declared(out):
        out[0] = plus(1.9, 2.9)  # as int32, both
        out[1] = plus(2**32 + 1, 1)

    declared[1, 1](out)
    assert out.tolist()[:2] == [3, 2]
    with pytest.raises(ValueError, match="square is a device function"):
        square(2)
    with pytest.raises(RuntimeError, match="Cannot compile a device function as a kernel"):
        square[1, 1](2)


def test_outside_a_kernel_the_thread_says_so(cuda):
    for call in (lambda: cuda.grid(1), cuda.syncthreads, lambda: cuda.atomic.add(np.zeros(1), 0, 1), cuda.cg.this_grid):
        with pytest.raises(RuntimeError, match="only inside a kernel"):
            call()


def test_forall_methods_and_closures(cuda):
    n = 7

    class Model:
        @cuda.jit
        def fill(x, value):
            i = cuda.grid(1)
            if i < x.size:
                x[i] = value + n

    x = np.zeros(1000)
    Model.fill.forall(x.size)(x, 1.0)
    assert (x == 8).all()
    Model.fill.forall(0)(x, 5.0)
    Model.fill.forall(x.size, tpb=64, stream=cuda.stream())(x, 2.0)
    assert (x == 9).all()
    with pytest.raises(ValueError, match="negative task count"):
        Model.fill.forall(-1)


def test_host_arrays_are_copied_both_ways_and_counted(cuda, counted):
    kernel = make(cuda)
    x = np.zeros(8)
    kernel[1, 8](cuda.to_device(x))
    counted()
    kernel[1, 8](x)
    did = counted()
    assert (did.h2d_bytes, did.d2h_bytes, did.kernels, did.syncs) == (64, 64, 1, 1) and x.tolist() == [1] * 8

    @cuda.jit
    def read(x, out):
        out[0] = x[1]

    x.flags.writeable = False
    out = cuda.device_array(1)
    read[1, 1](x, out)
    counted()
    read[1, 1](x, out)
    did = counted()
    assert (did.h2d_bytes, did.d2h_bytes, did.syncs) == (64, 0, 0) and out[0] == 1
    counted()
    read[1, 1](cuda.In(np.ones(2)), cuda.Out(np.zeros(1)))
    assert counted().h2d_bytes == 16
    host = np.zeros(2)
    make(cuda)[1, 2](cuda.InOut(host))
    make(cuda)[1, 2](cuda.In(host))
    assert host.tolist() == [1, 1]
    with pytest.raises(ValueError, match="non-contiguous"):
        kernel[1, 8](np.zeros((8, 2))[:, 0])


def test_a_kernel_that_writes_to_a_read_only_array_is_refused(cuda):
    x = np.zeros(8)
    x.flags.writeable = False
    with pytest.raises(Exception, match="(?i)read.?only|immutable"):
        make(cuda)[1, 8](x)


def test_records_go_in_and_out(cuda):
    kind = np.dtype([("n", np.int32), ("x", np.float64)])

    @cuda.jit
    def kernel(record, records):
        record.n = 5
        i = cuda.grid(1)
        if i < records.size:
            records[i].x = record.x + i

    records = np.zeros(4, kind)
    single = np.zeros(2, kind)[1]
    single["x"] = 0.5
    kernel[1, 4](single, records)
    assert single["n"] == 5 and records["x"].tolist() == [0.5, 1.5, 2.5, 3.5]
    on_device = cuda.to_device(records)
    kernel[1, 1](on_device[2], on_device)
    assert on_device.copy_to_host()["n"].tolist() == [0, 0, 5, 0]


def test_cupy_arrays_are_arguments_without_a_copy(cuda, cp, counted):
    x = cp.arange(6, dtype=cp.float32).reshape(2, 3)

    @cuda.jit
    def double(a):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            a[i, j] *= 2

    double[1, (2, 3)](x)
    counted()
    double[1, (3, 2)](x.T)
    did = counted()
    assert (did.h2d_count, did.d2h_count) == (0, 0) and x.get().tolist() == [[0, 4, 8], [12, 16, 20]]

    class Foreign:
        """An array of yet another library."""

        def __init__(self, array):
            self.array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__

    double[1, (2, 3)](Foreign(x[:, ::2]))
    assert x.get().tolist() == [[0, 4, 16], [24, 16, 40]]
    mapped = cuda.mapped_array(4)
    mapped[:] = 1
    make(cuda)[1, 4](mapped)
    cuda.synchronize()
    assert mapped.tolist() == [2] * 4


def test_extensions_see_every_argument(cuda):
    seen = []

    class Doubling:
        def prepare_args(self, ty, val, **kwargs):
            seen.append((ty, set(kwargs)))
            return ty, val * 2 if isinstance(val, int) else val

    @cuda.jit(extensions=[Doubling()])
    def kernel(n, out):
        out[0] = n

    out = np.zeros(1)
    kernel[1, 1](4, out)
    assert out[0] == 8 and seen[0] == (types.int64, {"stream", "retr"}) and len(kernel.extensions) == 1


def test_kernels_are_pickled_with_their_closures_and_their_source(cuda):
    factor = 3

    @cuda.jit(device=True)
    def scale(x):
        return x * factor

    @cuda.jit(fastmath=True)
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = scale(x[i])

    copy = pickle.loads(pickle.dumps(kernel))
    x = np.arange(4.0)
    copy[1, 4](x)
    assert x.tolist() == [0, 3, 6, 9] and copy.targetoptions["fastmath"] is True
    declared = pickle.loads(pickle.dumps(make(cuda, "void(float32[:])")))
    assert declared.specialized and declared.signatures == [(float32[:],)]
    y = np.zeros(2, np.float32)
    declared[1, 2](y)
    assert y.tolist() == [1, 1]
    assert pickle.loads(pickle.dumps(cuda.grid)) is cuda.grid
    configured = pickle.loads(pickle.dumps(kernel[1, 4, cuda.stream()]))
    configured(x)
    assert x.tolist() == [0, 9, 18, 27]
    configured.pre_launch_callbacks.append(print)
    with pytest.raises(pickle.PicklingError, match="pre-launch callbacks"):
        pickle.dumps(configured)


def test_many_threads_at_once(cuda):
    kernel = make(cuda)
    errors, results = [], []

    def work(n):
        try:
            for _ in range(10):
                x = cuda.to_device(np.full(1000 + n, n, np.float64 if n % 2 else np.float32))
                kernel[4 + n, 256, cuda.stream()](x)
                y = np.zeros(50 + n)
                kernel[1, 64](y)
                results.append((x.copy_to_host() == n + 1).all() and y[:50].sum() == 50)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(results) == 60 and all(results)


def test_small_grids_and_host_arrays_warn(cuda):
    kernel = make(cuda)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NumbaPerformanceWarning)
        kernel[127, 32](cuda.to_device(np.zeros(3)))
        kernel[128, 32](cuda.to_device(np.zeros(3)))
        kernel[(1, 128), 32](np.zeros(3))
    assert [str(w.message) for w in caught] == [
        "Grid size 127 will likely result in GPU under-utilization due to low occupancy.",
        "Host array used in CUDA kernel will incur copy overhead to/from device.",
    ]
    assert all(w.filename == __file__ for w in caught)


def test_inspect_types_prints_the_lines_with_numbas_types(cuda, capsys):
    kernel = make(cuda)
    kernel[1, 4](np.zeros(4, np.float32))
    kernel.inspect_types()
    said = capsys.readouterr().out
    assert "x[i] += 1" in said and "float32" in said


def test_a_kernel_that_captures_a_device_array_is_refused(cuda):
    table = cuda.to_device(np.arange(4.0))

    @cuda.jit(device=True)
    def look(i):
        return table[i]

    @cuda.jit
    def kernel(out):
        out[0] = look(1)

    with pytest.raises(NotImplementedError, match=r"uses a device array \(table\).*kernel\[…\]\(…, table\)"):
        kernel[1, 1](np.zeros(1))


def test_host_arrays_and_numbers_around_a_kernel_are_constants(cuda):
    weights, shift = np.array([1.0, 2.0, 3.0]), 10

    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = weights[i] + shift

    out = np.zeros(3)
    kernel[1, 32](out)
    assert out.tolist() == [11, 12, 13]


def test_cache_hints_and_libdevice(cuda):
    from numba.cuda import libdevice

    @cuda.jit
    def kernel(x, out):
        out[0] = cuda.ldcg(x, 1)
        cuda.stcs(out, 1, cuda.ldca(x, 0))
        out[2] = libdevice.fast_sinf(x[0])
        out[3] = libdevice.round(x[1])
        s, c = libdevice.sincos(x[0])
        out[4] = s * s + c * c
        out[5] = libdevice.float2int_rd(-1.5)
        out[6] = libdevice.mulhi(2**30, 8)
        out[7] = libdevice.fmin(x[2], 3.0)
        out[8] = libdevice.umax(3, 4) + libdevice.popc(255)

    x, out = np.array([0.5, 2.5, np.nan]), np.zeros(9)
    kernel[1, 1](x, out)
    assert out[[0, 1, 3, 5, 6, 7, 8]].tolist() == [2.5, 0.5, 3, -2, 2, 3, 12]
    assert abs(out[2] - np.sin(0.5)) < 1e-6 and abs(out[4] - 1) < 1e-12


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_bits_and_inverses_of_libdevice(cuda, way, monkeypatch):
    """Values by the definitions in CUDA's libdevice user's guide, computed with NumPy and SciPy; unsigned results are signed in Numba."""
    from numba.cuda import libdevice

    monkeypatch.setenv("GPUSIM_KERNELS", way)

    @cuda.jit
    def kernel(f, d, whole, real):
        whole[0] = libdevice.float_as_int(f[0])
        whole[1] = libdevice.double_as_longlong(d[0])
        whole[2] = libdevice.umulhi(4000000000, 4000000000)
        whole[3] = libdevice.byte_perm(0x01020304, 0x05060708, 0x7531)
        whole[4] = libdevice.mul64hi(-(2**62), 12)
        whole[5] = libdevice.umul64hi(2**62, 12)
        whole[6] = libdevice.float2uint_rn(2.5)
        whole[7] = libdevice.double2uint_rz(-1.0)
        whole[8] = libdevice.ilogb(10.0)
        real[0] = libdevice.int_as_float(whole[0])
        real[1] = libdevice.longlong_as_double(whole[1])
        real[2] = libdevice.hiloint2double(libdevice.double2hiint(d[0]), libdevice.double2loint(d[0]))
        real[3], real[4] = libdevice.modf(d[0])
        real[5] = libdevice.scalbn(1.5, 3)
        real[6] = libdevice.nextafter(1.0, 2.0)
        real[7], real[8] = libdevice.erfinv(0.3), libdevice.erfinv(-0.999)
        real[9], real[10] = libdevice.erfcinv(0.25), libdevice.erfcinv(1e-30)
        real[11], real[12] = libdevice.normcdf(1.0), libdevice.normcdfinv(0.9)

    f, d = np.array([1.5], np.float32), np.array([-2.75])
    whole, real = np.zeros(9, np.int64), np.zeros(13)
    kernel[1, 1](f, d, whole, real)
    bits = [int(f.view(np.int32)[0]), int(d.view(np.int64)[0])]
    assert whole.tolist() == [*bits, (4000000000**2 >> 32) - 2**32, 0x05070103, -3, 3, 2, 0, 3]
    assert real[:7].tolist() == [1.5, -2.75, -2.75, -0.75, -2.0, 12.0, np.nextafter(1.0, 2.0)]
    wanted = [*special.erfinv([0.3, -0.999]), *special.erfcinv([0.25, 1e-30]), special.ndtr(1.0), special.ndtri(0.9)]
    np.testing.assert_allclose(real[7:], wanted, rtol=1e-12)


@pytest.mark.parametrize("way", ["read-only", "cuda.In"])
def test_an_argument_that_is_not_copied_back_keeps_its_memory_until_the_kernel_has_run(cuda, way):
    """Else the next argument gets the memory that the first has just given back."""

    def turned(a, b):
        i = cuda.grid(1)
        if i < b.size:
            b[i] = a[b.size - 1 - i]

    x, out = np.arange(256.0), np.zeros(256)
    x.flags.writeable = way == "cuda.In"
    cuda.to_device(np.zeros(256))  # gives back a piece of that size
    cuda.jit(turned)[4, 64](cuda.In(x) if way == "cuda.In" else x, out)
    assert np.array_equal(out, x[::-1])


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_libdevice_at_zero_and_where_it_is_not_finite(cuda, monkeypatch, way):
    """As CUDA's math documentation has them; `llround` of the largest number below a half is 0."""
    from numba.cuda import libdevice

    monkeypatch.setenv("GPUSIM_KERNELS", way)

    @cuda.jit
    def exponents(x, a, b, c):
        i = cuda.grid(1)
        if i < x.size:
            a[i] = libdevice.logb(x[i])
            b[i] = libdevice.ilogb(x[i])
            c[i] = libdevice.llround(x[i])

    x = np.array([8.5, -2.5, np.nextafter(0.5, 0), 0.0, np.inf, np.nan])
    a, b, c = np.zeros(6), np.zeros(6, np.int32), np.zeros(6, np.int64)
    exponents[1, 32](x, a, b, c)
    np.testing.assert_array_equal(a, [3, 1, -2, -np.inf, np.inf, np.nan])
    assert b.tolist() == [3, 1, -2, -(2**31), 2**31 - 1, -(2**31)]
    assert c.tolist()[:4] == [9, -3, 0, 0]


@pytest.mark.large("way")
@pytest.mark.parametrize("way", ["compiled", "interpreted"])
@pytest.mark.parametrize(
    "line", ["out[0] = len(g)", "out[0] = g.size", "out[0] = g + 1", "out[0] = g", "out[0] = g == g", "out[0] = g[0]", "print(g)"]
)  # fmt: skip
def test_a_grid_has_a_sync_and_nothing_else(cuda, monkeypatch, tmp_path, way, line):
    # numba-cuda 0.30.4 refuses each of these: a GridGroup is no number and has no length.
    monkeypatch.setenv("GPUSIM_KERNELS", way)
    file = tmp_path / "grids.py"
    file.write_text(f"def kernel(out):\n    g = cuda.cg.this_grid()\n    g.sync()\n    {line}\n")
    names = {"cuda": cuda}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with pytest.raises((numba.core.errors.TypingError, TypeError, UncompilableError)):
        cuda.jit(names["kernel"])[1, 1](np.zeros(1))
        cuda.synchronize()


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_what_numba_refuses_is_caught_as_its_errors(cuda, monkeypatch, way):
    from numba.core import errors

    monkeypatch.setenv("GPUSIM_KERNELS", way)

    @cuda.jit
    def unnamed(x):
        x[0] = nothing  # noqa: F821

    @cuda.jit
    def returning(x):
        return x[0]

    with pytest.raises(errors.TypingError, match="nothing"):
        unnamed[1, 1](np.zeros(1))
    if way == "compiled":
        with pytest.raises(errors.TypingError, match="void return type"):
            returning[1, 1](np.zeros(1))


@pytest.mark.parametrize(
    ("body", "given", "kind"),
    [
        ("out[0] = len(x)", [1, 2], "NumbaRuntimeError"),
        ("out[0] = x[1]", [1, 2], "NumbaRuntimeError"),
        ("out[0] = x.size", [1, 2], "TypingError"),
        ("out[0] = 1", [1, 2], "NotImplementedError"),
        ("out[0] = [1, 2][0]", 1, "NumbaRuntimeError"),
        ("out[0] = {1: 2}[1]", 1, "TypingError"),
        ("out[0] = np.zeros(3)[0]", 1, "TypingError"),
        ("out[0] = random.random()", 1, "TypingError"),
        ("try:\n        out[0] = 1\n    except ValueError:\n        out[0] = 2", 1, "TypingError"),
    ],
)
def test_errors_are_of_the_classes_that_numba_cuda_raises(cuda, body, given, kind):
    """Asked of numba-cuda 0.30.4, which compiles without a GPU."""
    code = f"import random\nimport numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(x, out):\n    {body}\n"
    scope = {"__name__": "asked"}
    linecache.cache["<asked>"] = (len(code), None, code.splitlines(keepends=True), "<asked>")
    exec(compile(code, "<asked>", "exec"), scope)
    with pytest.raises(Exception) as told:  # noqa: PT011
        scope["k"][1, 1](given, np.zeros(1))
    assert kind in {each.__name__ for each in type(told.value).__mro__}
