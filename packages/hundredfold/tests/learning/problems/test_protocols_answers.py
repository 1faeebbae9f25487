"""Unit 03: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be
accepted. They are code as learners write it, in the style of a notebook cell.
"""

import importlib
import io
import lzma
import marshal
import pickle
import subprocess
import sys
import types
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from answers.protocols import send as known_send
from answers.second import Answers

from hundredfold.learning import problems
from hundredfold.learning.problems.protocols import moved, worth
from hundredfold.learning.problems.protocols.frozen import Frozen, bare

SECOND = Answers("protocols")
wrong, right = SECOND.wrong, SECOND.right


cp = cuda = None


@pytest.fixture(autouse=True)
def _libraries(device):
    global cp, cuda
    cp, cuda = device, importlib.import_module("numba.cuda")


# ---- protocols.anywhere ----


@wrong("protocols.anywhere", "transfer")
def numpy_norm(x):
    length = np.linalg.norm(x, axis=1)[:, None]
    return x / np.where(length == 0, 1, length)


@wrong("protocols.anywhere", "exception")
def into_a_new_array(x):
    result = 0 * x
    for i in range(len(x)):
        length = (x[i] * x[i]).sum() ** 0.5
        result[i] = x[i] / (length + (length == 0).astype(x.dtype))
    return result


@wrong("protocols.anywhere", "eager")
def row_by_row_in_python(x):
    if float((x * x).sum()) == 0:
        return x
    length = (x * x).sum(axis=1, keepdims=True) ** 0.5
    return x / (length + (length == 0).astype(x.dtype))


@wrong("protocols.anywhere", "host")
def by_get(x):
    if hasattr(x, "get"):
        x = x.get()
    length = np.sqrt((x**2).sum(1, keepdims=True))
    return x / np.where(length == 0, 1, length)


@wrong("protocols.anywhere", "backend")
def always_cupy(x):
    x = cp.array(x, copy=True)
    length = cp.linalg.norm(x, axis=1, keepdims=True)
    return x / cp.where(length == 0, 1, length)


@wrong("protocols.anywhere", "nan")
def guarded_by_half(x):
    length = (x * x).sum(axis=1, keepdims=True) ** 0.5
    return x / length * (length != 0)


@wrong("protocols.anywhere", "axis")
def axis_forgotten(x):
    length = (x * x).sum() ** 0.5
    return x / (length + (length == 0).astype(x.dtype))


@wrong("protocols.anywhere", "axis")
def down_the_columns(x):
    length = (x**2).sum(axis=0) ** 0.5
    return x / (length + (length == 0).astype(x.dtype))


@wrong("protocols.anywhere", "squared")
def by_the_square(x):
    square = (x**2).sum(axis=1, keepdims=True)
    return x / (square + (square == 0).astype(x.dtype))


@wrong("protocols.anywhere", "aliasing")
def written_over(x):
    length = (x * x).sum(axis=1, keepdims=True) ** 0.5
    result = x / (length + (length == 0).astype(x.dtype))
    if isinstance(x, np.ndarray):
        x[...] = result
        result = result + 0
    return result


@wrong("protocols.anywhere", "dtype")
def one_in_double(x):
    length = (x * x).sum(axis=1, keepdims=True) ** 0.5
    return x / (length + (length == 0).astype("float64"))


@right("protocols.anywhere")
def by_mean(x):
    xp = x.__array_namespace__() if hasattr(x, "__array_namespace__") else np
    length = (x * x).sum(axis=1, keepdims=True) ** 0.5
    return x / xp.where(length != 0, length, xp.ones_like(length))


@wrong("protocols.anywhere", "nan")
def nan_is_not_over_zero(x):
    xp = x.__array_namespace__() if hasattr(x, "__array_namespace__") else np
    length = (x * x).sum(axis=1, keepdims=True) ** 0.5
    return x / xp.where(length > 0, length, xp.ones_like(length))


@wrong("protocols.anywhere", "value")
def a_floor_under_the_length(x):
    xp = x.__array_namespace__() if hasattr(x, "__array_namespace__") else np
    return x / xp.maximum((x * x).sum(axis=1, keepdims=True) ** 0.5, 1e-30)


