"""The timeline: what runs beside what, who waits for whom, and what is measured."""

import contextlib
import importlib
import json
import os
import subprocess
import sys
import threading
import time

import dask
import numpy as np
import pytest
from IPython.core.error import UsageError

import kernellens
from gpusim.hardware import gpus
from kernellens.plot import tracks
from kernellens.profiling import entries, schedule
from kernellens.profiling.entries import Entry

cuda = None  # the simulated library, set by conftest.py
H200 = gpus.find("H200")
N = 1_000_000


@pytest.fixture(scope="module")
def cupyx(simulated_libraries):
    return importlib.import_module("cupyx")


@pytest.fixture(scope="module")
def nvtx(simulated_libraries):
    return importlib.import_module("nvtx")


def taken(function, *args, warm=True):
    """The timeline of a call on an H200, without the host's own time: the same on every machine. The pool has its memory."""
    if warm:
        function(*args)
    return kernellens.timeline(function, *args, gpu="H200").without_host()


def kinds(timeline):
    return [(entry.kind, entry.name) for entry in timeline.entries if entry.row == "host"]


def test_a_kernel_is_launched_and_runs_behind_the_host(cp):
    x = cp.ones(N)
    seen = taken(lambda: x + 1)
    assert kinds(seen) == [("launch", "launch cupy_add")]
    (launch,), (kernel,) = [e for e in seen.entries if e.row == "host"], seen.kernels
    assert launch.seconds == pytest.approx(H200.launch)
    assert kernel.start == pytest.approx(launch.end)
    account = kernellens.account(lambda: x + 1, gpu="H200")
    assert kernel.seconds == pytest.approx(account.estimate.seconds - H200.launch)
    assert not seen.waits


def test_a_copy_from_ordinary_memory_keeps_the_host_waiting_and_takes_longer(cp, cupyx):
    ordinary, pinned = np.ones(N), cupyx.zeros_pinned(N)
    x = cp.empty(N)
    slow, fast = taken(lambda: x.set(ordinary)), taken(lambda: x.set(pinned))
    assert [entry.name for entry in slow.waits] == ["wait for memcpy HtoD"]
    assert not fast.waits
    assert slow.copies[0].seconds == pytest.approx(8 * N / schedule.ORDINARY)
    assert fast.copies[0].seconds == pytest.approx(8 * N / H200.link)


def test_no_copy_is_faster_than_the_link(cp, monkeypatch):
    monkeypatch.setattr(schedule, "ORDINARY", 1e15)
    host, x = np.ones(N), cp.empty(N)
    assert taken(lambda: x.set(host)).copies[0].seconds == pytest.approx(8 * N / H200.link)


def test_a_copy_of_pinned_memory_is_fast_also_where_the_host_waits(cp, cupyx):
    x, d, host = cp.ones(N), cuda.to_device(np.ones(N)), cupyx.zeros_pinned(N)
    ways = {
        "get": lambda: x.get(out=host),
        "Numba, to the device": lambda: d.copy_to_device(host),
        "Numba, to the host": lambda: d.copy_to_host(host),
        "an address": lambda: x.data.copy_to_host(host.ctypes.data, 8 * N),
    }
    for name, copy in ways.items():
        seen = taken(copy)
        assert seen.copies[0].seconds == pytest.approx(8 * N / H200.link), name
        assert seen.waits, name
    assert taken(x.get).copies[0].seconds == pytest.approx(8 * N / schedule.ORDINARY)


def test_an_asynchronous_copy_from_an_ordinary_address_keeps_the_host_waiting(cp, cupyx):
    x, ordinary, pinned = cp.empty(N), np.ones(N), cupyx.zeros_pinned(N)

    def waits(host):
        return [entry.name for entry in taken(lambda: x.data.copy_from_host_async(host.ctypes.data, 8 * N)).waits]

    assert waits(ordinary) == ["wait for memcpy HtoD"]
    assert not waits(pinned)


def test_memory_that_the_runtime_pins_is_pinned(cp):
    runtime, x, host = cp.cuda.runtime, cp.ones(N), np.ones(N)
    address = runtime.hostAlloc(8 * N)
    runtime.hostRegister(host.ctypes.data, host.nbytes, 0)

    def seconds(target):
        seen = taken(lambda: runtime.memcpy(target, x.data.ptr, 8 * N, runtime.memcpyDeviceToHost))
        return seen.copies[0].seconds

    assert seconds(address) == seconds(host.ctypes.data) == pytest.approx(8 * N / H200.link)
    runtime.hostUnregister(host.ctypes.data)
    assert seconds(host.ctypes.data) == pytest.approx(8 * N / schedule.ORDINARY)
    runtime.freeHost(address)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.freeHost(address)


