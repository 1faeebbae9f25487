"""cupyx.jit: CuPy's documented kernels, and its rules for types."""

import warnings

import numpy as np
import pytest

from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels.faults import OutOfBoundsError


@pytest.fixture
def jit(cp):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        from cupyx import jit

        yield jit


def test_both_spellings(cp, jit):
    @jit.rawkernel()
    def copy(x, y, size):
        tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
        ntid = jit.gridDim.x * jit.blockDim.x
        for i in range(tid, size, ntid):
            y[i] = x[i]

    x = cp.arange(100, dtype="f4")
    for launch in (lambda y: copy((4,), (8,), (x, y, np.uint32(100))), lambda y: copy[4, 8](x, y, np.uint32(100))):
        y = cp.zeros(100, "f4")
        launch(y)
        assert (x == y).all()
    with pytest.raises(OutOfBoundsError, match=r"y\[100\] does not exist(.|\n)*`y\[i\] = x\[i\]`") as raised:
        copy((4,), (8,), (cp.zeros(200), x.copy(), 101))
        cp.cuda.Device().synchronize()
    assert raised.value.line == 6


@pytest.mark.large
def test_shared_memory_functions_and_shuffles(cp, jit):
    @jit.rawkernel(device=True)
    def twice(a):
        return a + a

    @jit.rawkernel()
    def total(x, y, size):
        tid = jit.threadIdx.x
        value = cp.float32(0)
        for i in range(tid, size, jit.blockDim.x):
            value += twice(x[i])
        for k in range(5):
            value += jit.shfl_down_sync(0xFFFFFFFF, value, cp.uint32(16 >> k))
        part = jit.shared_memory(cp.float32, 32)
        if tid % 32 == 0:
            part[tid // 32] = value
        jit.syncthreads()
        if tid == 0:
            for w in range(jit.blockDim.x // 32):
                jit.atomic_add(y, 0, part[w])

    x, y = cp.arange(300, dtype="f4"), cp.zeros(1, "f4")
    total[1, 128](x, y, 300)
    assert y[0] == 2 * x.sum()


def test_arithmetic_has_the_types_of_c(cp, jit):
    @jit.rawkernel()
    def f(o, i, u, q):
        o[0] = i + 1
        o[1] = u - 5
        o[2] = i / 2
        o[3] = (0 - 7) // i
        o[4] = q % (0 - 3)
        o[5] = i > u
        o[6] = min(i, 3) ** 2
        o[7] = cp.sqrt(cp.float32(2)) * 1.5
        o[8] = cp.int8(300 + i * 0)

    o = cp.zeros(9)
    f((1,), (1,), (o, np.int32(2**31 - 1), np.uint32(2), 7))
    assert o.get().tolist() == [
        -(2.0**31),
        2.0**32 - 3,
        2**30 - 0.5,
        -1,
        -2,
        1,
        9,
        float(np.float32(2**0.5) * np.float32(1.5)),
        44,
    ]


def test_arrays_of_several_dimensions(cp, jit):
    @jit.rawkernel()
    def f(x, y):
        i, j = jit.grid(2)
        if i < x.shape[0] and j < len(y):
            y[j, i] = x[i, j] + x.ndim + x.size

    x, y = cp.arange(12).reshape(4, 3)[:, ::-1], cp.zeros((3, 4))
    f((2, 2), (2, 2), (x, y))
    assert (y.get() == x.get().T + 14).all()


def test_errors_are_cupys(cp, jit):
    @jit.rawkernel()
    def changed(x):
        i = jit.grid(1)
        i = 1.5  # noqa: F841

    @jit.rawkernel()
    def unbound(x):
        x[0] = nothing  # noqa: F821

    @jit.rawkernel()
    def called(x):
        changed(x)

    @jit.rawkernel()
    def unpacked(x):
        (i,) = jit.grid(1)  # noqa: F841

    for kernel, error, said in (
        (changed, TypeError, r"Cannot cast from 'float(32|64)' to uint32(.|\n)*> +i = 1.5"),
        (unbound, NameError, "Unbound name: nothing"),
        (called, TypeError, "Calling __global__ function changed"),
        (unpacked, ValueError, "unpack"),
    ):
        with pytest.raises(error, match=said):
            kernel((1,), (1,), (cp.zeros(3),))
    with pytest.raises(TypeError, match="takes 1 positional arguments but 0 were given"):
        changed((1,), (1,), ())
    with pytest.raises(RuntimeError, match="Cannot call this function from Python layer"):
        jit.syncthreads()
    with pytest.raises(NotSimulatedError, match="float16"):
        unpacked((1,), (1,), (cp.zeros(3, "e"),))


def test_rawkernel_warns(cp):
    from cupyx import jit

    with pytest.warns(FutureWarning, match="cupyx.jit.rawkernel is experimental"):
        jit.rawkernel()
