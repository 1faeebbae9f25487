"""`extrapolate`: a line through parts that were timed with a clock of our own, so that nothing here depends on this machine."""

import pytest

from hundredfold.toolkit.extrapolation import extrapolate


class Job:
    """A job whose time is known: `clock` goes on by what each run takes."""

    def __init__(self, seconds):
        self.seconds, self.now, self.ran = seconds, 0.0, []

    def run(self, units):
        self.ran.append(units)
        self.now += self.seconds(units)

    def clock(self):
        return self.now


def test_a_straight_job_is_predicted_to_the_digit_and_never_run_whole():
    job = Job(lambda units: 0.25 + 0.01 * units)
    found = extrapolate(job.run, 1_000_000, clock=job.clock)
    assert found.seconds == pytest.approx(0.25 + 0.01 * 1_000_000)
    assert found.slope_error == pytest.approx(0, abs=1e-6) and found.last_error == pytest.approx(0, abs=1e-6)
    assert job.ran == [2, 4, 8, 16, 32] and found.share == 32 / 1_000_000


def test_a_part_that_is_off_is_told_in_the_errors():
    job = Job(lambda units: 0.02 * units * (2 if units == 32 else 1))
    found = extrapolate(job.run, 1_000_000, clock=job.clock)
    assert job.ran[-1] == 32
    assert found.last_error == pytest.approx(0.5)  # half of what it took was predicted
    assert found.slope_error > 0.05


def test_what_can_be_afforded_is_run_whole_and_has_no_error():
    job = Job(lambda units: 0.02 * units)
    found = extrapolate(job.run, 1_000, clock=job.clock)
    assert job.ran[-1] == 1_000
    assert (found.seconds, found.slope_error, found.last_error, found.share) == (pytest.approx(20), 0, 0, 1)


def test_a_short_job_is_run_whole_before_a_part_takes_long_enough():
    job = Job(lambda units: 1e-3 * units)
    found = extrapolate(job.run, 30, clock=job.clock)
    assert job.ran == [2, 4, 8, 16, 30] and found.share == 1 and found.seconds == pytest.approx(0.03)


def test_the_limits_are_the_callers():
    job = Job(lambda units: 0.02 * units)
    assert extrapolate(job.run, 1_000, affordable=10, clock=job.clock).share < 1
    job = Job(lambda units: 0.02 * units)
    extrapolate(job.run, 10**6, first=2, enough=3, clock=job.clock)
    assert job.ran == [2, 2, 4, 8, 16, 32, 64, 128, 256]
