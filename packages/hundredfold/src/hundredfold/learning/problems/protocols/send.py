"""``protocols.send``: the state of some work packed for another process, and set up there: what pickle takes, and what not.

Packed and unpacked is in this process. That the other side is another one is played: what unpacks is a copy of the learner's
function, made before anything was packed, so that it knows nothing that packing left behind in a variable; and between the two
the sender's arrays are overwritten, so that whoever sent an address instead of numbers finds other numbers there.
"""

from __future__ import annotations

import contextlib
import gc
import io
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import devices, guard, traffic
from ..cases import normal
from ..devices import cp
from ..differences import explain
from ..guard import article, require_callable
from ..problem import Problem
from ..untouched import missing
from ..verdict import NotAttempted, Verified, in_case, refuse

_LEAST = 100  # bytes of a rule and some arrays, however tightly they are packed
KEYS = ("field", "window", "rule", "stream")


@dataclass(frozen=True)
class Case:
    """A state: the numbers of the field, a table, how much of the table the window shows, and the rule."""

    name: str
    field: Callable[[], np.ndarray]
    table: Callable[[], np.ndarray]
    part: Any
    rule: Callable[[float], float]

    def state(self) -> dict[str, Any]:
        from numba import cuda

        window = devices.to_device(self.table())[self.part]
        stream = cp.cuda.Stream(non_blocking=True)
        return {"field": cuda.to_device(self.field()), "window": window, "rule": self.rule, "stream": stream}


def _times(factor: float, more: float = 0.25) -> Callable[[float], float]:
    return lambda v, more=more: factor * v + more  # what it needs stands outside of it


CASES = (
    Case("7 × 5 numbers, and every fourth of 41", lambda: normal(7, 5), lambda: normal(41, seed=1), slice(None, None, 4),
         lambda v: 2 * v + 1),
    Case("13 numbers in float32, and two columns of whole numbers", lambda: normal(13, seed=2, dtype="float32"),
         lambda: np.arange(60, dtype="int32").reshape(6, 10), (slice(None), slice(3, 5)), lambda v: v * v),
    Case("one number, and none", lambda: np.array([0.5]), lambda: normal(3, seed=3), slice(0, 0), lambda v: -v),
    Case("a rule that refers to a variable around it", lambda: normal(3, 1, seed=4), lambda: normal(6, seed=5),
         slice(4, None), _times(3)),
    Case("a rule that uses NumPy", lambda: np.arange(257, dtype="uint8"), lambda: normal(4, 6, seed=6), (slice(None), 2),
         lambda v: float(np.exp(v))),
    Case("numbers that are all alike", lambda: np.zeros((9, 9)), lambda: np.ones(50, dtype="int16"), slice(None, None, 2),
         lambda v: abs(v)),
)  # fmt: skip

UNLISTED = (
    Case("a field whose columns lie in one piece, and a table backwards", lambda: np.asfortranarray(normal(5, 3, seed=7)),
         lambda: normal(4, 6, seed=8), (slice(None, None, -1), slice(None, None, 2)), lambda v: v - 1),
)  # fmt: skip


def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    """Judge ``pack(state)`` and ``unpack(packed)`` by what arrives, by its bytes, and by what crossed the bus."""
    for function, name in zip(answers, problem.answers, strict=True):
        if missing(function):
            raise NotAttempted(f"{name} is not written yet")
        require_callable(function, name)
    devices.need_cupy()
    pack, unpack = answers[0], _elsewhere(answers[1])
    streams: list[Any] = []  # alive, so that no handle is given out twice
    for case in (*CASES, *UNLISTED):
        with in_case(case.name), _destroyed() as gone:
            _sent(problem, pack, unpack, case, streams, gone)
    return Verified(
        f"{len(CASES)} states: the numbers crossed the bus once on each side, the rule still works, and the stream is the "
        "receiver's own."
    )


def _elsewhere(function: Any) -> Any:
    """The function as another process would have it: with variables of its own, as they are now. Itself, if it cannot be copied."""
    import cloudpickle

    module = sys.modules.get(getattr(function, "__module__", None) or "")
    by_value = (
        module is not None
        and module.__name__ != "__main__"
        and guard.is_theirs(getattr(module, "__file__", None) or "<")
    )
    with contextlib.suppress(Exception):
        if by_value:
            cloudpickle.register_pickle_by_value(module)
        try:
            with io.BytesIO() as packed:
                _careful(packed).dump(function)
                return pickle.loads(packed.getvalue())
        finally:
            if by_value:
                cloudpickle.unregister_pickle_by_value(module)
    return function


