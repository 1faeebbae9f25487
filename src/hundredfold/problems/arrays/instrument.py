"""A function to be timed whose true time is known: the judge's instrument for ``arrays.clock``.

Waiting is put on the device's queue, not work: nothing computes, so a busy machine changes little. On a GPU it is a
host function in the stream (`launch_host_func`), for which all behind it waits as for a kernel.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

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
    """

    __name__ = "fn"  # cupyx.profiler.benchmark asks for it

    def __init__(self, device: float = 0.0, host: float = 0.0, slow: dict[int, float] | None = None):
        self.device, self.host, self.slow = device, host, slow or {}
        self.calls = 0
        self.waited = True  # false if the second call came before the first had finished
        self.took: list[float] = []  # of each ordinary call that has finished
        self.live = True
        self.left = 0  # calls whose work was unfinished when the clock returned

    def __call__(self) -> None:
        number, self.calls = self.calls, self.calls + 1
        if number == 1:
            self.waited = bool(self.took) or 0 in self.slow
        began = time.perf_counter()
        time.sleep(self.host + self.slow.get(number, 0.0))
        on_host = time.perf_counter() - began
        if self.device:
            enqueue(lambda: self._work(number, on_host))
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
        from hundredfold.engine import queue

        queue.submit_uncounted("wait", work, ())
    else:
        cp.cuda.get_current_stream().launch_host_func(lambda _: work(), None)
