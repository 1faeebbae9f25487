"""The programs of `requirements/checks.txt`, in their own environment: `make test-all ARGS=metadata` makes it and names it."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def program():
    """Run a program of that environment at the root of the checkout, and return what it did."""
    if "HUNDREDFOLD_CHECKS" not in os.environ:
        pytest.fail("These tests need the environment that `make test-all ARGS=metadata` makes.")
    python = Path(os.environ["HUNDREDFOLD_CHECKS"])

    def run(name, *arguments, folder=ROOT):
        command = [str(python.parent / name), *map(str, arguments)]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)

    return run