@wrong("protocols.anywhere", "value")
def piece_by_piece(x):
    if hasattr(x, "map_blocks"):
        return x.map_blocks(piece_by_piece, dtype=x.dtype)
    length = (x * x).sum(axis=1, keepdims=True) ** 0.5
    return x / (length + (length == 0))


@wrong("protocols.anywhere", "transfer")
def pieces_by_the_host(x):
    if hasattr(x, "map_blocks"):
        return x.rechunk({1: -1}).map_blocks(
            lambda p: cp.asarray(pieces_by_the_host(p.get())), dtype=x.dtype, meta=x._meta
        )
    length = (x * x).sum(axis=1, keepdims=True) ** 0.5
    return x / (length + (length == 0))


@right("protocols.anywhere")
def by_maximum(x):
    tiny = float(np.finfo(x.dtype).tiny)
    xp = x.__array_namespace__() if hasattr(x, "__array_namespace__") else np
    return x / xp.maximum(xp.sqrt(xp.sum(x**2, axis=1, keepdims=True)), tiny)


# ---- protocols.adopt ----


def on_device(thing):
    return hasattr(thing, "__cuda_array_interface__") or (
        hasattr(thing, "__dlpack__") and int(thing.__dlpack_device__()[0]) == 2
    )


def opened(thing):
    if not on_device(thing):
        raise TypeError("host")
    return cp.asarray(thing) if hasattr(thing, "__cuda_array_interface__") else cp.from_dlpack(thing)


@wrong("protocols.adopt", "copied")
def contiguous_copy(thing):
    return opened(thing).copy()


@wrong("protocols.adopt", "transfer")
def there_and_back(thing):
    return cp.asarray(opened(thing).get())


@wrong("protocols.adopt", "exception")
def attribute_of_cupy(thing):
    return opened(thing.view())


@wrong("protocols.adopt", "backend")
def asks_nobody(thing):
    try:
        return cp.from_dlpack(thing)
    except Exception:
        return cp.asarray(thing)


@wrong("protocols.adopt", "lifetime")
def nobody_holds_it(thing):
    array = opened(thing)
    if not array.flags.c_contiguous:
        return array
    memory = cp.cuda.UnownedMemory(array.data.ptr, max(1, array.nbytes), owner="nobody")
    return cp.ndarray(array.shape, array.dtype, cp.cuda.MemoryPointer(memory, 0))


@wrong("protocols.adopt", "strides")
def as_if_contiguous(thing):
    array = opened(thing)
    return cp.ndarray(array.shape, array.dtype, array.data)


@wrong("protocols.adopt", "kept")
def by_its_first_byte(thing, known={}):  # noqa: B006
    adopted = by_trying(thing)
    return known.setdefault(adopted.data.ptr, adopted) if adopted.size else adopted


@wrong("protocols.adopt", "dtype")
def as_float32(thing):
    array = opened(thing)
    return array.view("float32") if array.dtype == np.int32 else array


@wrong("protocols.adopt", "shape")
def at_least_2d(thing):
    return cp.atleast_2d(opened(thing))


@wrong("protocols.adopt", "host")
def asnumpy(thing):
    return cp.asnumpy(opened(thing))


@wrong("protocols.adopt", "backend")
def only_sequences_are_the_host(thing):
    if isinstance(thing, (list, tuple, np.ndarray)):
        raise TypeError("host")
    return (
        opened(thing)
        if hasattr(thing, "__cuda_array_interface__") or hasattr(thing, "__dlpack__")
        else cp.asarray(thing)
    )


@wrong("protocols.adopt", "type")
def pointer(thing):
    return opened(thing).data.ptr


@right("protocols.adopt")
def by_trying(thing):
    if isinstance(thing, cp.ndarray):
        return thing
    if hasattr(thing, "__cuda_array_interface__"):
        return cp.array(thing, copy=False)
    try:
        where = thing.__dlpack_device__()
    except AttributeError:
        raise TypeError(f"{type(thing).__name__} offers nothing") from None
    if where[0] != 2:
        raise TypeError("on the host")
    return cp.from_dlpack(thing)


