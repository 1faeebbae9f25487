"""Kernels compiled for the CPU, from launch to result."""

import math
from types import ModuleType

import numpy as np
import pytest
from numba import float32, int32

from gpusim.kernels.faults import TraceError, UncompilableError

N = 1000


def test_every_thread_runs_once_wherever_it_is(launch, cuda):
    def kernel(out):
        x, y, z = cuda.grid(3)
        if x < out.shape[0] and y < out.shape[1] and z < out.shape[2]:
            out[x, y, z] += 100 * x + 10 * y + z + 1

    out = np.zeros((7, 5, 3), np.int64)
    launch(kernel, (2, 3, 2), (4, 2, 2), out)
    x, y, z = np.indices(out.shape)
    assert np.array_equal(out, 100 * x + 10 * y + z + 1)


def test_dimensions_as_values(launch, cuda):
    def kernel(out):
        t, b, n, g = cuda.threadIdx, cuda.blockIdx, cuda.blockDim, cuda.gridDim
        i = t.x + b.x * n.x
        out[i, 0], out[i, 1], out[i, 2] = n.x, g.x, cuda.gridsize(1)
        out[i, 3], out[i, 4] = cuda.laneid, cuda.warpsize

    out = np.zeros((96, 5), np.int64)
    launch(kernel, 2, 48, out)
    assert (out[:, :3] == [48, 2, 96]).all()
    assert np.array_equal(out[:, 3], np.tile(np.arange(48) % 32, 2))
    assert (out[:, 4] == 32).all()


def test_numba_s_own_arithmetic(launch, cuda):
    """int8 + int8 does not wrap, float32 * float32 does stay narrow, uint64 + 1 wraps as int64."""

    def kernel(a, b, f, g, u, out):
        out[0] = a[0] + b[0]
        out[1] = f[0] * g[0]
        out[2] = u[0] + 1

    f = np.array([np.float32(1) / 3])
    args = [np.array([100], np.int8), np.array([100], np.int8), f, f, np.array([2**63 + 1025], np.uint64)]
    out = np.zeros(3)
    launch(kernel, 1, 1, *args, out)
    assert out[0] == 200
    assert out[1] == f[0] * f[0]
    assert out[2] == 2**63 + 1026 - 2**64  # an int64 that wraps, where NumPy makes a float of it


def test_negative_indices_wrap_once(launch, cuda):
    def kernel(x):
        x[-1] = 5
        x[0] = x[-2]

    x = np.arange(4.0)
    launch(kernel, 1, 1, x)
    assert x.tolist() == [2, 1, 2, 5]


def test_assignments_of_every_form(launch, cuda):
    def kernel(x, pair):
        i, j = pair
        x[i], x[j] = x[j], x[i]
        x[2] += x[3] * 2
        a = b = x[4] = 7
        x[5] = a + b
        x[6:8] = 9
        row = x[8:]
        row[0] -= 3
        for x_k in range(2):
            x[9] += x_k

    x = np.arange(10.0)
    launch(kernel, 1, 1, x, (0, 1))
    assert x.tolist() == [1, 0, 8, 3, 7, 14, 9, 9, 5, 10]


def test_an_index_with_an_effect_is_evaluated_once(launch, cuda):
    def kernel(x, counter):
        x[cuda.atomic.add(counter, 0, 1)] += 1

    x, counter = np.zeros(64), np.zeros(1, np.int32)
    launch(kernel, 1, 64, x, counter)
    assert (x == 1).all()
    assert counter[0] == 64


def test_barriers_in_a_loop_and_after_a_return(launch, cuda):
    def kernel(x, out):
        s = cuda.shared.array(64, float32)
        t = cuda.threadIdx.x
        if t >= 48:
            return
        s[t] = x[t]
        cuda.syncthreads()
        k = 1
        while k < 48:
            v = s[t - k] if t >= k else float32(0)
            cuda.syncthreads()
            s[t] += v
            cuda.syncthreads()
            k *= 2
        out[t] = s[t]

    x = np.arange(64, dtype=np.float32)
    out = np.zeros(64, np.float32)
    launch(kernel, 1, 64, x, out, trace="off")
    assert np.array_equal(out[:48], np.cumsum(x[:48]))


