"""`measure`: time a function so that the number can be believed."""

from __future__ import annotations

import gc
import inspect
import os
import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import measurement_log, where
from .bounds import check_work, limit
from .result import Measurement, MeasurementInterrupted


def measure(
    fn: Callable[..., Any],
    *args: Any,
    bytes: float | None = None,
    flops: float | None = None,
    dtype: str = "float64",
    name: str | None = None,
    setup: Callable[[], Any] | None = None,
    repeat: int | None = None,
    min_time: float = 0.2,
    max_time: float = 5.0,
) -> Measurement:
    """Time `fn(*args)`: synchronised, warmed up, repeated until the spread is known.

    The device is waited for before the clock starts and before it stops. The first call is told apart, a second one warms
    up, fast functions are called in batches long enough to time, and there are at least seven samples unless `max_time` is
    up. On a real GPU a function that uses it is timed by `cupyx.profiler.benchmark`, which reads the GPU's own clock.

    Parameters
    ----------
    fn
        The function to call, not its result: `measure(f, x)` or `measure(lambda: f(x))`.
    *args
        What to call it with.
    bytes : float, optional
        Bytes that the work must at least move through memory: each input read once, each output written once.
    flops : float, optional
        Floating-point operations that it must at least do.
    dtype : {"float64", "float32"}
        Of these operations; it decides which arithmetic rate limits them.
    name : str, optional
        What to call it in print; by default the function's own name.
    setup
        Called without arguments before each sample, outside the clock; each sample is then one call.
    repeat : int, optional
        Take exactly so many samples.
    min_time, max_time : float
        Seconds to spend on samples at least and at most (there is always one sample after the first call).

    Returns
    -------
    Measurement
        Seconds, their spread, the rate, the share of the limit, and in `.value` what the function returned.

    Raises
    ------
    TypeError
        If `fn` is not a function.
    ValueError
        If a number makes no sense.
    MeasurementInterrupted
        On `Ctrl-C`: a KeyboardInterrupt that holds what was measured so far.
    Exception
        Whatever `fn` raises.
    """
    _check(fn, setup, repeat, min_time, max_time)
    dtype = check_work(bytes, flops, dtype)
    name = " ".join(str(name or _name(fn)).split())
    sampler = Sampler((lambda: fn(*args)) if args else fn, synchronize=where.synchronize, setup=setup)
    host: list[float] = []
    device = "CPU"
    try:
        launched = where.launches()
        sampler.first_call()
        _refuse_lazy(name, sampler.samples.value)
        if where.simulating():
            device = "simulated GPU" if where.launches() > launched else "CPU"
        elif where.uses_gpu(fn, args, sampler.samples.value):
            device = where.gpu_name()
            sampler.batch = _profiler(sampler.timed, host)
        if _one_sample() and device in ("CPU", "simulated GPU"):
            sampler.run_once()
        else:
            sampler.run(repeat=repeat, min_time=min_time, max_time=max_time)
        load = _load()
        result = _result(name, sampler, device, host, bytes=bytes, flops=flops, load=load)
        if bytes is not None or flops is not None:
            # This may measure the machine itself, for seconds: an interrupt there must not lose what was measured.
            on = None if device not in ("CPU", "simulated GPU") else "cpu"
            result.limit = limit(bytes=bytes, flops=flops, dtype=dtype, machine=on).confirmed(result.median)
    except KeyboardInterrupt:
        # Nothing more is computed here: whoever interrupts wants out.
        partial = _result(name, sampler, device, host) if sampler.samples.times else None
        raise MeasurementInterrupted(name, partial) from None
    measurement_log.record(result)
    return result


def _one_sample() -> bool:
    """Whether one sample after the first call is enough: tests of notebooks ask for it, since they do not compare times.

    On a real GPU all samples are taken: they cost little there, and checks judge by them.
    """
    return os.environ.get("HUNDREDFOLD_ONE_SAMPLE") == "1"


def _refuse_lazy(name: str, value: Any) -> None:
    if inspect.iscoroutine(value):
        value.close()  # or Python warns that nobody awaited it
    elif not inspect.isgenerator(value):
        return
    raise TypeError(
        f"{name} returns a {type(value).__name__}, which has done none of its work. "
        "Measure a function that runs it to its end, such as lambda: list(f())."
    )


def _check(fn: Any, setup: Any, repeat: Any, min_time: Any, max_time: Any) -> None:
    if not callable(fn):
        raise TypeError(
            f"measure wants a function that it can call again and again, but got its result, of type {type(fn).__name__}. "
            "Write measure(f, x) or measure(lambda: f(x)) instead of measure(f(x))."
        )
    if inspect.isgeneratorfunction(fn) or inspect.iscoroutinefunction(fn):
        raise TypeError(
            f"{_name(fn)} is a generator or a coroutine function: calling it does none of its work. "
            "Measure a function that runs it to its end, such as lambda: list(f())."
        )
    if setup is not None and not callable(setup):
        raise TypeError(f"setup must be a function without arguments, not of type {type(setup).__name__}.")
    if repeat is not None and not (isinstance(repeat, (int, np.integer)) and repeat > 0):
        raise ValueError(f"repeat must be a positive whole number, not {repeat!r}.")
    numbers = all(isinstance(each, (int, float, np.number)) for each in (min_time, max_time))
    if not numbers or not 0 <= min_time <= max_time:
        raise ValueError(f"min_time ({min_time}) must be between 0 and max_time ({max_time}), both in seconds.")


def _name(fn: Callable[..., Any]) -> str:
    name = getattr(fn, "__name__", None) or type(fn).__name__
    return "expression" if name == "<lambda>" else name


def _result(name: str, sampler: Sampler, device: str, host: list[float], **more: Any) -> Measurement:
    from gpusim import hardware

    taken = sampler.samples
    return Measurement(
        name=name,
        first=taken.first if taken.first is not None else float("nan"),
        times=np.array(taken.times, dtype=np.float64),
        loops=taken.loops,
        value=taken.value,
        device=device,
        mode=hardware.mode(),
        versions=where.versions(),
        host=float(np.median(host)) if host else None,
        **more,
    )


def _profiler(timed: Callable[[], None], host: list[float]) -> Callable[[int], float]:
    """Return a batch timed by CuPy's own profiler: the median of the GPU's times, the slowest GPU counting."""
    from cupyx.profiler import benchmark

    devices = tuple(where.active_devices()) or None

    def batch(loops: int) -> float:
        record = benchmark(timed, n_repeat=loops, n_warmup=0, devices=devices)
        host.extend(record.cpu_times)
        return float(np.median(record.gpu_times.max(axis=0)))

    return batch


def _load() -> float | None:
    """Return the machine's load average over its cores; None where the system does not say."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (AttributeError, OSError):
        return None


# Take samples of a function's time: the first call apart, then batches, until the spread is known.
#
# The clock is the standard library's `timeit.Timer` (which holds the garbage collector off) with a timer that waits for the
# device before it reads the time. So every batch starts with nothing pending and ends with everything done.

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
