"""Dask-CUDA without a cluster: amounts of memory, devices, and where a worker keeps its data."""

import pytest

SETTINGS = {"GPUSIM_GPUS": "4", "GPUSIM_GPU_MEMORY": "1GB"}
IMPORTS = """
import os, tempfile
import cupy, numpy as np
import pytest
from dask_cuda import LocalCUDACluster, CUDAWorker, initialize, utils
from dask_cuda.device_host_file import DeviceHostFile, device_to_host, host_to_device
from gpusim import NotSimulatedError
"""


def test_amounts_of_device_memory(simulating):
    simulating("""
        for given, size in (
            (None, None), (0, None), (0.0, None), ("0 MiB", None), (1.0, 10**9), (0.8, 8 * 10**8), ("0.5", 5 * 10**8),
            (1, 1), ("1", 1), ("1GB", 10**9), ("64MiB", 64 << 20), (5000, 5000), ("auto", 10**9), ("default", 8 * 10**8),
        ):
            assert utils.parse_device_memory_limit(given) == size, given
        assert utils.parse_device_bytes(1000, alignment_size=256) == 768
        with pytest.raises(ValueError, match="Could not interpret"):
            utils.parse_device_memory_limit("plenty")
    """)


def test_devices_and_their_order(simulating):
    simulating("""
        assert utils.get_gpu_count() == utils.get_n_gpus() == 4
        assert utils.get_device_total_memory(3) == 10**9 and utils.has_device_memory_resource()
        assert utils.cuda_visible_devices(0, range(4)) == "0,1,2,3" and utils.cuda_visible_devices(3, range(4)) == "3,0,1,2"
        assert utils.nvml_device_index(1, "1,2,3,0") == 2 and utils.nvml_device_index(0, [3, 1]) == 3
        with pytest.raises(ValueError, match="`CUDA_VISIBLE_DEVICES` must be `str` or `list`"):
            utils.nvml_device_index(1, 2)
        uuid = utils.get_gpu_uuid(2)
        assert utils.get_gpu_uuid(uuid) == uuid == utils.parse_cuda_visible_device(uuid)
        assert utils.parse_cuda_visible_device("2") == 2
        with pytest.raises(ValueError, match="must be comma-separated integers or strings beginning with 'GPU-' or 'MIG-'"):
            utils.parse_cuda_visible_device("Foo")
        with pytest.raises(ValueError, match="Invalid device index or UUID: 9"):
            utils.get_device_total_memory(9)
        assert set(utils.get_cpu_affinity(0)) == os.sched_getaffinity(0)
        with pytest.warns(UserWarning, match="Cannot get CPU affinity for device with index 9, setting default affinity"):
            assert utils.get_cpu_affinity(9) == list(range(utils.get_cpu_count()))
        assert utils.unpack_bitmask([1 + 2 + 16, 2 + 4]) == [0, 1, 4, 65, 66]
    """)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ("threads_per_worker=0", "ValueError", "threads_per_worker must be higher than 0."),
        ("n_workers=0", "ValueError", "Number of workers cannot be less than 1."),
        ("processes=False", "ValueError", "Processes are necessary in order to use multiple GPUs with Dask"),
        ("CUDA_VISIBLE_DEVICES='Foo'", "ValueError", "must be comma-separated integers"),
        ("rmm_allocator_external_lib_list=3", "ValueError", "must be either a comma-separated string or a list"),
        ("protocol='tcp', enable_nvlink=True", "TypeError", "Enabling InfiniBand or NVLink requires protocol='ucx'"),
        ("protocol='ucx'", "NotSimulatedError", "bandwidth would be no bandwidth"),
        ("protocol='ucxx'", "NotSimulatedError", "protocol='tcp'"),
        ("enable_tcp_over_ucx=True", "NotSimulatedError", "needs a GPU"),
        ("jit_unspill=True", "TypeError", "unexpected keyword argument 'jit_unspill'"),
        (
            "log_spilling=True, worker_class=__import__('distributed').Worker",
            "ValueError",
            "Cannot enable `log_spilling`",
        ),
    ],
)
def test_a_cluster_refuses(simulating, arguments, kind, message):
    simulating(f"""
        with pytest.raises({kind}, match={message!r}):
            LocalCUDACluster({arguments})
    """)


def test_resources_that_exclude_each_other(simulating):
    simulating("""
        from dask_cuda.plugins import RMMSetup, enable_rmm_memory_for_library
        rest = dict(initial_pool_size=None, maximum_pool_size=None, log_directory=None, track_allocations=False,
                    external_lib_list=None)
        with pytest.raises(ValueError, match="`rmm_managed_memory` is incompatible with the `rmm_async`."):
            RMMSetup(managed_memory=True, async_alloc=True, release_threshold=None, **rest)
        with pytest.raises(ValueError, match="`rmm_release_threshold` requires `rmm_async`."):
            RMMSetup(managed_memory=False, async_alloc=False, release_threshold=1, **rest)
        with pytest.raises(ValueError, match="The library 'jax' is not supported for RMM integration."):
            enable_rmm_memory_for_library("jax")
        with pytest.raises(ValueError, match="No scheduler specified."):
            CUDAWorker()
        with pytest.raises(NotSimulatedError, match="enable_infiniband=True in dask_cuda"):
            initialize.initialize(enable_infiniband=True)
    """)


