import dataclasses

import pytest

from gpusim import hardware
from hundredfold.toolkit import calibrate

RATES = hardware.rates.Rates(
    device="a CPU", bandwidth=100e9, fp64=200e9, fp32=400e9, measured_at="2026-11-21", method="made up"
)


@pytest.fixture(autouse=True)
def all_samples_and_no_simulation(monkeypatch):
    for name in ("GPUSIM_SIMULATE", "HUNDREDFOLD_ONE_SAMPLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def rates(monkeypatch):
    """A CPU of 100 GB/s and 200 GFLOP/s with 1 MB of cache. `again` is what measuring it again gives; it lists the asking."""

    class Known:
        now = RATES
        again = RATES
        asked = []

    known = Known()
    known.asked = []

    def cpu_rates(again: bool = False):
        known.asked.append(again)
        if again:
            known.now = known.again
        return known.now

    monkeypatch.setattr(calibrate, "cpu_rates", cpu_rates)
    monkeypatch.setattr(calibrate, "last_cache", lambda: 1_000_000)
    known.faster = dataclasses.replace(RATES, bandwidth=200e9)
    return known
