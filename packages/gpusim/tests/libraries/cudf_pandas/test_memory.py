"""The memory that cudf.pandas takes: a pool of managed memory by itself, or what CUDF_PANDAS_RMM_MODE says."""

import os
import subprocess
import sys

import pytest

CODE = """
import gpusim
gpusim.activate()
import rmm
{before}
import cudf.pandas
cudf.pandas.install()
resource, chain = rmm.mr.get_current_device_resource(), []
while resource is not None:
    chain.append(type(resource).__name__)
    resource = resource.get_upstream() if hasattr(resource, "get_upstream") else None
print(" ".join(chain))
"""


def run(mode=None, before="", **env):
    env = {**os.environ, **env, **({"CUDF_PANDAS_RMM_MODE": mode} if mode else {})}
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(before=before)], env=env, capture_output=True, text=True, timeout=120
    )
    return done.stdout.strip(), done.stderr


@pytest.mark.parametrize(
    ("mode", "chain"),
    [
        (None, "PrefetchResourceAdaptor PoolMemoryResource ManagedMemoryResource"),
        ("managed", "PrefetchResourceAdaptor ManagedMemoryResource"),
        ("pool", "PoolMemoryResource CudaMemoryResource"),
    ],
)
def test_the_mode_decides_where_memory_comes_from(mode, chain):
    said, errors = run(mode)
    assert said == chain, errors


def test_an_unknown_mode_is_refused_in_cudfs_words():
    assert "ValueError: Unsupported rmm_mode='fast'" in run("fast")[1]


def test_what_somebody_has_set_already_stays_and_the_mode_is_said_to_be_ignored():
    said, errors = run("managed", "rmm.reinitialize(managed_memory=True)")
    assert said == "ManagedMemoryResource"
    assert "already configured memory resource, ignoring 'CUDF_PANDAS_RMM_MODE=managed'" in errors


def test_it_can_be_told_to_leave_memory_alone():
    assert run(CUDF_NO_INITIALIZE="1")[0] == "CudaMemoryResource"