@right("protocols.adopt")
def by_the_pointer(thing):
    told = getattr(thing, "__cuda_array_interface__", {"strides": "unknown"})
    if told["strides"] or 0 in told["shape"]:
        return opened(thing)
    size = int(np.prod(told["shape"])) * np.dtype(told["typestr"]).itemsize
    pointer = cp.cuda.MemoryPointer(cp.cuda.UnownedMemory(told["data"][0], size, thing), 0)
    return cp.ndarray(told["shape"], told["typestr"], pointer)


@pytest.mark.parametrize(
    ("door", "unknown"), [("asarray", "does not know DLPack"), ("from_dlpack", "knows only DLPack")]
)
def test_who_knows_one_door_hears_of_the_other(device, door, unknown):
    verdict = problems.judge("protocols.adopt", lambda thing: getattr(cp, door)(thing))
    assert verdict.reason == "exception"
    assert unknown in verdict.advice


# ---- protocols.blend ----

CUT = "y = min(max(v, T(0)), T(1))"


def branch(a, b, t, fast):
    if hasattr(a, "__cuda_array_interface__"):
        return fast(cp.asarray(a), cp.asarray(b), t)
    xp = a.__array_namespace__() if hasattr(a, "__array_namespace__") else np
    return xp.clip((1 - t) * a + t * b, 0, 1)


def kernel(code, name="blend"):
    return cp.ElementwiseKernel("T a, T b, T t", "T y", code, name)


@wrong("protocols.blend", "traffic")
def weighted(a, b, t):
    return branch(a, b, t, lambda a, b, t: cp.clip((1 - t) * a + t * b, 0, 1))


@wrong("protocols.blend", "exception")
def fast_only(a, b, t):
    return kernel(f"T v = a + t * (b - a); {CUT}")(a, b, a.dtype.type(t))


@wrong("protocols.blend", "backend")
def numba_fetched(a, b, t):
    if hasattr(a, "copy_to_host"):
        a, b = a.copy_to_host(), b.copy_to_host()
    return branch(a, b, t, lambda a, b, t: kernel(f"T v = a + t * (b - a); {CUT}")(a, b, a.dtype.type(t)))


@wrong("protocols.blend", "operands")
def the_other_way(a, b, t):
    return branch(a, b, t, lambda a, b, t: kernel(f"T v = t * a + (1 - t) * b; {CUT}")(a, b, a.dtype.type(t)))


@wrong("protocols.blend", "overflow")
def cut_before(a, b, t):
    code = "y = a + t * (b - a); y = max(y, T(0))"
    return branch(a, b, t, lambda a, b, t: kernel(code)(a, b, a.dtype.type(t)) if a.size == 0 else a + t * (b - a))


@wrong("protocols.blend", "sign")
def adds_where_it_should_not(a, b, t):
    return branch(a, b, t, lambda a, b, t: kernel(f"T v = a - t * (b - a); {CUT}")(a, b, a.dtype.type(t)))


@wrong("protocols.blend", "dtype")
def in_double(a, b, t):
    return branch(a, b, t, lambda a, b, t: cp.clip(a.astype("f8") + t * (b - a), 0, 1))


@wrong("protocols.blend", "aliasing")
def in_place(a, b, t):
    def fast(a, b, t):
        b -= a
        b *= t
        b += a
        return cp.clip(b, 0, 1)

    return branch(a, b, t, fast)


@wrong("protocols.blend", "host")
def to_numpy(a, b, t):
    return branch(a, b, t, lambda a, b, t: np.clip((a + t * (b - a)).get(), 0, 1))


@wrong("protocols.blend", "transfer")
def largest_asked(a, b, t):
    def fast(a, b, t):
        return cp.asarray(np.clip((a + t * (b - a)).get(), 0, 1))

    return branch(a, b, t, fast)


@wrong("protocols.blend", "traffic")
def fast_in_one_dimension(a, b, t):
    def fast(a, b, t):
        return (
            kernel(f"T v = a + t * (b - a); {CUT}")(a, b, a.dtype.type(t))
            if a.ndim == 1
            else cp.clip(a + t * (b - a), 0, 1)
        )

    return branch(a, b, t, fast)


