"""``arrays.clock``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import functools
import statistics
import time

import numpy as np

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def _wait():
    cp.cuda.Device().synchronize()


def _median(fn):
    fn()
    times = []
    for _ in range(7):
        _wait()
        start = time.perf_counter()
        fn()
        _wait()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _fastest(fn):
    fn()
    _wait()
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        fn()
        _wait()
        best = min(best, time.perf_counter() - start)
    return best


def _one_stream(fn):
    fn()
    times = []
    for _ in range(7):
        _wait()
        start = time.perf_counter()
        fn()
        cp.cuda.get_current_stream().synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _the_middle_one(fn):
    fn()
    times = []
    for _ in range(7):
        _wait()
        start = time.perf_counter()
        fn()
        _wait()
        times.append(time.perf_counter() - start)
    return times[3]


def _with_a_pause(fn):
    fn()
    times = []
    for _ in range(7):
        _wait()
        start = time.perf_counter()
        fn()
        _wait()
        time.sleep(0.002)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _starter(fn):
    t = time.perf_counter()
    fn()
    return time.perf_counter() - t


def _no_start(fn):
    fn()
    t = time.perf_counter()
    fn()
    _wait()
    return time.perf_counter() - t


def _cold(fn):
    _wait()
    t = time.perf_counter()
    fn()
    _wait()
    return time.perf_counter() - t


def _mean(fn):
    fn()
    _wait()
    t = time.perf_counter()
    for _ in range(7):
        fn()
    _wait()
    return (time.perf_counter() - t) / 7


def _sum(fn):
    fn()
    _wait()
    t = time.perf_counter()
    for _ in range(7):
        fn()
    _wait()
    return time.perf_counter() - t


def _milliseconds(fn):
    return 1e3 * _median(fn)


def _idle(fn):
    _wait()
    t = time.perf_counter()
    fn  # noqa: B018  (the mistake: no call)
    _wait()
    return time.perf_counter() - t


def _mute(fn):
    _median(fn)


def _all_times(fn):
    return [_median(fn)]


def _in_nanoseconds(fn):
    fn()
    _wait()
    took = []
    while len(took) < 9:
        start = time.perf_counter_ns()
        fn()
        _wait()
        took.append(time.perf_counter_ns() - start)
    took.sort()
    return took[len(took) // 2] / 10**9


def _one_call(fn):
    _wait()
    start = time.perf_counter()
    fn()
    _wait()
    return time.perf_counter() - start


def _by_one_call(fn):
    _one_call(fn)
    first, second, third, fourth, fifth = sorted(_one_call(fn) for _ in range(5))
    return (second + third + fourth) / 3


def _start_and_stop(fn):
    fn()
    starts, stops = [], []
    for _ in range(6):
        _wait()
        starts.append(time.perf_counter())
        fn()
        _wait()
        stops.append(time.perf_counter())
    took = np.array(stops) - np.array(starts)
    return float(np.quantile(took, 0.25))


WRONG = {
    "not-synchronised": Wrong(_starter, "not-synchronised"),
    "one stream": Wrong(_one_stream, "not-synchronised"),
    "leftovers": Wrong(_no_start, "leftovers"),
    "first-call": Wrong(_cold, "first-call"),
    "outlier": Wrong(_mean, "outlier"),
    "unsorted": Wrong(_the_middle_one, "outlier"),
    "pause": Wrong(_with_a_pause, "too-long"),
    "too-long": Wrong(_sum, "too-long"),
    "unit": Wrong(_milliseconds, "unit"),
    "kept": Wrong(functools.lru_cache(_median), "kept"),
    "not-called": Wrong(_idle, "not-called"),
    "mute": Wrong(_mute, "type"),
    "list": Wrong(_all_times, "type"),
}
RIGHT = {
    "median": _median,
    "fastest": _fastest,
    "in nanoseconds": _in_nanoseconds,
    "the middle ones": _by_one_call,
    "start and stop": _start_and_stop,
}
