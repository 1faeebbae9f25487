"""This machine's rates: measured once, kept, and never below what was once reached."""

import dataclasses

import numpy as np
import pytest

from gpusim import hardware
from hundredfold.toolkit import calibrate, kernels

RATES = hardware.rates.Rates(device="a CPU", bandwidth=100e9, fp64=200e9, fp32=400e9)


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """Rates that are made up instead of measured, in a cache of their own; counts how often."""
    monkeypatch.setenv("GPUSIM_CACHE", str(tmp_path))
    results = []

    def measure():
        results.append(1)
        return dataclasses.replace(RATES, bandwidth=RATES.bandwidth / len(results), fp64=RATES.fp64 * len(results))

    monkeypatch.setattr(calibrate, "_measure_cpu", measure)
    return results


def test_rates_are_measured_once_and_kept(measured, capsys):
    first = calibrate.cpu_rates()
    assert calibrate.cpu_rates() == first and len(measured) == 1
    said = capsys.readouterr()
    # On stderr, and once: what a notebook's cell prints must not depend on whether this is the first run.
    assert said.out == "" and said.err.count("measuring how fast this CPU is") == 1


def test_measured_again_the_better_of_both_is_kept(measured):
    calibrate.cpu_rates()
    again = calibrate.cpu_rates(again=True)
    assert again.bandwidth == RATES.bandwidth and again.fp64 == 2 * RATES.fp64
    assert calibrate.cpu_rates() == again and len(measured) == 2


def test_another_number_of_cores_or_another_numba_is_another_key(measured, monkeypatch):
    calibrate.cpu_rates()
    monkeypatch.setattr(hardware.cpu, "cores", lambda: 96)
    calibrate.cpu_rates()
    import numba

    monkeypatch.setattr(numba, "__version__", "99.0")
    calibrate.cpu_rates()
    assert len(measured) == 3


def test_a_full_or_read_only_disk_costs_a_measurement_not_the_lesson(measured, monkeypatch):
    monkeypatch.setattr(hardware.rates, "save", lambda key, rates: False)
    assert calibrate.cpu_rates().bandwidth == RATES.bandwidth


def test_a_real_short_run_gives_rates_of_a_computer(monkeypatch):
    monkeypatch.setattr(calibrate, "LARGEST", 8 << 20)
    rates = calibrate._measure_cpu()
    assert 1e8 < rates.bandwidth < 1e14 and 1e8 < rates.fp64 < 1e15 and 1e8 < rates.fp32 < 1e15
    assert rates.method and rates.measured_at and rates.versions["numba"]


def test_the_arithmetic_is_really_done():
    """What the compiler might leave out it does not: the values move to where the chain leads."""
    x, y = np.full(64, 0.5), np.full(64, 0.25)
    kernels.multiply_add(x, y, 0.5, 0.25)
    np.testing.assert_allclose(x, 0.5)  # q / (1 - p)
    np.testing.assert_allclose(y, 0.5)
    x, y = np.full(8, 1.0), np.full(8, 2.0)
    kernels.multiply_add(x, y, 1.0, 0.001)
    np.testing.assert_allclose(x, 1.0 + 0.001 * 8 * kernels.CHAIN)
    assert kernels.FLOPS_PER_ROUND == 2 * 2 * 8


def test_the_kernels_move_what_they_are_counted_for():
    a, b, c = np.arange(10.0), np.arange(10.0) * 2, np.zeros(10)
    kernels.copy(a, b, c)
    np.testing.assert_array_equal(c, a)
    kernels.triad(a, b, c)
    np.testing.assert_array_equal(a, b + 3 * c)
    assert kernels.read(a, b, c) == a.sum()


def test_the_last_cache_is_read_from_the_system(tmp_path, monkeypatch):
    def cache(cpu, index, level, size, shared):
        folder = tmp_path / f"cpu{cpu}" / "cache" / f"index{index}"
        folder.mkdir(parents=True)
        for name, value in (("level", level), ("size", size), ("shared_cpu_list", shared)):
            (folder / name).write_text(f"{value}\n")

    monkeypatch.setattr(calibrate.os, "sched_getaffinity", lambda pid: {0, 1, 2}, raising=False)
    for cpu in (0, 1):
        cache(cpu, 0, 1, "48K", cpu)
        cache(cpu, 3, 3, "32768K", "0-1")
    cache(2, 3, 3, "16M", "2-3")
    assert calibrate.last_cache(str(tmp_path)) == (32 << 20) + (16 << 20)
    assert calibrate.last_cache(str(tmp_path / "nowhere")) == calibrate.UNKNOWN_CACHE
