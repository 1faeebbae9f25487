"""Lanes that are at one place of the kernel, and their variables."""

from __future__ import annotations

import re

import numpy as np

from ...faults import DeviceFailure, DivisionFault, KernelError, OutOfBoundsError, UncompilableError, raised
from .arrays import address
from .chunk import Chunk
from .lanes import join, take

_LENGTH = re.compile(r"(%%)|(%[-+ #0]*\d*(?:\.\d*)?)(?:hh|h|ll|l|z|t|j)")
"""What the length of a number is written as in C; Python's operator % takes no ``ll``."""


class Group:
    """The lanes that go on together.

    Attributes
    ----------
    chunk : Chunk
    lanes : numpy.ndarray, int64
        Ascending.
    E : dict
        Value's number → its value: an array over `lanes`, or one for all.
    at : int
        Number of the block they come to next.
    """

    __slots__ = ("chunk", "lanes", "n", "E", "at", "full", "log", "_block", "_pending", "turns", "since", "passed")

    def __init__(self, chunk: Chunk, lanes: np.ndarray, values: dict, at: int):
        self.chunk, self.lanes, self.E, self.at = chunk, lanes, values, at
        self.n = len(lanes)
        self.full = self.n == chunk.n
        self.log = chunk.run.log
        self._block = None
        self._pending = None
        self.turns = 0  # of a loop, since the last lane left it
        self.since = 0.0
        self.passed = False  # has waited at the block it is at

    def part(self, at: np.ndarray, live, block: int) -> Group:
        """Some of the lanes, with the variables that are still wanted."""
        mine = self.E
        made = Group(self.chunk, self.lanes.take(at), {k: take(mine[k], at) for k in live if k in mine}, block)
        made.turns, made.since = self.turns, self.since
        return made

    @staticmethod
    def together(groups: list[Group], live) -> Group:
        """One group of several at the same place.

        Raises
        ------
        Unmergeable
            If their variables hold views of different memories.
        """
        first = groups[0]
        sizes = [g.n for g in groups]
        lanes = np.concatenate([g.lanes for g in groups])
        order = np.argsort(lanes, kind="stable")
        if (order[1:] > order[:-1]).all():
            order = None
        values = {k: join([g.E[k] for g in groups], sizes, order) for k in live if all(k in g.E for g in groups)}
        made = Group(first.chunk, lanes if order is None else lanes[order], values, first.at)
        made.since, made.passed = min(g.since for g in groups), first.passed
        return made

    # What generated code calls

    def special(self, name: str):
        value = self.chunk.special(name)
        return value if self.full or type(value) is not np.ndarray else value.take(self.lanes)

    def block_number(self):
        """Of each lane's block, in the chunk."""
        if len(self.chunk.blocks) == 1:
            return 0
        if self._block is None:
            numbers = self.chunk.block_of
            self._block = numbers if self.full else numbers.take(self.lanes)
        return self._block

    def shared(self, info):
        return self.chunk.shared(info)

    def local(self, info):
        return self.chunk.local(info)

    def divisor(self, value, place):
        """A divisor, in a kernel compiled with debug=True."""
        zero = np.broadcast_to(np.asarray(value) == 0, self.n)
        if zero.any():
            raise DivisionFault(**self.where(place, int(np.argmax(zero))))
        return value

    def print(self, *values) -> None:
        columns = [self._column(v) for v in values]
        for row in zip(*columns, strict=True) if columns else [()] * self.n:
            print(*map(_printed, row))

    def printf(self, text: str, values: tuple):
        """C's ``printf``, a thread at a time; returns the number of values."""
        known_to_python = _LENGTH.sub(r"\1\2", text)
        print(*(known_to_python % row for row in self._column(values)), sep="", end="", flush=True)
        return np.int32(len(values))

    def _column(self, value):
        """A value for each of the lanes."""
        if isinstance(value, tuple):
            return list(zip(*map(self._column, value), strict=True)) if value else [()] * self.n
        return value if type(value) is np.ndarray else [value] * self.n

    def fence(self, place, name: str) -> None:
        if self.log is not None:
            self.chunk.run.tracer.fence(self, place, name)

    def trace(self, a, at, access, used) -> None:
        self._pending = self.chunk.run.tracer.access(self, a, at, access, used)

    def trace_value(self, value) -> None:
        self.chunk.run.tracer.values(self, self._pending, value)

    # Faults

    def where(self, place, k: int) -> dict:
        """The fields of a fault of the k-th lane."""
        thread, block = self.chunk.thread(int(self.lanes[k]))
        return self.chunk.run.fields(place) | {"thread": thread, "block": block}

    def out_of_bounds(self, a, index, axis, access, k, count) -> None:
        """An access of the k-th lane, the first of `count`, is past an end: raised, or noted where the kernel goes on."""
        if self.log is not None and access.kind != "atomic" and not self.chunk.run.beyond:
            self._trace_inside(a, index, access)
        one = lambda v: v[k] if type(v) is np.ndarray else v  # noqa: E731
        shown = tuple(int(one(i)) if not isinstance(i, slice) and i is not None else 0 for i in index)
        fault = OutOfBoundsError(
            **self.where(access.place, k),
            array=access.array,
            index=shown,
            axis=axis,
            size=int(one(a.shape[axis])) if a.shape else 0,
            shape=tuple(int(one(n)) for n in a.shape),
            writing=access.kind != "read",
        )
        if not self.chunk.run.beyond:
            raise fault
        self.chunk.run.note(fault, count)

    def _trace_inside(self, a, index, access) -> None:
        """Write down what the other lanes touch, which are inside: a trace then shows more than where it ended."""
        if any(isinstance(i, slice) or i is None for i in index):
            return
        inside = np.ones(self.n, bool)
        for i, n in zip(index, a.shape, strict=True):
            i = np.asarray(i).astype(np.int64)
            inside &= (i >= 0) & (i < n) | (i < 0) & (i + n >= 0)
        at = np.flatnonzero(inside)
        if len(at):
            part = self.part(at, (), self.at)
            address(part, take(a, at), take(tuple(index), at), access)
            if part._pending is not None:  # the values are not known here, and nobody asks for them after a fault
                part.trace_value(np.zeros((), a.flat.dtype))

    def out_of_tuple(self, n, index, place, k) -> None:
        at = int(index[k]) if type(index) is np.ndarray else int(index)
        raise OutOfBoundsError(**self.where(place, k), array="a tuple", index=(at,), axis=0, size=n, shape=(n,))

    def read_only(self, a, access) -> None:
        raise UncompilableError(
            f"{access.array} cannot be written to: it is a constant.", **self.chunk.run.fields(access.place)
        )

    def refuse(self, what: str, access) -> None:
        raise UncompilableError(f"A kernel cannot do this: {what}.", **self.chunk.run.fields(access.place))

    def raised(self, exception, place) -> None:
        """A ``raise`` or a failed assertion: with debug=True told, else the threads end, as on a GPU."""
        cls, args = exception
        if self.chunk.run.debug or issubclass(cls, DeviceFailure):
            raise raised(cls(*args), KernelError("", **self.where(place, 0)))


def _printed(value) -> str:
    """A value as a GPU prints it: floats by ``%f``."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_printed, value))}{',' * (len(value) == 1)})"
    return f"{value:f}" if isinstance(value, float | np.floating) else str(value)
