"""What can go wrong in a kernel, said so that its author knows where and what to do.

Every fault names the learner's own line.  Faults cross processes (Dask sends a worker's exceptions back), so each is
rebuilt from its sentence and its fields.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

SECONDS_SETTING = "GPUSIM_THREAD_SECONDS"
LAUNCH_SETTING = "GPUSIM_LAUNCH_SECONDS"
TRACE_SETTING = "GPUSIM_TRACE"
_COORDINATES = ("thread", "block", "index", "shape")


class KernelError(RuntimeError):
    """A kernel that cannot be compiled, launched or finished.

    Parameters
    ----------
    sentence : str, optional
        What happened.  Left out, the class makes it from the fields.
    **fields
        Those of the class; the ones not given are None.

    Attributes
    ----------
    kernel : str
        Name of the kernel.
    function : str
        The device function it happened in, if not in the kernel itself.
    filename : str
    line : int
        1-based, in the source of the function, decorator lines included.
    file_line : int
        1-based, in the file.
    source_line : str
        The text of that line.
    thread, block : tuple of int
        ``(x, y, z)`` of ``threadIdx`` and ``blockIdx``.
    """

    fields: tuple[str, ...] = (
        "kernel",
        "function",
        "filename",
        "line",
        "file_line",
        "source_line",
        "thread",
        "block",
    )
    kernel: str | None
    function: str | None
    filename: str | None
    line: int | None
    file_line: int | None
    source_line: str | None
    thread: tuple[int, ...] | None
    block: tuple[int, ...] | None
    cause = ""  # what a finding of it says, where its kind could mean several things

    def __init__(self, sentence: str | None = None, **fields: Any) -> None:
        unknown = set(fields) - set(self.fields)
        if unknown:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        for name in self.fields:
            value = fields.get(name)
            setattr(self, name, _integers(value) if name in _COORDINATES and value is not None else value)
        self.sentence = sentence
        super().__init__(sentence if sentence is not None else self.describe())

    def describe(self) -> str:
        """What happened, made from the fields."""
        return f"{self.kernel or 'A kernel'} could not go on."

    def where(self) -> str:
        """The place: ``line 5 of blur (shop.py, line 12): `x[i] = 1` `` and the thread."""
        name = self.function or self.kernel
        parts = []
        if self.line is not None:
            place = f"line {self.line}" + (f" of {name}" if name else "")
            if self.file_line is not None and self.filename is not None and _is_file(self.filename):
                place += f" ({os.path.basename(self.filename)}, line {self.file_line})"
            parts.append(f"{place}: `{self.source_line.strip()}`" if self.source_line else place)
        if self.thread is not None:
            parts.append(who(self.thread, self.block))
        return ", in ".join(parts)

    def __str__(self) -> str:
        text = str(self.args[0]) if self.args else ""
        # A sentence that the class made says the place itself.
        place = self.where() if self.sentence is not None else ""
        return f"{text}\nIn {place}" if place else text

    def __reduce__(self):
        state = {"__notes__": list(self.__notes__)} if hasattr(self, "__notes__") else None
        return _rebuild, (type(self), self.sentence, {name: getattr(self, name) for name in self.fields}), state


class UncompilableError(KernelError):
    """A kernel that a GPU, or Numba for one, refuses.

    Attributes
    ----------
    original : str
        Numba's own words, if it was Numba that refused.
    numbas : str
        The name of the error that numba-cuda raises: ``"TypingError"``, ``"NumbaRuntimeError"``, ``"UnsupportedBytecodeError"`` or one of `PYTHONS`.
    """

    fields = (*KernelError.fields, "original")
    original: str | None
    numbas = ""

    def describe(self) -> str:
        return _join(f"{self.kernel or 'This kernel'} cannot be compiled for a GPU.", self.where(), self.original or "")


class CallFault(UncompilableError, TypeError):
    """A call with too few or too many arguments, where Numba calls a Python function with them."""


class CountFault(UncompilableError, ValueError):
    """A call with too few or too many arguments, where Numba unpacks them."""


class NameFault(UncompilableError, AttributeError):
    """A name that a module, or Numba's own compiler, does not have."""


class LoweringFault(UncompilableError, NotImplementedError):
    """What has a type, and for which numba-cuda has no code."""


class UfuncFault(UncompilableError, KeyError):
    """A ufunc that Numba knows and numba-cuda has no code for: its compiler looks it up in a dictionary."""


PYTHONS = {
    "TypeError": CallFault,
    "ValueError": CountFault,
    "AttributeError": NameFault,
    "NotImplementedError": LoweringFault,
    "KeyError": UfuncFault,
}
"""What is an error of Python's, and not of Numba's, where numba-cuda refuses a kernel."""


