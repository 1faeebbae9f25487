"""Known GPUs: complete, sourced, found by the names that people and drivers use, and never mistaken for one another."""

import dataclasses
import json
from pathlib import Path

import pytest

from gpusim.hardware import gpus


def test_the_course_s_machines_are_known():
    for name in (
        "V100",
        "T4",
        "L4",
        "L40S",
        "A10",
        "A100",
        "H100",
        "H200",
        "B200",
        "RTX 4090",
        "RTX 4060 Laptop",
    ):
        assert gpus.find(name).name == name


def test_v100_is_the_one_of_the_published_results():
    """SXM2: the published 746 µs is shorter than the 0.889 ms that reading the array once takes at 900 GB/s."""
    v100 = gpus.find("V100")
    assert (v100.bandwidth, v100.fp64, v100.cc, v100.sms) == (900e9, 7.8e12, (7, 0), 80)
    assert 8e8 / v100.bandwidth > 746e-6


@pytest.mark.parametrize("gpu", gpus.known(), ids=lambda gpu: gpu.name)
def test_every_figure_has_a_source_and_makes_sense(gpu):
    figures = {f.name for f in dataclasses.fields(gpu)} - {"name", "full_name", "sources", "aliases", "calibration"}
    assert set(gpu.sources) == figures
    assert all(len(text) > 20 for text in gpu.sources.values())
    assert 1e11 < gpu.bandwidth < 1e13 and 5e9 < gpu.link < gpu.bandwidth
    assert gpu.fp64 <= gpu.fp32 and gpu.fp64 <= gpu.gemm64
    assert gpu.fp64 / gpu.fp32 == pytest.approx(1 / 2, rel=0.03) or gpu.fp64 / gpu.fp32 < 1 / 30
    assert 4 * 2**30 < gpu.memory < 300 * 2**30 and gpu.sector == 32 and 1e-6 < gpu.launch < 1e-4
    assert gpu.l2 < gpu.memory / 100
    # What the clock gives is what the data sheet prints: 64 or 128 float32 units in an SM (the B200's sheet counts on more).
    cores = 64 if gpu.cc in ((7, 0), (7, 5), (8, 0)) else 128
    assert gpu.fp32 == pytest.approx(gpu.sms * cores * 2 * gpu.clock, rel=0.08)
    integers = 128 if gpu.cc >= (12, 0) else 64
    assert gpu.int32 == pytest.approx(gpu.sms * integers * gpu.clock, rel=0.01) and gpu.special < gpu.int32
    assert 0.25 * gpu.clock < gpu.clock_base <= gpu.clock
    # In a laptop the maker sets a clock that is well below what the driver allows.
    assert gpu.clock <= gpu.clock_most < (1.55 if "Laptop" in gpu.name else 1.35) * gpu.clock
    assert gpu.bandwidth < gpu.l2_bandwidth < 64 * gpu.sms * gpu.clock
    assert 20 < gpu.latency[0] < gpu.latency[1] < gpu.latency[2] < 1000
    assert gpu.threads_per_sm in (1024, 1536, 2048) and 64 * 1024 < gpu.l1 <= 256 * 1024
    assert gpu.link < gpu.link_peak < 4 * gpu.link
    assert gpu.calibration is None or gpu.calibration["source"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *[("h200", "H200"), ("NVIDIA H200", "H200"), ("Tesla V100-SXM2-32GB", "V100"), ("nvidia tesla t4", "T4")],
        *[
            ("NVIDIA A100-SXM4-80GB", "A100"),
            ("NVIDIA A100-SXM4-40GB", "A100 40 GB"),
            ("NVIDIA H100 80GB HBM3", "H100"),
        ],
        *[("NVIDIA GeForce RTX 4090", "RTX 4090"), ("NVIDIA GeForce RTX 4060 Laptop GPU", "RTX 4060 Laptop")],
        *[("rtx_4090", "RTX 4090"), ("H100 pcie", "H100 PCIe"), ("NVIDIA L4", "L4"), ("NVIDIA B200", "B200")],
        *[("NVIDIA H100 NVL", "H100 NVL"), ("NVIDIA GH200 480GB", "GH200")],
    ],
)
def test_found_as_people_and_drivers_write_it(name, expected):
    assert gpus.find(name).name == expected


def test_no_figure_is_remembered():
    """A figure is read somewhere, and its source says where."""
    told = {text for gpu in gpus.known() for text in gpu.sources.values()}
    capabilities = Path(gpus.__file__).with_name("capabilities.json").read_text(encoding="utf-8")
    told |= set(json.loads(capabilities)["sources"].values())
    assert not [text for text in told if "from memory" in text]


def test_the_h200_has_what_the_driver_said_of_ours():
    raw = Path(__file__).parents[4] / "recordings/raw/nvidia-h200/results.jsonl"
    lines = [json.loads(line) for line in raw.read_text(encoding="utf-8").splitlines()]
    (machine,) = [line["result"] for line in lines if (line["stage"], line["part"]) == ("probe", "machine")]
    (said,), (board,), h200 = machine["probe"]["gpus"], machine["probe"]["boards"], gpus.find("H200")
    assert (h200.sms, h200.l2, h200.cc) == (said["sms"], said["l2"], tuple(said["cc"]))
    assert h200.memory == board["memory_total"]


def test_variants_keep_their_own_figures():
    assert gpus.find("A100-SXM4-40GB").bandwidth < gpus.find("A100-SXM4-80GB").bandwidth
    assert gpus.find("H100 PCIe").bandwidth < gpus.find("H100").bandwidth


@pytest.mark.parametrize("name", ["NVIDIA A100 80GB PCIe", "Tesla V100-PCIE-16GB", "NVIDIA H200 NVL"])
def test_a_variant_whose_figures_nobody_entered_does_not_get_anothers(name):
    with pytest.raises(gpus.UnknownGpuError):
        gpus.find(name)


@pytest.mark.parametrize(("name", "near"), [("H300", "H200"), ("V10", "V100"), ("RTX 4080", "RTX 4090")])
def test_unknown_name_tells_the_nearest(name, near):
    with pytest.raises(KeyError) as caught:
        gpus.find(name)
    assert str(caught.value).startswith(f"No GPU called '{name}' is known. The nearest known: ")
    assert near in str(caught.value)


@pytest.mark.parametrize("name", ["banana", "", 42, None])
def test_hopeless_name_tells_what_is_known(name):
    with pytest.raises(gpus.UnknownGpuError, match=r"V100"):
        gpus.find(name)


def test_no_two_gpus_share_a_name():
    seen = {}
    for gpu in gpus.known():
        for name in {gpus.plain(n) for n in (gpu.name, gpu.full_name, *gpu.aliases)}:
            assert seen.setdefault(name, gpu.name) == gpu.name