@wrong("protocols.blend", "traffic")
def fast_for_cupy_alone(a, b, t):
    if isinstance(a, cp.ndarray):
        return kernel(f"T v = a + t * (b - a); {CUT}")(a, b, a.dtype.type(t))
    if hasattr(a, "__cuda_array_interface__"):
        a, b = cp.asarray(a), cp.asarray(b)
    xp = a.__array_namespace__() if hasattr(a, "__array_namespace__") else np
    return xp.clip(a + t * (b - a), 0, 1)


@wrong("protocols.blend", "dtype")
def a_numpy_share(a, b, t):
    if hasattr(a, "__cuda_array_interface__"):
        return branch(a, b, t, lambda a, b, t: kernel(f"T v = a + t * (b - a); {CUT}")(a, b, a.dtype.type(t)))
    xp = a.__array_namespace__() if hasattr(a, "__array_namespace__") else np
    return xp.clip(a + np.float64(t) * (b - a), 0, 1)


@right("protocols.blend")
def half_fused(a, b, t):
    def fast(a, b, t):
        v = cp.fuse(kernel_name="mix")(lambda a, b, t: a + t * (b - a))(a, b, t)
        return cp.clip(v, 0, 1)

    return branch(a, b, t, fast)


@right("protocols.blend")
def in_c(a, b, t):
    code = f"T v = (1 - t) * a + t * b; {CUT}"
    return branch(a, b, t, lambda a, b, t: kernel(code)(a, b, a.dtype.type(t)))


# ---- protocols.send ----


def by_arrays(state):
    """Bytes of NumPy's own format, and the rule's code."""
    files = io.BytesIO()
    np.savez(files, field=state["field"].copy_to_host(), window=state["window"].get())
    return cloudpickle.dumps((files.getvalue(), state["rule"]))


def from_arrays(packed, make=lambda: cp.cuda.Stream(non_blocking=True)):
    files, rule = pickle.loads(packed)
    arrays = np.load(io.BytesIO(files))
    return {
        "field": cuda.to_device(arrays["field"]),
        "window": cp.asarray(arrays["window"]),
        "rule": rule,
        "stream": make(),
    }


class Packer(cloudpickle.Pickler):
    """Says for each kind of thing how it is packed."""

    def reducer_override(self, thing):
        if isinstance(thing, cp.cuda.Stream):
            return cp.cuda.Stream, ()
        if hasattr(thing, "copy_to_host"):
            return cuda.to_device, (thing.copy_to_host(),)
        return super().reducer_override(thing)


def by_packer(state):
    file = io.BytesIO()
    Packer(file).dump(state)
    return file.getvalue()


def without(key):
    def unpack(packed):
        arrived = from_arrays(packed)
        del arrived[key]
        return arrived

    return unpack


def instead(**changed):
    return lambda packed: {key: changed.get(key, lambda v: v)(value) for key, value in from_arrays(packed).items()}


KEPT = {}


def kept_here(state):
    KEPT["state"] = {key: state[key] for key in ("window", "rule")} | {"field": state["field"].copy_to_host()}
    return b"state"


def pointer_and_numbers(state):
    told = {key: state[key].__cuda_array_interface__ for key in ("field", "window")}
    return cloudpickle.dumps((told, state["rule"], b"." * 4096))


class At:
    def __init__(self, told):
        self.__cuda_array_interface__ = told


def from_the_pointer(packed):
    told, rule, _ = pickle.loads(packed)
    window = cp.asarray(At(told["window"]))
    return {"field": cuda.as_cuda_array(At(told["field"])), "window": window, "rule": rule, "stream": cp.cuda.Stream()}


def popped(state):
    state.pop("stream")
    return by_arrays(state)


def all_of_the_table(state):
    window = state["window"]
    return by_arrays({**state, "window": window if window.base is None else window.base})


def fetched_to_look(state):
    print("sending", state["field"].copy_to_host().shape)
    return by_arrays(state)


def with_the_handle(state):
    return cloudpickle.dumps((by_arrays(state), state["stream"]))


def from_the_handle(packed):
    arrays, stream = pickle.loads(packed)
    return from_arrays(arrays, lambda: stream)


RULES = []


def with_the_number_of_its_rule(state):
    RULES.append(state["rule"])
    parts = {**state, "field": state["field"].copy_to_host(), "stream": None, "rule": len(RULES) - 1}
    return pickle.dumps(parts)


