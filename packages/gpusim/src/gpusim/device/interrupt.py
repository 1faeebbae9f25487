"""Let ``Ctrl-C`` take effect between two operations, never inside one.

An operation torn in the middle would leave its output half written and could be lost or run twice.  Signals reach
only the main thread, so only there anything needs to be done.  Only one thread runs operations at a time, so the state
is the module's: this is on the path of every flush, where the arrays have just swept the caches, and each object that
is touched there costs more than the arithmetic.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

# The public functions wrap these and make enumerations of their results, which costs more than the rest of a flush.
try:
    from _signal import getsignal
    from _signal import signal as set_signal
except ImportError:  # another Python than CPython
    from signal import getsignal
    from signal import signal as set_signal

Handler = Callable[[int, FrameType | None], Any]

_SIGINT = int(signal.SIGINT)
_main = threading.main_thread().ident

arrived: tuple[int, FrameType | None] | None = None
"""The signal held back, if one arrived."""


def _remember(number: int, frame: FrameType | None) -> None:
    global arrived
    arrived = (number, frame)


def hold() -> Handler | None:
    """Hold back SIGINT.  Returns what :func:`release` takes; None where there is nothing to hold back."""
    if threading.get_ident() != _main:
        return None
    handler = getsignal(_SIGINT)
    if not callable(handler):  # SIG_IGN, SIG_DFL or one that C code installed
        return None
    try:
        set_signal(_SIGINT, _remember)
    except ValueError:  # a sub-interpreter
        return None
    return handler


def release(handler: Handler) -> None:
    """Put the handler back, and hand it a signal that has arrived (Python's own raises KeyboardInterrupt)."""
    global arrived
    try:
        set_signal(_SIGINT, handler)  # a second signal may raise right here
    finally:
        signalled, arrived = arrived, None
    if signalled is not None:
        handler(*signalled)


def _after_fork() -> None:
    global _main
    _main = threading.get_ident()  # the thread that forked is the child's main thread


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
