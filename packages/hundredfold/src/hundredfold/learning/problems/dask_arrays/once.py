"""``dask-arrays.once``: three numbers of an array that is larger than memory; each chunk is read once, and none is kept."""

from __future__ import annotations

import contextlib
import threading
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import devices, graphs, guard
from ..cases import normal
from ..devices import cp
from ..differences import pair
from ..functions import is_float
from ..guard import article, require_callable
from ..problem import Problem
from ..verdict import Verified, attempted, in_case, refuse, with_printed

FEW = 4
"""Chunks that may be in memory at the same time."""


class Storage:
    """An array in storage, for `dask.array.from_array`: it counts what is read of it, and how much of that is alive."""

    def __init__(self, host: np.ndarray, *, device: bool):
        self.shape, self.dtype, self.ndim = host.shape, host.dtype, host.ndim
        self.reads = 0
        self.elements = 0
        self.most = 0
        self.before = self.memory = 0  # bytes in use at the first reading, and at most more at a later one, if traced
        self._host, self._device = host, device
        self._alive = 0
        self._lock = threading.RLock()

    def __getitem__(self, index: Any) -> Any:
        if tracemalloc.is_tracing():
            devices.synchronize()  # what is still queued holds chunks that the answer has let go of
            used = _in_use()
            self.before = self.before or used
            self.memory = max(self.memory, used - self.before)
        chunk = np.ascontiguousarray(self._host[index])
        chunk = devices.to_device(chunk) if self._device else chunk.copy()
        with self._lock:
            self.reads += 1
            self.elements += chunk.size
            self._alive += chunk.size
            self.most = max(self.most, self._alive)
        weakref.finalize(chunk, self._gone, chunk.size)
        return chunk

    def _gone(self, size: int) -> None:
        with self._lock:
            self._alive -= size


def _in_use() -> int:
    """Bytes of this process, and of a real GPU."""
    used = tracemalloc.get_traced_memory()[0]
    return used + (0 if devices.simulated() else int(cp.get_default_memory_pool().used_bytes()))


def describe(x: np.ndarray) -> tuple[float, float, float]:
    """The specification: mean, standard deviation (of n) and largest element."""
    return float(x.mean()), float(x.std()), float(x.max())


CASES: tuple[tuple[str, Callable[[], np.ndarray], Any, bool], ...] = (
    ("12 chunks of 20 × 20", lambda: normal(60, 80, mean=3), (20, 20), True),
    ("chunks of several sizes", lambda: normal(50, 7, seed=1, mean=-2) ** 3, ((1, 30, 19), (7,)), True),
    ("NumPy's chunks", lambda: normal(90, 10, seed=2), (10, 10), False),
    ("one chunk", lambda: normal(5, 3, seed=3), (5, 3), True),
)
UNLISTED = (
    ("numbers near 10⁷", lambda: 1e7 + normal(40, 6, seed=4), (7, 4), True),
    ("numbers of about 10⁻⁹", lambda: 1e-9 * normal(40, 6, seed=5), (7, 4), True),
    ("numbers below zero", lambda: -np.abs(normal(33, 5, seed=6)) - 1, (10, 2), True),
    ("chunks of one number", lambda: normal(4, 3, seed=7), (1, 1), True),
    ("the largest in the last chunk", lambda: np.arange(60.0).reshape(20, 3), (7, 3), True),
    (
        "NaN in the last chunk",
        lambda: np.where(np.arange(60.0) == 58, np.nan, np.arange(60.0)).reshape(20, 3),
        (7, 3),
        True,
    ),
    ("rows and columns cut unevenly", lambda: normal(23, 17, seed=8) ** 3, ((20, 3), (1, 16)), True),
)
_LARGE = ("48 chunks of 512 kB", lambda: normal(12288, 256, seed=9), (256, 256), True)
"""Large enough beside what Dask itself needs, so that copies that are kept show."""
_NAN = "Where a number is not known, neither are these three: the version that was given says NaN."
_NAMES = ("the mean", "the standard deviation", "the largest")


def _judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    function = answers[0]
    require_callable(function, problem.answers[0])
    devices.need_cupy()
    for turn, (name, make, chunks, device) in enumerate((*CASES, *UNLISTED, _LARGE)):
        with in_case(name):
            _one(problem, function, make(), chunks, device, first=turn == 0, large=name == _LARGE[0])
    names = "; ".join(name for name, *_ in CASES)
    return Verified(
        f"{len(CASES)} cases ({names}); each chunk was read once, and only a few were in memory at the same time."
    )


