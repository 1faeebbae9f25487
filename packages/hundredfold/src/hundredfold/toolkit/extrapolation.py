"""`extrapolate`: time parts of a job that is too long to run, and predict the whole from a straight line; with two errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np


@dataclass(frozen=True)
class Extrapolation:
    """What the whole job would take.

    `seconds` is the prediction, or the measured time where `share` is 1. `slope_error` is the relative standard error of the line's
    slope. `last_error` is how far off the largest part would have been, had it been predicted from the smaller ones; relative to its time.
    `share` is the largest part that was run, as a share of the whole.
    """

    seconds: float
    slope_error: float
    last_error: float
    share: float


def extrapolate(
    run: Callable[[int], object],
    whole: int,
    *,
    first: int = 4,
    enough: float = 0.5,
    affordable: float = 120.0,
    clock: Callable[[], float] = perf_counter,
) -> Extrapolation:
    """Run parts of 4, 8, 16, … units until one takes `enough` seconds, and predict all `whole` units with t = a + b · units.

    Parameters
    ----------
    run : callable
        Does so many units of the work, and waits until they are done. It is called once with two units before the clock starts.
    whole : int
        The units of the whole job.
    first : int
        The units of the first part.
    enough : float
        Seconds; at least four parts are run in any case.
    affordable : float
        Seconds. A whole job that would take no longer is run, not predicted.
    clock : callable
        Returns seconds.
    """
    run(2)
    units, seconds, count = [], [], min(first, whole)
    while True:
        start = clock()
        run(count)
        seconds.append(clock() - start)
        units.append(count)
        if count == whole:
            return Extrapolation(seconds[-1], 0.0, 0.0, 1.0)
        if seconds[-1] > enough and len(units) >= 4:
            if seconds[-1] / count * whole > affordable:
                break
            count = whole
        else:
            count = min(2 * count, whole)
    (b, a), spread = np.polyfit(units, seconds, 1, w=1 / np.array(seconds), cov=True)
    before = np.polyval(np.polyfit(units[:-1], seconds[:-1], 1, w=1 / np.array(seconds[:-1])), units[-1])
    return Extrapolation(
        float(a + b * whole),
        float(spread[0, 0] ** 0.5 / b),
        float(abs(before / seconds[-1] - 1)),
        units[-1] / whole,
    )
