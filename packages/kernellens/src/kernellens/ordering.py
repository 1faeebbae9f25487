"""The schedule explorer: one launch under several orders of its threads, and whether they give the same answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpusim.kernels import limits
from gpusim.kernels.backends.numpy.orders import Order, some
from gpusim.kernels.faults import KernelError, miscounted
from gpusim.kernels.sanitizer.findings import Finding

from .arguments import to_host
from .tracing import _function, _kernel, trace

MOST = 1 << 17
"""Threads of a launch that is run in several orders: more would take minutes."""
SECONDS = 60.0
"""After so long no further order is begun."""
_CLOSE = {"e": 1e-2, "f": 1e-5, "d": 1e-12, "F": 1e-5, "D": 1e-12}


@dataclass(frozen=True)
class Answer:
    """What a launch leaves in one order of its threads.

    Attributes
    ----------
    order : Order
        The first of the orders that gave it.
    orders : int
        How many did.
    results : tuple
        The arguments as the kernel left them.
    fault : KernelError or None
        What stopped it: a block that parts at a barrier may do so in one order only.
    """

    order: Order
    orders: int
    results: tuple
    fault: KernelError | None


@dataclass(frozen=True)
class Difference:
    """An array in which two answers differ.

    Attributes
    ----------
    name : str
    position : int
        Of the argument.
    indices : numpy.ndarray, int64, shape (n, ndim)
        Of the elements that differ between some two answers.
    how : str
        ``"rounding"`` where they differ in their last digits only, as sums do whose terms come in another order;
        ``"order"`` where the same values stand in another order; else ``"values"``.
    """

    name: str
    position: int
    indices: np.ndarray
    how: str


@dataclass(repr=False)
class Schedules:
    """What the orders of a launch's threads come to; shown in a notebook as a picture, printed as text.

    Attributes
    ----------
    kernel : str
    griddim, blockdim : tuple of int
    tried : int
        Orders that were run.
    answers : list of Answer
        The different ones, the first order's first.
    differences : list of Difference
        The arrays in which they differ.
    races : list of Finding
        What `trace` says of the same launch: where the race is.
    """

    kernel: str
    griddim: tuple[int, int, int]
    blockdim: tuple[int, int, int]
    tried: int
    answers: list[Answer]
    differences: list[Difference]
    races: list[Finding] = field(default_factory=list)

    @property
    def agree(self) -> bool:
        """Whether all orders gave the same: which is no proof that every order does."""
        return len(self.answers) == 1

    def figure(self) -> Any:
        """Return the picture: two different answers side by side."""
        from .pictures import answers

        return answers.figure(self)

    def __repr__(self) -> str:
        from .pictures import answers

        return answers.text(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.figure()._repr_mimebundle_(include, exclude)


def schedules(
    kernel: Any,
    griddim: int | tuple[int, ...],
    blockdim: int | tuple[int, ...],
    *args: Any,
    seeds: int = 8,
    sharedmem: int = 0,
) -> Schedules:
    """Run a kernel with its threads in several orders, and compare what comes out.

    A GPU promises no order between blocks or warps, nor between the lanes of a warp.  So at every access of memory another
    warp may go on, in some orders the lanes of a warp run separately, blocks begin in any order, and where several lanes store to one
    element any of them wins.  Which, the seeds decide: the same seed gives the same order on every machine.

    Parameters
    ----------
    kernel : function
        Decorated with ``@cuda.jit``, or the plain Python function.
    griddim, blockdim : int or tuple of up to 3 int
    *args
        As in `trace`; they are not changed.
    seeds : int
        Orders, at least 2.
    sharedmem : int
        Bytes of dynamic shared memory of a block.

    Returns
    -------
    Schedules

    Raises
    ------
    ValueError
        For fewer than two orders, or more threads than 131 072.
    KernelError
        If the kernel does not compile or cannot be launched so.
    """
    if seeds < 2:
        raise ValueError(f"schedules compares at least two orders, seeds={seeds} is too few.")
    made = _kernel(_function(kernel))
    griddim, blockdim = limits.normalize(griddim, blockdim)
    threads = int(np.prod([*griddim, *blockdim], dtype=np.int64))
    if threads > MOST:
        raise ValueError(
            f"{threads} threads in {seeds} orders would take minutes: run a smaller launch, of at most {MOST} threads; "
            "a race shows there too."
        )
    found: dict[tuple, Answer] = {}
    tried, begun = 0, time.monotonic()
    for order in some(seeds):
        copies = to_host(_complete(made, args))
        fault = made.ordered(griddim, blockdim, copies, order, sharedmem=sharedmem)
        if fault is not None and type(fault).__name__ in ("UncompilableError", "LaunchError"):
            raise fault
        key = (type(fault).__name__, *(value.tobytes() for _, value in _arrays(copies)))
        before = found.get(key)
        found[key] = Answer(order, 1 if before is None else before.orders + 1, copies, fault)
        if before is not None:
            found[key] = Answer(before.order, before.orders + 1, before.results, before.fault)
        tried += 1
        if tried > 1 and time.monotonic() - begun > SECONDS or type(fault).__name__ == "EndlessError":
            break  # what does not end in one order is not waited for in others
    answers = list(found.values())
    return Schedules(
        kernel=made.name,
        griddim=griddim,
        blockdim=blockdim,
        tried=tried,
        answers=answers,
        differences=_differences(made.function().params, answers),
        races=_races(kernel, griddim, blockdim, args, sharedmem),
    )


def _complete(made: Any, args: tuple) -> tuple:
    """The arguments with the defaults of those left out."""
    function = made.function()
    missing = len(function.params) - len(args)
    if not 0 <= missing <= len(function.defaults):
        raise TypeError(miscounted(made.name, function.params, len(args), len(function.defaults)))
    return (*args, *function.defaults[len(function.defaults) - missing :])


def _arrays(results: tuple) -> list[tuple[int, np.ndarray]]:
    """The arrays among arguments, those in tuples too, with the argument's position."""
    found = []
    for position, value in enumerate(results):
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, np.ndarray):
                found.append((position, item))
    return found


def _differences(names: Sequence[str], answers: list[Answer]) -> list[Difference]:
    found = []
    lists = [_arrays(answer.results) for answer in answers]
    for number, (position, first) in enumerate(lists[0]):
        others = [each[number][1] for each in lists[1:]]
        differs = np.zeros(first.shape, bool)
        for other in others:
            differs |= ~_same(first, other)
        if differs.any():
            how = "values"
            if first.dtype.char in _CLOSE and all(_close(first, other) for other in others):
                how = "rounding"
            elif first.dtype.fields is None and all(_permuted(first, other) for other in others):
                how = "order"
            found.append(Difference(names[position], position, np.argwhere(differs), how))
    return found


def _same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where two arrays hold the same, not-a-number included."""
    same = a == b
    if a.dtype.kind in "fc":
        same |= np.isnan(a) & np.isnan(b)
    return same


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    rtol = _CLOSE[a.dtype.char]
    finite = np.abs(a[np.isfinite(a)])
    return bool(np.allclose(a, b, rtol, rtol * float(finite.max(initial=0)), equal_nan=True))


def _permuted(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(_same(np.sort(a, axis=None), np.sort(b, axis=None)).all())


def _races(kernel: Any, griddim, blockdim, args: tuple, sharedmem: int) -> list[Finding]:
    """The races that a trace of the same launch finds; none where there cannot be one."""
    try:
        errors = trace(kernel, griddim, blockdim, *args, sharedmem=sharedmem, blocks=64).errors
    except (KernelError, MemoryError):
        return []
    return [finding for finding in errors if finding.kind == "race"]
