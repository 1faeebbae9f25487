"""Unit 16: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be
accepted. They are code as learners write it, in the style of a notebook cell.
"""

import answers
import numpy as np
import pytest
from answers.second import Answers

from hundredfold import data
from hundredfold.learning import problems
from hundredfold.learning.problems.devices import cp
from hundredfold.learning.problems.profiling import amdahl, first
from kernellens.profiling import nsys_report

SECOND = Answers("profiling")
wrong, right = SECOND.wrong, SECOND.right

pytestmark = pytest.mark.usefixtures("device")


# ---- profiling.waits ----


def changes(x, steps, of=lambda new, old: cp.abs(new - old).max()):
    found = cp.zeros((steps, 1))
    for k in range(steps):
        new = 0.5 * (x + cp.roll(x, 1))
        found[k, 0] = of(new, x)
        x = new
    return found.ravel()


@right("profiling.waits")
def a_column(x, steps):
    return changes(x, steps).get()


@wrong("profiling.waits", "unjoined")
def beside_the_host(x, steps):
    import cupyx

    host = cupyx.empty_pinned(steps, np.float64)
    found = changes(x, steps)
    if steps:
        found.get(out=host, blocking=False)
    return host


@right("profiling.waits")
def one_wait_for_a_copy(x, steps):
    host = beside_the_host(x, steps)
    cp.cuda.get_current_stream().synchronize()
    return host


@wrong("profiling.waits", "serialised")
def prints_nothing_but_asks(x, steps):
    found = []
    for _ in range(steps):
        new = 0.5 * (x + cp.roll(x, 1))
        if cp.isnan(new).any():
            pass
        found.append(cp.abs(new - x).max())
        x = new
    return cp.asnumpy(cp.stack(found)) if found else np.empty(0)


@wrong("profiling.waits", "device")
def left_there(x, steps):
    return changes(x, steps)


@wrong("profiling.waits", "dtype")
def singles(x, steps):
    return changes(x, steps).get().astype("f4")


@wrong("profiling.waits", "sign")
def largest_rise(x, steps):
    return changes(x, steps, lambda new, old: cp.max(new - old)).get()


@wrong("profiling.waits", "quantity")
def mean_change(x, steps):
    return changes(x, steps, lambda new, old: cp.abs(new - old).sum() / new.size).get()


@wrong("profiling.waits", "recurrence")
def since_the_beginning(x, steps):
    begun = x
    return changes(x, steps, lambda new, old: cp.abs(new - begun).max()).get()


@wrong("profiling.waits", "aliasing")
def over_the_argument(x, steps):
    found = changes(x, steps).get()
    x *= 0.5
    return found


@wrong("profiling.waits", "transfer")
def every_array(x, steps):
    rows = [x.get()]
    for _ in range(steps):
        x = 0.5 * (x + cp.roll(x, 1))
        rows.append(x.get())
    return np.array([np.abs(b - a).max() for a, b in zip(rows, rows[1:], strict=False)])


# ---- profiling.reuse ----


def inner(x, times, by=3.0):
    new = cp.array(x)
    for _ in range(times):
        old = new.copy()
        new[1:-1] = (old[1:-1] + old[:-2] + old[2:]) / by
    return new


@right("profiling.reuse")
def with_a_copy_of_the_old(x, times):
    return inner(x, times)


@wrong("profiling.reuse", "driver-calls")
def emptied_once_behind_the_loop(x, times):
    made = inner(x, times)
    cp.get_default_memory_pool().free_all_blocks()
    return made


@wrong("profiling.reuse", "driver-calls")
def empties_when_it_is_full(x, times):
    new = x.copy()
    for _ in range(times):
        old, new = new, new.copy()
        new[1:-1] = (old[1:-1] + old[:-2] + old[2:]) / 3
        del old
        if cp.get_default_memory_pool().free_bytes():
            cp.get_default_memory_pool().free_all_blocks()
    return new


@wrong("profiling.reuse", "wrapped")
def round_the_edge(x, times):
    for _ in range(times):
        x = (x + cp.roll(x, (1,), axis=(0,)) + cp.roll(x, (-1,), axis=(0,))) / 3
    return x.copy()


@wrong("profiling.reuse", "recurrence")
def downwards(x, times):
    x = x.copy()
    for _ in range(times):
        for i in range(1, x.shape[0] - 1):
            x[i] = x[i - 1 : i + 2].sum(axis=0) / 3
    return x