def test_work_of_several_threads_is_drawn_as_of_one_and_the_timeline_says_so(cp):
    x, both = cp.ones(1000), threading.Barrier(2)

    @dask.delayed
    def one():
        both.wait(600)  # so that no thread does all
        return cp.sin(x)

    def work(parts):
        return dask.compute(*(one() for _ in range(parts)), scheduler="threads", num_workers=2)

    def alone():
        return cp.sin(x)

    seen = kernellens.timeline(work, 8, gpu="H200")
    assert len(seen.kernels) == 8
    (said,) = [note for note in seen.notes if "threads launched" in note]
    assert said in repr(seen) and said in repr(seen.without_host())
    assert not [note for note in kernellens.timeline(alone, gpu="H200").notes if "threads" in note]


def test_a_fetched_number_is_one_wait(cp):
    x = cp.ones(N)
    seen = taken(lambda: float(x.sum()))
    assert [entry.name for entry in seen.waits] == ["wait for memcpy DtoH"]
    assert seen.copies[0].start >= seen.kernels[-1].end


def test_a_synchronisation_ends_when_the_stream_does(cp):
    x = cp.ones(N)

    def work():
        x + 1
        cp.cuda.Device().synchronize()
        x + 2

    seen = taken(work)
    (wait,) = seen.waits
    assert wait.end == seen.kernels[0].end
    assert seen.kernels[1].start >= wait.end
    assert [gap.host for gap in seen.gaps] == ["launch"]


def in_streams(cp, cupyx, number, **settings):
    """Four blocks, each copied and worked on, on so many streams in turn."""
    host = cupyx.zeros_pinned((4, N))
    streams = [cp.cuda.Stream(**settings) for _ in range(number)]
    arrays = [cp.empty(N) for _ in range(4)]

    def work():
        for i in range(4):
            with streams[i % number]:
                arrays[i].set(host[i])
                for _ in range(30):
                    cp.sin(arrays[i], out=arrays[i])

    return work


def test_copies_overlap_with_kernels_of_other_streams_only(cp, cupyx):
    one, two = (taken(in_streams(cp, cupyx, number, non_blocking=True)) for number in (1, 2))
    assert one.overlap == 0
    assert two.overlap > 0
    assert two.seconds < one.seconds
    assert {entry.row for entry in two.kernels} == {"stream 1", "stream 2"}


def test_the_default_stream_waits_for_others_and_they_for_it(cp):
    x, y = cp.ones(N), cp.ones(N)

    def work(stream):
        with stream:
            cp.sin(x, out=x)
        y.set(host)
        with stream:
            cp.sin(x, out=x)

    host = importlib.import_module("cupyx").zeros_pinned(N)
    blocking, free = (taken(work, cp.cuda.Stream(non_blocking=each)) for each in (False, True))
    assert blocking.copies[0].start >= blocking.kernels[0].end
    assert blocking.kernels[1].start >= blocking.copies[0].end
    assert free.kernels[1].start < free.copies[0].end


def test_an_event_orders_two_streams(cp):
    one, two = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    x, host = cp.ones(N), importlib.import_module("cupyx").zeros_pinned(N)

    def work(ordered):
        with one:
            x.set(host)
            event = one.record()
        if ordered:
            two.wait_event(event)
        with two:
            x + 1

    for ordered in (False, True):
        seen = taken(work, ordered)
        assert (seen.kernels[0].start >= seen.copies[0].end) == ordered


def test_waiting_for_an_event_is_not_waiting_for_what_comes_after_it(cp):
    x = cp.ones(N)

    def work():
        x + 1
        event = cp.cuda.get_current_stream().record()
        x + 2
        event.synchronize()

    seen = taken(work)
    assert seen.waits[0].end < seen.kernels[1].end


