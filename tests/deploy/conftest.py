"""The files of `deploy/clusters`. Some need packages that the course itself does without: they run under the Python that
HUNDREDFOLD_DEPLOY names, in whose environment the group `clusters` is installed: `make test-all ARGS=clusters` says it."""

import os
import subprocess
from pathlib import Path

import pytest

CLUSTERS = Path(__file__).parents[2] / "deploy" / "clusters"


@pytest.fixture(scope="session")
def deploying():
    """`deploying(code_or_file, *arguments) -> stdout` under that Python; `deploying.python` is its path."""
    python = os.environ.get("HUNDREDFOLD_DEPLOY")
    if not python:
        pytest.fail(
            "make test-all ARGS=clusters runs these: HUNDREDFOLD_DEPLOY names no Python with the clusters' packages"
        )

    def run(*arguments, timeout=120, **more):
        what = [python, *map(str, arguments)]
        done = subprocess.run(what, capture_output=True, text=True, timeout=timeout, env=clean(), check=False, **more)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run.python = python
    return run


def clean(**more):
    """The environment without what this process was told, and with that Python's commands first on the path."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("DASK_", "HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "PYTHON"))
    }
    folder = str(Path(os.environ["HUNDREDFOLD_DEPLOY"]).parent)
    return {**kept, "PATH": folder + os.pathsep + kept.get("PATH", ""), **more}
