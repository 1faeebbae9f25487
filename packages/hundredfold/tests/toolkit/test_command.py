import json

from click.testing import CliRunner

from hundredfold.toolkit import calibrate
from hundredfold.toolkit.limits_command import limits


def test_this_machine_stands_beside_the_known_ones(rates):
    ran = CliRunner().invoke(limits)
    assert ran.exit_code == 0, ran.output
    lines = ran.output.splitlines()
    assert lines[1].split() == [
        "this",
        "CPU",
        "(a",
        "CPU)",
        "100",
        "GB/s",
        "200",
        "GFLOP/s",
        "400",
        "GFLOP/s",
        "8",
        "ms",
    ]
    (v100,) = [line for line in lines if line.startswith("V100 ")]
    assert v100.split() == ["V100", "900", "GB/s", "7.8", "TFLOP/s", "15.7", "TFLOP/s", "889", "µs"]
    assert len({line.rindex(" ") for line in lines[1:3]}) == 1  # aligned


def test_again_measures_again(rates):
    rates.again = rates.faster
    ran = CliRunner().invoke(limits, ["--again"])
    assert rates.asked == [True] and "200 GB/s" in ran.output


def test_json(rates):
    said = json.loads(CliRunner().invoke(limits, ["--json"]).output)
    assert said["here"]["this CPU"]["bandwidth"] == 100e9 and said["known"]["H200"]["bandwidth"] == 4.8e12


def test_a_gpu_that_works_is_measured_too(rates, monkeypatch):
    from gpusim import hardware

    monkeypatch.setattr(hardware, "mode", lambda: "gpu")
    monkeypatch.setattr(calibrate, "gpu_rates", lambda again: rates.faster, raising=True)
    assert "this GPU (a CPU)" in CliRunner().invoke(limits).output
