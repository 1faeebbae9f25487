"""``protocols.adopt``: any library's device array as CuPy's, on the same memory, for as long as it is needed."""

from __future__ import annotations

import array
import contextlib
import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import devices, guard, traffic
from ..devices import cp
from ..guard import article, require_callable
from ..problem import Problem
from ..untouched import missing
from ..verdict import NotAttempted, Refusal, Verified, in_case, refuse


class ByInterface:
    """Something of which nothing is known but its `__cuda_array_interface__`."""

    def __init__(self, array: Any):
        self._array = array

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self._array.__cuda_array_interface__


class ByCapsule:
    """Something of which nothing is known but DLPack's two methods."""

    def __init__(self, array: Any):
        self._array = array

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._array.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


def _numba(array: Any) -> Any:
    from numba import cuda

    return cuda.as_cuda_array(array)


@dataclass(frozen=True)
class Offer:
    """Something that offers device memory: its name for the learner, how it is made around a CuPy array, and a hint where no
    door was found."""

    name: str
    around: Callable[[Any], Any]
    make: Callable[[], np.ndarray]
    view: Callable[[Any], Any] = lambda array: array
    door: str = ""


_INTERFACE = (
    "`cp.from_dlpack` knows only DLPack, and this object has only `__cuda_array_interface__`: ask with `hasattr`."
)
OFFERS = (
    Offer("a CuPy array", lambda a: a, lambda: np.arange(7.0)),
    Offer("a Numba device array", _numba, lambda: np.arange(12.0).reshape(3, 4), door=_INTERFACE),
    Offer(
        "an object with `__cuda_array_interface__`", ByInterface, lambda: np.arange(5, dtype="int32"), door=_INTERFACE
    ),
    Offer(
        "such an object, every other column of a matrix",
        ByInterface,
        lambda: np.arange(24.0).reshape(4, 6),
        lambda a: a[:, ::2],
    ),
    Offer(
        "an object with `__dlpack__`",
        ByCapsule,
        lambda: np.arange(6, dtype="float32").reshape(2, 3),
        door="`cp.asarray` does not know DLPack, and this object has only that. The first number of its `__dlpack_device__()` is 2: it is on "
        "the device.",
    ),
    Offer("no numbers at all", ByInterface, lambda: np.empty((0, 3))),
)
UNLISTED = (
    Offer("such an object, backwards", ByInterface, lambda: np.arange(7.0), lambda a: a[::-1]),
    Offer("such an object, the end of an array", ByInterface, lambda: np.arange(9, dtype="int16"), lambda a: a[5:]),
    Offer("such an object with one number", ByInterface, lambda: np.array(2.5)),
    Offer("such an object with True and False", ByInterface, lambda: np.arange(5) % 2 == 0),
    Offer("a Numba device array, transposed", _numba, lambda: np.arange(6, dtype="uint8").reshape(2, 3), lambda a: a.T),
    Offer(
        "an object with `__dlpack__`, every third row",
        ByCapsule,
        lambda: np.arange(14, dtype="complex64").reshape(7, 2),
        lambda a: a[::3],
    ),
    Offer("an object with `__dlpack__` and one number", ByCapsule, lambda: np.array([7])),
)


