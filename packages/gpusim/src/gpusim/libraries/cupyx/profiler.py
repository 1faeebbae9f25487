"""``benchmark``, ``time_range`` and ``profile``: the calls of CuPy's profiler, on simulated work."""

from __future__ import annotations

import argparse
import contextlib
import functools
import math
import textwrap
import time
from collections.abc import Callable, Iterator
from typing import Any

import cupy
import numpy as np
from cupy.cuda import nvtx
from cupy.cuda.stream import Event, get_elapsed_time

from gpusim.device import activity


class _PerfCaseResult:
    """Times of a benchmark.

    Attributes
    ----------
    name : str
        What was timed.
    cpu_times : numpy.ndarray
        Seconds until the call returned, one for each repeat.
    gpu_times : numpy.ndarray
        Seconds until the simulated work was done, devices by repeats.
    """

    def __init__(self, name: str, ts: np.ndarray, devices: tuple[int, ...]):
        assert ts.ndim == 2 and ts.shape[0] == len(devices) + 1 and ts.shape[1] > 0
        self.name = name
        self._ts = ts
        self._devices = devices

    @property
    def cpu_times(self) -> np.ndarray:
        return self._ts[0]

    @property
    def gpu_times(self) -> np.ndarray:
        return self._ts[1:]

    @staticmethod
    def _row(device: str, t: np.ndarray) -> str:
        us = t * 1e6
        text = f"    {device}: {us.mean():9.03f} us"
        if us.size > 1:
            text += f"   +/- {us.std():6.03f} (min: {us.min():9.03f} / max: {us.max():9.03f}) us"
        return text

    def to_str(self, show_gpu: bool = False) -> str:
        """The times in one line; it ends by saying that they were simulated."""
        rows = [self._row("CPU", self._ts[0])]
        if show_gpu:
            rows += [self._row(f"GPU-{d}", self._ts[1 + i]) for i, d in enumerate(self._devices)]
        return f"{self.name:<20s}:{' '.join(rows)} {activity.PLACE}"

    def __repr__(self) -> str:
        return self.to_str(show_gpu=True)

    __str__ = __repr__


def benchmark(
    func: Callable,
    args: tuple = (),
    kwargs: dict | None = None,
    n_repeat: int = 10000,
    *,
    name: str | None = None,
    n_warmup: int = 10,
    max_duration: float = math.inf,
    devices: tuple[int, ...] | None = None,
) -> _PerfCaseResult:
    """Time a function: until it returns, and until its work is done.

    Parameters
    ----------
    func : callable
        Called with ``args`` and ``kwargs``.
    n_repeat, n_warmup : int
        Timed and untimed calls.
    name : str, optional
        By default the function's.
    max_duration : float
        Seconds after which no call is started.
    devices : tuple of int, optional
        By default the current device.
    """
    kwargs = {} if kwargs is None else kwargs
    if name is None:
        name = func.__name__
    if devices is None:
        devices = (cupy.cuda.get_device_id(),)
    for value, kind, text in (
        (args, tuple, "`args` should be of tuple type."),
        (kwargs, dict, "`kwargs` should be of dict type."),
        (n_repeat, int, "`n_repeat` should be an integer."),
        (name, str, "`name` should be a string."),
        (n_warmup, int, "`n_warmup` should be an integer."),
        (devices, tuple, "`devices` should be of tuple type"),
    ):
        if not isinstance(value, kind):
            raise ValueError(text)
    if not callable(func):
        raise ValueError("`func` should be a callable object.")
    if not np.isreal(max_duration):
        raise ValueError("`max_duration` should be given in seconds")
    return _repeat(func, args, kwargs, n_repeat, name, n_warmup, max_duration, devices)


def _repeat(func, args, kwargs, n_repeat, name, n_warmup, max_duration, devices) -> _PerfCaseResult:
    for _ in range(n_warmup):
        func(*args, **kwargs)
    start, stop = Event(), Event()
    cpu, gpu, spent = [], [], 0.0
    for _ in range(n_repeat):
        start.record()
        t1 = time.perf_counter()
        func(*args, **kwargs)
        t2 = time.perf_counter()
        stop.record()
        stop.synchronize()
        cpu.append(t2 - t1)
        gpu.append(float(get_elapsed_time(start, stop)) * 1e-3)
        spent += time.perf_counter() - t1
        if spent > max_duration:
            break
    return _PerfCaseResult(name, np.array([cpu] + [gpu] * len(devices)), devices)


class time_range:
    """An NVTX range around a ``with`` block or, as a decorator, around each call of a function.

    Parameters
    ----------
    message : str, optional
        Its name; of a function, the function's if left out.
    color_id, argb_color : int, optional
        Its colour, by number or as ARGB.
    sync : bool
        Wait for the device before the range begins and before it ends.
    """

    def __init__(
        self,
        message: str | None = None,
        color_id: int | None = None,
        argb_color: int | None = None,
        sync: bool = False,
    ):
        if color_id is not None and argb_color is not None:
            raise ValueError("Only either color_id or argb_color can be specified")
        self.message, self.color_id, self.argb_color, self.sync = message, color_id, argb_color, sync

    def __call__(self, func: Callable) -> Callable:
        @functools.wraps(func)
        def inner(*args: Any, **kwargs: Any) -> Any:
            if self.message is None:
                self.message = func.__name__
            with self:
                return func(*args, **kwargs)

        return inner

    def __enter__(self) -> time_range:
        if self.message is None:
            raise ValueError("when used as a context manager, the message argument cannot be None")
        if self.sync:
            cupy.cuda.runtime.deviceSynchronize()
        if self.argb_color is not None:
            nvtx.RangePushC(self.message, self.argb_color)
        else:
            nvtx.RangePush(self.message, -1 if self.color_id is None else self.color_id)
        return self

    def __exit__(self, *exception: object) -> None:
        if self.sync:
            cupy.cuda.runtime.deviceSynchronize()
        nvtx.RangePop()


@contextlib.contextmanager
def profile() -> Iterator[None]:
    """Switch NVIDIA's profiler on for a block: nsys records only that with ``--capture-range=cudaProfilerApi``."""
    activity.note("mark", name="profiler on")
    try:
        yield
    finally:
        activity.note("mark", name="profiler off")


def load_ipython_extension(ipython: Any) -> None:
    """``%load_ext cupyx.profiler``: gives ``%gpu_timeit`` and ``%%gpu_timeit``."""

    def gpu_timeit(line: str, cell: str | None = None) -> None:
        parser = argparse.ArgumentParser("gpu_timeit", add_help=False)
        parser.add_argument("-n", "--n-repeat", type=int, default=10000)
        parser.add_argument("-w", "--n-warmup", type=int, default=10)
        parser.add_argument("--max-duration", type=float, default=math.inf)
        parser.add_argument("code", nargs=argparse.REMAINDER)
        given = parser.parse_args(line.split())
        code = line[line.index(given.code[0]) :] if cell is None and given.code else textwrap.dedent(cell or "")
        compiled = compile(code, "<gpu_timeit>", "eval" if cell is None else "exec")
        space = ipython.user_ns
        print(benchmark(
            lambda: eval(compiled, space), n_repeat=given.n_repeat, name="run", n_warmup=given.n_warmup,
            max_duration=given.max_duration,
        ))  # fmt: skip

    ipython.register_magic_function(gpu_timeit, "line_cell", "gpu_timeit")
