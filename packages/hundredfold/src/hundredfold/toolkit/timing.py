"""`measure`: time a function so that the number can be believed."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from . import measurement_log, where
from .bounds import check_work, limit
from .result import Measurement, MeasurementInterrupted
from .sampling import Sampler


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
