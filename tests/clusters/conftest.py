"""Real clusters on this one machine: `make test-all ARGS=clusters` brings the packages (of Python and of Debian) and runs these tests.

A world of hosts is made once for a file and ends with it: `world.py` says how, `slurm/start.sh` makes Slurm of it.
"""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import world as worlds  # noqa: E402
from program import Program  # noqa: E402


def pytest_configure(config):
    if not config.option.collectonly:
        worlds.install()


@pytest.fixture(scope="module")
def make_world():
    """`make_world("login", "node1", …)`: hosts on a switch, gone after the file's tests."""
    made = []

    def make(*hosts):
        made.append(worlds.World(hosts))
        return made[-1]

    yield make
    for world in made:
        world.close()


@pytest.fixture(scope="session")
def program():
    return Program


@pytest.fixture(scope="session")
def values():
    """The singular values of the matrix of `deploy/clusters/work.py`, by LAPACK alone and without Dask."""
    import numpy as np

    def of(blocks, rows=2_000, columns=16):
        parts = [np.random.default_rng((14, i)).standard_normal((rows, columns)) for i in range(blocks)]
        return np.linalg.svd(np.concatenate(parts), compute_uv=False)

    return of


@pytest.fixture(autouse=True)
def nothing_of_ours_in_the_environment(monkeypatch):
    """What the tests' own process was told of clusters is not for the hosts: they get what `World.environment` says."""
    for name in [name for name in os.environ if name.startswith(("DASK_", "SLURM_"))]:
        monkeypatch.delenv(name)