def test_barriers_that_count(launch, cuda):
    def kernel(out):
        t = cuda.threadIdx.x
        out[t, 0] = cuda.syncthreads_count(int(t % 3 == 0))
        out[t, 1] = cuda.syncthreads_and(int(t < 100))
        out[t, 2] = cuda.syncthreads_and(int(t < 99))
        out[t, 3] = cuda.syncthreads_or(int(t == 7))
        out[t, 4] = cuda.syncthreads_or(int(t > 100))

    out = np.zeros((100, 5), np.int32)
    launch(kernel, 1, 100, out)
    assert (out == [34, 1, 0, 1, 0]).all()


def test_shuffles_votes_and_matches(launch, cuda):
    def kernel(out):
        t = cuda.threadIdx.x
        full = 0xFFFFFFFF
        out[t, 0] = cuda.shfl_sync(full, t * 2, 5)
        out[t, 1] = cuda.shfl_up_sync(full, t, 3)
        out[t, 2] = cuda.shfl_down_sync(full, t, 3)
        out[t, 3] = cuda.shfl_xor_sync(full, t, 1)
        out[t, 4] = cuda.ballot_sync(full, t % 4 == 0)
        out[t, 5] = cuda.all_sync(full, t < 64)
        out[t, 6] = cuda.any_sync(full, t == 40)
        out[t, 7] = cuda.eq_sync(full, t < 32)
        out[t, 8] = cuda.match_any_sync(full, t % 2)
        mask, same = cuda.match_all_sync(full, t // 32)
        out[t, 9] = same
        out[t, 10] = cuda.popc(cuda.lanemask_lt())

    out = np.zeros((64, 11), np.int64)
    launch(kernel, 1, 64, out)
    t = np.arange(64)
    lane, first = t % 32, t // 32 * 32
    assert np.array_equal(out[:, 0], 2 * (first + 5))
    assert np.array_equal(out[:, 1], np.where(lane >= 3, t - 3, t))
    assert np.array_equal(out[:, 2], np.where(lane < 29, t + 3, t))
    assert np.array_equal(out[:, 3], t ^ 1)
    assert (out[:, 4] == 0x11111111).all()
    assert (out[:, 5] == 1).all()
    assert np.array_equal(out[:, 6], t >= 32)
    assert (out[:, 7] == 1).all()
    wanted = np.where(t % 2, np.int32(-0x55555556), 0x55555555)
    assert np.array_equal(out[:, 8], wanted)
    assert (out[:, 9] == 1).all()
    assert np.array_equal(out[:, 10], lane)


def test_a_part_of_a_warp_shuffles_by_itself(launch, cuda):
    def kernel(out):
        t = cuda.threadIdx.x
        if t < 8:
            out[t] = cuda.shfl_sync(0xFF, t, 7)
        else:
            out[t] = -1

    out = np.zeros(32, np.int64)
    launch(kernel, 1, 32, out)
    assert out.tolist() == [7] * 8 + [-1] * 24


@pytest.mark.large
def test_device_functions_that_wait_return_early_and_nest(launch, cuda, device_function):
    @device_function
    def warp_sum(v):
        k = 16
        while k > 0:
            v += cuda.shfl_down_sync(0xFFFFFFFF, v, k)
            k //= 2
        return v

    @device_function
    def block_sum(v):
        s = cuda.shared.array(32, float32)
        warp = cuda.threadIdx.x // 32
        v = warp_sum(v)
        cuda.syncthreads()  # the call before this one may still be reading s
        if cuda.laneid == 0:
            s[warp] = v
        cuda.syncthreads()
        if warp > 0:
            return float32(0)
        v = s[cuda.laneid] if cuda.laneid < cuda.blockDim.x // 32 else float32(0)
        return warp_sum(v)

    def kernel(x, out):
        i = cuda.grid(1)
        total = block_sum(x[i] if i < x.size else float32(0)) + block_sum(float32(1))
        if cuda.threadIdx.x == 0:
            cuda.atomic.add(out, 0, total)

    x = np.arange(1000, dtype=np.float32)
    out = np.zeros(1, np.float32)
    launch(kernel, 4, 256, x, out)
    assert out[0] == x.sum() + 4 * 256


def test_two_calls_of_a_device_function_have_one_shared_array(launch, cuda, device_function):
    """So the second call writes what slower threads still read in the first."""

    @device_function
    def broadcast(v):
        s = cuda.shared.array(1, float32)
        if cuda.threadIdx.x == 0:
            s[0] = v
        cuda.syncthreads()
        return s[0]

    def kernel(out):
        out[cuda.grid(1)] = broadcast(1) + broadcast(2)

    with pytest.raises(TraceError) as caught:
        launch(kernel, 1, 64, np.zeros(64))
    assert caught.value.findings[0].kind == "race"


def test_a_waiting_call_in_the_middle_of_an_expression(launch, cuda, device_function):
    @device_function
    def next_one(v):
        return cuda.shfl_down_sync(0xFFFFFFFF, v, 1)

    def kernel(x, out):
        t = cuda.threadIdx.x
        v = x[t]
        out[t] = v * 100 + next_one(v) if t >= 0 and next_one(t) >= 0 else -1
        k = 0
        while next_one(k) < 3:
            k += 1
        out[t] += k * 10000

    x, out = np.arange(32), np.zeros(32, np.int64)
    launch(kernel, 1, 32, x, out)
    after = np.append(np.arange(1, 32), 31)
    assert np.array_equal(out, x * 100 + after + 30000)


def test_all_blocks_wait_for_each_other(launch, cuda):
    def kernel(x, out):
        grid = cuda.cg.this_grid()
        i = cuda.grid(1)
        x[i] = i
        grid.sync()
        out[i] = x[x.size - 1 - i]

    x, out = np.zeros(6400), np.zeros(6400)
    launch(kernel, 100, 64, x, out)
    assert np.array_equal(out, np.arange(6400.0)[::-1])


def test_a_lock_is_held_by_one_at_a_time(launch, cuda):
    def kernel(lock, x):
        while cuda.atomic.cas(lock, 0, 0, 1) != 0:
            pass
        x[0] += 1
        cuda.threadfence()
        cuda.atomic.exch(lock, 0, 0)

    lock, x = np.zeros(1, np.int32), np.zeros(1)
    launch(kernel, 50, 64, lock, x, trace="off")
    assert x[0] == 50 * 64


def test_waiting_for_a_flag_that_another_thread_of_the_block_sets(launch, cuda):
    def kernel(flag, x):
        t = cuda.threadIdx.x
        if t == 0:
            while cuda.atomic.add(flag, 0, 0) == 0:
                pass
            x[0] = x[1]
        elif t == 40:
            x[1] = 7
            cuda.threadfence()
            cuda.atomic.exch(flag, 0, 1)

    flag, x = np.zeros(1, np.int32), np.zeros(2)
    launch(kernel, 1, 64, flag, x, trace="off")
    assert x[0] == 7


INTEGERS = (np.int32, np.uint32, np.int64, np.uint64)


@pytest.mark.large("name")
@pytest.mark.parametrize("dtype", [*INTEGERS, np.float32, np.float64])
@pytest.mark.parametrize(
    ("name", "start", "values", "wanted"),
    [
        ("add", 5, 3, 5 + 3 * N),
        ("sub", 3 * N + 2, 3, 2),
        ("max", 5, None, N - 1),
        ("min", 5, None, 0),
        ("nanmax", 5, None, N - 1),
        ("nanmin", 5, None, 0),
    ],
)
def test_atomics_under_many_threads(launch, cuda, dtype, name, start, values, wanted):
    operation = ModuleType("operation")  # its members are known by what they are, as numba-cuda wants it
    operation.apply = getattr(cuda.atomic, name)
    constant = values is not None
    value = values or 0

    def kernel(x):
        i = cuda.grid(1)
        if i < N:
            operation.apply(x, 1, value if constant else i)

    x = np.array([0, start, 0], dtype)
    launch(kernel, 8, 128, x)
    assert x.tolist() == [0, wanted, 0]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_atomic_bits_and_exchange(launch, cuda, dtype):
    def kernel(x, old):
        i = cuda.grid(1)
        cuda.atomic.and_(x, 0, ~(1 << (i % 20)))
        cuda.atomic.or_(x, 1, 1 << (i % 20))
        cuda.atomic.xor(x, 2, 1 << (i % 20))
        old[i] = cuda.atomic.exch(x, 3, i)

    x = np.array([2**21 - 1, 2**22, 2**23, 99], dtype)
    old = np.zeros(100, dtype)
    launch(kernel, 1, 100, x, old)
    assert x[:3].tolist() == [2**20, 2**22 | (2**20 - 1), 2**23 | (2**20 - 1)]
    # Each value that was put in came out once, but for the last.
    assert sorted([*old.tolist(), int(x[3])]) == sorted([99, *range(100)])


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_atomics_that_wrap(launch, cuda, dtype):
    def kernel(x):
        cuda.atomic.inc(x, 0, 9)
        cuda.atomic.dec(x, 1, 9)

    x = np.array([0, 9], dtype)
    launch(kernel, 1, 25, x)
    assert x.tolist() == [25 % 10, 9 - 25 % 10]


@pytest.mark.parametrize(("start", "value", "max_", "nanmax"), [(1, np.nan, 1, 1), (np.nan, 2, np.nan, 2)])
def test_atomic_extremes_and_nan(launch, cuda, start, value, max_, nanmax):
    """numba-cuda: max leaves an element alone when it or the value is NaN, nanmax replaces a NaN."""

    def kernel(x, v):
        cuda.atomic.max(x, 0, v)
        cuda.atomic.nanmax(x, 1, v)

    x = np.array([start, start])
    launch(kernel, 1, 1, x, float(value))
    np.testing.assert_array_equal(x, [max_, nanmax])


def test_compare_and_swap_in_two_dimensions(launch, cuda):
    def kernel(x, old):
        i = cuda.grid(1)
        old[i] = cuda.atomic.cas(x, (0, 1), i, i + 1)

    x = np.zeros((2, 2), np.int32)
    old = np.zeros(8, np.int32)
    launch(kernel, 1, 8, x, old)
    assert x.tolist() == [[0, 8], [0, 0]]
    assert old.tolist() == list(range(8))


def test_local_arrays_belong_to_a_thread_across_barriers(launch, cuda):
    def kernel(out):
        t = cuda.threadIdx.x
        mine = cuda.local.array((2, 2), int32)
        other = cuda.local.array(3, float32)
        mine[1, 0] = t
        other[2] = t / 2
        cuda.syncthreads()
        out[t] = mine[1, 0] + other[2]

    out = np.zeros(64)
    launch(kernel, 1, 64, out)
    assert np.array_equal(out, np.arange(64) * 1.5)


def test_dynamic_shared_memory_is_shared_among_its_arrays(launch, cuda):
    def kernel(out):
        a = cuda.shared.array(0, float32)
        b = cuda.shared.array(0, int32)
        t = cuda.threadIdx.x
        a[t] = 1
        cuda.syncthreads()
        out[t] = b[t]
        if t == 0:
            out[32] = a.size

    out = np.zeros(33, np.int64)
    launch(kernel, 1, 32, out, sharedmem=32 * 4, trace="off")
    assert (out[:32] == np.float32(1).view(np.int32)).all()
    assert out[32] == 32


def test_constant_arrays(launch, cuda):
    table = np.array([3.0, 1.0, 4.0])

    def kernel(out):
        c = cuda.const.array_like(table)
        i = cuda.grid(1)
        out[i] = c[i % 3]

    out = np.zeros(7)
    launch(kernel, 1, 7, out)
    assert np.array_equal(out, table[np.arange(7) % 3])


def test_records_and_their_fields(launch, cuda):
    kind = np.dtype([("a", np.int32), ("b", np.float64)])

    def kernel(x, factor):
        i = cuda.grid(1)
        x[i].a += factor
        x[i]["b"] = x[i].a * 0.5
        x.a[i] += 1

    x = np.zeros(5, kind)
    x["a"] = np.arange(5)
    launch(kernel, 1, 5, x, 10)
    assert np.array_equal(x["a"], np.arange(5) + 11)
    assert np.array_equal(x["b"], (np.arange(5) + 10) / 2)


def test_bits(launch, cuda):
    def kernel(x, out):
        out[0], out[1], out[2], out[3] = cuda.popc(x[0]), cuda.clz(x[0]), cuda.ffs(x[0]), cuda.brev(x[0])
        out[4] = cuda.ffs(x[1])
        out[5] = cuda.selp(x[0] > 0, 5, 6)

    out = np.zeros(6, np.int64)
    launch(kernel, 1, 1, np.array([0b1011000, 0], np.uint32), out)
    assert out.tolist() == [3, 25, 4, int(f"{0b1011000:032b}"[::-1], 2), 0, 5]


def test_fused_multiply_add_rounds_once(launch, cuda):
    def kernel(a, out):
        out[0] = cuda.fma(a[0], a[0], -1.0)
        out[1] = a[0] * a[0] - 1.0

    a = np.array([1 + 2.0**-30])
    out = np.zeros(2)
    launch(kernel, 1, 1, a, out)
    assert out[0] == 2.0**-29 + 2.0**-60
    assert out[1] == 2.0**-29


def test_division_by_zero_is_what_a_gpu_makes_of_it(launch, cuda):
    def kernel(x, n, out):
        out[0] = x[0] / x[1]
        out[1] = n[0] // n[1]

    out = np.zeros(2)
    launch(kernel, 1, 1, np.array([1.0, 0.0]), np.array([1, 0]), out)
    assert out.tolist() == [np.inf, 0]


def test_layouts_and_strides(launch, cuda, rng):
    def kernel(a, b, out):
        i, j = cuda.grid(2)
        if i < out.shape[0] and j < out.shape[1]:
            out[i, j] = a[i, j] - b[j, i]

    big = rng.random((20, 30))
    a, b, out = big[::2, ::-3], np.asfortranarray(rng.random((10, 10))), np.zeros((10, 10)).T
    launch(kernel, (2, 2), (8, 8), a, b, out)
    assert np.array_equal(out, a - b.T)


@pytest.mark.large(smoke=8)
@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("a = [1, 2]", "list"),
        ("a = {}", "dictionary"),
        ("a = [k for k in range(3)]", "comprehension"),
        ("try:\n        x[0] = 1\n    except ValueError:\n        pass", "try"),
        ("with x:\n        pass", "with"),
        ("yield x[0]", "yield"),
        ("return x[0]", "void return type"),
        ("f = [lambda v: v]", "lambda"),
        ("import math", "import"),
        ("x[0] = np.zeros(3)[0]", "new array"),
        ("y = x + x", "new array"),
        ("y = x.copy()", "new array"),
        ("x[0] = np.dot(x, x)", "np.dot"),
        ("x[0] = 'a'", "assignment to an element"),
        ("x[0, 1] = 1", "assignment to an element"),
        ("x[0] = x.nothing", "Unknown attribute 'nothing'"),
        ("a = 1 if x[0] else x", "Cannot unify"),
        ("n = x.size\n    s = cuda.shared.array(n, float32)", "must be known"),
        ("i = cuda.grid(4)", "1, 2 or 3"),
        ("x[0] = cuda.shfl_sync(1, x, 0)", "32- and 64-bit"),
        ("cuda.atomic.add(x, 0.5j, 1)", "whole numbers"),
        ("cuda.atomic.xor(x, 0, 1)", "int32, uint32"),
        ("t = cuda.syncthreads", "must be called"),
        ("del x[0]", "del"),
        ("f'{x}'", "f-string"),
    ],
)
def test_what_a_gpu_refuses_is_refused_with_its_line(launch, tmp_path, cuda, statement, says):
    file = tmp_path / "kernel.py"
    file.write_text(f"def kernel(x):\n    {statement}\n")
    space = {"np": np, "cuda": cuda, "float32": float32}
    exec(compile(file.read_text(), str(file), "exec"), space)
    x = np.zeros(4)
    with pytest.raises(UncompilableError, match="(?s)" + says.replace("(", r"\(")) as caught:
        launch(space["kernel"], 1, 1, x)
    assert caught.value.line in range(2, 2 + statement.count("\n") + 1)
    assert not x.any()