class OutOfBoundsError(KernelError, IndexError):
    """An element that an array does not have.

    Attributes
    ----------
    array : str
        As the learner calls it.
    index : tuple of int
    axis, size : int
        The axis that is exceeded, and how many items it has.
    shape : tuple of int
    writing : bool
    """

    fields = (*KernelError.fields, "array", "index", "axis", "size", "shape", "writing")
    array: str | None
    index: tuple[int, ...] | None
    axis: int | None
    size: int | None
    shape: tuple[int, ...] | None
    writing: bool | None

    def describe(self) -> str:
        array, index = self.array or "an array", element(self.array or "x", self.index)
        axis, size = self.axis or 0, self.size
        if size is None and self.shape:
            size = self.shape[axis]
        along = f"{array} has {_items(size)}" + (f" along axis {axis}" if len(self.index or ()) > 1 else "")
        numbered = f", numbered 0 to {size - 1}" if size else ""
        act = "write to" if self.writing else "read"
        small = " (a negative index counts from the end, but not that far)" if self._negative() else ""
        harm = (
            "it would have written over whatever lies there"
            if self.writing
            else "it would have gone on with whatever lies there"
        )
        return _join(
            f"{index} does not exist: {along}{numbered}{small}; tried to {act} it.",
            self.where(),
            f"A GPU does not look: {harm}, or stopped with CUDA_ERROR_ILLEGAL_ADDRESS. {self.cure()}",
        )

    def cure(self) -> str:
        """What fixes it, as a sentence: the end of what `describe` says."""
        if self._negative():
            return "Start the loop or the threads later, or guard the line with `if index >= 0`."
        inside = f"`if index < {self.array or 'x'}.shape[{self.axis or 0}]`"
        return f"Let only threads whose index is inside do this, as with {inside}."

    def _negative(self) -> bool:
        axis = self.axis or 0
        return bool(self.index) and axis < len(self.index) and self.index[axis] < 0


class EndlessError(KernelError, TimeoutError):
    """A thread that does not come to an end.

    Attributes
    ----------
    seconds : float
        How long it was given.
    """

    fields = (*KernelError.fields, "seconds")
    seconds: float | None
    cause = "endless"

    def describe(self) -> str:
        given = f" {self.seconds:g} seconds" if self.seconds is not None else " its time"
        loop = f"the loop in line {self.line}" if self.line is not None else "a loop"
        thread = who(self.thread, self.block) if self.thread is not None else "A thread"
        return _join(
            f"{self.kernel or 'The kernel'} does not end: {thread} was still in {loop} after{given}.",
            _unthreaded(self),
            "Does what the loop waits for ever change? On a GPU the program would hang here. If the work is only long: "
            f"{SECONDS_SETTING}=60 gives each thread more time.",
        )


class TooLongError(KernelError, TimeoutError):
    """A grid so large that a CPU would not get to its end in a time anybody waits.

    Attributes
    ----------
    blocks, threads : int
        Of the grid, and of a block.
    seconds, expected : float
        How long it has run, and how long all of it would take.
    """

    fields = (*KernelError.fields, "blocks", "threads", "seconds", "expected")
    blocks: int
    threads: int
    seconds: float
    expected: float
    cause = "too-long"

    def describe(self) -> str:
        return (
            f"{self.kernel or 'The kernel'} was launched over {self.blocks:,} blocks of {self.threads:,} threads: at the pace "
            f"of the first {self.seconds:.0f} seconds all of it would take {_long(self.expected)} on this CPU.\n"
            "Is the grid what was meant: blocks first, then threads of a block, both in threads and not in elements of a "
            f"row? If it is, run a part of the problem, or allow more time: {LAUNCH_SETTING}={int(self.expected * 2)}."
        )


class DeadlockError(KernelError):
    """Threads that wait for others that never come.

    Attributes
    ----------
    waiting : str
        What they wait at, as the learner wrote it: ``"syncwarp(mask)"``.
    reason : str
        Why that cannot happen, as half a sentence.
    """

    fields = (*KernelError.fields, "waiting", "reason")
    waiting: str | None
    reason: str | None
    cause = "deadlock"

    def describe(self) -> str:
        thread = who(self.thread, self.block) if self.thread is not None else "a thread"
        at = f" at {self.waiting}" if self.waiting else ""
        reason = self.reason or "for threads that have ended or wait somewhere else"
        return _join(
            f"{self.kernel or 'The kernel'} cannot go on: {thread} waits{at} {reason}.",
            _unthreaded(self),
            "On a GPU the program would hang here. Every thread that is waited for has to reach the same line.",
        )


GRID_BARRIER = "the barrier of the grid"


def for_block(block: tuple[int, ...], partly: bool) -> str:
    """Why nobody passes the barrier of a grid: thread (0, 0, 0) of each block tells the others that its block is there.

    Parameters
    ----------
    partly : bool
        Whether other threads of the block are still there.
    """
    gone = (
        f"thread (0, 0, 0) of block {_tuple(block)}, which has ended"
        if partly
        else f"block {_tuple(block)}, which has ended"
    )
    return f"for {gone}"


