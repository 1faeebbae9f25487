"""Call a learner's function so that nothing it does can hurt the check.

What it raises becomes a sentence with the line of *their* code; what it prints and warns is kept, so that a check
writes nothing to stderr; a loop that never ends is stopped.

The stop is a signal (`SIGALRM`), which only the main thread of a POSIX system can receive: that is where Jupyter runs a
cell. Elsewhere (Windows, another thread) there is no limit and the notebook's interrupt button does it. Nor does a
signal reach into one long call of C code or a kernel on a GPU: it takes effect when that returns. `Ctrl-C` is never
caught.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import linecache
import os
import re
import signal
import sys
import sysconfig
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gpusim import own

from . import devices
from .verdict import NotJudged, Refusal, refuse

_LIBRARIES = tuple(sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib", "purelib", "platlib"))
# In `schedstat` of each: nanoseconds on a processor, nanoseconds waited for one, turns.
_THREADS = Path("/proc/self/task")
_KEPT = 10_000  # characters of a learner's own printing


class TimedOut(BaseException):
    """The time limit struck. Not an `Exception`: a learner's ``except Exception`` must not swallow it."""


@dataclass(frozen=True)
class Called:
    """What came of a call: the value it returned and what it printed."""

    value: Any
    printed: str


class _Bounded(io.StringIO):
    """Keeps the beginning of what is written; a loop that prints for ever must not fill the memory."""

    def write(self, text: str) -> int:
        if self.tell() < _KEPT:
            super().write(text)
        return len(text)

    def close(self) -> None:
        """Stay open: what a learner's code closes is its own output, and what was written is still wanted."""


def _folder() -> str | None:
    """The working folder; None where it has been removed, which a notebook may live on without."""
    try:
        return os.getcwd()
    except OSError:
        return None


@contextlib.contextmanager
def _as_it_was() -> Iterator[None]:
    """Put back after the block what belongs to the whole process; and a process that the block forked ends here.

    A child that came back from the learner's function would be a second notebook, with the same connections.
    """
    process, folder, depth = os.getpid(), _folder(), sys.getrecursionlimit()
    try:
        with np.errstate():
            yield
    finally:
        if os.getpid() != process:
            os._exit(0)
        if sys.getrecursionlimit() != depth:
            sys.setrecursionlimit(depth)
        with contextlib.suppress(OSError):  # somebody may have removed it meanwhile
            if folder is not None:
                os.chdir(folder)