def _careful(file: Any) -> Any:
    """A pickler that takes no stream along: the copy would die, and destroy the learner's."""
    import cloudpickle

    class Careful(cloudpickle.Pickler):
        def reducer_override(self, thing: Any) -> Any:
            if isinstance(thing, cp.cuda.Stream):
                raise pickle.PicklingError("a stream")
            return super().reducer_override(thing)

    return Careful(file)


@contextlib.contextmanager
def _destroyed() -> Iterator[list[int]]:
    """The handles of streams whose objects die in the block: CuPy destroys the stream with its object."""
    gone: list[int] = []
    own = vars(cp.cuda.Stream).get("__del__")
    original = getattr(cp.cuda.Stream, "__del__", lambda stream: None)

    def watching(stream: Any) -> None:
        gone.append(getattr(stream, "ptr", 0))
        original(stream)

    cp.cuda.Stream.__del__ = watching
    try:
        yield gone
    finally:
        if own is None:
            del cp.cuda.Stream.__del__
        else:
            cp.cuda.Stream.__del__ = own


def _sent(problem: Problem, pack: Any, unpack: Any, case: Case, streams: list[Any], gone: list[int]) -> None:
    state = case.state()
    before = dict(state)
    streams.append(before["stream"])
    least = before["field"].nbytes + before["window"].nbytes
    with traffic.watch() as moved:
        packed = guard.call(pack, state, limit=problem.time_limit).value
    if missing(packed):
        raise NotAttempted("pack returns nothing yet")
    _packed(packed, before, least, moved)
    if list(state) != list(before) or any(state[key] is not value for key, value in before.items()):
        refuse("aliasing", "it is packed, but the caller's dict was changed on the way: they go on working with it.")
    for key, numbers in (("field", case.field()), ("window", case.table()[case.part])):
        if not np.array_equal(devices.to_host(cp.asarray(before[key])), numbers):
            refuse("aliasing", f"it is packed, but the numbers of the caller's {key} were changed on the way.")
    for key in ("field", "window"):  # what the other process would find at the same addresses
        cp.asarray(before[key]).fill(99)
    with traffic.watch() as moved:
        got = guard.call(unpack, packed, limit=problem.time_limit).value
    if missing(got):
        raise NotAttempted("unpack returns nothing yet")
    if not isinstance(got, Mapping):
        refuse("type", f"unpack should return a dict like the one that was packed; it returned {article(got)}.")
    if set(got) != set(KEYS):
        wrong = sorted(set(KEYS) ^ set(got), key=str)[0]
        refuse(
            "labels", f"{'without' if wrong in KEYS else 'with an unknown'} {wrong!r}; the keys are {', '.join(KEYS)}."
        )
    _array("field", got["field"], case.field(), _is_numba, "a Numba device array", before)
    _array("window", got["window"], case.table()[case.part], devices.is_device, "a CuPy array", before)
    _rule(problem, got["rule"], case)
    _stream(got["stream"], before["stream"])
    if any(got["stream"].ptr == other.ptr for other in streams):
        refuse("reused", "the stream is the one that an earlier call has given; asked for: a new one, each time.")
    streams.append(got["stream"])
    del got
    gc.collect()
    if before["stream"].ptr in gone:
        refuse(
            "lifetime",
            "the stream was packed as it is. On arrival there are two objects with one handle, and when the second dies it destroys "
            "the stream of the first.",
            advice="Leave the stream out when you pack.",
        )
    if moved.to_device > least or moved.to_host:
        refuse(
            "transfer",
            f"{moved.bus} bytes crossed the bus on arrival; {least} are enough, once and to the device.",
            advice="A CuPy array is on the device when it is unpacked, and `cuda.as_cuda_array` makes it Numba's without a copy.",
        )


