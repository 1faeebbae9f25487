"""``protocols.anywhere``: one function for NumPy, CuPy, Dask and an immutable array such as JAX's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from .. import devices, guard
from ..cases import Case, normal
from ..differences import explain, same
from ..functions import recognise
from ..guard import article, require_callable
from ..problem import Mistake, Problem
from ..properties import (
    Drawn,
    Property,
    Strategy,
    all_cases,
    dtypes,
    layouts,
    nans,
    other_data,
    second_call,
    sizes,
    tiny,
)
from ..traffic import spell, watch
from ..verdict import Verified, attempted, in_case, refuse
from .frozen import Frozen, bare


def unit_rows(x: np.ndarray) -> np.ndarray:
    """The specification: each row of x (n, m), float32 or float64, divided by its Euclidean length; a row of zeros stays
    as it is; x's dtype."""
    length = np.sqrt((x.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    return (x / np.where(length == 0, 1, length)).astype(x.dtype)


@dataclass(frozen=True)
class Backend:
    """A library whose arrays the function is tried with.

    Parameters
    ----------
    name : str
        For the learner.
    bring : callable
        From a host array to the library's.
    is_own, is_host : callable
        Whether a result is the library's; whether it lies on the host where it should not.
    take : callable
        From the library's array to a host array.
    """

    name: str
    bring: Callable[[np.ndarray], Any]
    is_own: Callable[[Any], bool]
    take: Callable[[Any], np.ndarray]


def _dask(x: np.ndarray) -> Any:
    """In pieces that cut the columns too, where there are several: a row lies in two of them."""
    import dask.array

    chunks = tuple(max(1, (n + 1) // 2) for n in x.shape)
    return dask.array.from_array(devices.to_device(x), chunks=chunks, asarray=False)


def _is_dask(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "dask"


def _computed(value: Any) -> Any:
    inside = value.compute(scheduler="synchronous")
    if inside.size and not devices.is_device(inside):
        refuse("host", "its pieces were CuPy arrays, and those of the result lie on the host.")
    return inside


BACKENDS: Sequence[Backend] = (
    Backend("NumPy", lambda x: x, lambda got: isinstance(got, np.ndarray), np.asarray),
    Backend("CuPy", devices.to_device, devices.is_device, devices.to_host),
    Backend("Dask", _dask, _is_dask, devices.to_host),
    Backend("an immutable array, like JAX's", Frozen, lambda got: isinstance(got, Frozen), bare),
)


@contextlib.contextmanager
def _no_work(allowed: list[int]) -> Iterator[None]:
    """Count what Dask is told to compute in the block."""
    import dask

    def counting(graph: Any, keys: Any, **kwargs: Any) -> Any:
        allowed.append(1)
        return dask.get(graph, keys, **kwargs)

    with dask.config.set(scheduler=counting):
        yield


@dataclass(frozen=True)
class AnywhereJudge:
    """Judge a function of one array by cases, on each of the backends."""

    cases: Sequence[Case]
    unlisted: Sequence[Case] = ()
    drawn: Drawn | None = None

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        require_callable(answers[0], problem.answers[0])
        devices.need_cupy()
        for backend in BACKENDS:
            for case in all_cases(self):
                with in_case(f"{backend.name}, {case.name}", case.hint):
                    self._judge(problem, answers[0], backend, case)
        tried = ", ".join(backend.name for backend in BACKENDS)
        return Verified(
            f"{len(self.cases)} cases on each of {len(BACKENDS)} backends: {tried}; the numbers stay where they were."
        )

    def arguments(self, case: Case) -> tuple[Any, ...]:
        """What a case gives an answer, as CuPy's arrays."""
        return case.device()

    def _judge(self, problem: Problem, function: Any, backend: Backend, case: Case) -> None:
        got, expected = self._called(problem, function, backend, case)
        if case.again is None or backend.name == "Dask":
            return
        self._called(problem, function, backend, case.second())
        if not np.array_equal(backend.take(got), expected, equal_nan=True):
            refuse("reused", "the first call's result was right, until the second call wrote over it.")

    def _called(self, problem: Problem, function: Any, backend: Backend, case: Case) -> tuple[Any, np.ndarray]:
        """Judge one call; return its result, and the numbers that were found right in it."""
        host, early = case.host()[0], []
        given = backend.bring(case.host()[0])
        with np.errstate(all="ignore"):
            expected = problem.specification(case.host()[0])
        trips = Frozen.trips
        with watch() as moved, _no_work(early):
            called = guard.call(function, given, limit=problem.time_limit)
        got = called.value
        attempted(got, called.printed, first=backend is BACKENDS[0])
        if early:
            refuse(
                "eager", "Dask was made to compute while your function ran: it is lazy, and whoever calls decides when."
            )
        if not backend.is_own(got):
            reason = "host" if isinstance(got, (np.ndarray, np.generic)) and backend.name == "CuPy" else "backend"
            refuse(reason, f"the result is {article(got)}; it should belong to the same library as the argument.")
        if Frozen.trips != trips:
            refuse("transfer", "a NumPy function took the array's numbers to the host, and said nothing.")
        _stays(moved)
        with watch() as moved:
            computed = guard.call(_computed, got, limit=problem.time_limit).value if _is_dask(got) else got
        _stays(moved)
        result = backend.take(computed)
        if not same(result, expected, 2e-6 if expected.dtype == np.float32 else 1e-12, 0):
            recognise(SimpleNamespace(problem=problem, case=case, expected=expected), result)  # type: ignore[arg-type]
        if result.shape != expected.shape:
            refuse("shape", f"the result's shape is {result.shape}; it should be {expected.shape}.")
        if result.dtype != expected.dtype:
            refuse("dtype", f"the result's dtype is {result.dtype}; it should be {expected.dtype}.")
        explain(result, expected, rtol=2e-6 if expected.dtype == np.float32 else 1e-12)
        if not _is_dask(given) and not np.array_equal(host, backend.take(given), equal_nan=True):
            refuse("aliasing", "the result is right, but the argument was changed by the call.")
        return got, result


def _stays(moved: Any) -> None:
    """Refuse numbers that went over the bus; the answer to one question, such as whether any row is zero, is not many."""
    if moved.bus > 16:
        refuse(
            "transfer",
            f"{spell(moved.bus)} crossed the bus. The numbers should stay where they are.",
            advice="Leave out `.get()`, `cp.asnumpy` and `cp.asarray`: each library's own functions work where its arrays are.",
        )


_EXACTLY = "Ask whether the length is exactly 0: a small number is no 0, and a row of small numbers has length 1 in the end too."


def _zeros(rng: np.random.Generator, arguments: tuple[np.ndarray]) -> tuple[np.ndarray]:
    x = np.zeros((7, 4))
    x[1], x[3, :2], x[4, 1], x[5] = [2, -1, -2, 1], [-1.5, 1.5], 3, [0, 1, 1, 0]
    return (x,)


def _small(rng: np.random.Generator, arguments: tuple[np.ndarray]) -> tuple[np.ndarray]:
    return ((1e-15 * arguments[0]).astype(np.float32),)


def _safe(length: np.ndarray) -> np.ndarray:
    return np.where(length == 0, 1, length)


ANYWHERE = Problem(
    id="protocols.anywhere",
    title="One function, four libraries",
    kind="write",
    answers=("unit_rows",),
    specification=unit_rows,
    lines=3,
    judge=AnywhereJudge(
        (
            Case("7 × 13 numbers", lambda: (normal(7, 13),)),
            Case("5 × 3 numbers in float32", lambda: (normal(5, 3, seed=1, dtype="float32"),)),
            Case("a row of zeros", lambda: (np.array([[3.0, -4.0], [0.0, 0.0], [0.0, 2.0]]),)),
            Case("one number", lambda: (np.array([[-2.5]]),)),
            Case("every other column", lambda: (normal(6, 8, seed=2),), lambda a: a[:, ::2]),
            Case("transposed", lambda: (normal(3, 7, seed=3),), lambda a: a.T),
        ),
        drawn=Drawn(
            lambda rng, size: (rng.standard_normal(size),),
            (7, 4),
            sizes((1, 5), (31, 1), (2, 257), words="{0[0]} × {0[1]} numbers"),
            Property(
                (Strategy("rows of zeros, and rows of which the sum or an end is 0", change=_zeros),),
                "A row of zeros is one of which every number is 0, and so its length.",
            ),
            tiny(1e-100, hint=_EXACTLY),
            Property((Strategy("float32 numbers of about 1e-15", change=_small),), _EXACTLY),
            dtypes("float32"),
            nans(hint="A row with NaN has no length that anybody knows: all of it becomes NaN."),
            layouts(),
            other_data(),
            second_call(hint="Make a new array in each call: whoever kept the last result still needs it."),
        ),
    ),
    hints=(
        "Which of the four knows `x.__array_namespace__()`, and which does not? For those that do not, NumPy's own functions "
        "find the way by `__array_function__`.",
        "`xp = x.__array_namespace__() if hasattr(x, '__array_namespace__') else np`, and from there on `xp.sqrt`, `xp.sum`, "
        "`xp.where`.",
        "Rows of zeros: no `if`, which would have to look into the array, and no `length[…] = 1`, which an immutable array "
        "refuses. `xp.where(length == 0, 1, length)` makes a new one.",
    ),
    advice={
        "transfer": "NumPy's functions know CuPy and Dask, not JAX: take the namespace of x where it has one.",
        "exception": "Ask x which library it belongs to, and what it cannot do. The lengths are a column: `keepdims=True`.",
        "eager": "`compute`, `persist` and an `if` on a value make Dask compute. `where` decides element by element, when the time has come.",
        "host": "The numbers stay where they are: leave out `asnumpy`.",
        "backend": "`cp.asarray` turns a NumPy array into one of CuPy's.",
        "nan": "What is 0 / 0? A row of zeros has length 0.",
        "aliasing": "`x /= …` writes into the caller's array, where it can be written.",
        "dtype": "float32 stays float32: no `astype`, and Python's own 1 for the zeros.",
    },
    mistakes={
        "axis": Mistake(
            "axis",
            "each column was divided by its length; asked for: each row.",
            lambda x: x / _safe(np.sqrt((x * x).sum(axis=0, keepdims=True))),
        ),
        "whole": Mistake(
            "axis",
            "everything was divided by one length, that of the whole array; asked for: each row by its own.",
            lambda x: x / _safe(np.sqrt((x * x).sum())),
        ),
        "squared": Mistake(
            "squared",
            "each row was divided by the square of its length: the root is missing.",
            lambda x: x / _safe((x * x).sum(axis=1, keepdims=True)),
        ),
    },
)
