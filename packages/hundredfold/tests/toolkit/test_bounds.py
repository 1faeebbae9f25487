"""The limit: right by arithmetic, and slow to accuse."""

import numpy as np
import pytest

from hundredfold.toolkit import limit, measure
from hundredfold.toolkit.bounds import RECHECK, SLACK


def test_the_larger_of_bytes_and_operations_binds(rates):
    moved = limit(bytes=8e9)
    assert moved.seconds == pytest.approx(0.08) and moved.binds == "memory" and moved.machine == "this CPU"
    both = limit(bytes=8e9, flops=40e9)
    assert both.seconds == pytest.approx(0.2) and both.binds == "arithmetic"
    assert limit(flops=40e9, dtype="float32").seconds == pytest.approx(0.1)


def test_a_known_gpu_by_name():
    once = limit(bytes=8e8, machine="V100")
    assert once.seconds == pytest.approx(8e8 / 900e9) and once.machine == "the V100"
    assert limit(flops=2e12, machine="V100").seconds == pytest.approx(2e12 / 7.8e12)
    # A matrix product on a GPU may use units that plain arithmetic cannot: the limit must not lie above what it reaches.
    assert limit(flops=67e12, machine="H100").seconds == pytest.approx(1.0)
    assert limit(flops=9.7e12, machine="A100", products=False).seconds == pytest.approx(1.0)  # NVIDIA's data sheet
    assert limit(flops=9.7e12, machine="A100").seconds == pytest.approx(9.7 / 19.5)
    assert limit(flops=2e12, machine="V100", products=False).seconds == limit(flops=2e12, machine="V100").seconds


def test_the_published_time_is_impossible_and_the_honest_one_is_not():
    once = limit(bytes=8e8, machine="V100")
    judged = once.judge(746e-6)
    assert "faster than the V100 can move the bytes: not synchronised, cached, or not done" in judged
    assert "746 µs" in judged and "889 µs" in judged
    assert "possible" in once.judge(13.06e-3) and "6.8 %" in once.judge(13.06e-3)


def test_a_measured_limit_has_slack_and_a_data_sheet_none(rates):
    here, sheet = limit(bytes=8e9), limit(bytes=8e9, machine="V100")
    assert here.impossible(here.seconds / (0.99 * SLACK)) is None
    assert here.impossible(here.seconds / (1.01 * SLACK)) is not None
    assert sheet.impossible(sheet.seconds * 0.99) is not None


def test_our_own_rates_are_doubted_before_the_learner_is(rates):
    bad_day = limit(bytes=8e9)
    rates.again = rates.faster
    suspect = bad_day.seconds / 1.5
    assert bad_day.impossible(suspect) is not None
    better = bad_day.confirmed(suspect)
    assert rates.asked == [False, True]
    assert better.seconds == pytest.approx(0.04) and better.impossible(suspect) is None
    assert "possible: 75 % of the limit" in bad_day.judge(suspect)


def test_an_absurd_time_is_not_worth_measuring_again(rates):
    once = limit(bytes=8e9)
    assert once.confirmed(once.seconds / (2 * RECHECK)) is once
    assert rates.asked == [False]
    sheet = limit(bytes=8e9, machine="V100")
    assert sheet.confirmed(1e-9) is sheet


def test_what_fits_in_the_cache_is_not_judged_by_the_memory(rates):
    small = limit(bytes=1_900_000)
    assert small.impossible(small.seconds / 100) is None
    assert "fits in the cache" in small.judge(small.seconds / 100)
    assert small.impossible(small.seconds / 1000) is not None, "no cache is a thousand times faster"
    assert small.share_text(small.seconds / 2) == "200 % of the limit (fits in cache)"
    assert limit(bytes=2_100_000).impossible(small.seconds / 100) is not None
    # The arithmetic is done whether or not the data is near.
    busy = limit(bytes=1_900_000, flops=200e9)
    assert "can calculate" in busy.impossible(0.1)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({}, "bytes to move or the operations"),
        ({"bytes": 0}, "positive"),
        ({"bytes": -8.0}, "positive"),
        ({"flops": float("nan")}, "positive"),
        ({"bytes": "8e9"}, "positive"),
        ({"bytes": [1.0, 2.0]}, "positive"),
        ({"flops": 1e9, "dtype": "int8"}, "float64 and float32"),
    ],
)
def test_numbers_without_meaning_are_refused(wrong, says, rates):
    with pytest.raises(ValueError, match=says):
        limit(**wrong)


def test_a_dtype_may_be_numpys_and_a_time_a_measurement(rates):
    assert limit(flops=4e9, dtype=np.float32).seconds == pytest.approx(0.01)
    assert limit(bytes=8e9, machine="CPU").machine == "this CPU"
    assert "is possible" in limit(bytes=8).judge(measure(len, "", repeat=3, min_time=0.001))


def test_an_unknown_machine_is_told_its_neighbours():
    with pytest.raises(KeyError, match="H100"):
        limit(bytes=1e9, machine="H1000")


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), "fast", None, [1.0]])
def test_only_times_are_judged(seconds, rates):
    with pytest.raises(ValueError):
        limit(bytes=8e9).judge(seconds)


def test_no_time_at_all_is_too_fast(rates):
    assert "not done" in limit(bytes=8e9).judge(0.0)
