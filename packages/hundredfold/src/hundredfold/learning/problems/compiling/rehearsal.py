"""Rehearse what Numba compiled: run its Python source in the interpreter, over arrays that watch who touches them.

Compiled code checks no bounds: what it reads past the end is whatever lies there, and what it writes there may be
anybody's. And a race between the iterations of a `prange` shows when it likes. So before compiled code is run, its
source is, on small arrays and one iteration after the other, and three things are found that no run of the compiled
code shows for certain: an index out of bounds, a negative index (which is the other end of the array), and an element
that two iterations of a `prange` touch while one of them writes it. Each with its line.

Values are Python's own here (an int8 that is read becomes an int), so control flow is as in Numba, where sums of small
integers do not wrap; results are not looked at.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
from numba.core.registry import CPUDispatcher

from .watching import Access, RehearsalNumba, Watched, WatchingNumpy, access, address

THREADS = 4
"""What `numba.get_num_threads` says in a rehearsal."""


@dataclass(frozen=True)
class Race:
    """Two iterations of a `prange` and the element that both touch, one of them writing."""

    first: int
    second: int
    access: Access


@dataclass
class Rehearsal:
    """What a rehearsal found.

    Attributes
    ----------
    outside : Access or None
        The first access out of bounds; the rehearsal ended there.
    wrapped : Access or None
        The first access with a negative index.
    race : Race or None
        The first pair of iterations that must not run at the same time.
    parallel : bool
        Whether a `prange` ran in a function that was compiled with ``parallel=True``.
    compiled : bool
        Whether a compiled function took part.
    made : int
        Elements of the largest array that was made on the way.
    reads : dict of int to int
        How many elements of the arguments each iteration of the `prange` reads, by its number; -1 is what is outside of it.
    alone : int
        How many of these elements the thread that called the function read one by one, outside of any `prange`.
    whole : bool
        Whether the source ran to its end.
    """

    outside: Access | None = None
    wrapped: Access | None = None
    race: Race | None = None
    parallel: bool = False
    compiled: bool = False
    made: int = 0
    reads: dict[int, int] = field(default_factory=dict)
    alone: int = 0
    whole: bool = False
    _by_iteration: Race | None = field(default=None, repr=False)
    _by_thread: Race | None = field(default=None, repr=False)

    @property
    def most(self) -> float:
        """The share of all reads that the busiest iteration does, or what is outside of the `prange`; 0 if nothing was read."""
        return max(self.reads.values(), default=0) / max(sum(self.reads.values()), 1)


def rehearse(function: Any, arguments: tuple[Any, ...]) -> Rehearsal | None:
    """Run the source of a compiled function, or of a function that calls compiled ones, over watching arrays.

    Returns
    -------
    Rehearsal or None
        None where the source cannot run in the interpreter: it raised something else than an index error.
    """
    stage = _Stage()
    copy = stage.copied(function)
    if copy is None:
        return None
    watched = tuple(stage.watched(np.array(a)) if isinstance(a, np.ndarray) else a for a in arguments)
    stage.given = [np.lib.array_utils.byte_bounds(a) for a in watched if isinstance(a, np.ndarray) and a.size]
    try:
        with np.errstate(all="ignore"):
            copy(*watched)
        stage.found.whole = True
    except _Outside:
        pass
    except Exception:
        return None
    found = stage.found
    theirs = [a for a in watched if isinstance(a, np.ndarray)]
    made = (each.size for each in stage.kept if not any(np.may_share_memory(each, a) for a in theirs))
    found.made = max(made, default=0)
    found.race = found._by_thread if stage.asked_who else found._by_iteration
    return found


class _Outside(Exception):
    """Ends a rehearsal: what a compiled program does after it is anybody's guess."""