@wrong("profiling.reuse", "divisor")
def halves(x, times):
    return inner(x, times, by=2)


@wrong("profiling.reuse", "factor")
def twice_itself(x, times):
    new = x.copy()
    for _ in range(times):
        old = new.copy()
        new[1:-1] = 0.25 * old[:-2] + 0.5 * old[1:-1] + 0.25 * old[2:]
    return new


@wrong("profiling.reuse", "dtype")
def in_singles(x, times):
    return inner(x.astype("f4"), times)


@wrong("profiling.reuse", "aliasing")
def into_the_argument(x, times):
    made = inner(x, times)
    x[...] = made
    return made


@wrong("profiling.reuse", "view")
def nothing_to_do(x, times):
    return inner(x, times) if times else x[:]


@wrong("profiling.reuse", "host")
def numpys(x, times):
    return cp.asnumpy(inner(x, times))


@wrong("profiling.reuse", "transfer")
def there_and_back(x, times):
    return cp.asarray(inner(x, times).get())


# ---- profiling.overlap ----


def in_turn(blocks, number=2, of=lambda x: (x @ x.T).max(), dtype="f4", wait=True):
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(number)]
    found = cp.zeros(len(blocks), dtype)
    cp.cuda.Stream.null.synchronize()
    for i in range(len(blocks)):
        with streams[i % number]:
            x = cp.empty(blocks[i].shape, blocks.dtype)
            x.set(blocks[i])
            found[i] = of(x)
    if wait:
        cp.cuda.Device().synchronize()
    return found


@right("profiling.overlap")
def three_streams(blocks):
    return in_turn(blocks, 3)


@right("profiling.overlap")
def events_at_the_end(blocks):
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    found = cp.empty(len(blocks), "f4")
    for i, block in enumerate(blocks):
        with streams[i & 1]:
            x = cp.asarray(block)
            found[i] = cp.max(cp.matmul(x, x.T))
    for stream in streams:
        cp.cuda.get_current_stream().wait_event(stream.record())
    return found


@wrong("profiling.overlap", "beside")
def one_after_the_other(blocks):
    return in_turn(blocks, 1)


@wrong("profiling.overlap", "unjoined")
def only_one_is_waited_for(blocks):
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    found = cp.empty(len(blocks), "f4")
    for i, block in enumerate(blocks):
        with streams[i % 2]:
            x = cp.asarray(block)
            found[i] = (x @ x.T).max()
    streams[0].synchronize()
    return found


@wrong("profiling.overlap", "unordered")
def an_event_recorded_too_early(blocks):
    copies, kernels = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
    found, alive = cp.empty(len(blocks), "f4"), []
    for i, block in enumerate(blocks):
        with copies:
            event = copies.record()
            alive.append(cp.asarray(block))
        kernels.wait_event(event)
        with kernels:
            found[i] = (alive[-1] @ alive[-1].T).max()
    cp.cuda.Device().synchronize()
    return found


def arriving(blocks, work):
    """The blocks, copied by a stream of their own; `work` waits for each."""
    copies = cp.cuda.Stream(non_blocking=True)
    for block in blocks:
        with copies:
            x = cp.asarray(block)
        work.wait_event(copies.record())
        yield x


@wrong("profiling.overlap", "freed-early")
def copied_by_a_generator_that_keeps_the_last(blocks):
    work = cp.cuda.Stream(non_blocking=True)
    found = cp.empty(len(blocks), "f4")
    for i, x in enumerate(arriving(blocks, work)):
        with work:
            found[i] = (x @ x.T).max()
    work.synchronize()
    return found


@wrong("profiling.overlap", "transposed")
def squared(blocks):
    return in_turn(blocks, of=lambda x: (x @ x).max())


@wrong("profiling.overlap", "per-element")
def the_best(blocks):
    found = in_turn(blocks)
    return cp.broadcast_to(found.max(), found.shape).copy() if found.size else found


@wrong("profiling.overlap", "dtype")
def doubles(blocks):
    return in_turn(blocks, dtype="f8")


@wrong("profiling.overlap", "host")
def brought_home(blocks):
    return in_turn(blocks).get()


@wrong("profiling.overlap", "transfer")
def sent_twice(blocks):
    for block in blocks:
        cp.asarray(block)
    return in_turn(blocks)


# ---- profiling.pipeline ----


