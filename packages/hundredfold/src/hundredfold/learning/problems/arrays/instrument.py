"""A function to be timed whose true time is known: the judge's instrument for ``arrays.clock``.

Waiting is put on the device's queue, not work: nothing computes, so a busy machine changes little. On a GPU it is a
host function in the stream (`launch_host_func`), for which all behind it waits as for a kernel.
"""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from .. import devices
from ..devices import cp


class Instrument:
    """A function to be timed: `seconds` of device work per call, or of host work.

    Parameters
    ----------
    device, host : float
        Seconds of each call.
    slow : dict of int to float
        Number of a call (0 is the first) to the seconds that the host is held up in it.
    aside : bool
        The device works in a stream of the function's own, for which only a wait for the whole device waits.
    """

    __name__ = "fn"  # cupyx.profiler.benchmark asks for it

    def __init__(
        self, device: float = 0.0, host: float = 0.0, slow: dict[int, float] | None = None, *, aside: bool = False
    ):
        self.device, self.host, self.slow = device, host, slow or {}
        self.enqueue = _Aside() if aside else enqueue
        self.calls = 0
        self.waited = True  # false if the second call came before the first had finished
        self.took: list[float] = []  # of each ordinary call that has finished
        self.live = True
        self.known = False  # whether it was timed before
        self.left = 0  # calls whose work was unfinished when the clock returned

    def again(self, device: float = 0.0, host: float = 0.0) -> None:
        """Forget the calls so far: the same function is to be timed once more, and has other work now."""
        self.device, self.host = device, host
        self.calls, self.waited, self.took, self.live, self.left = 0, True, [], True, 0
        self.known = True

    def __call__(self) -> None:
        number, self.calls = self.calls, self.calls + 1
        if number == 1:
            self.waited = bool(self.took) or 0 in self.slow
        began = time.perf_counter()
        time.sleep(self.host + self.slow.get(number, 0.0))
        on_host = time.perf_counter() - began
        if self.device:
            self.enqueue(lambda: self._work(number, on_host))
        elif number not in self.slow:
            self.took.append(on_host)

    def _work(self, number: int, on_host: float) -> None:
        if not self.live:  # the clock has been judged: what it left in the queue need not be waited for
            return
        began = time.perf_counter()
        time.sleep(self.device)
        if number not in self.slow:
            self.took.append(on_host + time.perf_counter() - began)

    def unfinished(self) -> int:
        """Calls whose work the device has not done yet; slow calls are left out."""
        return self.calls - sum(call < self.calls for call in self.slow) - len(self.took)

    def truth(self) -> float:
        """Seconds that an ordinary call took: the median of those that have finished, or their mean if that is longer.

        The mean in the clock's favour: what a busy machine did to the calls is not the clock's fault.
        """
        return max(statistics.median(self.took), statistics.fmean(self.took)) if self.took else self.device + self.host


def enqueue(work: Callable[[], None]) -> None:
    """Put a host function on the device's queue: it runs there in its turn, and keeps all behind it waiting."""
    if devices.simulated():
        from gpusim.device import queue

        queue.submit_uncounted("wait", work, ())
    else:
        cp.cuda.get_current_stream().launch_host_func(lambda _: work(), None)


class _Aside:
    """Puts host functions on a stream of its own.

    The simulated device has one queue, which any wait empties. So there the work stays here until somebody waits for the
    device: a wait for another stream, or for an event in it, does not reach it.
    """

    def __init__(self) -> None:
        self._stream = cp.cuda.Stream(non_blocking=True)
        self._held: list[Callable[[], None]] = []
        self._elsewhere = 0  # waits for another stream that are going on

    def __call__(self, work: Callable[[], None]) -> None:
        if devices.simulated():
            self._held.append(work)
        else:
            self._stream.launch_host_func(lambda _: work(), None)

    def _release(self) -> None:
        if not self._elsewhere:
            held, self._held = self._held, []
            for work in held:
                enqueue(work)

    @contextlib.contextmanager
    def waits(self) -> Iterator[None]:
        """In the block a wait for the device runs what is held, and a wait for a stream or an event does not."""
        if not devices.simulated():
            yield
            return
        from gpusim.device import queue

        before = queue.before_synchronize

        def device_wide() -> None:
            if before is not None:
                before()
            self._release()

        def elsewhere(wait: Callable[..., Any]) -> Callable[..., Any]:
            def waiting(*args: Any) -> Any:
                self._elsewhere += 1
                try:
                    return wait(*args)
                finally:
                    self._elsewhere -= 1

            return waiting

        kinds = (cp.cuda.Stream.__mro__[1], cp.cuda.Event)
        waits = [kind.synchronize for kind in kinds]
        queue.before_synchronize = device_wide
        for kind, wait in zip(kinds, waits, strict=True):
            kind.synchronize = elsewhere(wait)
        try:
            yield
        finally:
            queue.before_synchronize = before
            for kind, wait in zip(kinds, waits, strict=True):
                kind.synchronize = wait
