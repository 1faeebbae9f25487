"""Let ``Ctrl-C`` take effect between two operations, never inside one.

An operation torn in the middle would leave its output half written and could be lost or run twice.  Signals reach
only the main thread, so only there anything needs to be done.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType


class Deferred:
    """Hold back SIGINT while active.

    Use as a context manager and call :meth:`check` between operations: it hands a signal that has arrived to the
    handler that was installed before (Python's own raises KeyboardInterrupt).
    """

    __slots__ = ("_arrived", "_handler", "_installed")

    def __enter__(self) -> Deferred:
        self._arrived: tuple[int, FrameType | None] | None = None
        self._installed = False
        if threading.current_thread() is threading.main_thread():
            self._handler = signal.getsignal(signal.SIGINT)
            if callable(self._handler):  # not SIG_IGN, SIG_DFL or one that C code installed
                try:
                    signal.signal(signal.SIGINT, self._remember)
                    self._installed = True
                except ValueError:  # a sub-interpreter
                    pass
        return self

    def _remember(self, number: int, frame: FrameType | None) -> None:
        self._arrived = (number, frame)

    def check(self) -> None:
        if self._arrived is not None:
            number, frame = self._arrived
            self._arrived = None
            self._handler(number, frame)

    def __exit__(self, *exception: object) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, self._handler)
            if exception[0] is None:
                self.check()