def summed(blocks, basis, of=None, number=2, wait=True, dtype="f4", skip=0):
    of = of or (lambda x, w: (((x - x.mean(axis=1)[:, None]) @ w) ** 2).sum(axis=0))
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(number)]
    w, sums = cp.asarray(basis), cp.zeros((number, basis.shape[1]), dtype)
    cp.cuda.Stream.null.synchronize()
    for i, block in enumerate(blocks[skip:]):
        with streams[i % number]:
            sums[i % number] += of(cp.asarray(block), w)
    if wait:
        for stream in streams:
            stream.synchronize()
    return sums.sum(axis=0)


@right("profiling.pipeline")
def an_array_of_sums(blocks, basis):
    return summed(blocks, basis).get()


@right("profiling.pipeline")
def three_at_once(blocks, basis):
    return cp.asnumpy(summed(blocks, basis, number=3))


@wrong("profiling.pipeline", "serialised")
def a_single_stream(blocks, basis):
    return summed(blocks, basis, number=1).get()


@wrong("profiling.pipeline", "freed-early")
def read_from_a_stream_that_copies_on(blocks, basis):
    w, total = cp.asarray(basis), cp.zeros(basis.shape[1], "f4")
    cp.cuda.Stream.null.synchronize()
    work = cp.cuda.Stream(non_blocking=True)
    for x in arriving(blocks, work):
        with work:
            total += (((x - x.mean(axis=1)[:, None]) @ w) ** 2).sum(axis=0)
    work.synchronize()
    return total.get()


@wrong("profiling.pipeline", "unordered")
def too_early(blocks, basis):
    return summed(blocks, basis, wait=False).get()


@wrong("profiling.pipeline", "transfer")
def sums_fetched_in_the_loop(blocks, basis):
    w, total = cp.asarray(basis), np.zeros(basis.shape[1], "f4")
    for block in blocks:
        x = cp.asarray(block)
        total += (((x - x.mean(axis=1)[:, None]) @ w) ** 2).sum(axis=0).get()
        cp.asarray(basis)
    return total


@wrong("profiling.pipeline", "unordered")
def the_basis_on_the_way(blocks, basis):
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    sums = cp.zeros((2, basis.shape[1]), "f4")
    cp.cuda.Stream.null.synchronize()
    w = cp.asarray(basis)
    for i, block in enumerate(blocks):
        with streams[i % 2]:
            x = cp.asarray(block)
            sums[i % 2] += (((x - x.mean(axis=1)[:, None]) @ w) ** 2).sum(axis=0)
    cp.cuda.Device().synchronize()
    return sums.sum(axis=0).get()


@wrong("profiling.pipeline", "unordered")
def one_array_for_both(blocks, basis):
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    w, total = cp.asarray(basis), cp.zeros(basis.shape[1], "f4")
    cp.cuda.Device().synchronize()
    for i, block in enumerate(blocks):
        with streams[i % 2]:
            x = cp.asarray(block)
            total += (((x - x.mean(axis=1)[:, None]) @ w) ** 2).sum(axis=0)
    cp.cuda.Device().synchronize()
    return cp.asnumpy(total)


@wrong("profiling.pipeline", "unjoined")
def sums_on_their_way(blocks, basis):
    import cupyx

    host = cupyx.empty_pinned(basis.shape[1], np.float32)
    return summed(blocks, basis).get(out=host, blocking=False)


@wrong("profiling.pipeline", "quantity")
def raw(blocks, basis):
    return summed(blocks, basis, lambda x, w: cp.square(x @ w).sum(axis=0)).get()


@wrong("profiling.pipeline", "axis")
def column_means(blocks, basis):
    return summed(blocks, basis, lambda x, w: cp.square((x - x.mean(axis=0)) @ w).sum(axis=0)).get()


@wrong("profiling.pipeline", "order")
def mean_behind(blocks, basis):
    def of(x, w):
        y = x @ w
        return cp.square(y - y.mean(axis=1)[:, None]).sum(axis=0)

    return summed(blocks, basis, of).get()


@wrong("profiling.pipeline", "squared")
def not_squared(blocks, basis):
    return summed(blocks, basis, lambda x, w: ((x - x.mean(axis=1)[:, None]) @ w).sum(axis=0)).get()


@wrong("profiling.pipeline", "factor")
def mean_of_all(blocks, basis):
    return (summed(blocks, basis) / np.float32(max(1, len(blocks)))).get()


@wrong("profiling.pipeline", "partial")
def the_last_one(blocks, basis):
    return summed(blocks, basis, skip=max(0, len(blocks) - 1)).get()


