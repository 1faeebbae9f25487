"""The figures that the texts of unit 01 are computed from are the course's own data."""

from gpusim.hardware import gpus
from hundredfold.learning.problems.arrays import v100
from hundredfold.learning.problems.arrays.possible import FLOAT64, NBYTES, PUBLISHED, T_ONCE, T_SEVEN, moved
from hundredfold.learning.problems.arrays.worth import JOBS, WORTH


def test_they_are_those_of_the_known_gpus():
    known = gpus.find("V100")
    assert (v100.BANDWIDTH, v100.FP64, v100.LINK, v100.LAUNCH) == (
        known.bandwidth,
        known.fp64,
        known.link,
        known.launch,
    )


def test_the_texts_say_what_is_reckoned():
    assert moved(FLOAT64) == 9.8e9  # the lecture's figure
    assert NBYTES == 5e9
    assert round(T_SEVEN * 1e3, 2) == 5.56
    assert round(T_ONCE * 1e3, 3) == 0.444
    assert T_ONCE < PUBLISHED < T_SEVEN


def test_each_decision_is_clear_by_more_than_any_rounding_of_the_figures():
    for key, job in JOBS.items():
        fast, slow = sorted((job.times["cpu"], job.times["gpu"]))
        assert slow > 2 * fast, key
    assert sorted(WORTH.judge.right.values()) == ["cpu", "cpu", "gpu", "gpu"]
