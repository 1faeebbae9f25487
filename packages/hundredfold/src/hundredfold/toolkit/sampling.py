"""Take samples of a function's time: the first call apart, then batches, until the spread is known.

The clock is the standard library's `timeit.Timer` (which holds the garbage collector off) with a timer that waits for the
device before it reads the time. So every batch starts with nothing pending and ends with everything done.
"""

from __future__ import annotations

import gc
import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

AT_LEAST = 7  # samples; fewer leave the interquartile range to chance
SETTLED = 0.05  # the spread counts as known when the interquartile range is within this share of the median
PATIENCE = 5  # an unsettled spread gets this many times `min_time`, not for ever
MOST_LOOPS = 10**7
SHORT = 1e-3  # seconds; where one sample is enough it is at least so long
SLOW = 0.5  # seconds; a call this long needs no warming up beyond its first


@dataclass
class Samples:
    """What was measured so far; lives on when a measurement is interrupted.

    `first` is the first call in seconds, `times` the seconds per call of each batch, `loops` the calls per batch, `value`
    what the function returned last.
    """

    first: float | None = None
    times: list[float] = field(default_factory=list)
    loops: int = 1
    value: Any = None

    @property
    def settled(self) -> bool:
        """Whether the interquartile range is small beside the median."""
        low, middle, high = np.quantile(self.times, [0.25, 0.5, 0.75])
        return (high - low) <= SETTLED * middle


class Sampler:
    """Times one function of no arguments: `first_call()`, then `run()`.

    Parameters
    ----------
    call
        The function.
    synchronize
        Waits until the device has done all that was asked of it; called before every look at the clock.
    setup
        Called before every sample, outside the clock; each sample is then one call.
    clock
        Returns seconds. Replaced in tests.
    """

    def __init__(
        self,
        call: Callable[[], Any],
        synchronize: Callable[[], None] = lambda: None,
        setup: Callable[[], Any] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.samples = Samples()
        self._setup = setup

        def timed() -> None:
            # The last result is let go before the next is made, or every measurement would need twice the memory.
            self.samples.value = None
            self.samples.value = call()

        def now() -> float:
            synchronize()
            return clock()

        self.timed = timed
        self._timer = timeit.Timer(timed, timer=now)
        self.batch: Callable[[int], float] = self._wall
        """Makes that many calls and returns seconds per call; a GPU's own profiler may be put in its place."""

    def _wall(self, loops: int) -> float:
        return self._timer.timeit(loops) / loops

    def _sample(self, loops: int) -> float:
        if self._setup is not None:
            self._setup()
        return self.batch(loops)

    def first_call(self) -> float:
        """Make the first call, which may compile, plan and allocate, and return its seconds by the wall clock."""
        gc.collect()
        if self._setup is not None:
            self._setup()
        self.samples.first = self._wall(1)
        return self.samples.first

    def run(self, repeat: int | None = None, min_time: float = 0.2, max_time: float = 5.0) -> Samples:
        """Fill `self.samples` and return it.

        Parameters
        ----------
        repeat
            Take exactly so many samples; otherwise as many as it takes.
        min_time
            Seconds to spend on samples at least.
        max_time
            Seconds after which no further sample is begun (there is always one).
        """
        taken = self.samples
        warm = self._sample(1)
        if warm >= SLOW:
            taken.times.append(warm)  # too dear to throw away
        else:
            taken.loops = self._loops(warm, min_time)
        spent = sum(taken.times)
        while not self._enough(spent, repeat, min_time, max_time):
            sample = self._sample(taken.loops)
            taken.times.append(sample)
            spent += sample * taken.loops
        return taken

    def run_once(self) -> Samples:
        """Fill `self.samples` with one sample, and return it: of one call, or of calls for a millisecond."""
        taken = self.samples
        sample = self._sample(1)
        if sample < SHORT:  # the clock and cold caches would count for more than the function
            taken.loops = self._loops(sample, AT_LEAST * SHORT)
            sample = self._sample(taken.loops)
        taken.times.append(sample)
        return taken

    def _loops(self, warm: float, min_time: float) -> int:
        """Return how many calls make a batch long enough to time: the least of 1, 2, 5, 10, 20, ... that does."""
        if self._setup is not None:
            return 1
        enough = min_time / AT_LEAST
        loops, step = 1, 0
        while loops * warm < enough and loops < MOST_LOOPS:
            step += 1
            loops = (1, 2, 5)[step % 3] * 10 ** (step // 3)
            if loops * warm >= enough or step % 3 == 0:
                # The second call was perhaps not yet a fair one: look again now and then.
                warm = min(warm, self._sample(min(loops, 1000)))
        return loops

    def _enough(self, spent: float, repeat: int | None, min_time: float, max_time: float) -> bool:
        taken = len(self.samples.times)
        if repeat is not None:
            return taken >= repeat
        if taken and spent >= max_time:
            return True
        if taken < AT_LEAST or spent < min_time:
            return False
        return self.samples.settled or spent >= PATIENCE * min_time