def _one(
    problem: Problem, function: Any, host: np.ndarray, chunks: Any, device: bool, *, first: bool, large: bool
) -> None:
    import dask.array as da

    storage = Storage(host, device=device)
    meta = (cp if device else np).empty((0, 0), dtype=host.dtype)
    x = da.from_array(storage, chunks=chunks, asarray=False, name=False, meta=meta)
    with graphs.watch(), _traced(large):
        called = guard.call(function, x, limit=problem.time_limit)
    attempted(called.value, called.printed, first=first)
    with with_printed(called.printed):
        _values(called.value, host, x.chunks)
        _reading(storage, x, storage.memory if large else 0)


@contextlib.contextmanager
def _traced(large: bool) -> Iterator[None]:
    """Trace this process's memory."""
    if not large or tracemalloc.is_tracing():
        yield
        return
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def _values(value: Any, host: np.ndarray, chunks: Any) -> None:
    if not isinstance(value, (tuple, list)) or len(value) != 3:
        some = f"{len(value)} values" if isinstance(value, (tuple, list)) else article(value)
        refuse("type", f"three numbers should come back: mean, standard deviation, largest. It was {some}.")
    if any(graphs.lazy(each) for each in value):
        refuse(
            "type",
            "a number that comes back is still a Dask array, a plan: `compute` makes the number of it, and floats are wanted.",
        )
    for each in value:
        is_float(each)
    mean, std, largest = describe(host)
    by_chunk = [host[rows] for rows in _rows(chunks)]
    means = float(np.mean([part.mean() for part in by_chunk]))
    for name, got, expected in zip(_NAMES, value, (mean, std, largest), strict=True):
        if np.isnan(expected) or np.isnan(got):
            if np.isnan(expected) and np.isnan(got):
                continue
            refuse("nan", f"{name} is {got:g}; expected was {expected:g}.", advice=_NAN)
        if np.isclose(got, expected, rtol=1e-7, atol=1e-14 * abs(largest)):
            continue
        a, b = pair(got, expected)
        said = f"{name} is {a}; expected was {b}."
        if np.allclose(sorted(value), sorted((mean, std, largest)), rtol=1e-9, atol=0):
            refuse("order", f"the three are right, but in another order: {said}")
        if name == _NAMES[0] and np.isclose(got, means, rtol=1e-9):
            refuse(
                "own-chunk", f"{said} That is the mean of the chunks' means, and the chunks are not all of one size."
            )
        if name == _NAMES[1] and np.isclose(got, std**2, rtol=1e-9):
            refuse("squared", f"{said} That is the variance: its square root was asked for.")
        if name == _NAMES[1] and host.size > 1 and np.isclose(got, host.std(ddof=1), rtol=1e-9):
            refuse("ddof", f"{said} That is divided by n - 1.")
        if name == _NAMES[1] and abs(mean) > 1e3 * std:
            refuse(
                "cancellation",
                f"{said} The mean of the squares less the square of the mean is a difference of two large, nearly equal numbers.",
                advice="`x.std()` adds up squares of differences, chunk by chunk.",
            )
        refuse("value", said)


def _rows(chunks: Any) -> list[slice]:
    edges = np.cumsum((0, *chunks[0]))
    return [slice(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True)]


def _reading(storage: Storage, x: Any, held: int) -> None:
    times = storage.elements / x.size
    if times > 1.01:
        refuse(
            "recomputed",
            f"the three numbers are right, but of {x.npartitions} chunks {storage.reads} were read: {times:.3g} times the "
            "array. Each `compute` begins from nothing. What belongs together has to be computed together.",
        )
    if held > x.nbytes / 2:
        refuse(
            "held",
            f"the three numbers are right, but {held / x.nbytes:.0%} of the array's bytes were in memory at the same time, and the "
            "array is larger than memory. Copies of its chunks count as well. A reduction lets go of each.",
        )
    if storage.most > FEW * x.size / x.npartitions and x.npartitions > FEW:
        refuse(
            "held",
            f"the three numbers are right, but {storage.most / x.size:.0%} of the array were in memory at the same time, and "
            "it is larger than memory. `persist` and `np.asarray` keep all chunks; a reduction lets go of each.",
        )


ONCE = Problem(
    id="dask-arrays.once",
    title="Read it once",
    kind="repair",
    answers=("describe",),
    lines=2,
    judge=_judge,
    hints=(
        "How many times is each chunk read? Every `compute` follows the graph from its beginning.",
        "`persist` would read once, and keep all of it: the array is larger than memory.",
        "`dask.compute(a, b, c)` carries out several plans as one: a key that they share runs once, and its chunk goes when the last has used it.",
    ),
    advice={
        "recomputed": "`dask.compute(x.mean(), x.std(), x.max())` returns all three, with one pass over x.",
        "held": "`dask.compute` of all three at once needs no `persist`.",
        "own-chunk": "`x.mean()` weighs each chunk by its size.",
        "device": "`float(…)` makes a Python number of an array with one element.",
    },
)