class ByNumpy:
    """Something on the host that NumPy can read, by its `__array__` alone."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.arange(3.0)


ON_THE_HOST = (
    ("a NumPy array", lambda: np.arange(4.0)),
    ("a list", lambda: [1.0, 2.0]),
    ("a tuple", lambda: (1, 2)),
    ("a list of lists", lambda: [[1.0], [2.0]]),
    ("a float", lambda: 2.5),
    ("an int", lambda: 3),
    ("a NumPy float64", lambda: np.float64(2.5)),
    ("a string of bytes", lambda: bytes(8)),
    ("an array of the module `array`", lambda: array.array("d", [1, 2])),
    ("an object on the host with `__array__`", ByNumpy),
    ("an object on the host with `__dlpack__`", lambda: ByCapsule(np.arange(4.0))),
)


def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    """Judge ``as_cupy(thing)`` by what it makes of each offer."""
    function = answers[0]
    require_callable(function, problem.answers[0])
    devices.need_cupy()
    for offer in (*OFFERS, *UNLISTED):
        try:
            with devices.pooled():  # which tells what is given back
                _adopted(problem, function, offer)
        except Refusal as refusal:
            refusal.case = refusal.case or offer.name
            if refusal.reason == "exception":
                refusal.advice = refusal.advice or offer.door
            raise
    for offer in (*OFFERS[:3], OFFERS[4]):
        with in_case(offer.name):
            _one_place(problem, function, offer)
    for name, make in ON_THE_HOST:
        with in_case(name, _ASK):
            _refused(problem, function, name, make())
    names = "; ".join(offer.name for offer in OFFERS)
    return Verified(f"the memory itself, and kept alive: {names}. What is on the host is refused with a TypeError.")


def _adopted(problem: Problem, function: Any, offer: Offer) -> None:
    values = offer.view(offer.make())
    lent = offer.view(devices.to_device(offer.make()))
    address, block = lent.data.ptr, lent.data.mem.ptr
    thing = offer.around(lent)
    with traffic.watch() as moved:
        called = guard.call(function, thing, limit=problem.time_limit)
    got = called.value
    if missing(got):
        raise NotAttempted("it returns nothing yet")
    if isinstance(got, (np.ndarray, np.generic)):
        refuse("host", f"the result is on the host: {article(got)}.")
    if not devices.is_device(got):
        refuse("type", f"the result should be a CuPy array; it is {article(got)}.")
    if got.shape != values.shape:
        refuse("shape", f"the result's shape is {got.shape}; it should be {values.shape}.")
    if got.dtype != values.dtype:
        refuse("dtype", f"the result's dtype is {got.dtype}; it should be {values.dtype}.")
    if values.size and moved.bus > 0:
        refuse("transfer", f"{moved.bus} bytes crossed the bus. All of it is on the device, and should stay there.")
    if values.size and got.data.ptr != address:
        refuse(
            "copied",
            "the result has memory of its own: a copy. What is written into it never reaches the other library.",
        )
    if not np.array_equal(got.get(), values):
        refuse("strides", "the address is right and the numbers are not: what lies between them was not stepped over.")
    with _freed() as addresses:
        del lent, thing, called
        gc.collect()
    if block in addresses and values.size:
        refuse(
            "lifetime",
            "when nobody else holds the array any more its memory is given back, and the result shows what comes there next.",
        )
    del got  # held until here


def _one_place(problem: Problem, function: Any, offer: Offer) -> None:
    """Several arrays that begin at one address: the address does not tell which it is."""
    whole = devices.to_device(np.arange(24.0))
    for lent in (whole, whole.reshape(4, 6), whole[:5], whole.view("int32")):
        got = guard.call(function, offer.around(lent), limit=problem.time_limit).value
        found, right = ((x.shape, x.dtype.name, x.strides) for x in (got, lent))
        if found != right:
            refuse(
                "kept",
                f"an array of shape {lent.shape} and dtype {lent.dtype}, which begins where an earlier one does, came back with the shape "
                f"{got.shape} and the dtype {got.dtype}. Many arrays may begin at one address.",
            )


@contextlib.contextmanager
def _freed() -> Iterator[set[int]]:
    """The addresses of the device memory that goes back to CuPy's pool in the block."""
    addresses: set[int] = set()

    class Hook(cp.cuda.MemoryHook):  # type: ignore[misc, name-defined]
        name = "hundredfold.learning.problems"

        def free_postprocess(self, **told: Any) -> None:
            addresses.add(told["mem_ptr"])

    with Hook():
        yield addresses


def _refused(problem: Problem, function: Any, name: str, thing: Any) -> None:
    def ask(given: Any) -> Any:
        try:
            function(given)
        except TypeError:
            return True
        return False

    with traffic.watch() as moved:
        refused = guard.call(ask, thing, limit=problem.time_limit).value
    if refused and moved.bus:
        refuse("transfer", f"a TypeError was raised, but {moved.bus} bytes had crossed the bus before.")
    if not refused:
        refuse(
            "backend",
            "no TypeError was raised, and there is nothing to share. What is on the host would go over the bus unasked.",
        )


_ASK = (
    "Ask whether it offers memory on a device: by `__cuda_array_interface__`, or by `__dlpack_device__()`, whose first number is 2 there."
    " Raise a TypeError for all else."
)


ADOPT = Problem(
    id="protocols.adopt",
    title="Adopt an array",
    kind="repair",
    answers=("as_cupy",),
    lines=5,
    judge=judge,
    hints=(
        "`cp.array` copies, `cp.asarray` does so only if it must. And `copy_to_host` goes over the bus.",
        "There are two ways: what has `__cuda_array_interface__` goes through `cp.asarray`, what has `__dlpack__` through "
        "`cp.from_dlpack`. Try them in this order.",
        "A NumPy array has `__dlpack__` as well. `thing.__dlpack_device__()[0]` tells where its memory is: 1 is the host, 2 is "
        "a CUDA device.",
    ),
    advice={
        "copied": "`cp.array` copies always; `cp.ascontiguousarray`, `order=` and `dtype=` copy where they have to. `cp.asarray(thing)` does not.",
        "transfer": "A Numba device array has `__cuda_array_interface__`: CuPy can read it in place.",
        "exception": "Some libraries have one protocol only. Ask with `hasattr`.",
        "backend": "`cp.asarray` and `cp.from_dlpack` take host arrays as well: ask first.",
        "kept": "Ask each array anew what it is.",
        "lifetime": "An array made of an address alone must keep the object that owns the memory: `cp.asarray` does that.",
        "strides": "The interface has `strides`, too; `cp.asarray` reads them.",
        "dtype": "`typestr` says what type the numbers have.",
        "host": "Leave out `get()`.",
    },
)
