"""The account of array code: figures worked out by hand, and claims that are carried out."""

import ast

import numpy as np
import pytest

import kernellens
from gpusim.device import queue
from gpusim.hardware import gpus
from kernellens.arrays import rewriting
from kernellens.arrays.account import from_memory
from kernellens.arrays.events import Event, Span

cuda = None  # the simulated library, set by conftest.py
N = 100_000
BYTES = 8 * N


@pytest.fixture
def x(cp):
    return cp.linspace(0, 1, N)


def names(account):
    return [event.name.removeprefix("cupy_") for event in account.events]


def test_a_sum_of_squares_of_sines(cp, x):
    """sin, square, cos, square each read and write one array, the sum reads two: 6 read, 5 written; x in, y out at least.

    At its peak x, sin² and cos², and what the last operation makes of them, are there: four arrays; y goes last of all.
    """

    def f(x):
        y = cp.sin(x) ** 2 + cp.cos(x) ** 2
        return y

    account = kernellens.account(f, x)
    assert names(account) == ["sin", "square", "cos", "square", "add"]
    assert (account.read, account.written, account.flow.read, account.flow.written) == (
        6 * BYTES,
        5 * BYTES,
        BYTES,
        BYTES,
    )
    assert len(account.temporaries) == 4 and account.temporary_bytes == 4 * BYTES
    rounded = -(-BYTES // 512) * 512
    assert account.peak - account.before == 3 * rounded
    (group,) = account.groups
    assert (group.moved, group.flow.moved, len(group.events)) == (11 * BYTES, 2 * BYTES, 5)
    assert {event.line for event in account.events} == {f.__code__.co_firstlineno + 1}
    assert account.source[f.__code__.co_firstlineno + 1] == "y = cp.sin(x) ** 2 + cp.cos(x) ** 2"


@pytest.mark.parametrize("shapes", [False, True])
def test_a_fused_kernel_takes_memory_for_its_results_only(cp, x, shapes):
    @cp.fuse()
    def f(x):
        return cp.sin(x) ** 2 + cp.cos(x) ** 2

    @cp.fuse()
    def total(x):
        return cp.sum(cp.sin(x) ** 2)

    rounded = -(-BYTES // 512) * 512
    account = kernellens.account(f, x, shapes=shapes)
    assert (len(account.kernels), account.peak - account.before, account.temporaries) == (1, rounded, [])
    account = kernellens.account(total, x, shapes=shapes)
    assert (len(account.kernels), account.peak - account.before, account.temporaries) == (1, 512, [])
    account = kernellens.account(lambda x: f(f(x)), x, shapes=shapes)
    assert (account.peak - account.before, account.temporary_bytes) == (2 * rounded, BYTES)


@pytest.mark.parametrize(
    ("statement", "launches"),
    [
        ("y = cp.sin(x) ** 2 + cp.cos(x) ** 2", 5),
        ("y = 2.0 * x + v", 2),
        ("y = cp.where(x > v, x, -v) * 3", 4),
        ("y = (x * v).sum()", 2),
        ("y = cp.sqrt(x * x + v * v)", 4),
        ("y = cp.exp(-x / scale)", 3),
        ("y = cp.maximum(x, 0.5).astype(cp.float32) + 1", 3),
        ("y = cp.clip(x - v, 0, 1)", 2),
        ("y = cp.max(abs(1) * x + v)", 0),
        ("a = cp.sin(x)\nb = a * v\ny = b + a / scale", 4),
        ("a = x - v\ny = (a * a).sum()", 0),  # a stays: a fused kernel with a reduction has no second result
        ("a = x - v\nb = 3\ny = a * b", 0),
        ("y = cp.sum(x * x > 1)", 0),  # CUB would name two types alike
        ("y = cp.any(x * x > 1)", 0),
        ("y = (x * x > 1).sum()", 3),
        ("y = cp.sum(x * x > v)", 3),  # no CUB with two arrays
    ],
)
def test_the_fused_code_does_what_is_said(cp, x, statement, launches):
    """The suggested code is run: one kernel, the bytes that were promised, the same values."""
    v = cp.linspace(1, 2, N)
    before = {"cp": cp, "x": x, "v": v, "scale": 2.0}
    account = _cell(statement, before)
    if not launches:
        assert not account.groups or not account.groups[0].code
        return
    (group,) = account.groups
    assert len(group.events) == launches and group.code.startswith("@cp.fuse()")
    after = {"cp": cp, "x": x, "v": v, "scale": 2.0}
    fused = _cell(group.code, after)
    assert len(fused.kernels) == 1
    assert fused.moved == group.flow.moved
    assert np.allclose(after["y"].get(), before["y"].get())


def test_the_fused_code_of_a_function(cp, x):
    """What a function needs no more is no result: a and b go, y stays."""

    def f(x, v):
        a = x - v
        b = cp.sqrt(a * a)
        y = (b + 1).sum()
        return y * 2

    v = cp.linspace(1, 2, N)
    (group,) = kernellens.account(f, x, v).groups
    assert group.code.splitlines() == [
        "@cp.fuse()",
        "def fused(x, v):",
        "    a = x - v",
        "    b = cp.sqrt(a * a)",
        "    y = (b + 1).sum()",
        "    return y",
        "",
        "y = fused(x, v)",
    ]
    fused = _cell(group.code, names_ := {"cp": cp, "x": x, "v": v})
    assert fused.moved == group.flow.moved == 2 * BYTES + 8
    assert float(names_["y"]) == pytest.approx(float(f(x, v)) / 2)


def _cell(source, names, gpu="A100"):
    from kernellens.arrays.running import run

    return run(ast.parse(source), source, "<cell>", names, gpus.find(gpu))[0]


@pytest.mark.parametrize(
    "statement",
    [
        "y = 2 ** x + 1",  # a power of a number is what fused variables lack
        "y = x.mean() * 2",
        "y = x @ v + x * 2 + 1",
        "y = x[1:] + x[:-1] * 2",
        "y = f(x) + 1 + x",
        "y = (x + 1).clip(0, 1) + 2",
        "y = [x + i + 1 for i in range(2)]",
        "y = x * 2 + 1; z = 3",
        "y += x * 2 + 1",
        "y = cp.add(x, 1, out=y) + 2",
    ],
)
def test_what_cupy_would_not_fuse_is_not_suggested(cp, statement):
    assert rewriting.code(ast.parse(statement), 1, {"cp", "f"}, "cp") == ""


def test_neighbours_are_not_fused(cp, x):
    """A kernel that reads its neighbour's element, or overwrites what another one still reads, has to wait for it."""

    def shifted(x):
        y = x * 2
        return y[1:] + y[:-1]

    def smoothed(x):
        x[1:-1] = (x[:-2] + x[2:]) * 0.5

    assert kernellens.account(shifted, x).groups == []
    account = kernellens.account(smoothed, x.copy())
    assert names(account) == ["add", "multiply", "copy"]
    (group,) = account.groups
    assert [event.name for event in group.events] == ["cupy_add", "cupy_multiply"]


def test_a_fused_reduction_has_no_second_result(cp, x):
    """A softmax needs e twice: its sum is not fused with it; that of the distances is, and as a reduction's kernel."""

    def softmax(x):
        e = cp.exp(x - 1)
        return e / e.sum()

    def distance(x, v):
        return ((x - v) ** 2).sum()

    (group,) = kernellens.account(softmax, x).groups
    assert [event.name for event in group.events] == ["cupy_subtract", "cupy_exp"]
    account = kernellens.account(distance, x, x + 1)
    assert [event.name for event in account.groups[0].events] == ["cupy_subtract", "cupy_square", "cupy_sum"]
    assert "or as one cupy.ReductionKernel" in " ".join(str(account).split())


def test_a_loop_repeats_a_group(cp, x):
    def f(x):
        y = x + 1
        z = y * 2
        for _ in range(10):
            z = z * 0.5 + y
        return z

    account = kernellens.account(f, x)
    kinds = {group.kind for group in account.groups}
    assert [len(group.events) for group in account.groups] == [2] * 11 and len(kinds) == 2
    said = " ".join(str(account).split())
    assert "and so 10 times, can be one kernel" in said and said.count("Fusing:") == 2


def test_what_has_to_move(cp, x):
    """What is overwritten before it is read need not be read; what comes from the host, and what goes there, moves too."""
    host = np.ones(N)

    def overwritten(x):
        x.fill(1)
        x += 1

    def crossing():
        return (cp.asarray(host) + 1).get()

    def twice(x):
        return x + x, x * x, x[: N // 2] + 1

    account = kernellens.account(overwritten, x.copy())
    assert (account.flow.read, account.flow.written) == (0, BYTES)
    account = kernellens.account(crossing)
    assert (account.to_device, account.to_host, account.flow.read, account.flow.written) == (BYTES,) * 4
    assert [event.kind for event in account.transfers] == ["h2d", "d2h"]
    account = kernellens.account(twice, x)
    assert (account.flow.read, account.flow.written) == (BYTES, 2 * BYTES + BYTES // 2)
    assert account.read == 2 * BYTES + BYTES // 2


def test_gathers_promise_nothing_of_what_they_read(cp, x):
    index = cp.zeros(1000, np.int32)
    account = kernellens.account(lambda x, i: x[i], x, index)
    assert account.flow.read == 4000 and account.flow.written == 8000
    assert account.events[0].read == 12_000


def test_transfers_cost_time_on_the_link(cp):
    """800 kB to an A100: at its link's peak at least, and in practice so much and the start of a copy."""
    host = np.ones(N)
    account = kernellens.account(lambda: cp.asarray(host), gpu="A100")
    gpu = gpus.find("A100")
    assert account.bound.seconds == pytest.approx(BYTES / gpu.link_peak)
    assert account.estimate.seconds == pytest.approx(BYTES / gpu.link + 1e-5)
    assert "over this GPU's link" in " ".join(str(account).split())


def test_times_are_the_gpus(cp):
    """A copy of 400 MB each way on an A100: 800 MB less twice its L2, at 2.039 TB/s; on a T4 slower in proportion."""
    x = kernellens.array(50_000_000)
    account = kernellens.account(lambda x: x + 1, x, shapes=True, gpu="A100")
    for name in ("A100", "T4"):
        gpu = gpus.find(name)
        on = account.on(name)
        assert on.bound.seconds == pytest.approx((800e6 - 2 * gpu.l2) / gpu.bandwidth)
        assert on.launched.seconds == on.bound.seconds
        assert on.estimate.seconds > on.bound.seconds
    with pytest.raises(gpus.UnknownGpuError, match="nearest known"):
        account.on("A1000")


def test_one_pass_calculates_too(cp):
    """A sine in float64 is 8 certain operations [times.costs]; three such and three sums are longer on a T4 than 16 bytes.

    The same sine twice may be calculated once.
    """
    gpu = gpus.find("T4")
    account = kernellens.account(
        lambda x: cp.sin(x) + cp.cos(x) + cp.exp(x) + cp.sin(x), kernellens.array(10_000_000), shapes=True, gpu="T4"
    )
    faster = 1.01 * gpu.clock_most / gpu.clock
    assert account.bound.binds == "arithmetic"
    assert account.bound.seconds == pytest.approx((3 * 8 + 3) * 1e7 / gpu.fp64 / faster)


def test_no_estimate_and_no_launch_beats_the_bound(cp, x):
    def chain(x):
        for _ in range(50):
            x = cp.sin(x) + 1
        return x, x @ x

    for gpu in gpus.names():
        account = kernellens.account(chain, x).on(gpu)
        assert account.bound.seconds <= account.launched.seconds <= account.estimate.seconds


def test_the_cache_holds_what_fits():
    """By hand, with a cache of 100 bytes: b still lies in it when it is read; a was thrown out; c is larger than it."""
    a, b, c = (Span(None, low, low + n, n, True) for low, n in ((0, 60), (100, 80), (1000, 300)))

    def event(reads, writes):
        return Event(
            0, "", "kernel", 1, sum(s.nbytes for s in reads), sum(s.nbytes for s in writes), (0, 0), reads, writes
        )

    events = [event([a], [b]), event([b], []), event([a], []), event([c], []), event([], [b])]
    # a is read (60); b, dirty, pushes it out; b is there; a is read again (60) and pushes b out, which is written back (80);
    # c goes past the cache (300); b is written and pushes a out, which is clean.
    assert from_memory(events, 100) == [60, 0, 140, 300, 0]


def test_kernels_of_numba(cp, x):
    @cuda.jit
    def scale(a, b, c):
        i = cuda.grid(1)
        if i < a.size:
            b[i] = a[i] * 2

    @cuda.jit
    def count(a, bins):
        for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
            cuda.atomic.add(bins, int(a[i] * 4), 1)

    def f(x):
        y, bins = cp.empty_like(x), cp.zeros(10, np.int32)
        scale[-(-N // 128), 128](x, y, x)
        scale[1, 32](x, y, x)
        count[64, 64](y, bins)
        return y, bins

    account = kernellens.account(f, x)
    assert [e.name for e in account.events] == ["memset", "scale", "scale", "count"]
    read = [(e.read, e.written) for e in account.events[1:]]
    # c is not touched; 32 threads touch 32 elements of each; atomics read and write.
    assert read == [(BYTES, BYTES), (32 * 8, 32 * 8), (BYTES + 40, 40)]
    assert "as far as there are threads" in " ".join(account.notes)


def test_frames_and_other_kernels_are_in_the_account(cp, x):
    import cudf

    square = cp.ElementwiseKernel("T a", "T b", "b = a * a", "squared")

    def f(x):
        frame = cudf.DataFrame({"a": x[:1000], "k": (x[:1000] > 0.005).astype("int32")})
        return frame.groupby("k").a.mean(), square(x)

    before = queue.counters()
    account = kernellens.account(f, x)
    done = queue.counters() - before
    assert {"cudf_groupby", "squared"} <= {event.name for event in account.events}
    assert sum(event.kind == "kernel" for event in account.events) == done.kernels
    assert (account.to_device, account.to_host) == (done.h2d_bytes, done.d2h_bytes)
    by_name = {event.name: event for event in account.events}
    assert "cudf_copy" not in by_name  # the columns lie on CuPy's arrays
    assert len({span.owner for span in by_name["cudf_groupby"].reads}) == 2
    assert {span.owner for span in by_name["cudf_groupby"].reads} >= {span.owner for span in by_name["squared"].reads}


def test_an_account_leaves_nothing_behind(cp, x):
    from gpusim.device import memory

    with pytest.raises(ZeroDivisionError):
        kernellens.account(lambda x: x / (1 // 0), x)
    assert queue.watcher is None and memory.block_class is memory.Block
    kept = []
    kernellens.account(lambda x: kept.append(x + 1), x)
    kept.clear()  # a block that was noted, given back after the account
    with pytest.raises(RuntimeError, match="cannot be taken inside of another"):
        kernellens.account(lambda: kernellens.account(lambda: None))
    assert queue.watcher is None
    with pytest.raises(TypeError, match="account takes a function"):
        kernellens.account(x + 1)


def test_many_launches_are_few_rows(cp, x):
    def f(x):
        for i in range(100):
            x = cp.sin(x) * i
        return x

    text = str(kernellens.account(f, x))
    assert "cupy_sin × 100" in text and len(text.splitlines()) < 30

    source = "\n".join(f"y{i} = cp.sin(x[:{i + 1}])" for i in range(60))
    account = _cell(source, {"cp": cp, "x": x})
    assert "… and 20 launches that move less" in str(account) and len(account.events) == 60


def test_nothing_happens(cp):
    account = kernellens.account(lambda: 3)
    assert "No kernel was launched" in str(account) and account.bound.seconds == 0
    assert account._repr_html_().count("<table") == 0


def test_what_is_nothing_is_not_said(cp):
    """The bound of array code that only makes an array said that "0 B must be read once"."""
    made = kernellens.account(lambda: cp.ones(N))
    assert "0 B" not in str(made)
    assert "800 kB must be written once, were it all one kernel." in " ".join(str(made).split())
    copied = kernellens.account(lambda: cp.asarray(np.ones(N)))
    assert "0 B" not in str(copied)
    assert "800 kB must go over the link." in " ".join(str(copied).split())


def test_what_works_in_place_reads_and_writes_what_it_is_said_to(cp, x):
    values = cp.ones(10)
    account = kernellens.account(lambda x, values: x.flat.__setitem__(slice(10, 20), values), x, values)
    (event,) = account.events
    assert (event.read, event.written) == (80, 80)
    assert [span.low for span in event.reads] == [values.data.ptr] and [span.low for span in event.writes] == [
        x.data.ptr
    ]
    assert (account.flow.read, account.flow.written) == (80, 80)

    account = kernellens.account(lambda x: x.sort(), x)
    (event,) = account.events
    assert (event.read, event.written) == (BYTES, BYTES)
    assert [span.low for span in event.reads] == [span.low for span in event.writes] == [x.data.ptr]
    assert (account.flow.read, account.flow.written) == (BYTES, BYTES)
