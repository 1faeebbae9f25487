"""How samples are taken, on a clock that only the measured function and the device move."""

import gc

import pytest

from hundredfold.toolkit.timing import AT_LEAST, MOST_LOOPS, PATIENCE, Sampler


class Machine:
    """A clock, a function that takes the given seconds call by call (the last for ever), and a device that lags behind."""

    def __init__(self, *costs: float, queued: bool = False) -> None:
        self.now = 0.0
        self.costs = list(costs)
        self.queued = queued
        self.waiting = 0.0
        self.calls = 0

    def call(self) -> int:
        cost = self.costs[min(self.calls, len(self.costs) - 1)]
        self.calls += 1
        if self.queued:
            self.waiting += cost
            self.now += 1e-6
        else:
            self.now += cost
        return self.calls

    def synchronize(self) -> None:
        self.now += self.waiting
        self.waiting = 0.0

    def clock(self) -> float:
        return self.now

    def sampler(self, **more) -> Sampler:
        return Sampler(self.call, synchronize=self.synchronize, clock=self.clock, **more)

    def run(self, **more):
        sampler = self.sampler()
        sampler.first_call()
        return sampler.run(**more)


def test_the_first_call_is_told_apart():
    taken = Machine(2.0, 0.1).run()
    assert taken.first == pytest.approx(2.0)
    assert taken.times == pytest.approx([0.1] * AT_LEAST)


def test_the_device_is_waited_for_before_the_clock_starts_and_before_it_stops():
    machine = Machine(0.5, 0.1, queued=True)
    machine.waiting = 100.0  # somebody else's work, ordered before: not ours to pay for
    taken = machine.run()
    assert taken.first == pytest.approx(0.5, rel=1e-3)
    assert taken.times == pytest.approx([0.1] * AT_LEAST, rel=1e-3)


def test_fast_functions_are_called_in_batches_long_enough():
    taken = Machine(1e-3, 1e-6).run(min_time=0.2)
    assert taken.loops * 1e-6 >= 0.2 / AT_LEAST > taken.loops * 1e-6 / 5
    assert taken.times == pytest.approx([1e-6] * AT_LEAST)


def test_a_clock_that_stands_still_does_not_stop_the_run():
    machine = Machine(0.0)
    sampler = machine.sampler()
    sampler.samples.first = 0.0
    assert sampler._loops(0.0, 0.2) == MOST_LOOPS


def test_it_repeats_until_the_spread_is_known_but_not_for_ever():
    unsettled = [0.1, 0.2] * 500
    restless = Machine(0.0, 0.1, *unsettled).run(min_time=0.5, max_time=20)
    quiet = Machine(0.0, 0.1).run(min_time=0.5, max_time=20)
    assert len(quiet.times) == AT_LEAST < len(restless.times)
    assert sum(restless.times) <= PATIENCE * 0.5 + 0.2


def test_slow_functions_stop_when_the_time_is_up_and_their_second_call_counts():
    machine = Machine(3.0, 2.0)
    taken = machine.run(max_time=5.0)
    assert taken.times == [2.0, 2.0, 2.0] and machine.calls == 4
    machine = Machine(60.0)
    assert machine.run(max_time=5.0).times == [60.0] and machine.calls == 2


def test_repeat_is_taken_at_its_word():
    for cost in (1e-6, 0.01, 2.0):
        assert len(Machine(cost).run(repeat=3).times) == 3


def test_setup_runs_before_each_sample_outside_the_clock():
    machine = Machine(0.01)
    calls = []

    def setup() -> None:
        assert len(calls) == machine.calls  # exactly one before each call
        calls.append(1)
        machine.now += 50.0

    sampler = machine.sampler(setup=setup)
    sampler.first_call()
    taken = sampler.run()
    assert taken.first == pytest.approx(0.01) and taken.times == pytest.approx([0.01] * len(taken.times))


def test_only_one_result_is_alive_at_a_time():
    alive = []

    class Big:
        def __init__(self) -> None:
            alive.append(1)
            assert len(alive) <= 1, "the result before was still held while this one was made"

        def __del__(self) -> None:
            alive.pop()

    sampler = Sampler(Big)
    sampler.first_call()
    taken = sampler.run(repeat=5, min_time=0.0)
    assert isinstance(taken.value, Big)


def test_the_garbage_collector_rests_during_a_batch_and_goes_on_after():
    gc.enable()  # dask.utils.disable_gc, in two threads at once, leaves it off for good: a test before may have met that
    seen = []
    sampler = Sampler(lambda: seen.append(gc.isenabled()))
    sampler.first_call()
    sampler.run(repeat=3, min_time=0.0)
    assert not any(seen) and gc.isenabled()
