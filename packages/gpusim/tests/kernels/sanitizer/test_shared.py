"""Shared memory that is read before any thread of the block has written it."""

import pytest


def stale(made):
    return [f for f in made.examine() if f.kind == "uninitialised-shared"]


def tile(made, n=64):
    return made.array("tile", n, space="shared"), made.array("out", 1024)


def test_what_nobody_writes(hand):
    def kernel(t, s, out):
        t.read(s, t.linear, 4)
        t.write(out, t.i, 5)

    made = hand((2,), lines={4: "v = tile[i]"})
    (finding,) = stale(made.run(kernel, *tile(made)))
    assert (finding.severity, finding.array, finding.index, finding.line) == ("error", "tile", (0,), 4)
    assert finding.elements == 128 and "no thread of its block ever writes it" in finding.sentence
    assert "`v = tile[i]`" in finding.sentence and finding.threads == (((0, 0, 0), (0, 0, 0)),)


def test_what_another_thread_wrote_before_the_barrier(hand):
    def kernel(t, s, out):
        t.write(s, t.linear, 3)
        yield
        t.read(s, 63 - t.linear, 5)
        t.write(out, t.i, 5)

    made = hand((2,))
    assert not stale(made.run(kernel, *tile(made)))


def test_what_only_another_block_wrote(hand):
    def kernel(t, s, out):
        if t.block == 0:
            t.write(s, t.linear, 3)
        yield
        t.read(s, t.linear, 5)
        t.write(out, t.i, 5)

    made = hand((2,))
    (finding,) = stale(made.run(kernel, *tile(made)))
    assert finding.threads[0].block == (1, 0, 0)


def test_the_last_block_that_the_data_do_not_fill(hand):
    """The reduction whose tile is not filled with zeros beyond the end."""

    def kernel(t, s, out, n, fill):
        if t.i < n:
            t.write(s, t.linear, 3)
        elif fill:
            t.write(s, t.linear, 4, value=0)
        yield
        step = 32
        while step:
            if t.linear < step:
                t.read(s, t.linear, 8)
                t.read(s, t.linear + step, 8)
                t.write(s, t.linear, 8)
            yield
            step //= 2
        if t.linear == 0:
            t.read(s, 0, 10)
            t.write(out, t.block, 10)

    for fill in (False, True):
        made = hand((2,))
        found = stale(made.run(kernel, *tile(made), 100, fill))
        assert [(f.line, f.threads[0].block) for f in found] == ([] if fill else [(8, (1, 0, 0))])


def test_a_thread_beyond_the_edge_that_stores_nothing(hand):
    """Tiled matmul: rows beyond the edge are neither loaded nor stored, but their threads compute all the same."""

    def kernel(t, s, out, guard):
        inside = t.linear < 50
        for k in range(2):
            if inside:
                t.write(s, t.linear, 3, value=k)
            yield
            t.read(s, t.linear, 5)
            yield
        if inside or not guard:
            t.write(out, t.i, 8)

    made = hand()
    assert not stale(made.run(kernel, *tile(made), True))
    made = hand()
    assert stale(made.run(kernel, *tile(made), False))


@pytest.mark.parametrize(("text", "found"), [("b[ty, tx] = B[k, x]", 0), ("b[t] = 0.0", 0), ("b[t] = acc", 1)])
def test_such_a_thread_may_still_load_another_tile(hand, text, found):
    def kernel(t, a, b, source):
        t.read(a, t.linear, 4)
        if "B[" in text:
            t.read(source, t.i, 5)
        t.write(b, t.linear, 5, text=text)

    made = hand()
    a, source = tile(made)
    assert len(stale(made.run(kernel, a, made.array("b", 64, space="shared"), source))) == found


def test_its_own_write_later(hand):
    def kernel(t, s, out, first):
        if first:
            t.write(s, t.linear, 3)
        t.read(s, t.linear, 4)
        t.write(out, t.i, 4)
        t.write(s, t.linear, 6)

    made = hand()
    (finding,) = stale(made.run(kernel, *tile(made), False))
    assert finding.line == 4 and "yet" in finding.sentence
    made = hand()
    assert not stale(made.run(kernel, *tile(made), True))


def test_a_read_that_races_with_the_first_write_is_told_as_a_race(hand):
    def kernel(t, s, out):
        t.read(s, 63 - t.linear, 4)
        t.write(s, t.linear, 5)
        t.write(out, t.i, 6)

    made = hand()
    found = made.run(kernel, *tile(made)).examine()
    assert [f.kind for f in found] == ["race"]


def test_a_histogram_that_is_not_set_to_zero(hand):
    def kernel(t, s, out, clear):
        if clear:
            t.write(s, t.linear, 2, value=0)
            yield
        t.atomic(s, t.i % 7, 4)
        yield
        t.read(s, t.linear % 7, 6)
        t.atomic(out, t.linear, 6)

    made = hand((2,))
    found = stale(made.run(kernel, *tile(made), False))
    assert 4 in [f.line for f in found] and "updates tile[0]" in found[0].sentence
    made = hand((2,))
    assert not stale(made.run(kernel, *tile(made), True))


def test_an_exchange_sets(hand):
    def kernel(t, s, out, operation):
        t.atomic(s, t.linear, 2, operation=operation)
        yield
        t.read(s, t.linear, 4)
        t.write(out, t.i, 4)

    made = hand()
    assert not stale(made.run(kernel, *tile(made), "exch"))
    made = hand()
    assert stale(made.run(kernel, *tile(made), "add"))


def test_global_memory_is_set_by_the_host(hand):
    made = hand()

    def kernel(t, x, out):
        t.read(x, t.i, 2)
        t.write(out, t.i, 3)

    assert not stale(made.run(kernel, made.array(), made.array("out")))


def test_what_is_stored_before_the_read_does_not_depend_on_it(hand):
    def kernel(t, s, out):
        t.write(out, t.i, 3)
        t.read(s, t.linear, 4)

    made = hand()
    assert not stale(made.run(kernel, *tile(made)))
