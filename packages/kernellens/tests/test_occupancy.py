"""Occupancy by NVIDIA's rules, against NVIDIA's published examples, its own code, and figures worked out by hand."""

import json
from pathlib import Path

import pytest

from gpusim.hardware import capabilities, gpus
from kernellens.residency import occupancy

NVIDIA = json.loads(Path(__file__).with_name("occupancy_nvidia.json").read_text())["cases"]


@pytest.mark.parametrize(("threads", "blocks", "share"), [(128, 12, 0.75), (320, 4, 0.625)])
def test_the_best_practices_guide_s_example(threads, blocks, share):
    """NVIDIA, CUDA C++ Best Practices Guide, *Calculating Occupancy*: compute capability 7.0, 37 registers; 75 % with 12
    blocks of 128 threads, "63 %" with four of 320.
    """
    found = occupancy(37, 0, threads, cc=(7, 0))
    assert (found.blocks_per_sm, found.share, found.binds) == (blocks, share, "registers")


def test_every_answer_of_nvidia_s_own_code():
    """60 cases of each compute capability, recorded from cuda_occupancy.h; 48 000 agreed when they were recorded."""
    assert len(NVIDIA) == len(capabilities.known()) == 12
    for cc, cases in NVIDIA.items():
        cc = tuple(map(int, cc.split(".")))
        for registers, shared, threads, optin, blocks in cases:
            found = occupancy(registers, shared, threads, cc=cc, optin=bool(optin))
            assert found.blocks_per_sm == blocks, (cc, registers, shared, threads, optin, found)
            assert bool(found.why) == (blocks == 0)


def test_registers_by_hand():
    # 40 registers × 32 threads = 1 280, a multiple of 256. A partition has 16 384: 12 warps, 48 in the four. A block of 256
    # has 8 warps: 6 blocks. Reckoned without partitions it would be 65 536 // (8 × 1 280) = 6 too; with 72 registers not:
    # 72 × 32 = 2 304, 7 warps in a partition, 28 in all, 3 blocks of 8 (65 536 // 18 432 = 3); blocks of 4 warps: 7.
    assert occupancy(40, 0, 256, "H200").limits == {"threads": 8, "blocks": 32, "registers": 6, "shared memory": 228}
    assert occupancy(72, 0, 128, "H200").blocks_per_sm == 7
    # 41 registers take 1 312, so 1 536 of them: 10 warps in a partition, 40 in all: 5 blocks.
    found = occupancy(41, 0, 256, "H200")
    assert (found.blocks_per_sm, found.warps, found.share, found.binds) == (5, 40, 0.625, "registers")
    # Six blocks want 48 warps, 12 in a partition, 1 365 registers each, rounded down to units 1 280: 40 a thread.
    assert "At 40 registers a thread instead of 41, 6 blocks would fit." in repr(found)


def test_shared_memory_by_hand():
    # H200: 228 KiB; each block 48 KiB and 1 that the driver keeps: 228 // 49 = 4. T4: 64 KiB, nothing kept: 1.
    assert occupancy(16, 48 * 1024, 64, "H200").limits["shared memory"] == 4
    assert occupancy(16, 48 * 1024, 64, "T4").limits["shared memory"] == 1
    # A100, 1 byte: 1 025, in units of 128: 1 152. 164 × 1 024 // 1 152 = 145.
    assert occupancy(16, 1, 64, "A100").limits["shared memory"] == 145
    found = occupancy(32, 40_000, 256, "H200")
    assert (found.blocks_per_sm, found.binds) == (5, "shared memory")
    # 233 472 // 6 = 38 912 = 304 units of 128; without the driver's 1 024: 37 888.
    assert "At 37888 bytes of shared memory a block instead of 40000, 6 blocks would fit." in found.advice
    assert occupancy(32, 37_888, 256, "H200").blocks_per_sm == 6
    assert occupancy(32, 37_889, 256, "H200").blocks_per_sm == 5


def test_small_blocks_and_uneven_ones():
    found = occupancy(16, 0, 32, "H200")  # 32 blocks of one warp: half of 64 warps
    assert (found.warps, found.share, found.binds) == (32, 0.5, "blocks")
    assert "64 threads or more in a block would fill it." in found.advice
    found = occupancy(16, 0, 768, "H200")  # 64 // 24 = 2
    assert (found.warps, found.binds) == (48, "threads")
    assert occupancy(16, 0, 33, "H200").limits["threads"] == 32  # two warps, one thread in the second
    full = occupancy(32, 0, (16, 16), "H200")
    assert (full.share, full.binds, full.advice) == (1, "threads", "")
    assert occupancy(16, 0, 96, "RTX 4090").binds == "threads"  # 16 blocks of three warps are all 48, fewer than its 24


def test_what_cannot_be_launched_says_why_and_what_to_do():
    found = occupancy(128, 0, 1024, "H200")
    assert (found.blocks_per_sm, found.share, found.binds, found.limits) == (0, 0, "registers", {})
    assert "at most 512 threads in a block, or @cuda.jit(max_registers=64)" in found.why
    # What it advises, works.
    assert occupancy(128, 0, 512, "H200").blocks_per_sm == 1
    assert occupancy(64, 0, 1024, "H200").blocks_per_sm == 1
    assert "larger than 1024" in occupancy(16, 0, (64, 32), "H200").why
    asked = occupancy(16, 60_000, 64, "H200")
    assert (
        asked.binds == "shared memory" and "49152 that a block can have without asking the driver for more" in asked.why
    )
    assert occupancy(16, 60_000, 64, "H200", optin=True).blocks_per_sm == 3  # 228 × 1 024 // 61 056
    assert occupancy(16, 230_000, 64, "A100", optin=True).blocks_per_sm == 0


def test_bad_input():
    with pytest.raises(gpus.UnknownGpuError, match="H200"):
        occupancy(16, 0, 64, "H20O")
    with pytest.raises(ValueError, match="6.1 is not known. Known: 7.0, 7.5"):
        occupancy(16, 0, 64, cc=(6, 1))
    for registers, shared, threads in ((None, 0, 64), (-1, 0, 64), (16, 0.5, 64), (16, 0, 0), (16, 0, (1, 1, 1, 1))):
        with pytest.raises(ValueError):
            occupancy(registers, shared, threads)


def test_every_gpu_that_is_known_has_a_compute_capability_that_is():
    for gpu in gpus.known():
        assert occupancy(32, 0, 256, gpu).cc == gpu.cc
    assert set(capabilities.sources()) == set(vars(capabilities.known()[0])) - {"cc", "chips"}


def test_a_compute_capability_may_be_written_in_its_usual_ways():
    """They were taken for names of GPUs, of which none is called 8.0."""
    for text in ("8.0", "sm_80", "cc 8.0", "compute_80", "Compute capability 8.0"):
        assert occupancy(32, 0, 256, text) == occupancy(32, 0, 256, cc=text) == occupancy(32, 0, 256, (8, 0)), text
    assert occupancy(32, 0, 256, "sm_100").cc == occupancy(32, 0, 256, "10.0").cc == (10, 0)
    with pytest.raises(ValueError, match="3.5 is not known. Known: 7.0"):
        occupancy(32, 0, 256, "3.5")
    with pytest.raises(ValueError, match="such as \\(8, 0\\) or '8.0', not 8.0"):
        occupancy(32, 0, 256, 8.0)
    assert capabilities.named("H100") is capabilities.named("RTX 4090") is capabilities.named("80") is None