def test_min_and_max_prefer_a_number_to_nan_as_on_a_gpu(launch, cuda):
    def kernel(x, n, out):
        out[0] = max(x[0], x[1])
        out[1] = max(x[1], x[0])
        out[2] = min(x[0], x[1])
        out[3] = min(n[0], n[1])
        out[4] = max(n[0], x[1])
        out[5] = max(n[0], n[1], 5)

    out = np.zeros(6)
    launch(kernel, 1, 1, np.array([np.nan, 1.0]), np.array([-3, 2]), out)
    assert out.tolist() == [1, 1, 1, -3, 1, 5]


def test_functions_as_arguments_of_device_functions(launch, cuda, device_function):
    @device_function
    def twice(v):
        return 2 * v

    @device_function
    def apply(array, operation, change, value):
        operation(array, 0, change(value))

    def kernel(x):
        apply(x, cuda.atomic.add, twice, 3)
        apply(x, cuda.atomic.max, change=twice, value=100)

    x = np.zeros(1, np.int64)
    launch(kernel, 1, 1, x)
    assert x[0] == 200


def test_a_ufunc_into_an_array_that_is_there(launch, cuda):
    def kernel(x, out):
        np.log2(x, out)  # numba-cuda has it, and not np.sqrt

    out = np.zeros(4)
    launch(kernel, 1, 1, np.array([2.0, 4.0, 8.0, 16.0]), out)
    assert out.tolist() == [1, 2, 3, 4]


