"""What Binder reads: the lock, and two scripts. `make test-all ARGS=images` runs the steps that repo2docker itself makes of them."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BINDER = ROOT / "binder"


def test_binder_installs_the_lock_and_nothing_else():
    lines = [
        line for line in (BINDER / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")
    ]
    assert lines == ["-r ../requirements/cpu.txt"]
    python = (BINDER / "runtime.txt").read_text().strip()
    assert python in ("python-3.11", "python-3.12", "python-3.13")


def test_the_scripts_are_ones_that_bash_reads():
    for name in ("postBuild", "start"):
        assert os.access(BINDER / name, os.X_OK)
        assert subprocess.run(["bash", "-n", BINDER / name]).returncode == 0


def test_the_start_becomes_what_it_is_told_with_a_workspace_and_small_gpus(tmp_path):
    """As Binder calls it: with the server's command line, which must stay the process that is watched."""
    environment = {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    done = subprocess.run(
        [BINDER / "start", "env"], env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    set_ = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    assert set_["HUNDREDFOLD_WORK"] == f"{tmp_path}/hundredfold"
    assert int(set_["GPUSIM_GPUS"]) * int(set_["GPUSIM_GPU_MEMORY"]) <= 600e6, "a session has 1 to 2 GB"
    assert (tmp_path / "hundredfold" / "notebooks" / "01_arrays.ipynb").exists()
    changed = subprocess.run(
        [BINDER / "start", "sh", "-c", "exit 5"], env={**environment, "GPUSIM_GPUS": "1"}, timeout=300
    )
    assert changed.returncode == 5
