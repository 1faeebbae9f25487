"""What a kernel calculates: counted from types and logged ways, against Python's own line tracer and figures worked out by hand."""

import ast
import collections
import math
import sys
import types

import numba
import numpy as np
import pytest

import kernellens
from kernellens import times
from kernellens.times import counting

cuda = None  # set by conftest.py
F4, F8 = np.float32, np.float64
THREADS = 128
TWO = 2.0


def early(x, out):
    i = cuda.grid(1)
    if i >= x.size:
        return
    if x[i] > 40:
        if x[i] > 80:
            out[i] = 1
        else:
            out[i] = 2
    elif x[i] > 20:
        out[i] = 3


def search(x, out):
    i = cuda.grid(1)
    if i < out.size:
        for k in range(x.size):
            if x[k] < 50:
                continue
            if x[k] > i:
                out[i] = k
                break
        else:
            out[i] = -1
        out[i] += 1


def collatz(x, out):
    i = cuda.grid(1)
    if i < x.size:
        n = i + 1
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            steps += 1
            if steps > 20:
                out[i] = -1
                return
        out[i] = steps


def nested(x, out):
    i = cuda.grid(1)
    for a in range(i % 5):
        for b in range(a):
            if (a + b) % 2:
                out[i % out.size] += x[b]
        while a > 2:
            a -= 1


def _python_lines(kernel, grid, block, args):
    """How often Python itself comes to each line of a kernel, thread by thread."""
    at = [0]
    fake = types.SimpleNamespace(grid=lambda n: at[0])
    inner = types.FunctionType(kernel.__code__, {**kernel.__globals__, "cuda": fake})
    seen = collections.Counter()

    def tracer(frame, event, arg):
        if frame.f_code is inner.__code__:
            if event == "line":
                seen[frame.f_lineno - inner.__code__.co_firstlineno + 1] += 1
            return tracer
        return None

    before = sys.gettrace()
    for at[0] in range(grid * block):
        sys.settrace(tracer)
        try:
            inner(*args)
        finally:
            sys.settrace(before)
    return seen


@pytest.mark.parametrize("kernel", [early, search, collatz, nested], ids=lambda k: k.__name__)
def test_each_statement_is_counted_as_often_as_python_comes_to_it(kernel):
    rng = np.random.default_rng(7)
    x = rng.integers(0, 100, 100)
    trace = kernellens.trace(kernel, 4, 32, x, np.zeros(100, np.int64))
    counts = counting.counts(trace.log, trace.function)
    assert counts.inferred == []
    wanted = _python_lines(kernel, 4, 32, (x.copy(), np.zeros(100, np.int64)))
    checked = 0
    for node in ast.walk(trace.function.node):
        # A loop's line is come to again each turn, and is counted by its turns; `else:` has no line of its own.
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef | ast.For | ast.While):
            ours = counts.at[counting.key(trace.function, node)][0].sum()
            assert ours == wanted[node.lineno], (node.lineno, trace.function.line(node.lineno))
            checked += 1
    for node in ast.walk(trace.function.node):
        if isinstance(node, ast.For) and not isinstance(node.body[0], ast.For):
            inside = node.body[0].lineno
            assert counts.turns[counting.key(trace.function, node)][0].sum() == wanted[inside]
    assert checked >= 4


def test_warps_are_counted_where_any_of_their_threads_goes():
    def every_other_warp(x, out):
        i = cuda.grid(1)
        if i // 32 % 2 == 0:
            if i % 2 == 0:
                out[i] = x[i] * 2.0

    trace = kernellens.trace(every_other_warp, 2, 128, np.ones(256), np.zeros(256))
    work = times.work_of(trace)
    # 8 warps of 32, 4 of which come to the multiplication, with 16 threads each.
    assert work.operations["float64"] == 4 * 16
    assert work.slots["float64"] == 4 * 32


def work(kernel, *args, grid=1, block=THREADS, **more):
    return times.work_of(kernellens.trace(kernel, grid, block, *args), **more)


def each(kernel, *args, kind="float64", of="operations"):
    found = getattr(work(kernel, *args), of)
    return found.get(kind, 0.0) / THREADS


X, Y = np.linspace(1, 2, THREADS), np.zeros(THREADS)


def test_a_multiplication_and_an_addition_are_two_operations_and_one_instruction():
    def axpy(a, x, y):
        i = cuda.grid(1)
        y[i] = a * x[i] + y[i]

    assert each(axpy, 3.0, X, Y) == 2
    assert each(axpy, 3.0, X, Y, of="certain") == 2
    assert each(axpy, 3.0, X, Y, of="slots") == 1


