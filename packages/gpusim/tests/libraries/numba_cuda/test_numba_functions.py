"""``@vectorize``, ``@guvectorize``, ``cuda.reduce`` and the random generators."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

# What numba-cuda 0.30.4's own functions give on a CPU, by seed and start: the states' words, and numbers of two of them.
REAL = json.loads((Path(__file__).parent / "xoroshiro.json").read_text())


@pytest.fixture(scope="module")
def add(cuda_module):
    import numba

    @numba.vectorize(["float32(float32, float32)", "float64(float64, float64)"], target="cuda")
    def add(a, b):
        return a + b

    return add


def test_vectorize_on_host_arrays_gives_host_arrays(cuda, add, counted):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    counted()
    y = add(x, x)
    did = counted()
    assert type(y) is np.ndarray and y.dtype == np.float32 and (y == 2 * x).all()
    assert (did.h2d_count, did.d2h_count, did.kernels) == (2, 1, 1)
    for a, b in ((x, x[0]), (x[0], x), (x, x[:, :1]), (x[:, :1], x[:1]), (x, np.float32(2)), (x.T, x.T)):
        assert (add(a, b) == a + b).all() and add(a, b).shape == (a + b).shape
    assert add(np.float32(1), np.float32(2)).tolist() == [3]
    assert add(x.astype(float), 0.5).dtype == np.float64
    assert (add(np.asfortranarray(x), x) == 2 * x).all() and (add(x[:, ::2], x[:, ::2]) == 2 * x[:, ::2]).all()
    assert add(np.zeros(0, np.float32), np.zeros(0, np.float32)).shape == (0,)


def test_vectorize_on_device_arrays_stays_there(cuda, cp, add, counted):
    x = cuda.to_device(np.arange(6, dtype=np.float32))
    counted()
    y = add(x, x)
    did = counted()
    assert isinstance(y, cuda.devicearray.DeviceNDArray) and (did.h2d_count, did.d2h_count, did.syncs) == (0, 0, 0)
    assert y.copy_to_host().tolist() == [0, 2, 4, 6, 8, 10]
    out = cuda.device_array(6, np.float32)
    assert (
        add(x, np.ones(6, np.float32), out=out).copy_to_host().tolist()
        == out.copy_to_host().tolist()
        == [1, 2, 3, 4, 5, 6]
    )
    z = cp.arange(6, dtype=cp.float32)
    assert (cp.asarray(add(z, x)) == 2 * z).all()
    matrix = x.reshape(2, 3)
    row = cuda.to_device(np.ones(3, np.float32))
    assert add(matrix, row).copy_to_host().tolist() == [[1, 2, 3], [4, 5, 6]]
    assert add(x, x, stream=cuda.stream()).copy_to_host()[5] == 10


def test_vectorize_with_out_and_what_it_refuses(cuda, add):
    x = np.ones((2, 3))
    out = np.zeros((2, 3))
    assert add(x, x, out=out) is out and (out == 2).all()
    with pytest.raises(ValueError, match="out has to be of shape"):
        add(x, x, out=np.zeros(6))
    with pytest.raises(TypeError, match="GPU ufunc requires array arguments to have the exact types"):
        add(x.astype(int), x)
    with pytest.raises(TypeError, match="ambiguous signature"):
        add(1, 2)
    with pytest.raises(TypeError, match="takes 2 arguments, not 1"):
        add(x)
    with pytest.raises(ValueError, match="failed to broadcast argument #1"):
        add(x, np.ones(2))
    with pytest.warns(UserWarning, match="unrecognized keywords: where"):
        add(x, x, where=1)
    import numba

    with pytest.raises(KeyError, match="does not support option"):
        numba.vectorize(["float32(float32)"], target="cuda", fastmath=True)(lambda x: x)
    with pytest.raises(TypeError, match="needs signatures"):
        cuda.vectorize()(lambda x: x)


def test_a_column_of_a_host_array_cannot_be_copied_in_one_piece(cuda, add):
    pairs = np.arange(8, dtype=np.float32).reshape(4, 2)
    with pytest.raises(ValueError, match="Array contains non-contiguous buffer"):
        add(pairs[:, 0], pairs[:, 1])
    with pytest.raises(ValueError, match="Array contains non-contiguous buffer"):
        add(np.ones(4, np.float32), pairs[::-1, 1])
    scale = cuda.guvectorize(["void(float32[:], float32, float32[:])"], "(n),()->(n)")(_scale)
    with pytest.raises(ValueError, match="Array contains non-contiguous buffer"):
        scale(pairs[:, 0], np.float32(2))
    assert (add(pairs[:1, 0], np.ones(4, np.float32)) == 1).all()  # one value is in one piece
    assert (scale(pairs[:, 0].astype(float).astype(np.float32), np.float32(2)) == 2 * pairs[:, 0]).all()


def _scale(x, factor, y):
    for i in range(x.size):
        y[i] = x[i] * factor


def test_vectorize_infers_what_a_signature_leaves_out_and_calls_device_functions(cuda):
    from numba import float32, int64

    @cuda.jit(device=True)
    def half(x):
        return x / 2

    @cuda.vectorize([(int64, int64), (float32, float32)])
    def divide(a, b):
        return a / b

    assert divide(np.array([3]), np.array([2])).dtype == np.float64
    assert divide(np.float32([3]), np.float32([2])).dtype == np.float32

    @cuda.vectorize(["float64(int64)"])
    def halves(x):
        return half(x) + math.floor(x / 3)

    assert halves(np.arange(5)).tolist() == [0, 0.5, 1, 2.5, 3]
    squares = cuda.vectorize("int64(int64)")(lambda x: x * x)
    assert squares(np.arange(4)).tolist() == [0, 1, 4, 9]


def test_a_ufunc_reduces(cuda, add):
    for n in (1, 2, 3, 7, 64, 1000):
        x = np.arange(n, dtype=np.float64)
        assert add.reduce(x) == x.sum() and add.reduce(cuda.to_device(x)) == x.sum()
        assert x[-1] == n - 1  # the host's array is left alone
    with pytest.raises(TypeError, match="empty"):
        add.reduce(np.zeros(0))


@pytest.mark.large
def test_guvectorize(cuda, counted):
    import numba

    @numba.guvectorize(["void(float32[:,:], float32[:,:], float32[:,:])"], "(m,n),(n,p)->(m,p)", target="cuda")
    def multiply(a, b, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                total = numba.float32(0)
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                c[i, j] = total

    a, b = np.random.default_rng(0).random((2, 7, 3, 3), np.float32)
    assert np.allclose(multiply(a, b), a @ b, rtol=1e-6)
    assert np.allclose(multiply(a[0], b[0]), a[0] @ b[0], rtol=1e-6)
    assert np.allclose(multiply(a, b[0]), a @ b[0], rtol=1e-6)
    out = np.zeros_like(a)
    assert multiply(a, b, out) is out and np.allclose(out, a @ b, rtol=1e-6)
    there = multiply(cuda.to_device(a), cuda.to_device(b))
    assert np.allclose(there.copy_to_host(), a @ b, rtol=1e-6)
    with pytest.raises(ValueError, match=r"arg #2: shape\[1\] mismatch argument"):
        multiply(a, b[:, :2])
    with pytest.raises(TypeError, match="This gufunc accepts 2 positional arguments"):
        multiply(a)
    with pytest.raises(ValueError, match="output shape mismatch"):
        multiply(a, b, np.zeros((7, 3, 2), np.float32))
    with pytest.raises(TypeError, match="no matching signature"):
        multiply(a.astype(np.int8), b.astype(np.int8))

    @cuda.guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->(n)")
    def scale(x, factor, y):
        for i in range(x.shape[0]):
            y[i] = x[i] * factor

    x = np.arange(6.0).reshape(2, 3)
    assert (scale(x, np.array([2.0, 3.0])) == x * [[2], [3]]).all() and (scale(x, 2.0) == 2 * x).all()

    @cuda.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n)->(),()")
    def extremes(x, low, high):
        low[0] = high[0] = x[0]
        for v in x:
            low[0] = min(low[0], v)
            high[0] = max(high[0], v)

    low, high = extremes(x)
    assert low.tolist() == [0, 3] and high.tolist() == [2, 5]
    for wrong, error in (("(n->(n)", ValueError), ("(n)->(m)", NameError)):
        with pytest.raises(error):
            cuda.guvectorize(["void(float64[:], float64[:])"], wrong)(lambda x, y: None)
    with pytest.raises(TypeError, match="cannot return values"):
        cuda.guvectorize(["float64(float64[:], float64[:])"], "(n)->(n)")(lambda x, y: None)


@pytest.fixture(scope="module")
def total(cuda_module):
    return cuda_module.reduce(lambda a, b: a + b)


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 96, 100, 127, 128, 129, 8192, 8320, 8197, 30_000])
def test_reduce_of_any_length(cuda, total, n):
    x = np.random.default_rng(n).integers(-9, 9, n)
    assert total(x) == x.sum() and total(cuda.to_device(x), init=5) == x.sum() + 5


@pytest.mark.large
def test_reduce_takes_all_its_options(cuda, total, counted):
    x = np.arange(1, 301, dtype=np.float64)
    assert total(x, size=10) == 55 and total(np.zeros(0), init=7) == 7
    result = cuda.device_array(1)
    d = cuda.to_device(x)
    counted()
    assert total(d, res=result, stream=cuda.stream()) is None and counted().d2h_count == 0
    assert result[0] == x.sum()
    assert cuda.Reduce(lambda a, b: a if a > b else b)(x) == 300
    with pytest.raises(TypeError, match="only support 1D array"):
        total(x.reshape(2, 150))


@pytest.mark.large
def test_reduce_adds_floats_in_the_order_of_numba_cuda(cuda, total):
    """Thread by thread of 128, in up to 64 blocks, then halving each warp, then the warps, then the blocks."""
    x = np.random.default_rng(1).random(40_000).astype(np.float32) * 1000

    def tree(lanes):
        while len(lanes) > 1:
            lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
        return lanes[0]

    def block(values):
        warps = [tree(values[i : i + 32]) for i in range(0, 128, 32)]
        return (warps[0] + warps[2]) + (warps[1] + warps[3])

    whole = x[: 128 * (len(x) // 128)].reshape(-1, 128)
    blocks = min(len(whole), 64)
    partials = []
    for b in range(blocks):
        own = whole[b].copy()
        for row in whole[b + blocks :: blocks]:
            own = own + row
        partials.append(block(own))
    partials[0] += np.float32(0)
    rest = x[whole.size :]
    if len(rest):
        warps = [rest[i : i + 32] for i in range(0, len(rest), 32)]
        sums = [tree(w) if i < len(warps) - 1 else np.add.accumulate(w)[-1] for i, w in enumerate(warps)]
        partials.append(np.add.accumulate(np.float32(sums))[-1])
    last = [partials[i : i + 32] for i in range(0, len(partials), 32)]
    sums = [
        tree(np.float32(w)) if i < len(last) - 1 else np.add.accumulate(np.float32(w))[-1] for i, w in enumerate(last)
    ]
    assert total(x) == np.add.accumulate(np.float32(sums))[-1]


@pytest.mark.parametrize("key", REAL)
def test_random_states_and_numbers_are_those_of_numba_cuda(cuda, key):
    from numba.cuda import random

    seed, start = map(int, key.split(","))
    s0, s1, numbers = REAL[key]
    states = np.zeros(9, random.xoroshiro128p_dtype)
    random.init_xoroshiro128p_states_cpu(states, seed, start)
    assert states["s0"].tolist() == s0 and states["s1"].tolist() == s1

    @cuda.jit
    def draw(states, integers, floats):
        i = cuda.grid(1)
        if i < 2:
            at = 8 * i
            integers[i] = random.xoroshiro128p_next(states, at)
            floats[i, 0] = random.xoroshiro128p_uniform_float32(states, at)
            floats[i, 1] = random.xoroshiro128p_uniform_float64(states, at)
            floats[i, 2] = random.xoroshiro128p_normal_float32(states, at)
            floats[i, 3] = random.xoroshiro128p_normal_float64(states, at)

    on_device = random.create_xoroshiro128p_states(9, seed=seed, subsequence_start=start)
    integers, floats = np.zeros(2, np.uint64), np.zeros((2, 4))
    draw[1, 32](on_device, integers, floats)
    assert integers.tolist() == [numbers[0], numbers[6]]
    wanted = [[float.fromhex(v) for v in numbers[at + 1 : at + 5]] for at in (0, 6)]
    assert floats[:, :2].tolist() == [row[:2] for row in wanted]
    assert np.allclose(floats[:, 2:], [row[2:] for row in wanted], rtol=1e-6)


def test_a_jump_is_two_to_the_64_steps_on_host_and_device(cuda):
    from numba.cuda import random

    states = np.zeros(3, random.xoroshiro128p_dtype)
    random.init_xoroshiro128p_states_cpu(states, 7, 0)
    hopped = states[:1].copy()
    random.xoroshiro128p_jump(hopped, 0)
    assert hopped[0] == states[1]
    random.xoroshiro128p_jump(hopped, 0)
    assert hopped[0] == states[2]
    random.init_xoroshiro128p_state(hopped, 0, 7)
    assert hopped[0] == states[0]
