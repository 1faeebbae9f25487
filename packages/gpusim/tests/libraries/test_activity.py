"""What a program does beside launches is noted, in order, with the stream that it concerns."""

import importlib
import inspect

import numpy as np
import pytest

from gpusim.device import activity, queue
from gpusim.importing.errors import NotSimulatedError

cp = cupyx = nvtx = cuda = time_range = add_one = None  # set by `libraries`


@pytest.fixture(scope="module", autouse=True)
def libraries(simulated_libraries):
    global cp, cupyx, nvtx, cuda, time_range, add_one
    cp, cupyx, nvtx = (importlib.import_module(name) for name in ("cupy", "cupyx", "nvtx"))
    cuda = importlib.import_module("numba.cuda")
    time_range = importlib.import_module("cupyx.profiler").time_range

    @cuda.jit
    def add_one(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] += 1


@pytest.fixture
def noted():
    seen = []

    def launched(entry, *_):
        seen.append((entry.kind, activity.stream(), activity.waits()))

    activity.watcher = lambda note: seen.append((note.kind, note.stream, note.key or note.name))
    queue.watcher = launched
    yield seen
    activity.watcher = queue.watcher = None


def without_memory(seen):
    return [each for each in seen if each[0] not in ("malloc", "free")]


def test_ranges_begin_and_end(noted):
    with nvtx.annotate("outer"):
        nvtx.push_range("inner", domain="mine")
        nvtx.pop_range(domain="mine")
    nvtx.mark("here")
    begun = nvtx.start_range("apart")
    nvtx.end_range(begun)
    assert [(kind, what) for kind, _, what in noted[:5]] == [
        *[("push", "outer"), ("push", "inner"), ("pop", ""), ("pop", ""), ("mark", "here")]
    ]
    assert [kind for kind, *_ in noted[5:]] == ["start", "end"]


def test_a_decorated_function_is_a_range_of_its_name(noted):
    @nvtx.annotate(color="red")
    def one():
        return 1

    @time_range()
    def two():
        return 2

    assert one() + two() == 3
    assert [(kind, what) for kind, _, what in noted] == [("push", "one"), ("pop", ""), ("push", "two"), ("pop", "")]


def test_a_range_of_cupyx_needs_a_name():
    with pytest.raises(ValueError, match="message"), time_range():
        pass
    with pytest.raises(ValueError, match="color_id"):
        time_range("a", color_id=1, argb_color=2)


def test_work_is_on_the_stream_that_the_program_says(noted):
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.ones(10)
    with stream:
        x + 1
        event = stream.record()
    cp.cuda.Stream.null.wait_event(event)
    x + 1
    stream.synchronize()
    cp.cuda.Device().synchronize()
    assert without_memory(noted) == [
        ("kernel", 0, True),
        ("kernel", stream.ptr, True),
        ("record", stream.ptr, event.ptr),
        ("after", 0, event.ptr),
        ("kernel", 0, True),
        ("wait", stream.ptr, ""),
        ("wait", activity.DEVICE, ""),
    ]
    assert stream.ptr in activity.unblocked


def test_the_host_waits_for_copies_that_are_not_pinned(noted):
    stream = cp.cuda.Stream()
    pageable, pinned = np.ones(10), cupyx.zeros_pinned(10)
    x = cp.empty(10)
    x.set(pageable, stream=stream)
    x.set(pinned, stream=stream)
    x.fill(1)
    x.get(stream=stream, out=pinned, blocking=False)
    x.get(stream=stream, out=pageable, blocking=False)
    copies = [(way, on, waits) for way, on, waits in noted if way in ("h2d", "d2h")]
    assert copies == [
        *[("h2d", stream.ptr, True), ("h2d", stream.ptr, False), ("d2h", stream.ptr, False), ("d2h", stream.ptr, True)]
    ]
    assert pinned[0] == 1


def test_numbas_streams(noted):
    stream = cuda.stream()
    host = cuda.pinned_array(10)
    host[:] = 1
    array = cuda.to_device(host, stream=stream)
    add_one[1, 32, stream](array)
    array.copy_to_host(host, stream=stream)
    stream.synchronize()
    expected = [("h2d", stream.handle, False), ("kernel", stream.handle, True), ("d2h", stream.handle, False)]
    assert without_memory(noted) == [*expected, ("wait", stream.handle, "")]
    assert host[0] == 2


@pytest.mark.parametrize("launch", ["raw", "elementwise", "reduction"])
def test_kernels_by_hand_take_a_stream(noted, launch):
    stream = cp.cuda.Stream()
    x = cp.ones(10)
    noted.clear()
    if launch == "raw":
        kernel = cp.RawKernel('extern "C" __global__ void one(double* x) { x[threadIdx.x] = 1; }', "one")
        kernel((1,), (10,), (x,), stream=stream)
    elif launch == "elementwise":
        cp.ElementwiseKernel("T x", "T y", "y = x", "copied")(x, stream=stream)
    else:
        cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "added")(x, stream=stream)
    assert without_memory(noted) == [("kernel", stream.ptr, True)]


def test_the_driver_is_asked_once_and_the_pool_gives_the_rest(noted):
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        for _ in range(3):
            cp.empty(300_000)
        assert [kind for kind, *_ in noted] == ["malloc"]
        noted.clear()
        for _ in range(2):
            cp.empty(300_000)
            pool.free_all_blocks()
    assert [kind for kind, *_ in noted] == ["free", "malloc", "free"]


def test_each_block_goes_back_to_the_driver_by_a_call_of_its_own(noted):
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        kept, *others = (cp.empty(300_000 * k) for k in (1, 2, 3))
        del others
        noted.clear()
        pool.free_all_blocks()
        assert [kind for kind, *_ in noted] == ["free", "free"]
        del kept
        pool.free_all_blocks()
        pool.free_all_blocks()
    assert [kind for kind, *_ in noted] == ["free", "free", "free"]


def test_what_is_not_simulated_says_so():
    with pytest.raises(NotSimulatedError, match="annotate"):
        nvtx.Profile()
    with pytest.raises(NotSimulatedError, match="counter"):
        nvtx.get_domain("mine").get_counter("a")


def test_signatures_are_those_of_nvtx():
    """Of nvtx 0.2.17."""
    five = "message color domain category payload".split()
    for function in (nvtx.annotate, nvtx.mark, nvtx.push_range, nvtx.start_range):
        assert list(inspect.signature(function).parameters) == five
    assert list(inspect.signature(nvtx.pop_range).parameters) == ["domain"]
    assert list(inspect.signature(nvtx.end_range).parameters) == ["range_id"]
    assert inspect.signature(nvtx.mark).parameters["color"].default == "blue"
    assert inspect.signature(nvtx.annotate).parameters["color"].default is None


def test_no_two_libraries_give_the_same_handle(cp):
    """Hundreds of CuPy's streams reached the handles of Numba's, and were taken for them."""
    import rmm.pylibrmm.stream
    from numba import cuda

    made = [cp.cuda.Stream(non_blocking=True) for _ in range(300)] + [cp.cuda.Event() for _ in range(300)]
    handles = [each.ptr for each in made]
    for _ in range(300):
        handles += [cuda.stream().handle, cuda.event().handle, cp.cuda.runtime.streamCreate()]
        handles.append(rmm.pylibrmm.stream.Stream().__cuda_stream__()[1])
    assert len(set(handles)) == len(handles)
