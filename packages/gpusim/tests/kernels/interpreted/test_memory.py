"""Arrays of every layout and space, records, slices, bounds."""

import numpy as np
import pytest

from gpusim.kernels.faults import OutOfBoundsError, UncompilableError

from .conftest import cuda, launch

TILE = 8


def layouts(shape):
    """Arrays of one shape and one content, each laid out another way."""
    whole = np.arange(np.prod(shape) * 16.0).reshape(2 * shape[0], 4 * shape[1], 2)
    value = np.arange(float(np.prod(shape))).reshape(shape)
    packed = np.zeros(shape, np.dtype([("tag", "i1"), ("value", "f8"), ("rest", "i2")]))
    yield "C", value.copy()
    yield "Fortran", np.asfortranarray(value)
    for name, view in (
        ("strided", whole[::2, 1::4, 1]),
        ("reversed", whole[::-2, ::-4, 0]),
        ("transposed", np.zeros(shape[::-1]).T),
        ("packed field", packed["value"]),
    ):
        view[...] = value
        yield name, view


@pytest.mark.parametrize("name", [name for name, _ in layouts((6, 5))])
def test_layouts(name):
    def kernel(a, out):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            out[i, j] = a[i, j] + a[-1, j] * 100 + a[i - 1, -2]
            row = a[i]
            a[i, j] = row[j] + 0.5 + a.T[j, i] * 0 + a[:, j][i] * 0

    a = dict(layouts((6, 5)))[name]
    before, out = a.copy(), np.zeros((6, 5))
    launch(kernel, (2, 2), (4, 4), a, out)
    # a is changed while it is read: only what no other thread changes is certain, and all reads come first in lockstep
    np.testing.assert_array_equal(a, before + 0.5)
    np.testing.assert_array_equal(out, before + before[-1] * 100 + np.roll(before, 1, 0)[:, -2:-1])


def test_slices_that_differ_between_lanes():
    def kernel(a, out):
        i = cuda.grid(1)
        if i < out.shape[0]:
            part = a[i : i + 5]
            back = a[i + 4 : i - 1 if i else -50 : -1]
            plane = out[i, :]
            plane[0] = part[0] + part[-1] + part.size
            plane[1] = back[0] * 10 + len(back)
            out[i, 2:] = part[1]
            piece = out[i, 3:5]
            for k in range(2):
                piece[k] = a[:2][k]

    a, out = np.arange(40.0), np.zeros((30, 6))
    launch(kernel, 1, 32, a, out)
    i = np.arange(30)
    expected = np.stack([2 * i + 4 + 5, (i + 4) * 10 + 5, i + 1, 0 * i, 0 * i + 1, i + 1], 1)
    np.testing.assert_array_equal(out, expected)