def _packed(packed: Any, before: dict[str, Any], least: int, moved: traffic.Traffic) -> None:
    if not isinstance(packed, (bytes, bytearray)):
        refuse("type", f"pack should return bytes, as `pickle.dumps` does; it returned {article(packed)}.")
    if len(packed) < least and moved.to_host < least or len(packed) < _LEAST:
        refuse(
            "crossing",
            f"{len(packed)} bytes were packed, and the arrays have {least}: their numbers are not among them. An address "
            "or a name of this process means nothing in another.",
        )
    window = before["window"]
    whole = least if window.base is None else least - window.nbytes + window.base.nbytes
    if moved.to_host == whole > least:
        refuse(
            "view", f"{moved.to_host} bytes were fetched: all of the array of which the window shows {window.nbytes}."
        )
    if moved.to_host > least or moved.to_device:
        refuse(
            "transfer", f"{moved.bus} bytes crossed the bus for the packing; {least} are enough, once and to the host."
        )


def _is_numba(value: Any) -> bool:
    return hasattr(value, "copy_to_host") and hasattr(value, "__cuda_array_interface__")


def _array(
    key: str, got: Any, expected: np.ndarray, own: Callable[[Any], bool], wanted: str, before: dict[str, Any]
) -> None:
    if isinstance(got, (np.ndarray, np.generic, list)):
        refuse("host", f"the {key} is on the host: it is {article(got)}; it should be {wanted}.")
    if not own(got):
        refuse("backend", f"the {key} is {article(got)}; it was sent as {wanted}, and should be one again.")
    if tuple(got.shape) != expected.shape:
        refuse("shape", f"the {key}'s shape is {tuple(got.shape)}; it was {expected.shape}.")
    if got.dtype != expected.dtype:
        refuse("dtype", f"the {key}'s dtype is {got.dtype}; it was {expected.dtype}.")
    sender = before[key].__cuda_array_interface__["data"][0]
    if expected.size and got.__cuda_array_interface__["data"][0] == sender:
        refuse("crossing", f"the {key} looks at the sender's memory, which another process does not have.")
    explain(devices.to_host(cp.asarray(got)), expected)


def _rule(problem: Problem, rule: Any, case: Case) -> None:
    if not callable(rule):
        refuse("callable", f"the rule is {article(rule)}; it was a function, and should be one again.")
    for value in (3.0, -0.5):
        got = guard.call(rule, value, limit=problem.time_limit).value
        if got != case.rule(value):
            refuse("value", f"rule({value:g}) is {got!r}; it was {case.rule(value):g} before it was sent.")


def _stream(stream: Any, sent: Any) -> None:
    if not isinstance(stream, cp.cuda.Stream):
        refuse(
            "type",
            f"the stream is {article(stream)}; it should be a `cupy.cuda.Stream`.",
            advice="Make one on arrival: `cp.cuda.Stream(non_blocking=True)`.",
        )
    if stream.ptr == sent.ptr:
        refuse(
            "lifetime",
            "the stream's handle was sent. In this process two objects now own one stream, and the first to die destroys "
            "it for both; in another process the handle leads nowhere.",
        )
    if stream.ptr == cp.cuda.Stream.null.ptr:
        refuse("value", "the stream is the default one, for which everybody waits; asked for: a new one.")


SEND = Problem(
    id="protocols.send",
    title="Pack it for another process",
    kind="repair",
    answers=("pack", "unpack"),
    lines=7,
    judge=judge,
    hints=(
        "Take the four one by one: `pickle.dumps(state['field'])`, and so on. Two of them refuse. A third is packed and is "
        "worthless on arrival.",
        "`copy_to_host()` and `cuda.to_device` for the field; CuPy's arrays pack themselves, and only what they show; "
        "`cloudpickle.dumps` takes functions without a name; a stream is made anew.",
        "pack makes a **new** dict of field, window and rule and gives it to `cloudpickle.dumps`; unpack calls "
        "`pickle.loads`, sends the field to the device and adds `cp.cuda.Stream(non_blocking=True)`.",
    ),
    advice={
        "exception": "`pickle` packs neither a Numba device array nor a lambda. Cloudpickle packs a lambda with the variables around it.",
        "type": "What travels to another process is a string of bytes.",
        "view": "A CuPy array packs what it shows: give it the window, not its base.",
        "transfer": "`copy_to_host`, `.get()` and each `dumps` of a device array fetch it: one of them is enough.",
        "aliasing": "Make a new dict: the state is still in use here.",
        "lifetime": "Leave the stream out, and make one on the other side.",
        "labels": "unpack has to add what was not sent.",
        "backend": "`cuda.as_cuda_array` makes it Numba's, without a copy.",
        "dtype": "Pack the arrays as they are: lists forget the dtype, and `astype` changes it.",
    },
)  # fmt: skip
