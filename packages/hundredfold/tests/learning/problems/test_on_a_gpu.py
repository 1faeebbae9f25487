"""What is right in simulation is right on a GPU, and what is wrong is wrong: other last bits, and nobody who counts in this process."""

import os
import threading
import time

import answers
import pytest

from hundredfold.learning import problems
from hundredfold.learning.problems import cases, counting, verdict
from hundredfold.learning.problems.arrays import count

COUNTED = (
    *(
        "arrays.lean",
        "memory.fuse",
        "memory.single",
        "memory.softmax",
        "protocols.blend",
        "learning.pagerank",
        "merges.asof",
    ),
    *("profiling.waits", "profiling.overlap", "profiling.pipeline", "profiling.reuse"),
)
"""Problems that judge what only the simulator sees."""
COUNTS = ("traffic", "materialised", "launch", "serialised", "driver-calls", "unordered", "unjoined", "freed-early")


def known(kind):
    """The known answers that are told apart by what it sees."""
    if kind == "right":
        return [(name, key) for name in COUNTED for key in list(answers.right(problems.find(name)))[:1]]
    found = [(name, answers.wrong(problems.find(name)).items()) for name in COUNTED]
    return [(name, key) for name, each in found for key, wrong in each if wrong.reason in COUNTS]


@pytest.mark.large(smoke=2)
@pytest.mark.parametrize(("problem", "key"), known("right"))
def test_a_right_answer_is_right_on_a_gpu(gpu, monkeypatch, problem, key):
    import hundredfold.toolkit

    def timed(*args, **kwargs):
        raise AssertionError("a time does not tell what was moved")

    monkeypatch.setattr(hundredfold.toolkit, "measure", timed)
    answer = answers.right(problems.find(problem))[key]
    there = answers.judge(problem, answer)
    assert there.right, there.why
    monkeypatch.undo()
    assert there == answers.judge(problem, answer)


@pytest.mark.large(smoke=2)
@pytest.mark.parametrize(("problem", "key"), known("wrong"))
def test_what_moves_too_much_is_refused_on_a_gpu(gpu, problem, key):
    wrong = answers.wrong(problems.find(problem))[key]
    found = answers.judge(problem, wrong.answer)
    assert (found.outcome, found.reason) == ("wrong", wrong.reason), found.why


def test_what_cannot_be_counted_is_not_refused(gpu):
    held = threading.Lock()  # stays in this process

    def spread(x):
        with held:
            return float(x.std())

    found = problems.judge("arrays.lean", spread)
    assert (found.outcome, found.reason) == ("unjudged", None)
    assert "the results are right" in found.why and "simulated device" in found.why


def test_what_ends_in_an_error_where_it_is_counted_is_not_refused(gpu):
    here = os.getpid()

    def spread(x):
        if os.getpid() != here:
            raise RuntimeError("only here")
        return float(x.std())

    found = problems.judge("arrays.lean", spread)
    assert found.outcome == "unjudged" and "only here" in found.why


def test_what_does_not_end_where_it_is_counted_is_not_waited_for(gpu, monkeypatch):
    here = os.getpid()

    def waiting(x):
        if os.getpid() != here:
            time.sleep(1e6)
        return x

    monkeypatch.setattr(counting, "_START", 1.0)
    problem = problems.find("arrays.lean")
    with pytest.raises(verdict.NotJudged, match="in time"):
        counting.apart(
            problem.__class__(**{**vars(problem), "time_limit": 0.5}), waiting, [cases.Case("", lambda: (0.0,))]
        )


@pytest.mark.parametrize("key", answers.right(problems.find("arrays.count")))
def test_sines_of_other_last_bits_are_right(rounding, monkeypatch, key):
    monkeypatch.setattr(count, "hard", count.hard.__wrapped__)
    answer = answers.right(problems.find("arrays.count"))[key]
    found = problems.judge("arrays.count", answer)
    assert found.right, found.why


@pytest.mark.parametrize("key", ["tolerance", "dtype", "all", "count"])
def test_with_sines_of_other_last_bits_what_is_wrong_is_refused(rounding, monkeypatch, key):
    monkeypatch.setattr(count, "hard", count.hard.__wrapped__)
    wrong = answers.wrong(problems.find("arrays.count"))[key]
    found = problems.judge("arrays.count", wrong.answer)
    assert (found.outcome, found.reason) == ("wrong", wrong.reason), found.why
