"""What a call moved, counted by the engine and, as on a GPU, at CuPy's doors."""

import numpy as np
import pytest

from hundredfold.learning.problems import devices, traffic
from hundredfold.learning.problems.verdict import Refusal


def round_trip(cp, n=1000):
    x = cp.asarray(np.zeros(n))
    return cp.asarray(x.get() + 1)


def test_the_engine_counts_both_ways(simulated):
    with traffic.watch() as moved:
        round_trip(simulated)
    assert (moved.to_device, moved.to_host, moved.bus) == (16_000, 8_000, 24_000)
    assert moved.device == 0


def test_the_engine_counts_kernels_by_name(simulated):
    x = simulated.zeros(1000)
    with traffic.watch() as moved:
        _ = x + 1
    assert moved.device == 16_000
    assert [nbytes for _, nbytes in moved.launches] == [16_000]


@pytest.mark.parametrize("simulated_engine", [True, False])
def test_the_largest_copy_tells_single_numbers_from_data(device, simulated_engine, monkeypatch):
    x = device.zeros(100)
    monkeypatch.setattr(devices, "simulated", lambda: simulated_engine)
    with traffic.watch() as moved:
        _ = [float(each) for each in x[:9]]
    assert (moved.to_host, moved.largest) == (72, 8)
    with traffic.watch() as moved:
        x[:9].get()
    assert (moved.to_host, moved.largest) == (72, 72)


def test_what_was_queued_before_is_not_counted(simulated):
    x = simulated.zeros(1000)
    _ = x + 1
    with traffic.watch() as moved:
        pass
    assert (moved.device, moved.launches) == (0, [])


def test_work_of_an_earlier_cell_that_fails_is_not_the_answers_fault(simulated):
    from gpusim.device import queue

    queue.submit_uncounted("broken", lambda: 1 / 0, ())
    with pytest.raises(Refusal, match="an earlier cell"), traffic.watch():
        pass
    queue.synchronize()


def test_the_doors_of_a_real_cupy_are_watched_and_put_back(device, monkeypatch):
    monkeypatch.setattr(devices, "simulated", lambda: False)
    before = [device.ndarray.get, device.ndarray.set, device.asarray, device.array]
    with traffic.watch() as moved:
        x = round_trip(device)
        x.set(np.ones(1000))
        device.asnumpy(x)
    assert (moved.to_device, moved.to_host) == (24_000, 16_000)
    assert moved.device is None
    assert [device.ndarray.get, device.ndarray.set, device.asarray, device.array] == before


def test_the_doors_are_put_back_after_an_exception(device, monkeypatch):
    monkeypatch.setattr(devices, "simulated", lambda: False)
    before = device.asarray
    with pytest.raises(ZeroDivisionError), traffic.watch():
        raise ZeroDivisionError
    assert device.asarray is before


@pytest.mark.parametrize(
    ("nbytes", "said"), [(8, "8 bytes"), (7840, "7.84 kB"), (8e6, "8 MB"), (1.6e9, "1.6 GB"), (0, "0 bytes")]
)
def test_bytes_are_spelled_in_powers_of_ten(nbytes, said):
    assert traffic.spell(nbytes) == said