def test_a_float64_constant_makes_float32_arithmetic_float64():
    def scaled(x, out):
        i = cuda.grid(1)
        out[i] = x[i] * 0.1 + 1.5

    def kept(x, out):
        i = cuda.grid(1)
        out[i] = x[i] * F4(0.1) + F4(1.5)

    x, out = X.astype(F4), Y.astype(F4)
    assert (each(scaled, x, out), each(scaled, x, out, kind="float32")) == (2, 0)
    assert (each(kept, x, out), each(kept, x, out, kind="float32")) == (0, 2)


def test_a_loop_counts_its_turns():
    def horner(x, out):
        i = cuda.grid(1)
        total = 0.0
        for _ in range(10):
            total = total * x[i] + 1.0
        out[i] = total

    assert each(horner, X, Y) == 20
    # The compiler may keep x[i], but the ten steps stay: each needs the one before.  `+ 1.0` might be anything to it.
    assert each(horner, X, Y, of="certain") == 10


def test_a_matrix_product_through_shared_memory():
    tile = 8

    def product(a, b, c):
        sa = cuda.shared.array((tile, tile), numba.float32)
        sb = cuda.shared.array((tile, tile), numba.float32)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        total = numba.float32(0)
        for k in range(a.shape[1] // tile):
            sa[ty, tx] = a[y, k * tile + tx]
            sb[ty, tx] = b[k * tile + ty, x]
            cuda.syncthreads()
            for m in range(tile):
                total += sa[ty, m] * sb[m, tx]
            cuda.syncthreads()
        c[y, x] = total

    n = 32
    a = np.ones((n, n), F4)
    found = work(product, a, a.copy(), np.zeros((n, n), F4), grid=(4, 4), block=(8, 8))
    assert found.operations["float32"] == found.certain["float32"] == 2 * n**3
    assert found.slots["float32"] == n**3
    assert (found.read, found.written) == (2 * n * n * 4, n * n * 4)
    # Of each block: 4 tiles, each 2 barriers for 2 warps.
    assert found.sharedmem == 2 * 8 * 8 * 4
    # Rows of 8 floats, 4 in a request: 16-word rows of the tile, no two in a bank; 2 + 2 × 8 requests a turn, 4 turns,
    # 16 blocks of 2 warps.  A row of sb read by a warp is 8 words (a broadcast), of sa 4 words.
    assert found.shared == 16 * 2 * 4 * (2 + 2 * 8)


def test_what_nothing_needs_is_not_certain():
    def idle(x, out):
        i = cuda.grid(1)
        unused = x[i] * 3.0 * x[i]  # noqa: F841
        out[i] = 1.0

    found = work(idle, X, Y)
    assert found.certain.get("float64", 0) == 0
    assert found.read == 0 and found.written == 8 * THREADS


def test_what_is_calculated_twice_is_certain_once():
    def twice(x, out):
        i = cuda.grid(1)
        out[i] = (x[i] * TWO + x[i] * TWO) * (x[i] * TWO)

    # As it stands 3 multiplications by two, an addition and a multiplication; of which 1, 1 and 1 are needed.
    assert each(twice, X, Y) == 5
    assert each(twice, X, Y, of="certain") == 3


def test_what_does_not_change_in_a_loop_is_certain_once():
    def hoisted(x, y, out):
        i = cuda.grid(1)
        total = 0.0
        for k in range(y.size):
            total += (x[i] * x[i]) * y[k]
        out[i] = total

    n = 50
    y = np.ones(n)
    assert each(hoisted, X, y, Y) == 3 * n
    assert each(hoisted, X, y, Y, of="certain") == 2 * n + 1


def test_what_is_known_from_constants_is_not_certain():
    def constant(x, out):
        i = cuda.grid(1)
        scale = 1.0
        for _ in range(4):
            scale = scale * TWO + 1.0
        out[i] = x[i] * scale

    # The loop makes 31, which a compiler knows; a multiplication by it is left.
    assert each(constant, X, Y) == 9
    assert each(constant, X, Y, of="certain") == 1


def test_indices_are_not_certain_but_loaded_integers_are():
    def table(x, out):
        i = cuda.grid(1)
        out[(i * 3 + 1) % out.size] = x[i] + x[i] * 7

    assert each(table, np.arange(THREADS), np.zeros(THREADS, np.int64), kind="int32", of="certain") == 2


def test_arithmetic_on_a_loaded_index_is_not_certain():
    def gather(at, x, out):
        i = cuda.grid(1)
        out[i] = x[at[i] + 1] + x[at[i] + 2]

    assert each(gather, np.zeros(THREADS, np.int64), X, Y, kind="int32", of="certain") == 0
    assert each(gather, np.zeros(THREADS, np.int64), X, Y, of="certain") == 1


def test_one_side_of_a_choice_is_not_certain():
    def either(x, out):
        i = cuda.grid(1)
        out[i] = x[i] * 3.0 if x[i] > 1.5 else x[i] + 4.0

    assert each(either, X, Y, of="certain") == 0
    assert each(either, X, Y) == 2  # a choice without a branch makes both


def test_device_functions_count_where_they_are_called():
    @cuda.jit(device=True)
    def poly(a, n):
        total = a
        for _ in range(n):
            total = total * a + 0.5
        return total

    def caller(x, out):
        i = cuda.grid(1)
        out[i] = poly(x[i], 3)
        if i < 32:
            out[i] += poly(x[i] + 1.5, 5)

    found = work(caller, X, Y)
    # 3 turns for all; for 32 threads 5 turns, the addition to x and the one to out.
    assert found.operations["float64"] == THREADS * 6 + 32 * (10 + 2)


def test_a_function_given_different_functions_is_counted_for_both_and_not_twice():
    @cuda.jit(device=True)
    def half(a):
        return a * 0.5

    @cuda.jit(device=True)
    def fourth(a):
        return a * a * a * a

    @cuda.jit(device=True)
    def repeat(f, a):
        for _ in range(4):
            if a > 0.0:
                a = f(a)
        return a

    def caller(x, out):
        i = cuda.grid(1)
        out[i] = repeat(half, x[i]) + repeat(fourth, x[i])

    found = work(caller, X, Y)
    # 4 turns of a half, 4 of three multiplications, and a sum.
    assert found.operations["float64"] == THREADS * (4 + 12 + 1)
    assert found.certain.get("float64", 0) <= found.operations["float64"]


def test_a_load_that_one_call_needs_is_moved():
    @cuda.jit(device=True)
    def both(x, y, i):
        return x[i], y[i]

    def caller(x, y, out):
        i = cuda.grid(1)
        first, _ = both(x, y, i)
        _, second = both(x, y, i)
        out[i] = first + second

    found = work(caller, X, X.copy(), Y)
    assert found.read == 2 * THREADS * 8


def test_functions_cost_what_the_compiler_makes_of_them():
    def wave(x, out):
        i = cuda.grid(1)
        out[i] = math.sin(x[i])

    rows = times.costs.table()
    assert each(wave, X, Y) == rows["float64"]["sin"][0] == 17
    assert each(wave, X, Y, of="certain") == 8
    single = (X.astype(F4), Y.astype(F4))
    assert each(wave, *single, kind="float32") == rows["float32"]["sin"][0]
    fast = times.work_of(kernellens.trace(wave, 1, THREADS, *single), fastmath=True)
    assert fast.slots["special"] == THREADS and fast.slots.get("float32", 0) == 0


def test_calls_that_make_no_number():
    pair = collections.namedtuple("pair", "first second")

    def added(x, y, out):
        i = cuda.grid(1)
        both = pair(x, y)
        out[i] = both.first[i] + both.second[i]

    def lasted(x, out):
        i = cuda.grid(1)
        out[i] = abs(x[i])

    assert each(added, X, X, Y) == 1
    assert each(lasted, np.ones(THREADS, "m8[s]"), np.zeros(THREADS, "m8[s]")) == 0


def test_complex_numbers():
    def square(x, out):
        i = cuda.grid(1)
        out[i] = x[i] * x[i] + x[i]

    # (a + bi)² takes four multiplications and two additions, the sum two more.
    assert each(square, X + 1j, Y + 0j) == 8


def test_a_kernel_that_only_the_interpreter_runs_says_what_is_inferred():
    def halves(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = x[i] * x[i]

    found = work(halves, np.ones(100, np.float16), np.zeros(100, np.float16))
    assert found.operations["float16"] == 100
    assert any("inferred" in note for note in found.notes)


def test_one_float64_operation_between_float32_is_not_certain_to_be_in_float64():
    """The real compiler makes a float32 multiplication of the first, and a float64 one of the second (asked of it)."""

    def alone(x, out):
        i = cuda.grid(1)
        out[i] = x[i] * 2

    def two(x, out):
        i = cuda.grid(1)
        out[i] = x[i] * 2.0 + 1.0

    x = np.ones(64, np.float32)
    certain = [
        kernellens.bound(kernellens.trace(kernel, 1, 64, x, np.zeros_like(x)), gpu="T4").work.certain
        for kernel in (alone, two)
    ]
    assert certain[0].get("float64", 0) == 0
    assert certain[1]["float64"] >= 64
