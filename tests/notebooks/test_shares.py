"""What CI takes in turn: no share has what another has, and together they are the whole."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def collected(path: str, *more: str) -> set[str]:
    ask = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n0", "-p", "no:cacheprovider", path, *more]
    done = subprocess.run(ask, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {line for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.parametrize("path", ["tests/lab/test_small_seat.py", "tests/kernels_set/test_lens.py"])
def test_three_shares_are_the_whole(path):
    whole = collected(path)
    shares = [collected(path, "--share", f"{which}/3") for which in (1, 2, 3)]
    assert set.union(*shares) == whole
    assert sum(map(len, shares)) == len(whole)
    assert min(map(len, shares)) > len(whole) / 6
