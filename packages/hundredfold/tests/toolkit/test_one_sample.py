"""Under test `measure` takes one sample. What is printed then differs only in its numbers, so notebooks can be compared.

Each notebook shows the same on a larger scale: its stored outputs were measured with all samples, and nbval compares them
with outputs of one.
"""

import re
import time
from pathlib import Path

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from gpusim.device import queue
from hundredfold.publish.build.normalise import patterns, sanitise
from hundredfold.toolkit import compare, limit, magics, measure, measurement_log
from kernellens import plot

RULES = patterns(Path(__file__).parents[4] / "tests" / "sanitize.cfg")
SMALL, LARGE = np.arange(1_000.0), np.arange(1_000_000.0)
MOVED = 1e6  # bytes: 10 µs at 100 GB/s, which no sum of a million numbers takes
QUICK = {"repeat": 3, "min_time": 0.01}


def simulated():
    """Some work, done by the simulated device."""
    queue.submit("test_kernel", LARGE.sum, (), reads=(), writes=())


def magic(line, cell=None):
    shell = InteractiveShell()
    magics.register(shell)
    shell.user_ns["x"] = LARGE
    return shell.run_line_magic("measure", line) if cell is None else shell.run_cell_magic("measure", line, cell)


def several():
    return {
        "NumPy": measure(LARGE.sum, name="NumPy", bytes=MOVED, **QUICK),
        "math": measure(lambda: float(np.dot(LARGE, LARGE)), name="math", bytes=MOVED, **QUICK),
    }


def compared():
    took = several()
    return compare("arrays.sincos", took, naive=took["math"], strongest=took["NumPy"], n=LARGE.size)


KINDS = {
    "a measurement": lambda: measure(SMALL.sum),
    "of the device": lambda: measure(simulated, name="kernel", **QUICK),
    "asked for one sample": lambda: measure(LARGE.sum, repeat=1),
    "asked for seven": lambda: measure(LARGE.sum, repeat=7),
    "with a setup": lambda: measure(LARGE.sum, setup=lambda: None, **QUICK),
    "with bytes": lambda: measure(LARGE.sum, bytes=MOVED, **QUICK),
    "with bytes and operations": lambda: measure(LARGE.sum, bytes=MOVED, flops=LARGE.size, **QUICK),
    "too fast": lambda: measure(lambda: None, name="nothing", bytes=1e15, **QUICK),
    "a limit's judgement": lambda: limit(bytes=MOVED).judge(measure(LARGE.sum, **QUICK)),
    "several, line by line": lambda: "\n".join(map(str, several().values())),
    "a comparison": compared,
    "a comparison's picture": lambda: compared().figure.alt,
    "a picture of times": lambda: plot.times({name: took.median for name, took in several().items()}).alt,
    "%measure": lambda: magic("--repeat 3 x.sum()"),
    "%%measure": lambda: magic("--repeat 3 --name both --bytes 1e6", "y = x + 1\ny.sum()"),
}


def calls(monkeypatch, one_sample, seconds):
    """How often a function is called that takes so long, and the samples that are made of it."""
    monkeypatch.setenv("HUNDREDFOLD_ONE_SAMPLE", one_sample)
    made = []

    def call():
        made.append(1)
        if seconds:
            time.sleep(seconds)

    result = measure(call)
    return len(made), len(result.times)


def test_one_sample_is_one_call_after_the_first(monkeypatch):
    assert calls(monkeypatch, "1", seconds=2e-3) == (2, 1)
    made, samples = calls(monkeypatch, "", seconds=2e-3)
    assert made > samples >= 7


def test_one_sample_of_a_quick_function_is_no_single_call(monkeypatch):
    """A call of a microsecond is lost in what the clock and cold caches cost, and would be judged by that."""
    made, samples = calls(monkeypatch, "1", seconds=0)
    assert samples == 1 and made > 10


def test_on_a_real_gpu_all_samples_are_taken(monkeypatch):
    from hundredfold.toolkit import timing, where

    monkeypatch.setenv("HUNDREDFOLD_ONE_SAMPLE", "1")
    monkeypatch.setattr(where, "uses_gpu", lambda *told: True)
    monkeypatch.setattr(where, "gpu_name", lambda: "a GPU")
    monkeypatch.setattr(timing, "_profiler", lambda timed, host: lambda loops: 1e-3)
    assert len(measure(SMALL.sum, repeat=5).times) == 5


@pytest.mark.parametrize("kind", KINDS)
def test_only_numbers_change(kind, monkeypatch, rates):
    if kind == "of the device":
        monkeypatch.setenv("GPUSIM_SIMULATE", "1")
    said = {}
    for one_sample in ("", "1"):
        monkeypatch.setenv("HUNDREDFOLD_ONE_SAMPLE", one_sample)
        with measurement_log.silent():
            said[one_sample] = str(KINDS[kind]())
    assert re.search(r"\d", said["1"])
    assert sanitise(said["1"], RULES) == sanitise(said[""], RULES)


def test_the_comparison_sees_a_word_that_differs(monkeypatch, rates):
    """What the test above would miss if it compared nothing."""
    monkeypatch.setenv("HUNDREDFOLD_ONE_SAMPLE", "1")
    one = str(measure(LARGE.sum, bytes=MOVED))
    for was, becomes in (("sum", "mean"), ("median", "mean"), ("first call", "last call"), ("of the limit", "of all")):
        assert was in one
        assert sanitise(one, RULES) != sanitise(one.replace(was, becomes), RULES)