def test_data_moves_down_by_least_recent_use_and_back(simulating):
    simulating("""
        with tempfile.TemporaryDirectory() as folder:
            data = DeviceHostFile(folder, device_memory_limit=16_384, memory_limit=16_384)
            host, there = np.arange(1000.0), [cupy.full(1000, i, "f8") for i in range(4)]
            data["a"] = host
            for i in range(3):
                data[f"d{i}"] = there[i]
            assert set(data.device) == {"d1", "d2"} and set(data.host) == {"a", "d0"} and set(data.disk) == set()
            data["d3"] = there[3]
            assert set(data.device) == {"d2", "d3"} and set(data.host) == {"d0", "d1"} and set(data.disk) == {"a"}
            assert set(data) == {"a", "d0", "d1", "d2", "d3"} and len(data) == 5 and "a" in data and "b" not in data
            for i in range(4):
                value = data[f"d{i}"]
                assert type(value) is cupy.ndarray and (value == i).all()
            assert np.array_equal(data["a"], host) and type(data["a"]) is np.ndarray
            for key in list(data):
                del data[key]
            assert not data and not data.device and not data.host and not data.disk and not os.listdir(data.disk_func_path)
            with pytest.raises(KeyError):
                data["a"]
    """)


def test_what_is_spilled_frees_device_memory(simulating):
    simulating("""
        from gpusim.device import memory, queue
        with tempfile.TemporaryDirectory() as folder:
            data = DeviceHostFile(folder, device_memory_limit=3_000_000, memory_limit=None)
            pool = cupy.get_default_memory_pool()
            pool.free_all_blocks()
            before = pool.used_bytes()
            for i in range(10):
                data[i] = cupy.full(125_000, i, "f8")  # a megabyte each
            assert pool.used_bytes() - before <= 3_100_000
            counted = queue.counters()
            assert float(data[0].sum()) == 0 and float(data[9].sum()) == 9 * 125_000
            assert (queue.counters() - counted).h2d_bytes >= 1_000_000, "it came over the bus"
    """)


@pytest.mark.parametrize("own_spilling", [False, True])
def test_frames_of_cudf_are_spilled_as_well(simulating, own_spilling):
    """Also where cuDF is asked to spill by itself, which is not simulated: it would run out of memory instead."""
    simulating(f"""
        import cudf, dask_cudf  # which tells Dask the size of frames
        cudf.set_option("spill", {own_spilling})
        with tempfile.TemporaryDirectory() as folder:
            data = DeviceHostFile(folder, device_memory_limit=200_000, memory_limit=200_000)
            for i in range(6):
                data[i] = cudf.DataFrame({{"a": np.full(10_000, i), "b": ["x"] * 10_000}})
            assert len(data.device) < 6 and len(data.disk) > 0
            for i in range(6):
                frame = data[i]
                assert type(frame) is cudf.DataFrame and int(frame["a"].sum()) == 10_000 * i
                assert frame["b"].to_pandas().eq("x").all()
        cudf.set_option("spill", False)
    """)


def test_an_object_survives_the_host(simulating):
    simulating("""
        import pickle
        x = cupy.arange(12).reshape(3, 4)
        there = device_to_host([x, 5])
        back = host_to_device(pickle.loads(pickle.dumps(there)))
        assert back[1] == 5 and type(back[0]) is cupy.ndarray and (back[0] == x).all()
    """)


def test_a_spilled_frame_counts_as_many_bytes_as_on_the_device(simulating):
    simulating("""
        import cudf, dask_cudf  # which tells Dask the size of frames
        from dask.sizeof import sizeof
        frame = cudf.DataFrame({"a": [1, None, 3] * 1_000, "b": ["x", "yz", None] * 1_000})
        with tempfile.TemporaryDirectory() as folder:
            data = DeviceHostFile(folder, device_memory_limit=1)  # no room: all of it goes to the host
            data["frame"] = frame
            more = sizeof(data.host["frame"]) - sizeof(frame)
            assert not data.device and 0 <= more < 100, "Python's own bytes for an object at most"
            assert data["frame"]["a"].isnull().sum() == 1_000
    """)


def test_contexts_are_noticed(simulating):
    simulating("""
        from distributed.diagnostics import nvml
        x = cupy.zeros(10)
        assert nvml.has_cuda_context().device_info.device_index == 0
        initialize.initialize()
        assert initialize.pre_existing_cuda_context.has_context and initialize.cuda_context_created.has_context
    """)
