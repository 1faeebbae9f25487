"""The queue of work of the simulated device.

A call that launches work returns as soon as the shape and type of its result are known.  The work itself waits here
and runs, in the order it was submitted, at a synchronisation, when the host reads device memory, or when
:data:`LIMIT` operations wait.  So a timing that does not synchronise lies on a laptop exactly as it does on a GPU.

There is one queue for all simulated devices and streams: running everything in the order of submission is one of
the orders CUDA allows, whatever streams and events a program uses.

Operations hold raw NumPy views of device memory and not the blocks they were cut from.  A block that is freed and
given out again while older operations still wait is safe for the same reason as in a stream-ordered CUDA pool: the
operations of its new owner come later in the same queue.
"""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import functools
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from threading import get_ident

import numpy as np

from . import activity, interrupt, shapes
from .counters import D2H_BYTES, D2H_COUNT, H2D_BYTES, H2D_COUNT, KERNELS, READ, SYNCS, WRITTEN, Counters, Launch
from .counters import log as log
from .counters import totals as _totals

Views = Collection[np.ndarray]
LIMIT = 1024
"""Operations that may wait; the next one runs them all (CUDA's own launch queue is about this deep)."""

before_synchronize: Callable[[], None] | None = None
"""Called before each synchronisation; it may raise (``cupyx.allow_synchronize``)."""

watcher: Callable[[Launch, object, tuple, Views, Views], None] | None = None
"""Who is told of each launch and transfer as it is counted: the entry of the log, what runs, its arguments, and the device
memory that it reads and writes.  The lens's account; None for nobody."""

capture: Capture | None = None
"""The graph that is being captured, if one is."""

_waiting: deque[tuple] = deque()
_submit_lock = threading.RLock()  # a signal handler or a finaliser may submit in the middle of a submission
_run_lock = threading.RLock()
_submitted = 0
_completed = 0
_runner = 0  # the thread that is running operations
_local = threading.local()  # .account: where this thread's launches are counted instead (a fused kernel)
_accounts = 0  # how many threads count elsewhere right now; 0 keeps the common path short


class Capture:
    """What is submitted to some streams is kept and not run: a CUDA graph.

    Parameters
    ----------
    stream : int
        The stream that it begins on; those that wait for it join.
    refusal : callable
        Makes the error for whoever wants a value meanwhile.
    """

    def __init__(self, stream: int, refusal: Callable[[], Exception]):
        self.streams = {stream}
        self.operations: list[tuple] = []
        self.valid = True
        self._refusal = refusal

    def takes(self, *operation: object) -> bool:
        """Whether the operation was for one of these streams, and is kept."""
        mine = activity.stream() in self.streams
        if mine:
            self.operations.append(operation)
        return mine

    def look(self, stream: int | None = None) -> None:
        """Refuse to wait for one of these streams, or for all of the device."""
        stream = activity.stream() if stream is None else stream
        if stream in self.streams or stream == activity.DEVICE:
            self.valid = False
            raise self._refusal()

    def launch(self) -> None:
        """Submit all of it."""
        for function, *args in self.operations:
            function(*args)


def submit(
    name: str,
    function: Callable,
    args: tuple,
    reads: Views,
    writes: Views,
    bytes_read: int | None = None,
    bytes_written: int | None = None,
) -> None:
    """Enqueue ``function(*args)`` and count it as one kernel.

    Parameters
    ----------
    name : str
        What the kernel is called in the log and in errors.
    function : callable
        Works on NumPy views of device memory and writes its result into one of them.
    args : tuple
        Its arguments.  Whatever they hold must not change until the operation has run.
    reads, writes : collection of numpy.ndarray
        The device memory that it reads, and that it changes; what it does both to is in both.
    bytes_read, bytes_written : int, optional
        How many bytes of these, where that is not all of them.
    """
    global _submitted
    if bytes_read is None:
        bytes_read = nbytes(reads) if reads else 0
    if bytes_written is None:
        bytes_written = nbytes(writes)
    # Counted before it waits: Ctrl-C may arrive after the call of append, and what is not counted would not be waited for.
    if _accounts and (account := getattr(_local, "account", None)) is not None:
        account.launches.append((name, bytes_read, bytes_written))
        account.reads.extend(reads)
        account.writes.extend(writes)
        submit_uncounted(name, function, args)
        return
    if capture is None or not capture.takes(submit, name, function, args, reads, writes, bytes_read, bytes_written):
        with _submit_lock:
            _submitted += 1
            _waiting.append((function, args, name))
            _totals[KERNELS] += 1
            _totals[READ] += bytes_read
            _totals[WRITTEN] += bytes_written
            log.append((name, bytes_read, bytes_written, "kernel"))  # a Launch when it is looked at
            if watcher is not None:
                watcher(Launch(name, bytes_read, bytes_written), function, args, reads, writes)
    if len(_waiting) >= LIMIT:
        run()