def test_shared_memory_is_each_blocks_own():
    def kernel(a, out):
        tile = cuda.shared.array((TILE, TILE), np.float32)
        other = cuda.shared.array(shape=TILE, dtype=np.int64)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        tile[ty, tx] = a[y, x]
        if ty == 0:
            other[tx] = x
        cuda.syncthreads()
        out[x, y] = tile[ty, tx] + other[TILE - 1 - tx] * 1000 + tile.size

    a = np.random.default_rng(0).integers(0, 99, (32, 32)).astype("f4")
    out = np.zeros((32, 32))
    launch(kernel, (4, 4), (TILE, TILE), a, out)
    x = np.arange(32)[:, None]
    np.testing.assert_array_equal(out, a.T + (x // 8 * 8 + 7 - x % 8) * 1000 + 64)


def test_dynamic_shared_memory_is_one_region():
    def kernel(out):
        words = cuda.shared.array(0, np.int32)
        octets = cuda.shared.array(shape=0, dtype=np.uint8)
        t = cuda.threadIdx.x
        words[t] = t * 258 + cuda.blockIdx.x
        cuda.syncthreads()
        out[cuda.blockIdx.x, t] = octets[4 * t] + octets[4 * t + 1] * 1000 + words.size * 1_000_000

    out = np.zeros((5, 10), "i8")
    launch(kernel, 5, 10, out, sharedmem=40)
    value = np.arange(10) * 258 + np.arange(5)[:, None]
    np.testing.assert_array_equal(out, value % 256 + value // 256 % 256 * 1000 + 10_000_000)


def test_local_arrays_are_each_threads_own():
    def kernel(a, out):
        i = cuda.grid(1)
        if i < out.size:
            kept = cuda.local.array((2, 5), np.int32)
            for k in range(5):
                kept[0, k] = a[(i + k) % a.size]
                kept[1, 4 - k] = k
            for k in range(5):  # insertion sort
                j = k
                while j > 0 and kept[0, j - 1] > kept[0, j]:
                    kept[0, j - 1], kept[0, j] = kept[0, j], kept[0, j - 1]
                    j -= 1
            out[i] = kept[0, 2] * 10 + kept[1][1]

    a = np.random.default_rng(1).integers(0, 1000, 500)
    out = np.zeros(500, "i8")
    launch(kernel, 4, 128, a, out)
    windows = np.stack([np.roll(a, -k) for k in range(5)])
    np.testing.assert_array_equal(out, np.median(windows, axis=0) * 10 + 3)


TABLE = np.array([[1.5, 2.5], [3.5, 4.5]])


def test_constant_arrays():
    def kernel(out):
        i = cuda.grid(1)
        table = cuda.const.array_like(TABLE)
        if i < out.size:
            out[i] = table[i % 2, i // 2 % 2] + TABLE[0, 0]

    out = np.zeros(100)
    launch(kernel, 1, 128, out)
    i = np.arange(100)
    np.testing.assert_array_equal(out, TABLE[i % 2, i // 2 % 2] + 1.5)

    def writes(out):
        table = cuda.const.array_like(TABLE)
        table[0, 0] = 1

    with pytest.raises(UncompilableError, match="table cannot be written to"):
        launch(writes, 1, 1, out)
    assert TABLE[0, 0] == 1.5


PARTICLE = np.dtype([("x", "f4"), ("inner", [("id", "i2"), ("mass", "f8")]), ("v", "f4", 3)])


@pytest.mark.parametrize("align", [False, True])
def test_records(align):
    def kernel(particles, single):
        i = cuda.grid(1)
        if i < particles.size:
            p = particles[i]
            p.x += p.v[1] * single.x
            p.inner.mass = particles[i]["x"] + particles.x[i]
            particles["inner"][i].id = i
            for k in range(3):
                particles[i].v[k] = k - p.v[k]
            if i == 3:
                particles[4] = particles[2]

    dtype = np.dtype(PARTICLE.descr, align=align)
    particles = np.zeros(40, dtype)
    rng = np.random.default_rng(2)
    particles["x"], particles["v"] = rng.integers(0, 9, 40), rng.integers(0, 9, (40, 3))
    single = np.zeros(1, dtype)
    single["x"] = 2
    expected = particles.copy()
    launch(kernel, 2, 32, particles, single[0])
    expected["x"] += expected["v"][:, 1] * 2
    expected["inner"]["mass"] = 2 * expected["x"]
    expected["inner"]["id"] = np.arange(40)
    expected["v"] = np.arange(3) - expected["v"]
    expected[4] = expected[2]
    np.testing.assert_array_equal(particles, expected)


def test_complex_and_bool_and_half_and_dates():
    def kernel(z, flags, half, days, out):
        i = cuda.grid(1)
        if i < z.size:
            z.real[i] = i
            z[i] = z[i] * 2j
            flags[i] = i % 3 == 0 and not flags[i]
            half[i] = half[i] * half[i] + half[i]
            days[i, 1] = days[i, 0] + (days[i, 0] - days[0, 0])
            out[i] = days[i, 1] > days[i, 0]

    n = 64
    z, flags = np.full(n, 1j), np.arange(n) % 2 == 0
    half = np.linspace(0, 3, n).astype("f2")
    days = np.stack([np.arange(n), np.zeros(n)], 1).astype("i8").view("M8[D]").reshape(n, 2)
    wanted, was = half * half + half, flags.copy()
    out = np.zeros(n, "?")
    launch(kernel, 1, n, z, flags, half, days, out)
    i = np.arange(n)
    np.testing.assert_array_equal(z, (i + 1j) * 2j)
    np.testing.assert_array_equal(flags, (i % 3 == 0) & ~was)
    np.testing.assert_array_equal(half, wanted)
    np.testing.assert_array_equal(days[:, 1].astype("i8"), 2 * i)
    np.testing.assert_array_equal(out, i > 0)


def test_the_last_thread_that_stores_wins():
    def kernel(out):
        i = cuda.grid(1)
        out[i % 7] = i
        out[7] = i

    out = np.zeros(8, "i8")
    launch(kernel, 20, 50, out)
    np.testing.assert_array_equal(out[:7], [max(i for i in range(1000) if i % 7 == k) for k in range(7)])
    assert out[7] == 999


def test_arrays_chosen_by_lane():
    def kernel(a, b, out):
        i = cuda.grid(1)
        source = a
        if i % 2:
            source = b
        for k in range(3):
            source, other = (b, source) if k == 1 else (source, source)
            out[i] += source[i] * (k + 1)

    a, b, out = np.arange(10.0), np.arange(10.0) * 100, np.zeros(10)
    launch(kernel, 1, 10, a, b, out)
    mine = np.where(np.arange(10) % 2, b, a)
    np.testing.assert_array_equal(out, mine + 2 * b + 3 * b)


def test_empty_and_scalar_arrays():
    def kernel(empty, scalar, out):
        i = cuda.grid(1)
        if i < empty.size:
            empty[i] = 1
        out[i] = scalar[()] + empty.shape[0] + empty.ndim

    out = np.zeros(4)
    launch(kernel, 1, 4, np.zeros(0), np.array(2.5), out)
    np.testing.assert_array_equal(out, 3.5)


def test_outside_is_told_with_thread_and_line():
    def kernel(a, out):
        i, j = cuda.grid(2)
        out[i, j] = 0
        if j == 2:
            out[i, j] = a[i, j + 1]

    with pytest.raises(OutOfBoundsError) as told:
        launch(kernel, (2, 1), (2, 4), np.zeros((4, 3)), np.zeros((4, 4)))
    fault = told.value
    assert fault.index == (0, 3) and fault.axis == 1 and fault.size == 3 and fault.array == "a"
    assert fault.thread == (0, 2, 0) and fault.block == (0, 0, 0) and not fault.writing
    assert fault.source_line == "out[i, j] = a[i, j + 1]" and fault.line == 5


@pytest.mark.parametrize("shift, size", [(-9, 8), (8, 8), (0, 0), (2**40, 8), (-(2**40), 8)])
def test_outside_below_and_above(shift, size):
    def kernel(a, shift):
        a[cuda.grid(1) + shift] = 1

    a = np.zeros(size)
    with pytest.raises(OutOfBoundsError) as told:
        launch(kernel, 1, 1, a, shift)
    assert told.value.index == (shift,) and told.value.writing
    assert not a.any()


def test_unsigned_indices_do_not_count_from_the_end():
    def kernel(a, at):
        a[at[cuda.grid(1)]] = 1

    with pytest.raises(OutOfBoundsError):
        launch(kernel, 1, 2, np.zeros(5), np.array([1, 2**64 - 1], "u8"))


def test_records_passed_by_themselves_are_written_in_place():
    def kernel(record, other):
        record.x = other[0] + 1
        record["v"] = 7
        record.v[1] = other.v[2]

    records = np.zeros(2, PARTICLE)
    records[1]["x"], records[1]["v"] = 3, (4, 5, 6)
    launch(kernel, 1, 1, records[0], records[1])
    assert records[0]["x"] == 4 and records[0]["v"].tolist() == [7, 6, 7]


def test_bytes_seen_as_other_items():
    def kernel(raw, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = raw[8 * i : 8 * i + 8].view(np.float32)[1] + raw.view(np.int16).size

    out = np.zeros(5)
    launch(kernel, 1, 5, np.arange(10, dtype="f4").view("u1"), out)
    np.testing.assert_array_equal(out, np.arange(1, 10, 2) + 20)
