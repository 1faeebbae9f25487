"""Measured rates are kept, survive what a disk does to files, and are never those of another machine."""

import re
import threading

import pytest

from gpusim.hardware import cpu, rates

ONE = rates.Rates("AMD EPYC", 83e9, fp64=132e9, measured_at="2026-11-21T10:00:00+00:00", method="triad, median of 7",
                  versions={"numpy": "2.4.6"})  # fmt: skip


def test_kept_and_read_back():
    assert rates.load("cpu AMD EPYC x2") is None
    assert rates.save("cpu AMD EPYC x2", ONE)
    assert rates.load("cpu AMD EPYC x2") == ONE
    assert rates.load("cpu AMD EPYC x4") is None


def test_keys_that_look_alike_as_file_names_stay_apart():
    rates.save("gpu A/B", ONE)
    assert rates.load("gpu A B") is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 1}', "nonsense", '{"format": 1, "key": "k", "rates": {"bandwidth": "x"}}']
)
def test_damaged_file_is_measured_anew(text):
    rates.save("k", ONE)
    rates._file("k").write_text(text)
    assert rates.load("k") is None
    assert rates.save("k", ONE) and rates.load("k") == ONE


@pytest.mark.parametrize("field", ["bandwidth", "fp64", "fp32", "launch"])
@pytest.mark.parametrize("value", ['"fast"', "true", "-1.0", "0", "NaN", "Infinity", "[1.0]"])
def test_a_rate_that_is_none_is_measured_anew(field, value):
    rates.save("k", rates.Rates("AMD EPYC", 83e9, fp64=132e9, fp32=264e9, launch=1e-5))
    file = rates._file("k")
    file.write_text(re.sub(rf'("{field}": )[^,]*', rf"\g<1>{value}", file.read_text()))
    assert f'"{field}": {value}' in file.read_text()
    assert rates.load("k") is None


def test_a_bandwidth_of_nothing_is_not_believed():
    rates.save("k", rates.Rates("CPU", 0.0))
    assert rates.load("k") is None


def test_a_disk_that_cannot_be_written_costs_no_lesson(monkeypatch, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache/rates").write_text("a file where the folder should be")
    assert rates.save("k", ONE) is False and rates.load("k") is None


def test_many_kernels_at_once():
    threads = [threading.Thread(target=rates.save, args=("k", ONE)) for _ in range(8)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    assert rates.load("k") == ONE
    assert [path.suffix for path in rates._file("k").parent.iterdir()] == [".json"]


def test_key_names_the_cores(monkeypatch):
    before = rates.cpu_key()
    monkeypatch.setattr(cpu, "cores", lambda root="/": 3)
    assert rates.cpu_key() != before and rates.cpu_key().endswith("x3")


def test_key_names_the_gpu(monkeypatch, request):
    monkeypatch.setenv("GPUSIM_PROBE", str(request.path.parent / "recorded/good-h200.json"))
    monkeypatch.setattr("gpusim.hardware.packages.platform_why_not", lambda system=None: None)
    assert rates.key().startswith("gpu NVIDIA H200 ")
    monkeypatch.setenv("GPUSIM_SIMULATE", "1")
    assert rates.key() == rates.cpu_key()
