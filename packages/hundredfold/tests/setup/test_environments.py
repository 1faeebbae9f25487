"""Driver → CUDA → wheels, and the environment.yml that is written from it."""

import re

import pytest
import yaml

from gpusim.hardware import packages
from gpusim.hardware.detect import Probe
from hundredfold import cli, paths
from hundredfold.setup import environments


@pytest.mark.parametrize(
    ("driver", "cc", "extra", "cuda", "said"),
    [
        ("580.65.06", "9.0", "cu13", (13, 0), "runs CUDA 13, and so does compute capability 9.0"),
        ("615.01", "7.5", "cu13", (13, 0), "runs CUDA 13"),
        ("580.65.06", "7.0", "cu12", (12, 0), "CUDA 13 needs 7.5 or newer; this GPU has compute capability 7.0"),
        ("570.86.15", "9.0", "cu12", (12, 0), "CUDA 13 needs 580 or newer"),
        ("525.60.13", "8.0", "cu12", (12, 0), "RAPIDS tests from 535 on"),
        ("470.82", "8.0", "cpu", None, "older than 525"),
        ("580.65.06", "6.1", "cpu", None, "RAPIDS needs 7.0 or newer"),
    ],
)
def test_the_variant_follows_from_driver_and_gpu(driver, cc, extra, cuda, said):
    found = environments.variant(driver, cc)
    assert (found.extra, found.cuda) == (extra, cuda)
    assert said in found.why and found.why.endswith(".")


@pytest.mark.parametrize(
    ("driver", "cc"), [("", "9.0"), ("13.0", "9.0"), ("new", "9.0"), ("580", "H100"), ("580", "9")]
)
def test_what_is_no_driver_or_capability_is_said(driver, cc):
    with pytest.raises(ValueError, match="looks like"):
        environments.variant(driver, cc)


@pytest.mark.parametrize("extra", ["cu12", "cu13", "cpu"])
def test_every_package_is_pinned_to_what_the_lock_has(extra):
    lock = (paths.repository() / "requirements" / f"{extra}.txt").read_text()
    pins = environments.pins(extra)
    assert len(pins) > 20
    for pin in pins:
        name, version = re.fullmatch(r"([\w.-]+)(?:\[[^\]]*\])?==(\S+)", pin).groups()
        assert f"\n{name}=={version} " in "\n" + lock, pin
    cuda = [pin for pin in pins if pin.startswith(("cupy-", "cudf-"))]
    assert bool(cuda) == (extra != "cpu") and all(re.search(f"-cu(da)?{extra[2:]}x?", pin) for pin in cuda)


def test_the_file_is_what_conda_reads():
    read = yaml.safe_load(environments.environment(environments.described("580.65.06", "9.0"), "3.13"))
    assert read["name"] == "hundredfold-cu13" and read["channels"] == ["conda-forge", "nodefaults"]
    *conda, pip = read["dependencies"]
    assert conda == ["__cuda >=13.0", "python =3.13", "pip"] and pip == {"pip": environments.pins("cu13")}
    without = yaml.safe_load(environments.environment(Probe(status="no driver"), system={"system": "Linux"}))
    assert without["name"] == "hundredfold-cpu" and without["dependencies"][0].startswith("python")


def test_the_oldest_cuda_of_the_file_is_what_the_wheels_need():
    for need in packages.NEEDS:
        text = environments.environment(environments.described(f"{need.driver}.01", ".".join(map(str, need.cc))))
        assert f"- __cuda >={need.cuda[0]}.{need.cuda[1]}\n" in text


def test_where_there_is_no_checkout_the_ranges_are_written(monkeypatch):
    monkeypatch.setattr(environments.paths, "repository", lambda: None)
    pins = environments.pins("cu12")
    assert any(re.fullmatch(r"cupy-cuda12x\[ctk\](<|>=)[\d.,<>=]+", pin) for pin in pins)


def test_a_python_without_wheels_is_refused():
    with pytest.raises(ValueError, match="3.11, 3.12, 3.13"):
        environments.environment(python="3.9")


def test_the_command_writes_the_file(tmp_path, capsys):
    file = tmp_path / "environment.yml"
    assert cli.run(["environment", "--driver", "570.86.15", "--gpu", "H100", "-o", str(file)]) == 0
    assert "conda env create" in capsys.readouterr().out
    assert yaml.safe_load(file.read_text())["name"] == "hundredfold-cu12"
    assert cli.run(["environment", "--driver", "580.65", "--gpu", "v100"]) == 0
    assert "name: hundredfold-cu12" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--driver", "soon"], "looks like 580.65.06"),
        (["--driver", "580", "--gpu", "Banana"], "No GPU called 'Banana'"),
        (["--gpu", "V100"], "--driver"),
        (["--python", "2.7"], "wheels for Python"),
    ],
)
def test_bad_input_ends_in_a_sentence(arguments, said, capsys):
    assert cli.run(["environment", *arguments]) in (1, 2)
    error = capsys.readouterr().err
    assert said in error and "Traceback" not in error
