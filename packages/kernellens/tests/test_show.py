"""`lens.show`: what the picture holds, its words and characters, and its size. What the page does with it: test_show_page.py."""

import json

import numba
import numpy as np
import pytest

import kernellens
from kernellens.pictures import grid_tab, plain, script
from kernellens.pictures.blocks import EARLIER, HALO, READS, UPDATES, WRITES, look, of_thread
from kernellens.pictures.positions import WRAP, grid, window
from kernellens.pictures.steps import steps

cuda = None  # set by conftest.py


def blur(x, out):
    j, i = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        total = 0.0
        for a in range(-1, 2):
            for b in range(-1, 2):
                total += x[i + a, j + b]
        out[i, j] = total / 9


def beyond(x, out):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[i, j] = x[i + 1, j]


def reduction(x, out):
    tile = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    tile[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    s = 32
    while s > 0:
        if t < s:
            tile[t] += tile[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


def gathered(p, q, r, x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[p[i]] = x[q[i]] + x[r[i]]


def matmul(a, b, c):
    sa = cuda.shared.array((16, 16), numba.float32)
    sb = cuda.shared.array((16, 16), numba.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = numba.float32(0)
    for k in range(a.shape[1] // 16):
        sa[ty, tx] = a[i, k * 16 + tx]
        sb[ty, tx] = b[k * 16 + ty, j]
        cuda.syncthreads()
        for m in range(16):
            total += sa[ty, m] * sb[m, tx]
        cuda.syncthreads()
    c[i, j] = total


def halo_tile(x, out):
    tile = cuda.shared.array(34, numba.float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t + 1] = x[i]
    if t == 0 and i > 0:
        tile[0] = x[i - 1]
    if t == 31 and i < x.size - 1:
        tile[33] = x[i + 1]
    cuda.syncthreads()
    out[i] = tile[t] + tile[t + 2]


def histogram(x, counts):
    cuda.atomic.add(counts, x[cuda.grid(1)], 1)


def volume(x, out):
    k, j, i = cuda.grid(3)
    if i < x.shape[0] and j < x.shape[1] and k < x.shape[2]:
        out[i, j, k] = x[i, j, k]


def arrays(n, *names):
    return [np.zeros((n, n), np.float32) for _ in names or "ab"]


def launches():
    rng, n = np.random.default_rng(3), 16_384
    yield kernellens.trace(blur, (4, 4), (16, 16), *arrays(64))
    yield kernellens.trace(reduction, 3, 64, np.ones(192, np.float32), np.zeros(3, np.float32))
    yield kernellens.trace(matmul, (3, 3), (16, 16), *arrays(48, *"abc"))
    orders = [rng.permutation(n) for _ in range(3)]
    yield kernellens.trace(gathered, 64, 256, *orders, rng.random(n), np.zeros(n))
    # Not as it lies in memory: rows from the end, every second column.
    strided = on_the_device((12, 30))[::-1, ::2]
    yield kernellens.trace(blur, (1, 1), (16, 16), strided, np.zeros((12, 15)))
    yield kernellens.trace(volume, (2, 2, 2), (8, 4, 4), np.zeros((7, 8, 13)), np.zeros((7, 8, 13)))


def on_the_device(shape):
    import cupy

    return cupy.zeros(shape, order="F")


@pytest.mark.large
def test_what_the_script_is_given_is_every_access_of_each_block():
    for trace in launches():
        made = steps(trace.log)
        rows, pool, ranges, blocks = script.pack(made)
        table = rows.reshape(-1, script.ROW)
        records, kinds = trace.log.records, trace.log.kinds
        touches = np.isin(kinds[records["site"]], (0, 1, 2))
        assert len(blocks) >= 1
        for block, (first, end) in zip(blocks, ranges, strict=True):
            found = []
            for site, _, _, mask, *factors, elements in table[first:end].tolist():
                threads = np.arange(trace.log.threads_per_block)
                if mask >= 0:  # a bit for each thread, as the page reads them
                    threads = threads[[pool[mask + (t >> 5)] >> (t & 31) & 1 == 1 for t in threads]]
                x, y, _ = trace.blockdim
                places = np.stack([np.ones_like(threads), threads % x, threads // x % y, threads // (x * y)])
                touched = pool[elements:][: len(threads)] if elements >= 0 else np.array(factors) @ places
                found += [(site, int(t), int(e)) for t, e in zip(threads, touched, strict=True)]
            position = int(np.flatnonzero(trace.log.blocks == block)[0])
            mine = records[touches & (records["thread"] // trace.log.threads_per_block == position)]
            expected = []
            for record in mine:
                array = trace.log.arrays[record["array"]]
                index = array.index_of(int(record["element"]))
                flat = int(np.ravel_multi_index(index, array.shape))
                expected.append((int(record["site"]), int(record["thread"]) % trace.log.threads_per_block, flat))
            assert sorted(found) == sorted(expected)


def halo(seen, number):
    elements, bits = seen.elements[number]
    return set(elements[bits & HALO > 0].tolist())


def test_the_halo_of_a_stencil_is_the_ring_around_the_block():
    trace = kernellens.trace(blur, (4, 4), (16, 16), *arrays(64))
    made = steps(trace.log)
    block = 1 + 4 * 2  # (1, 2): rows 32 to 47, columns 16 to 31
    ring = {i * 64 + j for i in range(31, 49) for j in range(15, 33) if not (32 <= i < 48 and 16 <= j < 32)}
    assert halo(look(made, block), 0) == ring and len(ring) == 4 * 16 + 4
    assert look(made, block).threads.tolist() == [READS | WRITES] * 256


def test_what_is_read_elsewhere_is_no_halo():
    a, b, c = arrays(48, *"abc")
    made = steps(kernellens.trace(matmul, (3, 3), (16, 16), a, b, c).log)
    assert not any(halo(look(made, block), k) for block in made.blocks for k in range(3))
    rng = np.random.default_rng(0)
    scattered = [rng.permutation(256) for _ in range(3)]
    made = steps(kernellens.trace(gathered, 4, 64, *scattered, rng.random(256), np.zeros(256)).log)
    assert not any(halo(look(made, block), k) for block in made.blocks for k in range(5))


def test_what_a_tile_holds_of_the_halo_is_halo_too():
    made = steps(kernellens.trace(halo_tile, 4, 32, np.zeros(128, np.float32), np.zeros(128, np.float32)).log)
    seen = look(made, 1)
    tile = next(k for k, m in enumerate(made.memories) if m.name == "tile")
    assert halo(seen, 0) == {31, 64} and halo(seen, tile) == {0, 33}


def test_a_reduction_halves_its_threads_from_interval_to_interval():
    made = steps(kernellens.trace(reduction, 3, 64, np.ones(192, np.float32), np.zeros(3, np.float32)).log)
    tile = next(k for k, m in enumerate(made.memories) if m.name == "tile")
    # Filled by all; then 32 add, 16, 8, 4, 2, 1; last, thread 0 stores.
    assert made.intervals(0) == 8
    active = [int(np.count_nonzero(look(made, 0, k).threads)) for k in range(8)]
    assert active == [64, 32, 16, 8, 4, 2, 1, 1]
    elements, bits = look(made, 0, 3).elements[tile]
    assert dict(zip(elements.tolist(), (bits & 7).tolist(), strict=True)) == {
        e: READS | WRITES if e < 8 else READS if e < 16 else 0 for e in range(64)
    }
    assert (bits & EARLIER > 0).all()  # all of the tile had been written before


def test_atomics_are_told_from_writes():
    made = steps(kernellens.trace(histogram, 1, 32, np.zeros(32, np.int64), np.zeros(4, np.int32)).log)
    elements, bits = look(made, 0).elements[1]
    assert (elements.tolist(), bits.tolist()) == ([0], [UPDATES])


def test_the_accesses_of_one_thread_come_in_its_own_order():
    made = steps(kernellens.trace(blur, (4, 4), (16, 16), *arrays(64)).log)
    mine = of_thread(made, 0, 5 + 16 * 7)  # threadIdx (5, 7), block (0, 0): i = 7, j = 5
    assert [e for _, e in mine] == [*((7 + a) * 64 + 5 + b for a in (-1, 0, 1) for b in (-1, 0, 1)), 7 * 64 + 5]


def test_an_array_that_is_read_backwards_is_shown_as_it_is_indexed():
    x = on_the_device((4, 8))[::-1, ::2]
    made = steps(kernellens.trace(volume_row, 1, 4, x, np.zeros(4)).log)
    assert [s.elements.tolist() for s in made.of[0] if s.array == 0] == [[0, 1, 2, 3]]


def volume_row(x, out):
    i = cuda.threadIdx.x
    out[i] = x[0, i]


@pytest.mark.parametrize("name", ["x", "thread"])
def test_the_element_that_is_missing_is_crossed_where_it_would_be(name):
    text = str(kernellens.show(kernellens.trace(beyond, (2, 2), (8, 8), *arrays(12))))
    lines = text.splitlines()
    if name == "x":  # twelve rows, and the crosses are in a thirteenth, one for each column of the block
        start = next(k for k, line in enumerate(lines) if line.startswith("x: float32"))
        assert lines[start + 13].split() == ["X"] * 8
    else:  # thread (0, 3) of block (0, 1) is in row 11
        start = next(k for k, line in enumerate(lines) if line.startswith("Block (0, 1), its 8 × 8 threads"))
        assert lines[start + 4].split()[0] == "X"
    assert "out-of-bounds" in text and "line 4" in text


def test_the_text_says_what_the_picture_says():
    figure = kernellens.show(kernellens.trace(blur, (4, 4), (16, 16), *arrays(64)))
    assert figure.alt.startswith("blur: 4 × 4 blocks of 16 × 16 threads. Nothing wrong was found. Block (2, 2):")
    assert "324 of 4\N{NO-BREAK SPACE}096 elements of x touched (324 read, 68 of these in the halo)" in figure.alt
    lines = str(figure).splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("x: float32, 64 × 64, rows 29 to 50"))
    assert lines[start + 3].split() == ["·"] * 2 + ["h"] * 18 + ["·"] * 2
    assert lines[start + 4].split() == ["·"] * 2 + ["h"] + ["r"] * 16 + ["h"] + ["·"] * 2
    assert "  line 7 reads x[39, 39], x[39, 40]" in str(figure)


@pytest.mark.parametrize(("options", "active"), [({}, 0), ({"tab": "warp"}, 1), ({"tab": "launch"}, 2)])
def test_a_picture_opens_at_the_tab_that_is_asked_for(options, active):
    """A printed page shows no other."""
    drawn = kernellens.show(kernellens.trace(blur, (4, 4), (16, 16), *arrays(64)), **options).data()["item"]
    (tabs,) = [model for model in _models(drawn) if model.get("name") == "Tabs"]
    assert tabs["attributes"].get("active", 0) == active


def _models(drawn):
    if isinstance(drawn, list):
        return [found for each in drawn for found in _models(each)]
    return [drawn, *_models(list(drawn.values()))] if isinstance(drawn, dict) else []


def test_a_tab_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="block, warp, launch: which is to be open at first; not 'warps'"):
        kernellens.show(kernellens.trace(blur, (4, 4), (16, 16), *arrays(64)), tab="warps")


def test_a_kernel_that_does_not_run_has_a_picture_of_its_error():
    figure = kernellens.show(kernellens.trace(unstable, 1, 4, np.zeros(4)))
    assert "uncompilable" in figure.alt and "uncompilable" in str(figure)
    assert "uncompilable" in json.dumps(figure.data()["item"])


def unstable(x):
    value = "text" if x[0] else 1
    x[0] = value


@pytest.mark.large
def test_every_picture_is_under_300_kB_and_as_a_notebook_wants_it(monkeypatch):
    monkeypatch.delenv("KERNELLENS_FIGURES", raising=False)
    for trace in launches():
        bundle = kernellens.show(trace)._repr_mimebundle_()
        assert set(bundle) == {"text/plain", "text/html"}
        assert len(bundle["text/html"]) < 300_000


@pytest.mark.large
def test_every_picture_keeps_bokehs_rules():
    """A figure is not checked when it is rendered (kernellens.plot.figure), so it is here."""
    from bokeh.core.validation import check_integrity

    for trace in launches():
        found = check_integrity(kernellens.show(trace).layout.references())
        assert not found.error and not found.warning, found


def test_a_large_launch_is_sampled_and_says_so():
    x, out = np.zeros((2000, 2000), np.float32), np.zeros((2000, 2000), np.float32)
    figure = kernellens.show(kernellens.trace(blur, (125, 125), (16, 16), x, out, blocks=40))
    assert "40 of 15\N{NO-BREAK SPACE}625 traced" in str(figure)
    assert len(json.dumps(figure.data()["item"])) < 300_000


def test_a_window_shows_what_is_touched_and_some_around_it():
    arranged, view = window(grid((500, 400)), np.array([100 * 400 + 20, 110 * 400 + 50]))
    assert (view.rows, view.columns, view.down, view.right) == ((98, 113), (18, 53), 1, 1)
    assert view.extent == (15, 35) and view.single
    small, view = window(grid((20, 20)), np.array([0]), ((0, 20, 3),))
    assert (view.rows, view.columns) == ((0, 21), (0, 20))  # whole, and the row that does not exist
    # Spread over far more rows of 32 than anybody sees: a cell is several elements.
    arranged, view = window(grid((100_000,)), np.array([0, 99_999]))
    assert arranged.columns == WRAP * view.right and view.extent[0] <= 64 and view.extent[1] == WRAP
    assert arranged.rows * arranged.columns >= 100_000


def test_the_whole_launch_says_how_much_of_each_array_was_touched():
    trace = kernellens.trace(blur, (4, 4), (16, 16), *arrays(64))
    (x, seen, counts), (out, written, done) = grid_tab.touched(trace.log)
    assert (x.name, counts, out.name, done) == ("x", (4096, 0), "out", (0, 62 * 62))
    assert (seen == 1).all()
    assert (written[1:-1, 1:-1] == 2).all() and not written[0].any() and not written[:, -1].any()


def test_a_picture_of_a_volume_has_its_slices_beside_each_other():
    trace = kernellens.trace(volume, (2, 2, 2), (8, 4, 4), np.zeros((7, 8, 13)), np.zeros((7, 8, 13)))
    made = steps(trace.log)
    arranged, view = script.windows_of(made, 0, [])[0]
    assert (arranged.slices, arranged.rows, arranged.columns) == (7, 8, 13)
    assert view.slices == (0, 4) and view.across == 2 and view.extent == (2 * 9 - 1, 2 * 14 - 1)
    assert "  [3]" in plain.text(trace, made, block=0)


def test_what_schedules_returns_is_shown_as_its_own_picture():
    """It was refused as no trace."""

    def last(out):
        out[0] = cuda.grid(1)

    found = kernellens.schedules(last, 1, 64, np.zeros(1))
    shown = kernellens.show(found)
    assert shown.text == found.figure().text and "64 threads" in shown.text or "answers" in shown.text


def test_what_is_no_trace_is_refused():
    with pytest.raises(TypeError, match=r"show takes a trace, not int: lens.show\(lens.trace"):
        kernellens.show(3)