def count(
    name: str,
    bytes_read: int,
    bytes_written: int,
    kind: str = "kernel",
    *,
    reads: Views,
    writes: Views,
    by: object = None,
    unread: bool = False,
) -> None:
    """Enter a launch or a transfer in the account without enqueueing anything.

    Parameters
    ----------
    name, bytes_read, bytes_written, kind
        As in the log.
    reads, writes : collection of numpy.ndarray
        The device memory that it reads, and that it changes.  They may be empty where there is no `watcher`.
    by : object, optional
        What runs, where that tells more than its name.
    unread : bool
        Whether nobody looks at what was copied to the host.

    Raises
    ------
    ValuesNeededError
        For a copy to the host that someone looks at, where arrays have only shapes.
    """
    if _accounts and getattr(_local, "account", None) is not None:
        return
    if kind == "kernel" and capture is not None:
        again = functools.partial(count, name, bytes_read, bytes_written, reads=reads, writes=writes, by=by)
        if capture.takes(again):
            return
    with _submit_lock:
        if kind == "h2d":
            _totals[H2D_BYTES] += bytes_written
            _totals[H2D_COUNT] += 1
        elif kind == "d2h":
            _totals[D2H_BYTES] += bytes_read
            _totals[D2H_COUNT] += 1
        else:
            _totals[KERNELS] += 1
            _totals[READ] += bytes_read
            _totals[WRITTEN] += bytes_written
        entry = Launch(name, bytes_read, bytes_written, kind)
        log.append(entry)
        if watcher is not None:
            watcher(entry, by, (), reads, writes)
    if shapes.on and kind == "d2h" and not unread:
        raise shapes.refuse()


def nbytes(views: Views) -> int:
    """Bytes of some views; one that stands there twice is read once."""
    if len(views) == 1:
        (view,) = views
        return view.nbytes
    return sum([view.nbytes for view in {id(view): view for view in views}.values()])


def submit_uncounted(name: str, function: Callable, args: tuple) -> None:
    """Enqueue work that is part of a launch counted elsewhere, or of a transfer."""
    global _submitted
    if capture is not None and capture.takes(submit_uncounted, name, function, args):
        return
    with _submit_lock:
        _submitted += 1
        _waiting.append((function, args, name))
    if len(_waiting) >= LIMIT:
        run()


def run() -> None:
    """Run all that was submitted before this call, because device memory will be looked at.  Not a synchronisation.

    An operation that fails is dropped and its exception raised, with a note that names it; what waits behind it
    stays in the queue and runs next time.  So does what is left when ``Ctrl-C`` arrives.

    Raises
    ------
    ValuesNeededError
        Where arrays have only shapes: there is nothing to look at.
    """
    if shapes.on:
        raise shapes.refuse()
    if capture is not None and _runner != get_ident():
        capture.look()
    drain()


def drain() -> None:
    """Run all that was submitted before this call, as :func:`run`; for those who do not look at the memory."""
    if _waiting and _runner != get_ident():  # an operation that itself reads device memory waits for nothing
        target = _submitted
        # Again where a signal stopped it whose handler did not raise: asyncio's, or one that only takes note.
        while _waiting and _completed < target:
            _run_until(target)


def _run_until(target: int) -> None:
    global _runner
    with _run_lock:
        held = interrupt.hold()  # first: from here on no signal can leave the state half set
        try:
            _runner = get_ident()
            _quiet(_run_waiting, target)
        finally:
            _runner = 0
            if held is not None:
                interrupt.release(held)


def _run_waiting(target: int) -> None:
    global _completed
    while _waiting and _completed < target and interrupt.arrived is None:
        function, args, name = _waiting[0]
        try:
            function(*args)
        except Exception as error:
            error.add_note(
                f"raised by the queued operation {name!r}: device work runs later than the call that launched it, so "
                "the line above is where the program synchronised, not where it went wrong"
            )
            raise
        finally:
            # Let go of the operands before the operation counts as done.
            function = args = None
            _waiting.popleft()
            _completed += 1


def _make_quiet() -> Callable:
    """A context in which NumPy does not warn of what a GPU computes in silence.

    Entering one made beforehand costs a tenth of ``np.errstate``.  Only who holds the run lock enters it.
    """
    context = contextvars.Context()
    context.run(np.seterr, all="ignore")
    return context.run


_quiet = _make_quiet()