def by_the_number_of_its_rule(packed):
    parts = pickle.loads(packed)
    return parts | {"field": cuda.to_device(parts["field"]), "rule": RULES[parts["rule"]], "stream": cp.cuda.Stream()}


def with_the_code_alone(state):
    arrays = {"field": state["field"].copy_to_host(), "window": state["window"]}
    return pickle.dumps((arrays, marshal.dumps(state["rule"].__code__), state["rule"].__defaults__))


def from_the_code_alone(packed):
    arrays, code, defaults = pickle.loads(packed)
    rule = types.FunctionType(marshal.loads(code), {}, "rule", defaults)
    return arrays | {"field": cuda.to_device(arrays["field"]), "rule": rule, "stream": cp.cuda.Stream()}


def the_same_stream_each_time(packed):
    if "stream" not in KEPT:
        KEPT["stream"] = cp.cuda.Stream()
    return from_arrays(packed, lambda: KEPT["stream"])


def the_columns_one_after_the_other(state):
    field, files = state["field"].copy_to_host(), io.BytesIO()
    np.savez(files, field=field.ravel(order="K").reshape(field.shape), window=state["window"].get())
    return cloudpickle.dumps((files.getvalue(), state["rule"]))


SENDING = [
    ("exception", with_the_number_of_its_rule, by_the_number_of_its_rule),
    ("exception", with_the_code_alone, from_the_code_alone),
    ("lifetime", with_the_handle, lambda packed: from_arrays(pickle.loads(packed)[0])),
    ("reused", by_arrays, the_same_stream_each_time),
    ("exception", by_arrays, lambda packed: pickle.loads(packed)["field"]),
    ("exception", lambda state: pickle.dumps(tuple(state.values())), pickle.loads),
    ("type", lambda state: state["field"].copy_to_host().tolist(), from_arrays),
    ("type", by_arrays, lambda packed: tuple(from_arrays(packed).values())),
    ("type", by_arrays, instead(stream=lambda stream: stream.ptr)),
    ("crossing", kept_here, lambda packed: KEPT["state"]),
    ("crossing", pointer_and_numbers, from_the_pointer),
    ("view", all_of_the_table, from_arrays),
    ("transfer", fetched_to_look, from_arrays),
    ("transfer", by_arrays, instead(window=lambda window: cp.asarray(window.get()))),
    ("aliasing", popped, from_arrays),
    ("lifetime", with_the_handle, from_the_handle),
    ("labels", by_arrays, without("stream")),
    ("host", by_arrays, instead(window=lambda window: window.get())),
    ("backend", by_arrays, instead(window=lambda window: cuda.as_cuda_array(window))),
    ("dtype", by_arrays, instead(window=lambda window: window.astype("float64"))),
    ("shape", by_arrays, instead(field=lambda field: field.ravel())),
    ("order", the_columns_one_after_the_other, from_arrays),
    ("callable", by_arrays, instead(rule=lambda rule: rule(3.0))),
    ("value", by_arrays, instead(rule=lambda rule: lambda v: v)),
    ("value", by_arrays, instead(stream=lambda stream: cp.cuda.Stream.null)),
]


@pytest.mark.large
@pytest.mark.counted("other wrong answers refused")
@pytest.mark.parametrize(("reason", "pack", "unpack"), SENDING)
def test_another_wrong_way_to_send_is_refused_for_its_reason(reason, pack, unpack):
    verdict = problems.judge("protocols.send", pack, unpack)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.counted("other right answers accepted")
@pytest.mark.parametrize(
    "pair",
    [
        (by_arrays, from_arrays),
        (by_packer, pickle.loads),
        (lambda state: lzma.compress(by_arrays(state)), lambda packed: from_arrays(lzma.decompress(packed))),
    ],
    ids=["savez", "a pickler", "compressed"],
)
def test_another_right_way_to_send_is_accepted(pair):
    verdict = problems.judge("protocols.send", *pair)
    assert verdict.right, verdict.why


def test_half_of_the_sending_is_not_attempted():
    for pair in ((lambda state: None, ...), (by_arrays, ...), (by_arrays, lambda packed: None)):
        assert problems.judge("protocols.send", *pair).outcome == "untouched"