def test_fields_of_a_record_by_number(launch, cuda):
    kind = np.dtype([("a", np.int32), ("b", np.float64)])

    def kernel(x, out):
        record = x[1]
        out[0] = record[0] + record[1]

    x, out = np.zeros(2, kind), np.zeros(1)
    x[1] = (3, 0.5)
    launch(kernel, 1, 1, x, out)
    assert out[0] == 3.5


def test_float16_goes_to_the_interpreter(launch, cuda):
    def kernel(x, out):
        i = cuda.grid(1)
        out[i] = x[i] + x[i]

    x, out = np.arange(5, dtype=np.float16), np.zeros(5, np.float16)
    launch(kernel, 1, 5, x, out)
    assert out.tolist() == [0, 2, 4, 6, 8]


def test_functions_that_numba_knows_on_a_gpu_only(launch, cuda):
    from math import modf

    def kernel(x, out):
        i = cuda.grid(1)
        out[i, 0] = math.fmod(x[i], 1.25)
        out[i, 1], out[i, 2] = modf(x[i])
        out[i, 3] = math.floor(x[i]) / math.ceil(2.5)  # floats: an integer would have no infinity

    x = np.array([5.5, -5.5, 0.0, np.inf, -np.inf, np.nan])
    out = np.zeros((6, 4))
    launch(kernel, 1, 6, x, out)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(out[:, 0], np.fmod(x, 1.25))
    np.testing.assert_array_equal(out[:, 1:3], np.transpose(np.modf(x)))
    np.testing.assert_array_equal(out[:, 3], np.floor(x) / 3)


