"""Clusters as everybody starts them, and what goes wrong with them: a sentence, no hang, and the process stays usable."""

import subprocess
import sys

import pytest

SETTINGS = {"GPUSIM_GPUS": "2", "GPUSIM_GPU_MEMORY": "64MiB"}
IMPORTS = """
import socket, sys, threading, time
import cupy, dask, dask.array as da, numpy as np, psutil, pytest
from dask.distributed import Client, LocalCluster
from dask_cuda import LocalCUDACluster

PATIENCE = 300  # seconds; a busy machine is slow

def listening():
    processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
    return {at.laddr.ip for each in processes for at in each.net_connections() if at.status == "LISTEN"}
"""


@pytest.mark.large
@pytest.mark.parametrize("start", ["Client()", "Client(LocalCluster())", "Client(processes=False)"])
def test_arrays_in_a_global_and_a_plain_client(simulating, start):
    """The commonest line there is: arrays first, then the client; what the tasks need of them goes along."""
    simulating(f"""
        table = cupy.arange(1000.0)

        def scaled(factor):
            return float((table * factor).sum())

        with {start} as client:
            assert client.gather(client.map(scaled, range(3))) == [0.0, 499_500.0, 999_000.0]
            assert client.submit(lambda values: float(values.max()), table).result(timeout=PATIENCE) == 999.0
            x = da.from_array(table, chunks=250)
            assert type((x + table[:1]).compute()) is cupy.ndarray and float((x * 2).sum().compute()) == 999_000.0
            cluster = client.cluster
        cluster.close()
    """)


@pytest.mark.large
@pytest.mark.parametrize("start", ["LocalCluster()", "LocalCluster(n_workers=1, dashboard_address=':0')",
                                   "LocalCluster(processes=False, dashboard_address=0)", "LocalCUDACluster()"])  # fmt: skip
def test_nobody_outside_hears_a_dashboard(simulating, start):
    simulating(f"""
        before = listening()
        assert before <= {{"127.0.0.1", "::1"}}, before
        with {start} as cluster:
            port = cluster.scheduler.http_server.port
            assert cluster.scheduler.http_server.address == "127.0.0.1"
            assert listening() <= {{"127.0.0.1", "::1"}}, listening()
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
    """)


def test_who_asks_for_all_addresses_gets_them(simulating):
    simulating("""
        for asked in ({"dashboard_address": "0.0.0.0:0"}, {"host": "0.0.0.0", "dashboard_address": ":0"}):
            with LocalCluster(n_workers=0, **asked) as cluster:
                assert cluster.scheduler.http_server.address in ("0.0.0.0", "::"), asked
    """)


@pytest.mark.large
def test_in_a_task_things_go_wrong_and_the_cluster_goes_on(simulating):
    """A cluster inside of a cluster, chunks that are larger than the device, what cannot be pickled, there and back."""
    simulating("""
        def one_more():
            from dask_cuda import LocalCUDACluster
            LocalCUDACluster(dashboard_address=None)

        def another():
            from dask.distributed import Client
            Client(dashboard_address=None)

        def holds_a_lock():
            import threading
            return threading.Lock()

        held = threading.Lock()
        with LocalCUDACluster(dashboard_address=None) as cluster, Client(cluster) as client:
            for task in (one_more, another):
                with pytest.raises(RuntimeError, match=r"^A task asked for a cluster, .* `distributed.get_client\\(\\)`"):
                    client.submit(task).result(timeout=PATIENCE)
            with dask.config.set({"array.backend": "cupy"}):
                x = da.random.default_rng(1).random((4000, 4000), chunks=4000)
                with pytest.raises(MemoryError, match=r"Out of memory allocating 128,000,000 bytes"):
                    client.compute(x.sum()).result(timeout=PATIENCE)
                assert 0.49 < float(client.compute(x.rechunk(1000)[:1000, :1000].size + 0 * x.shape[0]).result()
                                    if False else da.random.default_rng(1).random((4000, 4000), chunks=1000)
                                    .mean().compute()) < 0.51
            for send in (
                lambda: client.submit(lambda lock: 1, held),
                lambda: client.submit(lambda: held is None),
                lambda: client.map(lambda number: held, range(2)),
                lambda: dask.delayed(lambda lock: 1)(held).compute(),
            ):
                with pytest.raises(TypeError, match=r"^The work cannot be sent .* cannot pickle '_thread.lock' object. With"):
                    send()
            with pytest.raises(TypeError, match="Could not serialize object of type lock"):
                client.submit(holds_a_lock).result(timeout=PATIENCE)
            assert client.submit(sum, [1, 2]).result(timeout=PATIENCE) == 3
    """)


@pytest.mark.parametrize("kind", ["LocalCluster", "LocalCUDACluster"])
def test_a_cluster_that_cannot_start_says_why(simulating, kind):
    simulating(f"""
        taken = socket.socket()
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(RuntimeError, match=rf"^The cluster could not start: port {{port}} is taken.* Leave scheduler_port out"):
            {kind}(scheduler_port=port, dashboard_address=None)
        with pytest.raises(ValueError, match=r"^memory_limit leaves each worker 20 MB .* give more"):
            {kind}(memory_limit="20MB", dashboard_address=None)
        with pytest.warns(UserWarning, match=rf"Port {{port}} is already in use"):
            with {kind}(n_workers=1, dashboard_address=f"127.0.0.1:{{port}}") as cluster:
                assert cluster.scheduler.http_server.port != port
        taken.close()
    """)


def test_ucx_that_is_not_there(simulating):
    simulating("""
        sentence = r"needs UCX, and the package distributed-ucxx-cu12 .* is not installed here: .* TCP is used"
        with pytest.raises(ModuleNotFoundError, match="^protocol='ucx' " + sentence):
            LocalCluster(protocol="ucx", dashboard_address=None)
        with pytest.raises(ModuleNotFoundError, match=sentence):
            Client("ucx://127.0.0.1:1", timeout=PATIENCE)
    """)


@pytest.mark.large
def test_a_scheduler_that_nobody_finds_or_that_dies(simulating, tmp_path):
    """The scheduler is a process of its own; when it is gone, what waits for it is told."""
    told = tmp_path / "scheduler.json"
    script = "from distributed.cli.dask_scheduler import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", script, "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told)],
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        simulating(f"""
            with pytest.raises(OSError, match="Timed out trying to connect to tcp://127.0.0.1:1"):
                Client("tcp://127.0.0.1:1", timeout=1)
            client = Client(scheduler_file={str(told)!r}, timeout=PATIENCE)
            client._timeout = 2  # seconds that it looks for its scheduler again
            waiting = client.submit(sum, [1, 2])
            dead = {process.pid}
            import os, signal
            os.kill(dead, signal.SIGKILL)
            with pytest.raises(Exception, match="lost the connection to the scheduler|connection-lost") as said:
                waiting.result(timeout=PATIENCE)
            until = time.monotonic() + PATIENCE
            while client.status != "closed" and time.monotonic() < until:
                time.sleep(0.1)
            with pytest.raises(Exception, match="(?i)closed|scheduler"):
                client.submit(sum, [3]).result(timeout=PATIENCE)
            client.close()
            with Client(processes=False, dashboard_address=None) as client:
                assert client.submit(sum, [3]).result(timeout=PATIENCE) == 3
        """)
    finally:
        process.kill()
        process.wait(timeout=60)
