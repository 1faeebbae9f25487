"""What ptxas says, recorded from the real one, as numbers.

The files in `ptxas/` are the logs of the kernels in `test_compile_extra.py`, made by the versions that their first lines name;
the figures here were read off them by eye.
"""

from pathlib import Path

import pytest

from kernellens.compiling.ptxas import Usage, declared_shared, usage

LOGS = Path(__file__).with_name("ptxas")

# registers, shared, stack, spill stores, spill loads, barriers
READ = {
    "nvjitlink-saxpy-H200": (14, 0, 0, 0, 0, 0),
    "nvjitlink-saxpy-T4": (14, 0, 0, 0, 0, 0),
    "ptxas-saxpy-H200": (14, 0, 0, 0, 0, 0),
    "nvjitlink-tile-H200": (22, 4224, 0, 0, 0, 1),
    "nvjitlink-tile-T4": (22, 4224, 0, 0, 0, 1),
    "nvjitlink-tile-A100": (22, 4224, 0, 0, 0, 1),
    "ptxas-tile-H200": (22, 4224, 0, 0, 0, 1),
    "nvjitlink-spill-H200": (32, 0, 120, 304, 336, 0),
    "nvjitlink-spill-T4": (32, 0, 136, 408, 440, 0),
    "ptxas-spill-H200": (32, 0, 160, 416, 428, 0),
    "nvjitlink-frame-H200": (32, 0, 400, 0, 0, 0),
    "nvjitlink-frame-RTX4090": (44, 0, 400, 0, 0, 0),
    "ptxas-frame-H200": (32, 0, 400, 0, 0, 0),
    # Linked with cudadevrt: the second account, which has what the kernel calls, says 16 bytes of stack.
    "nvjitlink-gridsync-H200": (24, 0, 16, 0, 0, 0),
    # Not optimised as a whole: registers by the second account (the first says 32 and 30), spills in what it calls; what it
    # says of shared memory has the driver's in it.
    "nvjitlink-debug-H200": (54, None, 536, 76, 76, 1),
    "nvjitlink-debug-T4": (54, None, 528, 68, 68, 1),
    "ptxas-debug-H200": (54, 800, 536, 76, 76, 1),
}


def test_every_log_is_read():
    assert set(READ) == {path.stem for path in LOGS.glob("*.txt")}


@pytest.mark.parametrize("name", READ)
def test_a_log(name):
    registers, shared, stack, stores, loads, barriers = READ[name]
    first, _, log = (LOGS / f"{name}.txt").read_text().partition("\n")
    entry = first.rsplit(" ", 1)[1]
    assert entry.startswith("_ZN8__main__")
    assert usage(log, entry) == Usage(registers, shared, stack, stores, loads, barriers)


def test_an_account_of_linked_code_without_shared_memory():
    log = "ptxas info    : Function properties for k\nptxas info    : Used 24 registers, 16 stack, 380 bytes cmem[0]\n"
    assert usage(log, "k") == Usage(24, 0, 16, 0, 0, 0)


def test_a_log_of_another_kernel_says_nothing():
    assert usage((LOGS / "nvjitlink-saxpy-H200.txt").read_text(), "another") is None
    assert usage("", "kernel") is None


def test_shared_memory_declared_in_ptx():
    ptx = """
.version 9.0
.visible .shared .align 4 .b8 _cudapy_smem_1[1024];
\t.shared .align 8 .b64 tile[100];
.extern .shared .align 4 .b8 dynamic[];
.const .align 8 .b8 table[512];
"""
    assert declared_shared(ptx) == 1024 + 800
