"""The commands refuse variables that are set under their old names, the simulator's and those of the lens."""

import os
import subprocess
import sys

import pytest

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("HUNDREDFOLD_", "GPUSIM_"))}


@pytest.mark.parametrize(
    ("old", "new"),
    [("HUNDREDFOLD_COMPILER", "KERNELLENS_COMPILER"), ("HUNDREDFOLD_OUT_OF_BOUNDS", "GPUSIM_OUT_OF_BOUNDS")],
)
def test_an_old_name_is_refused_with_the_new_one(old, new, tmp_path):
    (tmp_path / "script.py").write_text("print('begun')\n")
    command = [sys.executable, "-m", "kernellens", "try", str(tmp_path / "script.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=CLEAN | {old: "1"})
    assert done.returncode == 1 and f"{old} is called {new} now" in done.stderr and done.stderr.count("\n") == 1
