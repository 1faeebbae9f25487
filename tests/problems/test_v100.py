"""The figures that the texts of unit 01 are reckoned from are the course's own data."""

from hundredfold.machine import gpus
from hundredfold.problems.arrays import v100
from hundredfold.problems.arrays.possible import KERNELS, NBYTES, T_ONCE, T_SEVEN
from hundredfold.problems.arrays.worth import JOBS, RIGHT


def test_they_are_those_of_the_known_gpus():
    known = gpus.find("V100")
    assert (v100.BANDWIDTH, v100.FP64, v100.LINK, v100.LAUNCH) == (
        known.bandwidth,
        known.fp64,
        known.link,
        known.launch,
    )


def test_the_published_time_is_not_possible():
    assert len(KERNELS) == 7
    assert NBYTES == 9.8e9
    assert round(T_SEVEN * 1e3, 1) == 10.9
    assert round(T_ONCE * 1e3, 3) == 0.889
    assert T_ONCE > 746e-6


def test_each_decision_is_clear_by_more_than_any_rounding_of_the_figures():
    for key, job in JOBS.items():
        slow, fast = max(job.cpu(), job.gpu()), min(job.cpu(), job.gpu())
        assert slow > 2 * fast, key
    assert sorted(RIGHT.values()) == ["cpu", "cpu", "gpu", "gpu"]
