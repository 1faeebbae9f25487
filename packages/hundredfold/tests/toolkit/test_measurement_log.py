"""What a page about measurements reads: what is kept, what is not, and that no array is kept alive."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

from hundredfold.learning.problems import judging
from hundredfold.learning.problems.problem import Problem
from hundredfold.learning.problems.verdict import Verified
from hundredfold.toolkit import compare, measure, measurement_log


@pytest.fixture(autouse=True)
def own_ledger(rates):
    measurement_log.forget()
    yield
    measurement_log.forget()


def add(name="add", x=None, **more):
    return measure(lambda: np.add(1, 2) if x is None else x + 1, name=name, repeat=3, min_time=0, **more)


def test_a_measurement_is_kept_with_its_limit_and_its_place():
    taken = add(bytes=100e9)
    (kept,) = measurement_log.entries()
    assert kept.name == "add" and kept.seconds == taken.median and kept.samples == 3
    assert kept.limit == 1.0 and kept.share == pytest.approx(1.0 / taken.median) and kept.binds == "memory"
    assert kept.doubt.startswith("faster than this CPU"), "a time below the limit is not believed on the page either"
    assert kept.versions["numpy"] == np.__version__ and kept.when.endswith("+00:00")


def test_without_a_limit_there_is_no_share():
    add()
    assert measurement_log.entries()[0].limit is None and measurement_log.entries()[0].share is None


def test_the_last_of_a_name_counts_and_stands_last():
    add("one"), add("two")
    again = add("one")
    assert [entry.name for entry in measurement_log.entries()] == ["two", "one"]
    assert measurement_log.entries()[1].seconds == again.median


def test_what_nobody_named_is_counted_and_not_kept():
    measure(lambda: 3, repeat=3, min_time=0)
    assert measurement_log.entries() == [] and measurement_log.unnamed() == 1


def test_no_array_is_kept_alive():
    class Array(np.ndarray):
        pass

    x = np.zeros(3).view(Array)
    add(x=x)
    there = weakref.ref(x)
    del x
    gc.collect()
    assert measurement_log.entries() and there() is None


def test_only_so_many_are_kept(monkeypatch):
    monkeypatch.setattr(measurement_log, "MOST", 3)
    for number in range(5):
        add(str(number))
    assert [entry.name for entry in measurement_log.entries()] == ["2", "3", "4"]


def test_a_comparison_is_kept_by_its_workload():
    compare("arrays.sincos", 1.0)
    second = compare("arrays.sincos", {"CuPy": 2.0})
    assert measurement_log.comparisons() == [second]
    measurement_log.forget("arrays.sincos")
    assert measurement_log.comparisons() == []


def test_what_a_check_measures_is_not_the_learners():
    def judge(problem, answers):
        add("by the judge")
        return Verified("it ran")

    add("mine")
    assert judging.judge(Problem("a.b", "t", "write", ("f",), judge=judge), (len,)).right
    assert [entry.name for entry in measurement_log.entries()] == ["mine"]
    add("after it")
    assert [entry.name for entry in measurement_log.entries()] == ["mine", "after it"]


def test_an_interrupted_measurement_is_not_kept():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(interrupted, name="never")
    assert measurement_log.entries() == []


def test_a_ledger_costs_no_numpy():
    code = "import sys; from hundredfold.toolkit import measurement_log; measurement_log.entries(); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