def test_what_is_sent_arrives_in_another_process(simulated, tmp_path):
    """The judge plays the other process; here is a real one."""
    code = """if True:
        import sys, cloudpickle
        import gpusim
        gpusim.activate()
        sys.path.insert(0, sys.argv[2])
        unpack, packed = cloudpickle.load(open(sys.argv[1], "rb"))
        got = unpack(packed)
        print(got["field"].copy_to_host().sum(), float(got["window"].sum()), got["rule"](3.0), type(got["stream"]).__name__)
    """

    from hundredfold.learning.problems.protocols import send

    state = send.CASES[0].state()
    packed = known_send._pack(state)
    (tmp_path / "sent").write_bytes(cloudpickle.dumps((known_send._unpack, packed)))
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "sent", Path(__file__).parent],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    field, window, rule, stream = done.stdout.split()
    assert float(field) == pytest.approx(state["field"].copy_to_host().sum())
    assert float(window) == pytest.approx(float(state["window"].sum()))
    assert (float(rule), stream) == (7.0, "Stream")


# ---- the numbers and the decisions ----

PREDICTIONS = [
    ("copied", (400_000_000, ..., ..., ...)),
    ("copied", (5e8, ..., ..., ...)),
    ("item-size", (600e6, ..., ..., ...)),
    ("lifetime", (2e8, ..., ..., ...)),
    ("lifetime", (1e8, ..., ..., ...)),
    ("view", (..., 200_000_000, ..., ...)),
    ("view", (..., ..., 8e8, ...)),
    ("view", (..., ..., ..., 0.032)),
    ("crossing", (..., 64, ..., ...)),
    ("crossing", (..., ..., 1e8, ...)),
    ("crossing", (3e8, 1e8, 2e8, ...)),
    ("crossing", (..., ..., ..., 0.012)),
    ("unit", (300, ..., ..., ...)),
    ("unit", (..., ..., ..., 16)),
    ("unit", (..., 8e8, ..., ...)),
    ("per-element", (75e6, ..., ..., ...)),
    ("per-element", (..., 25e6, ..., ...)),
    ("type", ("300 MB", ..., ..., ...)),
    ("value", (0, ..., ..., ...)),
]


@pytest.mark.parametrize(("reason", "answers"), PREDICTIONS, ids=lambda value: str(value)[:40])
def test_another_wrong_prediction_is_refused_for_its_reason(reason, answers):
    verdict = problems.judge("protocols.moved", *answers)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize(
    "answers", [(np.int64(300_000_000), 4 * 25e6, 16 * 25e6, 0.4 / 25), (3.01e8, 1e8, 4e8, 0.0164)]
)
def test_another_right_prediction_is_accepted(answers):
    assert problems.judge("protocols.moved", *answers).right