def test_memory_of_the_driver_takes_time_and_that_of_the_pool_none(cp):
    pool = cp.cuda.MemoryPool()

    def work(free):
        with cp.cuda.using_allocator(pool.malloc):
            for _ in range(3):
                cp.ones(N)
                if free:
                    pool.free_all_blocks()

    pooled, freed = taken(work, False, warm=False), taken(work, True, warm=False)
    assert [entry.name for entry in pooled.driver_calls] == ["cudaMalloc"]
    assert [entry.name for entry in freed.driver_calls[:3]] == ["cudaFree", "cudaMalloc", "cudaFree"]
    assert freed.driver_calls[1].seconds == pytest.approx(schedule.LARGE)
    assert any(entry.name == "wait before cudaFree" for entry in freed.waits)


def test_ranges_hold_what_the_host_does_in_them(cp, nvtx):
    x = cp.ones(N)

    def work():
        with nvtx.annotate("outer"):
            x + 1
            with nvtx.annotate("inner", domain="mine"):
                x + 2
        nvtx.mark("end")

    seen = taken(work)
    outer, inner = seen.ranges
    assert (outer.name, outer.depth, inner.name, inner.depth) == ("outer", 0, "inner", 1)
    assert outer.start <= inner.start
    assert inner.end <= outer.end
    assert outer.seconds == pytest.approx(2 * H200.launch)
    assert [entry.name for entry in seen.entries if entry.kind == "mark"] == ["end"]


def test_the_hosts_own_time_is_measured_and_the_simulators_is_not(cp):
    x = cp.ones(N)

    def work():
        time.sleep(0.05)
        for _ in range(200):
            cp.sin(x)
        cp.cuda.Device().synchronize()

    began = time.perf_counter()
    seen = kernellens.timeline(work, gpu="H200")
    took = time.perf_counter() - began
    python = sum(entry.seconds for entry in seen.entries if entry.kind == "python")
    assert python >= 0.05
    simulated = took - python  # 200 sines of a million numbers
    assert simulated > 0.05
    assert kernellens.timeline(work, gpu="H200").without_host().seconds < 0.05


def test_another_gpu_has_other_times_and_the_same_program(cp):
    x = cp.ones(N)
    seen = kernellens.timeline(lambda: cp.sin(x), gpu="H200")
    other = seen.on("T4")
    assert other.gpu == "T4"
    assert other.busy > seen.busy
    assert [entry.name for entry in other.kernels] == [entry.name for entry in seen.kernels]
    with pytest.raises(KeyError, match="H200"):
        seen.on("H2000")


def test_shares_add_up_and_name_the_longest_first(cp):
    x, y = cp.ones(N), cp.ones(20 * N)
    seen = taken(lambda: (x + 1, x + 2, cp.sin(y)))
    assert [(share.name, share.count) for share in seen.shares] == [("cupy_sin", 1), ("cupy_add", 2)]
    assert sum(share.share for share in seen.shares) == pytest.approx(1)
    assert seen.busy == pytest.approx(sum(share.seconds for share in seen.shares))


def test_the_file_is_in_chromes_format(cp, nvtx, tmp_path):
    x = cp.ones(N)

    def work():
        with nvtx.annotate("all"):
            float((x + 1).sum())

    seen = taken(work)
    events = json.loads(seen.save(tmp_path / "trace.json").read_text())["traceEvents"]
    complete = [event for event in events if event["ph"] == "X"]
    assert {event["name"] for event in complete} >= {"all", "cupy_add", "cupy_sum", "memcpy DtoH", "launch cupy_add"}
    for event in complete:
        assert {"name", "cat", "ph", "ts", "dur", "pid", "tid"} <= set(event)
        assert event["ts"] >= 0 <= event["dur"]
    kernel = next(event for event in complete if event["cat"] == "kernel")
    assert kernel["dur"] == pytest.approx(1e6 * seen.kernels[0].seconds)
    named = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert named[kernel["pid"], kernel["tid"]] == "default stream"
    assert any("estimate" in e["args"]["name"] for e in events if e["name"] == "process_name")


def test_it_says_in_words_what_is_estimated(cp):
    x = cp.ones(N)
    seen = taken(lambda: float(x.sum()))
    for said in (repr(seen), seen.figure.alt):
        assert "estimates for an H200, not measurements" in said
        assert "waits for the device once" in said
    assert seen.figure.plain["kind"] == "lanes"
    assert "bokeh" in seen.figure.html().lower()


def test_nothing_for_the_device_is_said_too(cp):
    seen = kernellens.timeline(lambda: sum(range(10)))
    assert "nothing to do" in repr(seen)
    assert seen.figure.html()


