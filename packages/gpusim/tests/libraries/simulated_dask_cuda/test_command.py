"""`dask cuda worker`, started from a shell as on a GPU machine."""

import json
import os
import signal
import subprocess
import sys

import pytest

DASK = [sys.executable, "-m", "dask"]


def environment(**settings):
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "CUDA_", "DASK_"))
    }
    return kept | {"GPUSIM_SIMULATE": "1", "GPUSIM_GPU_MEMORY": "1GB", "GPUSIM_GPUS": "2", **settings}


def asked(*arguments, **settings):
    return subprocess.run(
        [*DASK, *arguments], env=environment(**settings), capture_output=True, text=True, check=False, timeout=120
    )


def test_it_is_a_command_of_dask_in_simulation_only():
    helped = asked("cuda", "worker", "--help")
    assert helped.returncode == 0 and "--device-memory-limit" in helped.stdout and "--rmm-pool-size" in helped.stdout
    without = asked("cuda", "worker", "--help", GPUSIM_SIMULATE="")
    assert without.returncode == 2 and "No such command 'cuda'" in without.stderr


def test_it_needs_a_scheduler():
    alone = asked("cuda", "worker")
    assert alone.returncode == 1 and "through the --scheduler-file option" in alone.stderr


def test_an_option_that_is_none_is_told():
    wrong = asked("cuda", "worker", "tcp://127.0.0.1:1", "--rmm-pool-sise", "1GB")
    assert wrong.returncode and "rmm-pool-sise" in wrong.stderr


@pytest.fixture
def home():
    """A scheduler without workers, and a function that runs code of a client of it."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1") as cluster, Client(cluster) as client:
        yield cluster.scheduler_address, client


@pytest.mark.large
def test_its_workers_join_a_scheduler_one_for_each_gpu(home, tmp_path):
    address, client = home
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": address}))
    process = subprocess.Popen(
        [*DASK, "cuda", "worker", "--scheduler-file", str(file), "--rmm-pool-size", "100MB", "--device-memory-limit", "0.5",
         "--no-dashboard", "--local-directory", str(tmp_path), "--name", "node7"],
        env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        client.wait_for_workers(2, timeout=120)
        seen = client.run(lambda: os.environ["CUDA_VISIBLE_DEVICES"])
        assert sorted(seen.values()) == ["0,1", "1,0"]
        names = sorted(worker["name"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        assert names == ["node7-0", "node7-1"]
        pool = client.run(_pool)
        assert set(pool.values()) == {("PoolMemoryResource", "DeviceHostFile", 500_000_000)}
    finally:
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said


def _pool(dask_worker):
    import rmm

    data = dask_worker.data
    return type(rmm.mr.get_current_device_resource()).__name__, type(data).__name__, data.device_buffer.fast.n
