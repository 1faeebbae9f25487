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

import linecache
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
from numba.core.registry import CPUDispatcher

THREADS = 4
"""What `numba.get_num_threads` says in a rehearsal."""


@dataclass(frozen=True)
class Access:
    """One access to an element: the index, the array's shape, and the line of the source that did it."""

    index: tuple[int, ...]
    shape: tuple[int, ...]
    line: str
    number: int
    writes: bool = False

    def __str__(self) -> str:
        where = f"line {self.number}: `{self.line}`" if self.line else f"line {self.number}"
        return f"[{', '.join(map(str, self.index))}] of an array of shape {self.shape}, in {where}"


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
    """

    outside: Access | None = None
    wrapped: Access | None = None
    race: Race | None = None
    parallel: bool = False
    _by_iteration: Race | None = field(default=None, repr=False)
    _by_thread: Race | None = field(default=None, repr=False)


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
    try:
        with np.errstate(all="ignore"):
            copy(*watched)
    except _Outside:
        pass
    except Exception:
        return None
    found = stage.found
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
        parallel = isinstance(function, CPUDispatcher) and bool(function.targetoptions.get("parallel"))
        entered = self._threaded(copy) if parallel else copy
        self.copies[id(source)] = entered
        # Filled only now: a function may name itself.
        names.update({name: self._replaced(value, source) for name, value in source.__globals__.items()})
        for cell, theirs in zip(cells or (), source.__closure__ or (), strict=True):
            if not _is_empty(theirs):
                cell.cell_contents = self._replaced(theirs.cell_contents, source)
        return entered

    def _threaded(self, copy: Callable[..., Any]) -> Callable[..., Any]:
        def entered(*args: Any, **kwargs: Any) -> Any:
            self.threaded += 1
            try:
                return copy(*args, **kwargs)
            finally:
                self.threaded -= 1

        return entered

    def _replaced(self, value: Any, source: types.FunctionType) -> Any:
        if value is np:
            return _Numpy(self)
        if value is numba:
            return _Numba(self)
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

    def touch(self, array: np.ndarray, index: tuple[int, ...], writes: bool) -> None:
        """Take down that the running iteration touches an element, and whom it meets there."""
        if self.now is None:
            return
        writers, readers = self.touched.setdefault(_address(array, index), ([], []))
        for other in writers if not writes else [*writers, *readers]:
            self._met(other, array, index, writes)
        seen = writers if writes else readers
        if self.now not in seen and len(seen) < 2 * THREADS:
            seen.append(self.now)

    def _met(self, other: tuple[int, int], array: np.ndarray, index: tuple[int, ...], writes: bool) -> None:
        for which, attribute in ((0, "_by_iteration"), (1, "_by_thread")):
            if other[which] != self.now[which] and getattr(self.found, attribute) is None:
                race = Race(other[0], self.now[0], _access(array, index, writes))
                setattr(self.found, attribute, race)

    # -- the arrays ------------------------------------------------------------------------------------------------

    def watched(self, array: np.ndarray) -> Any:
        watched = np.asarray(array).view(_Watched)
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
                self.found.outside = _access(array, index, writes)
                raise _Outside
            if part < 0 and self.found.wrapped is None:
                self.found.wrapped = _access(array, index, writes)
        if len(index) < array.ndim:
            return False
        self.touch(array, tuple(p % s for p, s in zip(index, array.shape, strict=True)), writes)
        return True

    def whole(self, array: np.ndarray, writes: bool) -> None:
        """A slice was read or written: each of its elements was."""
        if self.now is not None:
            for index in np.ndindex(array.shape):
                self.touch(array, index, writes)


class _Watched(np.ndarray):
    """An array that tells its stage of each element that is read or written."""

    stage: Any = None
    part = False  # a view that an index made

    def __array_finalize__(self, parent: Any) -> None:
        self.stage = getattr(parent, "stage", None)
        if self.stage is not None:
            self.stage.kept.append(self)

    def __getitem__(self, key: Any) -> Any:
        if self.stage is not None and self.stage.indexed(self, key, writes=False):
            return super().__getitem__(key).item()
        got = super().__getitem__(key)
        if isinstance(got, _Watched):
            got.part = True
            return got
        return got.item() if isinstance(got, np.generic) else got

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.stage is not None and not self.stage.indexed(self, key, writes=True):
            self.stage.whole(super().__getitem__(key), writes=True)
        if isinstance(value, int) and self.dtype.kind in "iu":
            value = np.array(value).astype(self.dtype)  # stored as machine code stores it, not refused
        super().__setitem__(key, value)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def _in_place(self, operation: str, other: Any) -> Any:
        # `total += row` on a whole array is a reduction, which Numba makes safe; on a slice of one it is not.
        if self.part and self.stage is not None:
            self.stage.whole(self, writes=True)
        return getattr(super(), operation)(other)

    def __iadd__(self, other: Any) -> Any:
        return self._in_place("__iadd__", other)

    def __isub__(self, other: Any) -> Any:
        return self._in_place("__isub__", other)

    def __imul__(self, other: Any) -> Any:
        return self._in_place("__imul__", other)


class _Numpy:
    """NumPy whose arrays watch, and whose scalar types give Python numbers."""

    def __init__(self, stage: _Stage):
        self._stage = stage

    def __getattr__(self, name: str) -> Any:
        value = getattr(np, name)
        if isinstance(value, type) and issubclass(value, np.number):
            return _Scalar(value)
        return self._giving(value) if callable(value) and not isinstance(value, type) else value

    def _giving(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            plain = [each.kind if isinstance(each, _Scalar) else each for each in args]
            named = {key: each.kind if isinstance(each, _Scalar) else each for key, each in kwargs.items()}
            got = function(*plain, **named)
            if isinstance(got, np.generic):
                return got.item()
            return self._stage.watched(got) if type(got) is np.ndarray else got

        return call


class _Scalar:
    """A NumPy scalar type: as a dtype it is itself, called it gives the converted Python number."""

    def __init__(self, kind: type):
        self.kind = kind
        self.dtype = np.dtype(kind)  # NumPy asks for it wherever a dtype is wanted

    def __call__(self, value: Any = 0) -> Any:
        return np.asarray(value).astype(self.kind).item()


class _Numba:
    def __init__(self, stage: _Stage):
        self._ours = {getattr(real, "__name__", ""): ours for real, ours in stage._intrinsics().items()}
        self._stage = stage

    def __getattr__(self, name: str) -> Any:
        if name in self._ours:
            return self._ours[name]
        value = getattr(numba, name)
        return _Scalar(np.dtype(name).type) if name in _TYPES else value


_TYPES = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"}


def _is_empty(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


def _address(array: np.ndarray, index: tuple[int, ...]) -> int:
    return array.ctypes.data + sum(i * s for i, s in zip(index, array.strides, strict=True))


def _access(array: np.ndarray, index: tuple[int, ...], writes: bool) -> Access:
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    if frame is None:
        return Access(index, array.shape, "", 0, writes)
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return Access(index, array.shape, line, frame.f_lineno, writes)