def test_a_floor_is_no_index_as_on_a_gpu(launch, cuda):
    def kernel(x):
        x[math.floor(x[0])] = 1

    with pytest.raises(UncompilableError, match="float64"):
        launch(kernel, 1, 1, np.zeros(4))


def test_the_lanes_that_run_together(launch, cuda):
    def kernel(out):
        t = cuda.threadIdx.x
        if t % 2:
            out[t] = cuda.popc(cuda.activemask())

    out = np.zeros(64, np.int64)
    launch(kernel, 1, 64, out)
    assert out.tolist() == [0, 16] * 32


def test_two_fields_of_one_item_are_no_race_and_one_field_is(launch, cuda):
    kind = np.dtype([("a", np.int32), ("b", np.float64)])

    def apart(x):
        i = cuda.grid(1)
        if i == 0:
            x[0].a = 1
        elif i == 1:
            x[0]["b"] += 2.0

    x = np.zeros(1, kind)
    launch(apart, 1, 32, x)
    assert x[0].tolist() == (1, 2.0)

    def together(x):
        x[0].a = cuda.grid(1)

    with pytest.raises(TraceError) as caught:
        launch(together, 1, 32, x)
    assert caught.value.findings[0].kind == "race"


def test_attributes_of_elements_that_are_no_records(launch, cuda):
    def kernel(z, out):
        i = cuda.grid(1)
        out[i, 0], out[i, 1] = z[i].real, z[i].imag
        out[i, 2] = z[i].conjugate().imag

    z, out = np.array([1 + 2j, 3 - 4j]), np.zeros((2, 3))
    launch(kernel, 1, 2, z, out)
    assert out.tolist() == [[1, 2, -2], [3, -4, 4]]


def test_where_numbas_own_compiler_ends_the_kernel_is_named(launch):
    def text(x):
        x[0] = (1, 2) == ("a", 2)

    def nothing(x):
        x[0] = (1, None) == (1, 2)

    for kernel, kind in ((text, "AssertionError"), (nothing, "RuntimeError")):
        with pytest.raises(UncompilableError, match=f"(?s)Numba cannot compile this.*{kind}") as told:
            launch(kernel, 1, 1, np.zeros(1))
        assert told.value.kernel == kernel.__name__