def test_one_cannot_be_taken_inside_of_another(cp):
    with pytest.raises(RuntimeError, match="inside"):
        kernellens.timeline(lambda: kernellens.timeline(lambda: cp.ones(3)))
    assert len(taken(lambda: cp.ones(3)).kernels) == 1  # and the next one works
    with pytest.raises(TypeError, match="lambda"):
        kernellens.timeline(cp.ones(3))


def test_an_error_of_the_program_is_its_own_and_leaves_nothing_behind(cp):
    import sys

    before = sys.getprofile()
    with pytest.raises(ZeroDivisionError):
        kernellens.timeline(lambda: 1 / 0)
    assert sys.getprofile() is before
    assert taken(lambda: cp.ones(3)).kernels


def test_many_bars_are_drawn_as_few(cp):
    x = cp.ones(1000)

    def work():
        for _ in range(2_000):
            cp.add(x, 1, out=x)

    seen = taken(work)
    assert len(seen.kernels) == 2_000
    assert len(seen.figure.plain["bars"]) < 100
    assert sum("2000 ×" in bar[2] for bar in seen.figure.plain["bars"]) == 2


def test_two_kernels_share_the_processors(cp):
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    arrays = [cp.ones(20 * N) for _ in range(2)]

    def work():
        for stream, array in zip(streams, arrays, strict=True):
            with stream:
                cp.sin(array, out=array)

    one, two = taken(work).kernels
    assert two.start >= one.end


# ---- the magic


def test_the_magic_runs_the_cell_and_shows_its_timeline(shell, tmp_path):
    file = tmp_path / "cell.json"
    value = shell.run_cell_magic("timeline", f"--gpu T4 -o seen --save {file}", "y = cp.sin(x)\nfloat(y.sum())")
    (seen,) = shell.shown
    assert shell.user_ns["seen"] is seen
    assert seen.gpu == "T4"
    assert value == pytest.approx(float(shell.user_ns["y"].sum()))
    assert json.loads(file.read_text())["traceEvents"]
    assert [entry.line for entry in seen.kernels] == [2, 3]


@pytest.mark.parametrize(
    ("line", "body", "said"),
    [
        ("", "", "empty"),
        ("", "1 +", "cannot read"),
        ("--gpu X9", "1", "X9"),
        ("-o 9", "1", "-o needs"),
        ("--save nowhere/x.json", "ran = True", "no folder nowhere"),
    ],
)
def test_the_magic_says_what_it_cannot_do(shell, line, body, said):
    with pytest.raises(UsageError, match=said):
        shell.run_cell_magic("timeline", line, body)
    assert "ran" not in shell.user_ns, "before the cell runs"


@pytest.mark.large
def test_where_a_gpu_works_the_timeline_is_made_from_shapes(cp, monkeypatch):
    from kernellens.arrays import entry

    monkeypatch.setattr(entry, "simulating", lambda: False)
    seen = kernellens.timeline(lambda: kernellens.array((1000,)), gpu="H200")
    assert "shapes" in repr(seen)


@pytest.mark.parametrize(
    ("ending", "apart"), [("none", True), ("stream", False), ("device", False), ("event", False), ("early", True)]
)
def test_a_stream_that_nobody_waits_for_is_told(cp, ending, apart):
    stream, x = cp.cuda.Stream(non_blocking=True), cp.ones(N)

    def work():
        with stream:
            x + 1
            early = stream.record()
            x + 2
            late = stream.record()
        if ending == "stream":
            stream.synchronize()
        elif ending == "device":
            cp.cuda.Device().synchronize()
        elif ending in ("event", "early"):
            cp.cuda.Stream.null.wait_event(late if ending == "event" else early)

    assert taken(work).unjoined == (["stream 1"] if apart else [])


@pytest.mark.parametrize("order", ["none", "event", "early event", "host", "blocking", "the same stream"])
def test_a_stream_that_uses_what_another_has_not_surely_written_is_told(cp, cupyx, order):
    host, x = cupyx.zeros_pinned(N), cp.empty(N)
    one, two = (cp.cuda.Stream(non_blocking=order != "blocking") for _ in range(2))
    if order == "the same stream":
        two = one

    def work():
        with one:
            early = one.record()
            x.set(host)
            late = one.record()
        if order == "host":
            one.synchronize()
        elif order in ("event", "early event"):
            two.wait_event(late if order == "event" else early)
        elif order == "blocking":
            x + 0  # the default stream waits for the one, and the other for it
        with two:
            x + 1
        cp.cuda.Device().synchronize()

    told = taken(work).unordered
    if order in ("none", "early event"):
        (said,) = told
        assert said == "cupy_add on stream 2 reads what memcpy HtoD on stream 1 writes, and nothing orders the two"
    else:
        assert not told


