"""Kernels carried out in NumPy: all threads of some blocks in lockstep, one operation for all of them at a time.

It needs nothing but NumPy, and so runs where there is no compiler: in a browser, or for what Numba does not compile.
"""

from __future__ import annotations

import enum
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ...faults import PYTHONS, SECONDS_SETTING, KernelError, UncompilableError
from ...frontend.intrinsics import EXCHANGING
from ...ir.types import NONE, Array, Record, Scalar, Time, Tuple, Type, TypingError, of_value
from . import orders
from .arrays import Arr, wrap, wrap_record
from .chunk import Chunk
from .program import Program
from .schedule import Scheduler
from .tracing import Tracer

LANES = 20 << 10
"""Threads that run together, about: enough that NumPy's own cost for each operation is small, few enough that temporaries
stay in the cache and are not returned to the system after each use (measured: 3 times slower from 32 Ki on)."""
SECONDS = 3.0


class Run:
    """One launch."""

    def __init__(self, program, griddim, blockdim, arguments, sharedmem, log, should_stop, debug, count):
        self.program, self.griddim, self.blockdim = program, griddim, blockdim
        self.arguments, self.sharedmem, self.log = arguments, sharedmem, log
        self.should_stop, self.debug, self.count = should_stop, debug, count
        self.random: np.random.Generator | None = None  # which of several lanes that store to one element wins
        self.beyond = False  # whether it goes on past the end of an array
        self.row_outside = False  # whether a row or a record is none
        self.passed: tuple[KernelError, int] | None = None  # the first access past an end, and how many there were
        self.seconds = float(os.environ.get(SECONDS_SETTING) or SECONDS)
        self.tracer = None if log is None else Tracer(log, math.prod(blockdim))

    def note(self, fault, count: int) -> None:
        """An access past the end of an array, in a kernel that goes on."""
        first, before = self.passed or (fault, 0)
        self.passed = first, before + count

    def whole(self, chunk: Chunk) -> bool:
        """Whether a chunk is the whole grid."""
        return len(chunk.blocks) == self.count

    def fields(self, place) -> dict:
        """Where a fault happened, as its fields."""
        if place is None:
            return {"kernel": self.program.function.name}
        function, node = place
        line = node.lineno
        kernel = self.program.function
        return {
            "kernel": kernel.name,
            "function": None if function is kernel else function.name,
            "filename": function.filename,
            "line": line,
            "file_line": function.firstlineno + line - 1,
            "source_line": function.line(line),
        }


def compile_kernel(function, argtypes: tuple[Type, ...], debug: bool = False, cut=None) -> Program:
    """The program of a kernel for arguments of given types; made once.

    `cut` may divide its blocks, see :mod:`.orders`.

    Raises
    ------
    UncompilableError
        For what a GPU refuses, with the line.
    """
    programs = function.__dict__.setdefault("_interpreted", {})  # kept with the function, gone with it
    found = programs.get((argtypes, debug, cut))
    if found is None:
        try:
            found = programs[argtypes, debug, cut] = Program(function, argtypes, debug, cut)
        except UncompilableError as error:
            raise as_numbas(error) from None
    return found


def as_numbas(error: UncompilableError) -> UncompilableError:
    """An error as Numba's kind of error, where there is Numba."""
    if not error.numbas:
        return error
    kind = PYTHONS.get(error.numbas)
    if kind is None:
        try:
            from ..numba import diagnostics
        except ImportError:
            return error
        kind = getattr(diagnostics, error.numbas)
    return kind(error.sentence, **{name: getattr(error, name) for name in error.fields})


def argument_types(function, args: tuple) -> tuple[Type, ...]:
    """The types of a kernel's arguments.

    Raises
    ------
    UncompilableError
        For what no kernel takes: lists, dictionaries, other objects.
    """
    types = []
    for name, value in zip(function.params, args, strict=False):
        try:
            types.append(of_value(value))
        except TypingError as refused:
            raise function.error(f"The argument {name}: {refused}", function.node) from None
    return tuple(types)


def run(
    function,
    griddim: tuple[int, int, int],
    blockdim: tuple[int, int, int],
    args: tuple,
    *,
    sharedmem: int = 0,
    log=None,
    blocks: np.ndarray | None = None,
    should_stop: Callable[[], None] = lambda: None,
    debug: bool = False,
    order: orders.Order | None = None,
    beyond: bool = False,
) -> tuple[KernelError, int] | None:
    """Carry out a kernel; its arrays hold the results afterwards.

    Parameters
    ----------
    function : Function
        Resolved.
    griddim, blockdim : tuple of int
        ``(x, y, z)``.
    args : tuple
        NumPy arrays, which are read and written in place, numbers, tuples, records.
    sharedmem : int
        Bytes of dynamic shared memory.
    log : Recorder, optional
        Where accesses are written down.
    blocks : numpy.ndarray of int64, optional
        Linear ids of the blocks to run; all if left out.
    should_stop : callable
        Called every so often; may raise.
    debug : bool
        A division by zero is a fault, as are exceptions that the kernel raises.
    order : Order, optional
        In which order threads go on; left out, all of a block in step, as is fastest here.
    beyond : bool
        Whether it goes on past the end of an array.

    Returns
    -------
    tuple of (KernelError, int), or None
        Of a kernel that went on past the end of an array, the first such access and how many there were.

    Raises
    ------
    KernelError
        See :mod:`..faults`.
    """
    griddim, blockdim = (*griddim, 1, 1)[:3], (*blockdim, 1, 1)[:3]
    if len(args) < len(function.params):
        args = (*args, *function.defaults[len(function.defaults) - (len(function.params) - len(args)) :])
    args = tuple(a.value if isinstance(a, enum.Enum) else a for a in args)
    types = argument_types(function, args)
    program = compile_kernel(function, types, debug, None if order is None else orders.cut)
    arguments = {}
    for k, number in program.parameters:
        arguments[number] = _argument(args[k], types[k], function.params[k])
    numbers = np.arange(math.prod(griddim), dtype=np.int64) if blocks is None else np.asarray(blocks, np.int64)
    made = Run(program, griddim, blockdim, arguments, sharedmem, log, should_stop, debug, len(numbers))
    made.beyond = beyond
    room = LANES if order is None else orders.MOST
    each = max(1, room // math.prod(blockdim))
    if order is not None and order.blocks:
        each = min(each, order.blocks)
    if program.grid_wide:
        each = len(numbers)
    scheduler = Scheduler(made, program.steps)
    if order is not None:
        scheduler = orders.Shuffled(made, program.steps, order)
        made.random = scheduler.random if order.shuffled else None
        made.seconds *= orders.PATIENCE
        if order.shuffled and log is None:
            numbers = scheduler.random.permutation(numbers)
    chunks = (Chunk(made, numbers[k : k + each], k) for k in range(0, len(numbers), each))
    if log is not None and function.intrinsics & EXCHANGING:
        log.exchanging()
    with np.errstate(all="ignore"):
        scheduler.go(chunks)
    return made.passed


def _argument(value: Any, t: Type, name: str) -> Any:
    if isinstance(t, Scalar | Time):
        return np.asarray(value, t.dtype)[()]
    if isinstance(t, Array):
        return wrap(value, name)
    if isinstance(t, Record):
        return wrap_record(value, name)
    if isinstance(t, Tuple):
        return tuple(_argument(v, i, f"{name}[{k}]") for k, (v, i) in enumerate(zip(value, t.items, strict=True)))
    return None


__all__ = ["NONE", "Arr", "argument_types", "compile_kernel", "run"]