class DivisionFault(KernelError, ZeroDivisionError):
    """A division by zero, in a kernel compiled with ``debug=True``."""

    def describe(self) -> str:
        return _join(
            "division by zero",
            self.where(),
            "Without debug=True a GPU does not stop: x / 0 is inf or nan, and an integer x // 0 is 0.",
        )


class DeviceFailure(Exception):
    """What a kernel ends in whether or not it was compiled with ``debug=True``: a failed ``assert()`` of CUDA C++."""


class TraceError(KernelError):
    """What the check of a kernel's first launch found.

    Attributes
    ----------
    findings : tuple of Finding
        All of them, errors first; see :mod:`.trace.findings`.
    """

    fields = (*KernelError.fields, "findings")
    findings: tuple[Any, ...] | None

    def describe(self) -> str:
        findings = self.findings or ()
        if not findings:
            return "The check of this kernel's first launch found an error."
        more = len(findings) - 1
        others = f"\n({more} more: see .findings of this error.)" if more else ""
        return (
            f"{findings[0].sentence}{others}\n"
            "A GPU says nothing here: it goes on, with a result that is wrong, or right only by luck. Hundredfold checks "
            f"the first launch of every kernel; {TRACE_SETTING}=off launches without the check."
        )

    def told(self) -> str:
        """What was found, for a program that goes on: each error, at most three."""
        found = [each.sentence for each in self.findings or () if each.severity == "error"]
        more = [f"({len(found) - 3} more.)"] if len(found) > 3 else []
        return "\n".join([*found[:3], *more])


NOT_ONE = "item(): can only convert an array of size 1 to a Python scalar"
"""What Numba says of ``x.item()`` of several elements."""


def raised(exception: BaseException, fault: KernelError) -> BaseException:
    """An exception that a kernel with ``debug=True`` raised itself, of the same class, told as Numba tells it.

    Parameters
    ----------
    exception : BaseException
        As the kernel made it.
    fault : KernelError
        Where and in which thread.
    """
    place = f"In function {(fault.function or fault.kernel)!r}, file {fault.filename}, line {fault.file_line}, "
    prefix = f"{place if fault.file_line is not None else ''}tid={_zyx(fault.thread)} ctaid={_zyx(fault.block)}"
    args = exception.args
    return type(exception)(f"{prefix}: {args[0]}" if args else prefix, *args[1:])


def miscounted(name: str, params: Sequence[str], given: int, optional: int = 0) -> str:
    """What to say of a launch with too few or too many arguments: ``step takes 2 arguments (x, out), 1 was given.``

    Parameters
    ----------
    optional : int
        How many of the parameters have a default.
    """
    if not params:
        return f"{name} takes no arguments, {given} {'was' if given == 1 else 'were'} given."
    takes = f"{len(params) - optional} to {len(params)}" if optional else str(len(params))
    noun = "argument" if len(params) == 1 else "arguments"
    return f"{name} takes {takes} {noun} ({', '.join(params)}), {given} {'was' if given == 1 else 'were'} given."


def who(thread: tuple[int, ...] | None, block: tuple[int, ...] | None = None) -> str:
    """A thread in words: ``thread (3, 0, 0) of block (1, 0, 0)``."""
    text = f"thread {_tuple(thread)}" if thread is not None else "a thread"
    return text + (f" of block {_tuple(block)}" if block is not None else "")


def element(array: str, index: tuple[int, ...] | None) -> str:
    """An element as a learner writes it: ``x[3]``, ``image[3, 4]``."""
    return f"{array}[{', '.join(str(i) for i in index)}]" if index else array


def _integers(value: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in value) if hasattr(value, "__iter__") else (int(value),)


def _tuple(value: tuple[int, ...]) -> str:
    return f"({', '.join(str(i) for i in value)})"


def _zyx(position: tuple[int, ...] | None) -> list[int]:
    return list(reversed(position or ()))  # the order in which Numba prints them


def _long(seconds: float) -> str:
    for length, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _items(size: int | None) -> str:
    return "fewer items" if size is None else "no items" if size == 0 else f"{size} item" + "s" * (size != 1)


def _join(what: str, place: str, more: str = "") -> str:
    text = f"{what}\nIn {place}" if place else what
    return f"{text}\n{more}" if more else text


def _unthreaded(error: KernelError) -> str:
    """The place without the thread, which the sentence has named already."""
    thread, error.thread = error.thread, None
    try:
        return error.where()
    finally:
        error.thread = thread


def _is_file(filename: str | None) -> bool:
    """Whether a file's line number means something to its author: not that of a notebook's cell."""
    return bool(filename) and not filename.startswith("<") and "ipykernel" not in filename


def _rebuild(cls: type[KernelError], sentence: str | None, fields: dict[str, Any]) -> KernelError:
    return cls(sentence, **fields)
