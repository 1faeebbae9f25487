"""A cluster of two simulated GPUs: its devices, its memory, spilling, and a worker that dies."""

import pytest

SETTINGS = {"GPUSIM_GPUS": "2", "GPUSIM_GPU_MEMORY": "128MiB"}
IMPORTS = """
import os, signal, time
import cupy, dask, dask.array as da, numpy as np
import pytest
from dask.distributed import Client, wait
from dask_cuda import LocalCUDACluster, utils
dask.config.set({"distributed.dashboard.link": ""})
"""


@pytest.mark.large
def test_each_worker_has_a_device_of_its_own(simulating):
    simulating("""
        with LocalCUDACluster(dashboard_address=None) as cluster, Client(cluster) as client:
            def look(dask_worker):
                import cupy, os, pynvml
                x = cupy.zeros(1_000_000, "u1")
                pynvml.nvmlInit()
                used = [pynvml.nvmlDeviceGetMemoryInfo(pynvml.nvmlDeviceGetHandleByIndex(i)).used for i in (0, 1)]
                return (os.environ["CUDA_VISIBLE_DEVICES"], dask_worker.name, dask_worker.state.nthreads,
                        cupy.cuda.runtime.memGetInfo()[1], [u > 0 for u in used], type(dask_worker.data).__name__)
            seen = sorted(client.run(look).values())
            assert [s[0] for s in seen] == ["0,1", "1,0"] and [s[1] for s in seen] == [0, 1]
            assert all(s[2] == 1 and s[3] == 128 << 20 and s[5] == "DeviceHostFile" for s in seen), seen
            assert [s[4] for s in seen] == [[True, False], [False, True]]
            with pytest.raises(ValueError, match="Can not scale beyond visible devices"):
                cluster.scale(3)

            with dask.config.set({"array.backend": "cupy"}):
                r = da.random.default_rng(1).random((400, 400), chunks=200)
                assert type(r.compute()) is cupy.ndarray and type(da.ones(10, chunks=5).sum().compute()) is cupy.ndarray
                assert 0.49 < float(r.mean().compute()) < 0.51
            up = da.arange(1000, chunks=100).to_backend("cupy")
            assert type(up.compute()) is cupy.ndarray and int(up.sum().compute()) == 499_500
            x = da.from_array(cupy.arange(10_000.0).reshape(100, 100), chunks=50)
            assert float((x @ x.T).trace().compute()) == float((cupy.arange(10_000.0) ** 2).sum())

            config = utils.get_cluster_configuration(client)
            assert config["nworkers"] == 2 and config["device-memory-limit"] == int(0.8 * (128 << 20))
            utils.print_cluster_config(client)
    """)


def test_it_spills_to_main_memory_and_disk_and_says_so(simulating):
    simulating("""
        with LocalCUDACluster(
            n_workers=1, dashboard_address=None, device_memory_limit="8MB", memory_limit="1GB", log_spilling=True
        ) as cluster, Client(cluster) as client:
            def limit(dask_worker):
                dask_worker.data.host_buffer.n = 20e6  # a small main memory, without a process that could not start in it
            client.run(limit)
            with dask.config.set({"array.backend": "cupy"}):
                x = da.random.default_rng(3).random((3000, 2000), chunks=(250, 2000)).persist()  # 48 MB in parts of 4
                wait(x)
                def places(dask_worker):
                    data = dask_worker.data
                    return len(data.device), len(data.host), len(data.disk), data.device_buffer.fast.total_weight
                (device, host, disk, weight), = client.run(places).values()
                assert device <= 2 and host <= 5 and disk >= 5 and device + host + disk == 12 and weight <= 8e6
                assert 0.499 < float(x.mean().compute()) < 0.501
                assert float((x * 2 - x - x).sum().compute()) == 0
            lines = [text for lines in client.get_worker_logs().values() for _, text in lines if "Spilled key" in text]
            for way in ("from Device to Host", "from Host to Disk", "from Disk to Host", "from Host to Device"):
                assert any(way in line for line in lines), way
            assert "4000" in next(line for line in lines if "from Device to Host" in line)
    """)


@pytest.mark.large
def test_a_worker_that_dies_is_replaced_and_the_answer_is_right(simulating):
    simulating("""
        with LocalCUDACluster(dashboard_address=None) as cluster, Client(cluster) as client:
            before = client.run(os.getpid)
            def slow(x):
                import cupy, time
                time.sleep(0.7)
                return float((cupy.arange(10.0) * x).sum())
            futures = client.map(slow, range(6), pure=False)
            time.sleep(0.3)
            os.kill(next(iter(before.values())), signal.SIGKILL)
            assert client.gather(futures) == [45.0 * x for x in range(6)]
            client.wait_for_workers(2, timeout=60)
            after = client.run(lambda: (os.getpid(), os.environ["CUDA_VISIBLE_DEVICES"]))
            assert len({pid for pid, _ in after.values()} & set(before.values())) == 1
            assert sorted(visible for _, visible in after.values()) == ["0,1", "1,0"], "the device of the one that died"
    """)


def test_rmm_is_set_up_in_each_worker(simulating):
    simulating("""
        with LocalCUDACluster(
            n_workers=1, dashboard_address=None, rmm_pool_size="32MiB", rmm_maximum_pool_size=0.5, rmm_track_allocations=True,
            rmm_allocator_external_lib_list="cupy", pre_import="colorsys",
        ) as cluster, Client(cluster) as client:
            def look():
                import cupy, rmm, sys
                x = cupy.zeros(1000)
                tracking = rmm.mr.get_current_device_resource()
                pool = tracking.upstream_mr
                return (type(tracking).__name__, type(pool).__name__, pool.pool_size(), tracking.get_allocated_bytes(),
                        "colorsys" in sys.modules)
            told, = client.run(look).values()
            assert told == ("TrackingResourceAdaptor", "PoolMemoryResource", 32 << 20, 8000, True), told
            def too_much():
                import cupy
                cupy.zeros(70 << 20, "u1")
            error = client.submit(too_much).exception()
            assert type(error) is MemoryError and "Maximum pool size exceeded" in str(error)
    """)


def test_memory_of_the_device_is_not_the_workers(simulating):
    """A worker may fill its device although its limit of main memory is smaller; a GPU's memory would be elsewhere."""
    simulating("""
        with LocalCUDACluster(
            n_workers=1, dashboard_address=None, memory_limit="420MB", device_memory_limit=None,
        ) as cluster, Client(cluster) as client:
            pid, = client.run(os.getpid).values()
            def fill():
                import cupy
                x = cupy.ones(14_000_000)  # 112 MB
                cupy.cuda.Device().synchronize()
                return x
            future = client.submit(fill)
            wait(future)
            def weigh(dask_worker):
                import psutil
                return psutil.Process().memory_info().rss - dask_worker.monitor.get_process_memory()
            spared, = client.run(weigh).values()
            assert spared > 100_000_000, spared  # two readings: the process may grow between them; unspared it would be 0
            assert float(client.submit(lambda x: x.sum(), future).result()) == 14e6
            assert list(client.run(os.getpid).values()) == [pid]
    """)
