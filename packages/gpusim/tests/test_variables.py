"""A variable that is set under the name it had before is refused with the one that it has now."""

import os
import subprocess
import sys

import pytest

from gpusim import activate, hardware
from gpusim.variables import RENAMED, RenamedVariableError

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("HUNDREDFOLD_", "GPUSIM_"))}


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_name_is_refused_with_the_new_one(old, monkeypatch):
    monkeypatch.setenv(old, "1")
    said = rf"^{old} is called {RENAMED[old]} now: set that instead, and unset the old name\.$"
    for ask in (hardware.mode, activate):
        with pytest.raises(RenamedVariableError, match=said):
            ask()


def test_all_that_are_set_are_named(monkeypatch):
    monkeypatch.setenv("HUNDREDFOLD_GPUS", "2")
    monkeypatch.setenv("HUNDREDFOLD_TRACE", "off")
    with pytest.raises(RenamedVariableError, match="GPUSIM_GPUS now and HUNDREDFOLD_TRACE is called GPUSIM_TRACE now"):
        hardware.mode()


def test_one_that_is_empty_is_as_good_as_not_set(monkeypatch):
    monkeypatch.setenv("HUNDREDFOLD_SIMULATE", "")
    hardware.mode()


def test_a_program_is_not_begun():
    command = [sys.executable, "-m", "gpusim", "-c", "print('begun')"]
    done = subprocess.run(command, capture_output=True, text=True, env=CLEAN | {"HUNDREDFOLD_GPU_MEMORY": "1GB"})
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == (
        "gpusim: HUNDREDFOLD_GPU_MEMORY is called GPUSIM_GPU_MEMORY now: set that instead, and unset the old name.\n"
    )