class _Stage:
    """The state of one rehearsal: which iteration is running, who touched which element."""

    def __init__(self) -> None:
        self.found = Rehearsal()
        self.kept: list[Any] = []  # no address may be used twice
        self.copies: dict[int, Any] = {}
        self.now: tuple[int, int] | None = None  # (iteration, thread), inside a prange
        self.touched: dict[int, tuple[list, list]] = {}  # address -> (writers, readers)
        self.asked_who = False
        self.given: list[tuple[int, int]] = []  # the memory of the arguments
        self.caller = threading.get_ident()
        self.threaded = 0  # how many functions on the stack were compiled with parallel=True

    # -- the functions ---------------------------------------------------------------------------------------------

    def copied(self, function: Any) -> Callable[..., Any] | None:
        """A copy of a function whose NumPy, Numba and compiled helpers are the rehearsal's."""
        source = getattr(function, "py_func", function)
        if not isinstance(source, types.FunctionType):
            return None
        if id(source) in self.copies:
            return self.copies[id(source)]
        names: dict[str, Any] = {}
        cells = tuple(types.CellType() for _ in source.__closure__ or ()) or None
        copy = types.FunctionType(source.__code__, names, source.__name__, source.__defaults__, cells)
        copy.__kwdefaults__ = source.__kwdefaults__
        entered = self._entered(function, copy) if isinstance(function, CPUDispatcher) else copy
        self.copies[id(source)] = entered
        # Filled only now: a function may name itself.
        names.update({name: self._replaced(value, source) for name, value in source.__globals__.items()})
        for cell, theirs in zip(cells or (), source.__closure__ or (), strict=True):
            if not _is_empty(theirs):
                cell.cell_contents = self._replaced(theirs.cell_contents, source)
        return entered

    def _entered(self, function: CPUDispatcher, copy: Callable[..., Any]) -> Callable[..., Any]:
        """A compiled function's copy that says when it runs."""
        threaded = bool(function.targetoptions.get("parallel"))

        def entered(*args: Any, **kwargs: Any) -> Any:
            self.found.compiled = True
            self.threaded += threaded
            try:
                return copy(*args, **kwargs)
            finally:
                self.threaded -= threaded

        return entered

    def _replaced(self, value: Any, source: types.FunctionType) -> Any:
        if value is np:
            return WatchingNumpy(self)
        if value is numba:
            return RehearsalNumba(self._intrinsics())
        ours = self._intrinsics()
        if isinstance(value, types.FunctionType | type) and value in ours:
            return ours[value]
        if isinstance(value, CPUDispatcher):
            return self.copied(value)
        if isinstance(value, types.FunctionType) and value.__globals__ is source.__globals__:
            return self.copied(value)
        return value

    def _intrinsics(self) -> dict[Any, Any]:
        return {
            numba.prange: self.prange,
            numba.get_num_threads: lambda: THREADS,
            numba.get_thread_id: self.thread,
            numba.set_num_threads: lambda n: None,
        }

    # -- the iterations --------------------------------------------------------------------------------------------

    def prange(self, *bounds: int) -> Any:
        if self.now is not None or not self.threaded:  # an inner prange, or one that was not compiled for threads
            yield from range(*bounds)
            return
        self.found.parallel = True
        turns = range(*bounds)
        # Few turns: one for each thread. Many: dealt out so that no pattern of the index follows the threads.
        deal = np.random.default_rng(len(turns)).integers(0, THREADS, len(turns))
        self.touched.clear()
        try:
            for number, index in enumerate(turns):
                self.now = number, int(deal[number]) if len(turns) > THREADS else number
                yield index
        finally:
            self.now = None

    def thread(self) -> int:
        self.asked_who = True
        return self.now[1] if self.now else 0

    def touch(self, array: np.ndarray, index: tuple[int, ...], writes: bool, where: int) -> None:
        """Take down that the running iteration touches an element, and whom it meets there."""
        if self.now is None:
            return
        writers, readers = self.touched.setdefault(where, ([], []))
        for other in writers if not writes else [*writers, *readers]:
            self._met(other, array, index, writes)
        seen = writers if writes else readers
        if self.now not in seen and len(seen) < 2 * THREADS:
            seen.append(self.now)

    def _met(self, other: tuple[int, int], array: np.ndarray, index: tuple[int, ...], writes: bool) -> None:
        for which, attribute in ((0, "_by_iteration"), (1, "_by_thread")):
            if other[which] != self.now[which] and getattr(self.found, attribute) is None:
                race = Race(other[0], self.now[0], access(array, index, writes))
                setattr(self.found, attribute, race)

    # -- the arrays ------------------------------------------------------------------------------------------------

    def watched(self, array: np.ndarray) -> Any:
        watched = np.asarray(array).view(Watched)
        watched.stage = self
        self.kept.append(watched)
        return watched

    def indexed(self, array: np.ndarray, key: Any, writes: bool) -> bool:
        """Check an index before it is used; true if it names one element."""
        parts = key if isinstance(key, tuple) else (key,)
        if not all(isinstance(part, (int, np.integer)) and not isinstance(part, bool) for part in parts):
            return False
        index = tuple(int(part) for part in parts)
        if len(index) > array.ndim:
            return False
        for part, size in zip(index, array.shape, strict=False):
            if not -size <= part < size:
                self.found.outside = access(array, index, writes)
                raise _Outside
            if part < 0 and self.found.wrapped is None:
                self.found.wrapped = access(array, index, writes)
        if len(index) < array.ndim:
            return False
        within = tuple(p % s for p, s in zip(index, array.shape, strict=True))
        where = address(array, within)
        self.touch(array, within, writes, where)
        if not writes:
            alone = self.now is None and threading.get_ident() == self.caller
            self.found.alone += alone * self.reading(where, 1)
        return True

    def reading(self, where: int, elements: int) -> int:
        """Take down who reads so many elements, if they are an argument's; return how many of them are."""
        for low, high in self.given:
            if low <= where < high:
                who = self.now[0] if self.now else -1
                self.found.reads[who] = self.found.reads.get(who, 0) + elements
                return elements
        return 0

    def handed(self, value: Any) -> None:
        """A function that is not rehearsed got an array, and reads it."""
        if isinstance(value, np.ndarray) and value.size:
            self.reading(value.ctypes.data, value.size)

    def whole(self, array: np.ndarray, writes: bool) -> None:
        """A slice was read or written: each of its elements was."""
        if self.now is not None:
            for index in np.ndindex(array.shape):
                self.touch(array, index, writes, address(array, index))


def _is_empty(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False