@wrong("profiling.pipeline", "device")
def not_fetched(blocks, basis):
    return summed(blocks, basis)


@wrong("profiling.pipeline", "dtype")
def in_doubles(blocks, basis):
    return summed(blocks, basis, dtype="f8").get()


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


def test_the_verdict_on_a_slow_pipeline_has_its_three_numbers():
    verdict = problems.judge("profiling.pipeline", a_single_stream)
    assert (
        "Waits of the host: 3; calls for memory: 0; of the kernels' time without a copy beside it: 100%." in verdict.why
    )


def test_the_hint_on_a_race_fits_two_streams_and_the_default_one():
    advice = problems.judge("profiling.pipeline", one_array_for_both).advice
    assert "each stream an array of sums of its own" in advice
    assert problems.judge("profiling.pipeline", the_basis_on_the_way).advice == advice


# ---- numbers and decisions ----

PREDICTIONS = [
    ("amdahl", {"twice": 2}),
    ("unit", {"twice": 208.5}),
    ("factor", {"most": 0.78}),
    ("idle-device", {"gaps": 1.28}),
    ("operands", {"needed": 0.36}),
]
DECISIONS = [
    ("amdahl", {"filter": "gaps"}),
    ("beside", {"loader": "kernel"}),
    ("serialised", {"steps": "copies"}),
    ("launch", {"crumbs": "copies"}),
    ("reached", {"reached": "gaps"}),
    ("always-kernel", dict.fromkeys(first.JOBS, "kernel")),
    ("always-copies", dict.fromkeys(first.JOBS, "Copies ")),
    ("always-gaps", dict.fromkeys(first.JOBS, "gaps")),
    ("labels", {"filter": "everything"}),
]


@pytest.mark.parametrize(("reason", "change"), PREDICTIONS)
def test_a_number_is_refused_for_what_it_is(reason, change):
    names = {"twice": amdahl.TWICE, "most": amdahl.MOST, "gaps": amdahl.GAPS, "needed": amdahl.NEEDED}
    assert problems.judge("profiling.amdahl", *(names | change).values()).reason == reason


@pytest.mark.parametrize(("reason", "change"), DECISIONS)
def test_a_decision_is_refused_for_what_it_leaves_out(reason, change):
    right_ones = problems.find("profiling.first").judge.right
    assert problems.judge("profiling.first", {**right_ones, **change}).reason == reason
    assert problems.judge("profiling.first", ["kernel"]).reason == "type"


def test_the_figures_are_those_of_the_report():
    seen = nsys_report(data.report("cloverleaf-a100"))
    device = [entry for entry in seen.entries if entry.kind in ("kernel", "copy")]
    total = max(entry.end for entry in device) - min(entry.start for entry in seen.kernels)
    assert round(1e3 * total) == amdahl.TOTAL
    figures = [round(1e3 * share.seconds, 1) for share in seen.shares]
    assert [round(figures[0]), *figures[1:]] == [amdahl.LONGEST, amdahl.REDUCE, amdahl.SHORT]
    assert round(1e3 * sum(entry.seconds for entry in seen.copies), 1) == amdahl.COPIES
    assert 1e3 * sum(gap.seconds for gap in seen.gaps) == pytest.approx(amdahl.IDLE, abs=0.5)


def test_each_decision_is_clear():
    for job in first.JOBS.values():
        best, second = sorted(job.times.values())[:2]
        assert second > 1.1 * best


def test_memory_that_others_left_does_not_hide_the_calls_of_the_driver(device, monkeypatch):
    """A block that somebody else uses in part is never given back: it served the loop, which was called right."""
    block = device.cuda.alloc(64 << 20)
    del block
    small = device.zeros(10)
    starter = answers.wrong(problems.find("profiling.reuse"))["starter"].answer
    assert answers.judge("profiling.reuse", starter).reason == "driver-calls" and small.size == 10
    other = device.cuda.MemoryPool().malloc
    monkeypatch.setattr(device.cuda.memory, "_allocator", device.cuda.get_allocator())  # put back after the test
    device.cuda.set_allocator(other)
    assert answers.judge("profiling.reuse", starter).reason == "driver-calls"
    assert device.cuda.get_allocator() == other


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    SECOND.also("profiling.amdahl", *(reason for reason, _ in PREDICTIONS))
    SECOND.also("profiling.first", "type", *(reason for reason, _ in DECISIONS))
    assert not SECOND.absent()