def synchronize(stream: int | None = None, event: int = 0) -> None:
    """Wait for the device: run all that was submitted, and count one synchronisation.

    Parameters
    ----------
    stream : int, optional
        The stream that the program waits for, or `activity.DEVICE`; by default the one that it works on.
    event : int
        The event that it waits for, if it does.
    """
    if before_synchronize is not None:
        before_synchronize()
    if capture is not None:
        capture.look(stream)
    if activity.watcher is not None:
        activity.note("wait", stream=activity.stream() if stream is None else stream, key=event)
    with _submit_lock:
        _totals[SYNCS] += 1
    drain()


def discard() -> int:
    """Throw away what waits, and return how many operations that were: nobody will look at what they would have written."""
    global _completed
    with _run_lock, _submit_lock:
        thrown = len(_waiting)
        _waiting.clear()
        _completed += thrown
    return thrown


class _Dropped(deque):
    """A queue in which nothing waits: an operation is done as soon as it is submitted."""

    def append(self, _: object) -> None:
        global _completed
        _completed += 1


def drop() -> None:
    """From here on, count what is submitted and run nothing (:mod:`gpusim.device.shapes`)."""
    global _waiting
    drain()
    _waiting = _Dropped()


_AT_EXIT = 10.0
"""Seconds: how long an ending process may run what nobody waited for."""
_told: set[int] = set()


def tell_at_exit() -> None:
    """From here on, what waits when this process ends is run then, and its errors are told on stderr.

    A forked child has a copy of what waits; it is not the one to tell.
    """
    if os.getpid() in _told:
        return
    _told.add(os.getpid())
    with contextlib.suppress(RuntimeError):  # the process is ending already
        import concurrent.futures.thread  # noqa: F401  kernels run on its threads, which it ends behind what is registered after it

        # Not atexit's: those are called when threads cannot be started any more.
        register = getattr(threading, "_register_atexit", atexit.register)
        register(_tell, os.getpid())


def _tell(process: int) -> None:
    if process != os.getpid() or shapes.on:
        return
    end = time.monotonic() + _AT_EXIT
    while _waiting and time.monotonic() < end:
        before = _completed
        name = next((operation[2] for operation in list(_waiting)), "")  # another thread may empty it meanwhile
        try:
            _run_until(_completed + 1)
            if _completed == before:  # somebody interrupts
                break
        except Exception as error:
            print(
                f"An error in {name}, which the program did not wait for (cuda.synchronize() would have raised it):\n"
                f"{type(error).__name__}: {error}",
                file=sys.stderr,
            )
        except KeyboardInterrupt:
            break
    if _waiting:
        print(f"{len(_waiting)} operations that the program did not wait for were not run.", file=sys.stderr)


def capturing() -> bool:
    """Whether what this thread submits now is kept for a graph."""
    return capture is not None and activity.stream() in capture.streams


def pending() -> int:
    """How many operations wait."""
    return len(_waiting)


def busy() -> bool:
    """Whether operations are being run at this moment."""
    return _runner != 0


def completed() -> int:
    """How many operations have run: the sequence number of the newest that has."""
    return _completed


def counters() -> Counters:
    """The totals since the process began, as launched (not as run)."""
    with _submit_lock:
        return Counters(*_totals)


class suspended_account:
    """Launches of this thread inside the block run as always but are not counted: the caller counts them as one.

    Attributes
    ----------
    launches : list of (str, int, int)
        What was submitted: each name with its bytes read and written.
    reads, writes : list of numpy.ndarray
        What was declared of it.
    """

    def __enter__(self) -> suspended_account:
        global _accounts
        self.launches: list[tuple[str, int, int]] = []
        self.reads: list[np.ndarray] = []
        self.writes: list[np.ndarray] = []
        self._before = getattr(_local, "account", None)
        _local.account = self
        with _submit_lock:
            _accounts += 1
        return self

    def __exit__(self, *exception: object) -> None:
        global _accounts
        _local.account = self._before
        with _submit_lock:
            _accounts -= 1


def counting() -> bool:
    """Whether this thread's launches are counted one by one (False inside a fused kernel)."""
    return getattr(_local, "account", None) is None


# A forked child gets a copy of the waiting operations and of the memory they work on, so it can go on; the locks
# are taken before the fork so that none is copied while another thread holds it or stands inside an operation.
def _before_fork() -> None:
    _run_lock.acquire()
    _submit_lock.acquire()


def _after_fork_in_parent() -> None:
    _submit_lock.release()
    _run_lock.release()


def _after_fork_in_child() -> None:
    global _submit_lock, _run_lock, _accounts, _runner, _quiet
    _submit_lock = threading.RLock()
    _run_lock = threading.RLock()
    _accounts = _runner = 0
    _quiet = _make_quiet()  # the old one may have been entered by a thread that the child does not have
    _local.__dict__.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