def test_memory_that_is_only_read_needs_no_order_and_what_is_written_does(cp):
    one, two = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
    x, y = cp.ones(N), cp.ones(N)

    def work(write):
        with one:
            x + y
        with two:
            if write:
                cp.sin(y, out=x)
            else:
                x * y
        cp.cuda.Device().synchronize()

    assert not taken(work, False).unordered
    assert "cupy_sin on stream 2 writes what cupy_add on stream 1 reads" in taken(work, True).unordered[0]


@pytest.mark.parametrize("frees", ["the copy", "a temporary", "a part of it"])
@pytest.mark.parametrize(
    "order", ["none", "early event", "kept", "event", "host", "device", "one stream", "another size", "free_all_blocks"]
)
def test_memory_that_goes_back_to_its_stream_while_another_still_uses_it_is_told(cp, cupyx, frees, order):
    """CuPy's pool has free lists for each stream: a block that is freed may be handed out to its stream at once."""
    n = 100_000
    host = cupyx.zeros_pinned(n)
    copies, work = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
    if order == "one stream":
        work = copies
    kept = []
    pool = (
        cp.cuda.MemoryPool()
    )  # the default one may hold blocks of which other tests still have a part, and those are not freed

    def loop():
        done = work.record()
        for i in range(4):
            if order in ("event", "early event"):
                copies.wait_event(done)
            with copies:
                x = cp.asarray(host[: n - 1000 * i] if order == "another size" else host)
                if frees == "a temporary":
                    kept.append(x)
                    x = x + 1
                elif frees == "a part of it" and order != "another size":
                    smaller = cp.asarray(host[: n // 2])  # fits into what was freed
                    kept.append(smaller)
                work.wait_event(copies.record())
            with work:
                cp.sin(x)
            if order == "kept":
                kept.append(x)
            elif order == "host":
                work.synchronize()
            elif order == "device":
                cp.cuda.Device().synchronize()
            elif order == "event":
                done = work.record()
            elif order == "free_all_blocks":
                pool.free_all_blocks()
        cp.cuda.Device().synchronize()
        kept.clear()

    with cp.cuda.using_allocator(pool.malloc):
        seen = taken(loop)
    assert not seen.unordered
    if order in ("none", "early event", "another size"):
        writer = "cupy_add" if frees == "a temporary" else "memcpy HtoD"
        assert seen.reused[0] == (
            f"{writer} on stream 1 writes to memory that cupy_sin on stream 2 may still read. The array in it was freed, "
            "and its memory went to a new one"
        )
        assert "went to a new one" in repr(seen)
    else:
        assert not seen.reused


def test_what_another_stream_still_writes_when_it_is_freed_is_told_too(cp):
    one, two = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
    x = cp.ones(N)
    cp.cuda.Device().synchronize()

    def work():
        with one:
            y = cp.empty(N)
        with two:
            cp.sin(x, out=y)
        del y
        with one:
            cp.cos(x)
        cp.cuda.Device().synchronize()

    (told,) = taken(work).reused
    assert told.startswith("cupy_cos on stream 2 writes to memory that cupy_sin on stream 1 may still write. ")


@pytest.mark.parametrize("order", ["none", "kept", "host", "event", "one stream", "another stream", "another pool"])
@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize("looked_at", [False, True])
def test_an_array_made_before_the_timeline_and_freed_in_it_is_told_too(cp, order, hooked, looked_at):
    one, two = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
    pool, other = cp.cuda.MemoryPool(), cp.cuda.MemoryPool()
    held = []

    def make():
        with cp.cuda.using_allocator(pool.malloc), one:
            held.append(cp.ones(N))

    taken(make, warm=False) if looked_at else make()
    x = cp.ones(N // 2)
    cp.cuda.Device().synchronize()

    def work():
        reader = one if order == "one stream" else two
        with reader:
            cp.sin(held[0])
        done = reader.record()
        if order == "host":
            reader.synchronize()
        if order != "kept":
            held.clear()
        allocator = other.malloc if order == "another pool" else pool.malloc
        with cp.cuda.using_allocator(allocator), two if order == "another stream" else one:
            if order == "event":
                one.wait_event(done)
            cp.cos(x)
        cp.cuda.Device().synchronize()

    with cp.cuda.MemoryHook() if hooked else contextlib.nullcontext():
        seen = taken(work, warm=False)
    if order == "none":
        assert seen.reused == [
            "cupy_cos on stream 2 writes to memory that cupy_sin on stream 1 may still read. The array in it was freed, "
            "and its memory went to a new one"
        ]
    else:
        assert not seen.reused
    assert not seen.unordered


def test_an_old_array_that_a_name_of_a_cell_had_is_seen_to_be_freed(cp, shell):
    shell.run_cell(
        "import cupy as cp\n"
        "one, two = (cp.cuda.Stream(non_blocking=True) for _ in range(2))\n"
        "with one:\n    x = cp.ones(100_000)\n"
        "cp.cuda.Device().synchronize()"
    ).raise_error()
    shell.run_cell_magic(
        "timeline",
        "-o seen",
        "with two:\n    y = cp.sin(x)\nx = None\nwith one:\n    z = cp.zeros(100_000)\ncp.cuda.Device().synchronize()",
    )
    assert len(shell.user_ns["seen"].reused) == 1


@pytest.mark.parametrize("pool", ["cudaMallocAsync", "RMM's pool", "RMM without a pool", "no pool"])
def test_other_pools_hand_memory_out_by_streams_too_and_cudafree_waits(cp, pool):
    rmm = importlib.import_module("rmm")
    from_rmm = importlib.import_module("rmm.allocators.cupy").rmm_cupy_allocator
    allocator = {"cudaMallocAsync": cp.cuda.MemoryAsyncPool().malloc, "no pool": None}.get(pool, from_rmm)
    one, two = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
    x = cp.ones(1000)
    cp.cuda.Device().synchronize()

    def work():
        for _ in range(3):
            with one:
                y = cp.sin(x)
            two.wait_event(one.record())
            with two:
                cp.cos(y)
        cp.cuda.Device().synchronize()

    before = rmm.mr.get_current_device_resource()
    device = rmm.mr.CudaMemoryResource()
    rmm.mr.set_current_device_resource(rmm.mr.PoolMemoryResource(device, 1 << 20) if pool == "RMM's pool" else device)
    try:
        with cp.cuda.using_allocator(allocator):
            seen = taken(work)
    finally:
        rmm.mr.set_current_device_resource(before)
    assert bool(seen.reused) == (pool in ("cudaMallocAsync", "RMM's pool"))


def test_numbas_memory_is_not_handed_out_while_it_is_used(cp):
    """numba-cuda keeps no memory: freeing it waits for the device."""

    @cuda.jit
    def add(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    one, two = cuda.stream(), cp.cuda.Stream(non_blocking=True)
    x = cp.ones(50_000)

    def work():
        for _ in range(3):
            y = cuda.device_array(50_000)
            add[512, 128, one](y)
            del y
            with two:
                x + 1
        cp.cuda.Device().synchronize()

    assert not taken(work).reused


@pytest.mark.large
def test_where_a_gpu_works_a_program_has_the_values_that_it_asks_for(cp, monkeypatch):
    from kernellens.arrays import entry, pickled

    monkeypatch.setattr(entry, "simulating", lambda: False)

    @cuda.jit
    def double(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    def settle(x, view, by_numba, made):
        assert not made.any() and float(view[0]) == 2 and view.strides == (16,)
        x[:] = 1
        assert float(view[0]) == 1, "views of one memory stay views of one"
        double[1, 32](by_numba)
        steps = 0
        while float(by_numba[0]) + steps < 10:
            steps += 1
        return float(by_numba.copy_to_host().sum())

    x = cp.arange(10.0)
    seen = kernellens.timeline(settle, x, x[2::2], cuda.to_device(np.full(3, 3.0)), kernellens.array((4,)), gpu="H200")
    assert len(seen.waits) > 5
    assert "copies of its arrays" in repr(seen) and "copies of its arrays" in repr(seen.without_host())
    assert float(x[0]) == 0, "it ran on copies"
    assert "copies of its arrays" in repr(seen.on("T4"))
    with pytest.raises(TypeError, match=r"^object of type 'int' has no len\(\)"):  # the program's own
        kernellens.timeline(lambda x: len(3) if float(x[0]) == 0 else None, x)
    monkeypatch.setattr(pickled, "MOST", 5000)
    with pytest.raises(kernellens.ValuesNeededError, match=r"asks for values.*Argument 1 holds 8.2e-06 GB: more than"):
        kernellens.timeline(lambda x: float(x[0]), cp.zeros(1000))


@pytest.mark.large
def test_where_a_gpu_works_pinned_memory_stays_pinned(cp, cupyx, monkeypatch):
    from kernellens.arrays import entry

    monkeypatch.setattr(entry, "simulating", lambda: False)

    def copies(*hosts):
        for host in hosts:
            cp.asarray(host)

    by_cupy = cupyx.zeros_pinned((100, 20), np.float32, order="F")
    hosts = (by_cupy, by_cupy[::2], cuda.pinned_array(100))
    assert not kernellens.timeline(copies, *hosts, gpu="H200").waits
    assert len(kernellens.timeline(copies, np.zeros(100), gpu="H200").waits) == 1


@pytest.mark.large
def test_where_a_gpu_works_the_pool_keeps_there_what_it_keeps_here(cp, monkeypatch):
    from kernellens.arrays import entry, pickled

    x = cp.ones(N)
    here = taken(lambda: x + 1)
    monkeypatch.setattr(entry, "simulating", lambda: False)
    assert not here.driver_calls and not taken(lambda: x + 1).driver_calls
    monkeypatch.setattr(pickled, "pool", lambda: 0)
    assert len(taken(lambda: x + 1).driver_calls) == 1


REAL = """
import nvtx, nvtx.nvtx
import kernellens
from gpusim.importing import finder
from kernellens.arrays import pickled

assert finder.installed() is None and nvtx.annotate.__module__ == "nvtx.nvtx" and nvtx.simulated is False

def score(n):
    import cupy as cp
    with nvtx.annotate("score"):
        return cp.ones(n) + cp.zeros(n)

@nvtx.annotate("decorated")
def decorated(n):
    score(n)

seen = kernellens.timeline(decorated, 1000, gpu="H200")
assert [entry.name for entry in seen.ranges] == ["decorated", "score"], seen.ranges
"""


@pytest.mark.large
def test_where_a_gpu_works_a_librarys_own_modules_are_found(tmp_path):
    """The real nvtx is a package, and its classes say that they are in modules that the simulated one need not have."""
    package = tmp_path / "nvtx"
    (package / "_lib").mkdir(parents=True)
    (package / "__init__.py").write_text("from nvtx.nvtx import annotate\nsimulated = False\n")
    (package / "nvtx.py").write_text(
        "import functools\nimport nvtx._lib\nclass annotate:\n"
        "    def __init__(self, message): self.message, self.lib = message, nvtx._lib.Domain\n"
        "    def __reduce__(self): return annotate, (self.message,)\n"
        "    def __enter__(self): return self\n"
        "    def __exit__(self, *_): pass\n"
        "    def __call__(self, function):\n"
        "        @functools.wraps(function)\n"
        "        def inner(*args):\n"
        "            with self: return function(*args)\n"
        "        return inner\n"
    )
    (package / "_lib" / "__init__.py").write_text("class Domain: pass\n")
    program = tmp_path / "program.py"
    program.write_text(REAL)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GPUSIM_")}
    done = subprocess.run(
        [sys.executable, str(program)], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert not done.returncode, done.stderr


def test_a_name_of_a_library_is_found_where_its_users_find_it(simulated_libraries):
    from kernellens.arrays import pickled

    for module, name in (
        ("nvtx._lib.lib", "Domain"),
        ("cupy._core.core.elsewhere", "ndarray"),
        ("numba.cuda.elsewhere", "to_device"),
    ):
        found = pickled.unpack(b"\x80\x04c" + f"{module}\n{name}\n".encode() + b".")
        assert found is getattr(importlib.import_module(module.partition("._")[0].removesuffix(".elsewhere")), name)
    with pytest.raises(AttributeError):
        pickled.unpack(b"\x80\x04cnvtx.nvtx\nnonsense\n.")
    with pytest.raises(ModuleNotFoundError):
        pickled.unpack(b"\x80\x04cnowhere.at_all\nnonsense\n.")
    assert pickled._module("nvtx.colors").__name__ == "nvtx"


@pytest.mark.large
def test_where_a_gpu_works_the_magic_runs_the_cell_there_too(cp, shell, monkeypatch):
    from kernellens.arrays import entry

    monkeypatch.setattr(entry, "simulating", lambda: False)
    shell.run_cell_magic("timeline", "-o seen", "y = cp.sin(x) + 1")
    assert float(shell.user_ns["y"][0]) == 1
    seen = shell.user_ns["seen"]
    assert [kernel.name for kernel in seen.kernels] == ["cupy_sin", "cupy_add"]
    assert "nsys profile" in repr(seen)
    assert "from shapes alone" in repr(seen)
    shell.run_cell_magic("timeline", "-o seen", "z = float(x.sum())")
    assert shell.user_ns["z"] == pytest.approx(500)
    seen = shell.user_ns["seen"]
    assert [kernel.name for kernel in seen.kernels] == ["cupy_sum"] and len(seen.waits) == 1
    assert "copies of its arrays" in repr(seen) and "from shapes alone" not in repr(seen)
    # The other process has the arrays as they were before the cell ran.
    shell.user_ns["counts"] = cp.zeros(3)
    shell.run_cell_magic("timeline", "-o seen", "while float(counts[0]) < 2:\n    counts += 1")
    assert [kernel.name for kernel in shell.user_ns["seen"].kernels] == ["cupy_add"] * 2
    # What fails in the other process alone is not the cell's error: the cell has run.
    shell.user_ns["here"] = os.getpid()
    assert shell.run_cell_magic("timeline", "-o seen", "import os\nassert os.getpid() == here, 'elsewhere'\n8") == 8
    assert "AssertionError: elsewhere" in repr(shell.user_ns["seen"])


def test_two_ordinary_streams_are_not_ordered_either(cp):
    """Each waits for the default stream, and that one for them; neither waits for the other."""
    x, one, other = cp.ones(N), cp.cuda.Stream(), cp.cuda.Stream()

    def work(ordered):
        with one:
            y = cp.sin(x)
        if ordered:
            other.wait_event(one.record())
        with other:
            cp.cos(y)
        cp.cuda.Device().synchronize()

    assert "cupy_cos on stream 2 reads what cupy_sin on stream 1 writes" in taken(work, False).unordered[0]
    assert not taken(work, True).unordered

    def by_default():
        with one:
            y = cp.sin(x)
        y += 1
        with other:
            cp.cos(y)

    assert not taken(by_default).unordered


def test_numbas_name_for_the_default_stream_is_the_default_stream(cp):
    @cuda.jit
    def add(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    x, own, default = cp.ones(50_000), cuda.stream(), cuda.legacy_default_stream()

    def work():
        add[512, 128, own](x)
        add[512, 128, default](x)
        add[512, 128, own](x)
        add[512, 128](x)

    seen = taken(work)
    assert [entry.row for entry in seen.kernels] == ["stream 1", "default stream"] * 2
    assert not seen.unordered


def test_gaps_are_those_of_every_pair():
    host = [Entry("host", ("python", "launch")[i % 2], "", 0.7 * i, 0.7 * i + 0.9) for i in range(40)]
    device = [Entry("stream 1", "kernel", "k", 1.3 * i, 1.3 * i + 0.4) for i in range(20)]
    found = entries.gaps([*device, *host])
    assert len(found) == 19
    for gap in found:
        times = dict.fromkeys(("python", "launch"), 0.0)
        for each in host:
            times[each.kind] += max(0.0, min(each.end, gap.end) - max(each.start, gap.start))
        assert times[gap.host] == pytest.approx(max(times.values()))


def test_the_picture_does_not_grow_with_what_is_too_narrow_to_be_seen():
    """The host's row is Python and launches in turn: 4 000 launches made 650 kB."""
    bars = [("host", ("python", "launch")[k % 2], "call", k * 1e-6, (k + 1) * 1e-6, 0) for k in range(10_000)]
    shown = tracks.joined(bars, least=2e-5)
    assert len(shown) == 2 and {bar[2] for bar in shown} == {"5000 × call and the like, 5 ms together"}
    apart = tracks.joined(bars, least=1e-7)
    assert len(apart) == len(bars)


def test_kernels_of_equal_time_stay_in_the_order_of_the_program(cp):
    """The sums differ by rounding, which depends on what ran before."""
    x = cp.ones(10)
    seen = taken(lambda: [(cp.sin(x), cp.cos(x), cp.tan(x)) for _ in range(7)])
    assert [share.name for share in seen.shares] == ["cupy_sin", "cupy_cos", "cupy_tan"]
    lines = [line.split()[2] for line in repr(seen).splitlines() if "default stream" in line]
    assert lines == ["cupy_sin", "cupy_cos", "cupy_tan"]
