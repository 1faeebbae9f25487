"""``arrays.clock``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import functools
import statistics
import time

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
RIGHT = {"median": _median, "fastest": _fastest}