def test_the_predictions_are_what_really_happens(simulated):
    """The same lines with a thousandth of the elements: addresses told apart, the pickle measured, the bus counted."""
    from numba import cuda

    from hundredfold.learning.problems import traffic

    share = 1000
    x = cp.zeros(moved.ELEMENTS // share, dtype=cp.float32)
    a = cuda.as_cuda_array(x)
    b = cp.asarray(a)[::2]
    c = b.copy()
    addresses = {array.__cuda_array_interface__["data"][0]: array.nbytes for array in (b, c, x)}
    assert a.__cuda_array_interface__["data"][0] == x.data.ptr == b.data.ptr
    assert sum(addresses.values()) == moved.MEMORY / share
    with traffic.watch() as watched:
        packed = pickle.dumps(b)
        there = pickle.loads(packed)
        back = pickle.loads(pickle.dumps(there * 2))
    assert len(packed) == pytest.approx(moved.PICKLED / share, rel=0.01)
    assert watched.bus == moved.BUS / share and back.nbytes == b.nbytes
    assert moved.SECONDS == 0.016


JOBS = ("handoff", "scalars", "worker", "pingpong", "steps")
DECISIONS = [
    ("always-gpu", "gpu gpu gpu gpu gpu"),
    ("always-cpu", "cpu CPU cpu cpu cpu"),
    ("copied", "cpu cpu cpu cpu gpu"),
    ("launch", "gpu gpu cpu cpu gpu"),
    ("transfer", "gpu cpu gpu cpu gpu"),
    ("crossing", "gpu cpu cpu gpu gpu"),
    ("residency", "gpu cpu cpu cpu cpu"),
    ("labels", "gpu cpu cpu cpu tpu"),
]


@pytest.mark.parametrize(("reason", "labels"), DECISIONS)
def test_another_wrong_decision_is_refused_for_its_reason(reason, labels):
    verdict = problems.judge("protocols.worth", dict(zip(JOBS, labels.split(), strict=True)))
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize(("reason", "decisions"), [("type", "cpu"), ("labels", {}), ("labels", dict.fromkeys(JOBS, 1))])
def test_what_is_no_dict_of_decisions_is_refused(reason, decisions):
    verdict = problems.judge("protocols.worth", decisions)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_another_right_set_of_decisions_is_accepted():
    labels = dict(zip(JOBS, ("GPU", "Cpu", " cpu", "cpu", "gpu "), strict=True))
    assert problems.judge("protocols.worth", dict(reversed(labels.items()))).right


def test_every_job_is_clear_by_more_than_any_rounding():
    for key, job in worth.JOBS.items():
        fast, slow = sorted((job.times["cpu"], job.times["gpu"]))
        assert slow > 1.5 * fast, key
    assert sorted(worth.WORTH.judge.right.values()) == ["cpu", "cpu", "cpu", "gpu", "gpu"]
    # By hand: 30 × 4 GB / 2 TB/s; 200 000 × 5 µs; 0.32 s of bus and 4 ms; 16 s of bus, 400 / 150 s, 0.4 s; 3000 × 0.2 ms.
    by_hand = {"handoff": 0.06, "scalars": 1.0, "worker": 0.324, "pingpong": 19.0667, "steps": 0.6}
    assert {key: worth.JOBS[key].times["gpu"] for key in JOBS} == pytest.approx(by_hand, rel=1e-3)
    by_hand = {"handoff": 0.96, "scalars": 0.020064, "worker": 0.05333, "pingpong": 8.16, "steps": 8.008}
    assert {key: worth.JOBS[key].times["cpu"] for key in JOBS} == pytest.approx(by_hand, rel=1e-3)


# ---- the functions ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


def test_how_near_to_the_limit_is_said(simulated):
    """24 bytes for each pair and 40 (24, and a clip that reads and writes) beside 24: the engine counts."""
    said = [problems.judge("protocols.blend", answer).near.partition(" (")[0] for answer in (in_c, half_fused)]
    assert said == [f"How near to the limit: {share} %" for share in (100, 60)]


@pytest.mark.parametrize("problem", ["protocols.anywhere", "protocols.adopt"])
def test_an_empty_function_is_not_attempted(problem):
    assert problems.judge(problem, lambda x: None).outcome == problems.judge(problem, ...).outcome == "untouched"


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    SECOND.also("protocols.moved", *(reason for reason, _ in PREDICTIONS))
    SECOND.also("protocols.send", *(reason for reason, _, _ in SENDING))
    SECOND.also("protocols.worth", "type", *(reason for reason, _ in DECISIONS))
    assert not SECOND.absent()


# ---- the immutable array ----


def test_the_immutable_array_is_as_strict_as_jaxs():
    """As JAX documents its own; beside JAX itself: tests/interop."""
    x = Frozen([[1.0, 2.0]])
    with pytest.raises(TypeError, match="immutable"):
        x[0] = 1
    trips = Frozen.trips
    assert isinstance(np.sin(x), np.ndarray) and Frozen.trips == trips + 1
    assert isinstance(np.ones(2) / x, Frozen) and isinstance(np.float64(2) * x, Frozen)
    assert isinstance(np.mean(x), Frozen), "NumPy's reductions call the array's own"
    y = x
    y += 1
    assert bare(x).tolist() == [[1.0, 2.0]] and bare(y).tolist() == [[2.0, 3.0]]
    xp = x.__array_namespace__()
    assert bare(xp.concat([x, x], axis=1)).tolist() == [[1.0, 2.0, 1.0, 2.0]]
    with pytest.raises(AttributeError, match="standard"):
        _ = xp.vstack