def _queued() -> float:
    """How many seconds threads of this process were ready to run so far and had to wait for a processor; 0 where nobody counts.

    All of them: a task of a Dask cluster in this process goes through several, one after the other.
    """
    waited = 0
    with contextlib.suppress(OSError):
        for thread in _THREADS.iterdir():
            with contextlib.suppress(OSError, ValueError, IndexError):  # it may end meanwhile
                waited += int((thread / "schedstat").read_text().split()[1])
    return waited / 1e9


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimedOut` in the block after so many seconds, and again every half second until it is left.

    Seconds in which threads waited for a processor are not counted, where the system tells (Linux): a class shares machines. But
    a tenth of the time always is, so that there is an end: threads that never end wait for each other, too.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    armed = True

    def strike(number: int, frame: Any) -> None:
        nonlocal at, queued, credit
        now, waited = time.monotonic(), _queued()
        # What ended threads had waited is gone from the sum, and many threads wait for more than the time that passes.
        credit += min(max(waited - queued, 0.0), now - at)
        at, queued = now, waited
        if armed and max(now - began - credit, (now - began) / 10) >= seconds:
            raise TimedOut

    began = at = time.monotonic()  # these before the handler that reads them: an outer limit's alarm may be due
    queued, credit = _queued(), 0.0
    before = signal.signal(signal.SIGALRM, strike)
    left, every = signal.setitimer(signal.ITIMER_REAL, min(seconds, 0.5), 0.5)
    # Two finallys: if the signal strikes between the end of the block and the inner one's only statement, the outer one
    # still puts everything back.
    try:
        try:
            yield
        finally:
            armed = False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before if before is not None else signal.SIG_DFL)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 1e-3), every)


def call(function: Callable[..., Any], *args: Any, limit: float = 30.0, wait: bool = True) -> Called:
    """Call a learner's function and wait for the device.

    Parameters
    ----------
    function : callable
    *args
        Its arguments.
    limit : float
        Seconds it may take.
    wait : bool
        Synchronise after it, so that what it queued fails here and not somewhere else.

    Raises
    ------
    Refusal
        ``"exception"``, ``"memory"``, ``"timeout"`` or ``"not-simulated"``.
    KeyboardInterrupt
        As it comes.
    """
    written = _Bounded()
    try:
        with (
            _as_it_was(),
            warnings.catch_warnings(record=True),
            contextlib.redirect_stdout(written),
            contextlib.redirect_stderr(written),
            time_limit(limit),
        ):
            warnings.simplefilter("always")
            value = function(*args)
            if wait:
                devices.synchronize()
    except (Refusal, NotJudged):
        raise
    except TimedOut:
        why = f"your code had not ended after {limit:g} s and was stopped."
        why += " Is there a loop that never ends, or very many repeats?"
        raise Refusal("timeout", why, printed=written.getvalue()) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, asyncio's CancelledError, or one of their own
        said, meaning = _explain(error, len(args)), _meaning(error)
        raise Refusal(_kind(error), said, printed=written.getvalue(), advice=meaning) from error
    _unfinished(value)
    return Called(value, written.getvalue())


def settle(limit: float | None = None) -> Exception | None:
    """Leave nothing in the simulated device's queue: run all of it, whatever fails, and return the first failure.

    A learner's kernel fails where somebody waits for it, and what was queued behind it still waits then: it would fail in
    the next check, or in a cell that has nothing to do with it. After `limit` seconds the rest is thrown away.
    """
    queue = sys.modules.get("gpusim.device.queue")
    if queue is None or not queue.pending():
        return None
    failed = None
    try:
        with time_limit(limit) if limit is not None else contextlib.nullcontext():
            while True:
                try:
                    queue.drain()
                    return failed
                except Exception as error:
                    failed = failed or error
    except TimedOut:
        queue.discard()
        return failed


def _unfinished(value: Any) -> None:
    """Refuse what has done none of its work yet."""
    if inspect.iscoroutine(value):
        value.close()  # or Python warns on stderr that nobody awaited it
        refuse("type", "it returns a coroutine, which has done no work yet: write `def`, without `async`.")
    if inspect.isgenerator(value):
        refuse("type", "it returns a generator, which has done no work yet: write `return`, not `yield`.")


def _kind(error: BaseException) -> str:
    names = {cls.__name__ for cls in type(error).__mro__}
    if "NotSimulatedError" in names:
        return "not-simulated"
    if names & {"OutOfMemoryError", "MemoryError"}:
        return "memory"
    return "exception"


def _explain(error: BaseException, given: int) -> str:
    """The exception, and the line of the learner's code it came from."""
    said = _said(error)
    text = f"your code raised {type(error).__name__}" + (f": {said}" if said else "")
    text = text.rstrip(".") + _where(error) + "."
    if isinstance(error, TypeError) and "argument" in said and not _theirs(error):
        # Not their code's failing: it could not even be called.
        return f"your function cannot be called: {said}. It is called with {given} argument{'' if given == 1 else 's'}."
    return text


def _said(error: BaseException) -> str:
    """The first line of an exception's message."""
    try:
        message = str(error).strip().splitlines()
    except Exception:  # an exception of their own, with a mistake in its __str__
        message = []
    # Addresses differ from run to run; a verdict must not.
    return re.sub(r"\b0x[0-9a-fA-F]+", "0x…", message[0]) if message else ""


def _where(error: BaseException) -> str:
    theirs = _theirs(error)
    if isinstance(error, SyntaxError) or not theirs:
        return ""
    frame = theirs[-1]
    line = (linecache.getline(frame.filename, frame.lineno or 0) or frame.line or "").strip()
    return f", in line {frame.lineno} of `{frame.name}`" + (f": `{line}`" if line else "")


def _theirs(error: BaseException) -> list[traceback.FrameSummary]:
    return [frame for frame in traceback.extract_tb(error.__traceback__) if is_theirs(frame.filename)]


def is_theirs(filename: str) -> bool:
    """Whether a file holds the learner's code: not ours, not the standard library's, not an installed package's. A cell's "file" is in none of them."""
    return not filename.startswith((*own.folders(), "<frozen", *_LIBRARIES))


def _meaning(error: BaseException) -> str:
    """What an exception means, where that is known: the advice in place of the problem's own. Else an empty text."""
    kind, said = type(error).__name__, _said(error)
    if kind == "CompileException" and "<lambda>" in f"{getattr(error, 'name', '')} {getattr(error, 'source', '')}":
        return (
            "CuPy names a fused kernel after its function, and a lambda has no name. Write a `def`, or "
            '`cp.fuse(kernel_name="mix")(lambda …)`.'
        )
    if kind == "CompileException" and "invalid redeclaration of type name" in said:
        return (
            "CuPy cannot fuse a reduction of an array whose numbers became another dtype. Convert them to `x.dtype` "
            "before you reduce them, or write a `cp.ReductionKernel`."
        )
    if "Implicit conversion to a NumPy array" in said:
        return (
            "NumPy was handed an array on the device, which it cannot read: use CuPy's function, or an array of "
            "CuPy's, instead."
        )
    if "Unsupported type" in said and "numpy.ndarray" in said:
        return "A NumPy array was mixed with a CuPy array: both must be on the device."
    if "inference failed" in said and "map_blocks" in said:
        return (
            "Dask tried your function on an empty array, to see what comes out. Tell it instead, by `dtype=x.dtype`, or "
            "write it so that it takes no rows: a -1 in `reshape` cannot be computed for an empty array."
        )
    if kind == "NotSimulatedError":
        return "It may be right on a GPU; here it cannot be judged, so write it with something that is simulated."
    return ""


def of_theirs(error: BaseException) -> bool:
    """Whether an exception comes out of the learner's code: also where what it returned is only looked at."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and is_theirs(frames[-1].filename)


def explained(error: BaseException) -> Refusal:
    """The refusal for an exception of the learner's that came while their result was looked at."""
    said = f"the result cannot be looked at: {_explain(error, 0)}"
    return Refusal("exception", said, advice=_meaning(error))


def require_callable(answer: Any, name: str) -> None:
    """Refuse an answer that is not a function, saying what was given."""
    if not callable(answer):
        hint = f" Give check the function itself, `{name}`, not what it returns."
        refuse("callable", f"a function was expected and {article(answer)} was given.{hint}")


def article(value: Any) -> str:
    """What a value is, for a sentence: "a NumPy array of shape (3, 4)", "a NumPy float32", "the text 'gpu'", "an int"."""
    kind = type(value)
    library = {"numpy": "NumPy", "cupy": "CuPy", "pandas": "pandas"}.get(kind.__module__.partition(".")[0])
    if library in ("NumPy", "CuPy") and getattr(value, "shape", None) is not None and not isinstance(value, np.generic):
        return f"a {library} array of shape {tuple(value.shape)} and dtype {value.dtype}"
    if library and not isinstance(value, type):
        return f"a {library} {kind.__name__}"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    return f"a{'n' if kind.__name__[0].lower() in 'aeiou' else ''} {kind.__name__}"
