"""NVML: the simulated devices, told to whoever asks, whenever pynvml was imported."""

import os
import subprocess
import sys
import textwrap

SETTINGS = {"GPUSIM_GPUS": "2", "GPUSIM_GPU_MEMORY": "64MiB"}
IMPORTS = """
import pytest
import pynvml
from gpusim.device import device
"""


def test_it_reports_the_devices(simulating):
    simulating("""
        pynvml.nvmlInit()
        assert pynvml.nvmlDeviceGetCount() == 2
        first, second = map(pynvml.nvmlDeviceGetHandleByIndex, (0, 1))
        assert pynvml.nvmlDeviceGetName(first) == "Simulated GPU"
        memory = pynvml.nvmlDeviceGetMemoryInfo(second)
        assert (memory.total, memory.used, memory.free) == (64 << 20, 0, 64 << 20)
        uuid = pynvml.nvmlDeviceGetUUID(second)
        assert pynvml.nvmlDeviceGetHandleByUUID(uuid.encode()) == second != first
        assert "simulated" in pynvml.nvmlSystemGetDriverVersion()
        assert pynvml.nvmlDeviceGetCudaComputeCapability(first) == [9, 0]
        assert pynvml.nvmlDeviceGetUtilizationRates(first).gpu == 0
        pynvml.nvmlShutdown()
    """)


def test_memory_and_process_are_those_of_this_process(simulating):
    simulating("""
        import os, cupy
        pynvml.nvmlInit()
        with cupy.cuda.Device(1):
            x = cupy.zeros(1_000_000, "u1")
        used = [pynvml.nvmlDeviceGetMemoryInfo(pynvml.nvmlDeviceGetHandleByIndex(i)).used for i in (0, 1)]
        assert used[0] == 0 and used[1] >= 1_000_000, used
        processes = pynvml.nvmlDeviceGetComputeRunningProcesses(pynvml.nvmlDeviceGetHandleByIndex(1))
        assert [p.pid for p in processes] == [os.getpid()] and processes[0].usedGpuMemory == used[1]
        pynvml.nvmlShutdown()
    """)


def test_what_it_cannot_know_is_not_supported(simulating):
    simulating("""
        with pytest.raises(pynvml.NVMLError_Uninitialized):
            pynvml.nvmlDeviceGetCount()
        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(0)
        for ask in (pynvml.nvmlDeviceGetPowerUsage, pynvml.nvmlDeviceGetMigMode, pynvml.nvmlDeviceGetFanSpeed):
            with pytest.raises(pynvml.NVMLError_NotSupported, match="Not Supported"):
                ask(handle)
        with pytest.raises(pynvml.NVMLError_InvalidArgument):
            pynvml.nvmlDeviceGetHandleByIndex(2)
        with pytest.raises(pynvml.NVMLError_NotFound):
            pynvml.nvmlDeviceGetHandleByUUID(b"GPU-1")
        with pytest.raises(pynvml.NVMLError_InvalidArgument):
            pynvml.nvmlDeviceGetName("0")
        pynvml.nvmlShutdown()
    """)


def in_python(code, **settings):
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "CUDA_"))
    }
    environment |= {"GPUSIM_GPU_MEMORY": "64MiB", **settings}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_dask_may_have_imported_the_real_one_before():
    said = in_python("""
        import dask.distributed, pynvml as before
        from distributed.diagnostics import nvml
        assert nvml.device_get_count() == 0  # it has asked, and remembers
        import gpusim
        gpusim.activate()
        import pynvml
        assert pynvml.__version__.endswith("+gpusim") and pynvml is not before
        assert pynvml.NVMLError is before.NVMLError, "whoever catches one catches the other"
        print(nvml.device_get_count(), nvml.one_time()["memory-total"], nvml.real_time()["utilization"])
        import cupy
        x = cupy.zeros(1000)
        print(nvml.real_time()["memory-used"], nvml.has_cuda_context().has_context)
    """)
    assert said == ["1", str(64 << 20), "0", "8192", "True"]


def test_a_hidden_device_is_counted_and_not_used():
    said = in_python(
        """
        import pynvml, cupy
        from gpusim.device import device
        pynvml.nvmlInit()
        x = cupy.zeros(1000)  # on device 0 of this process, which is number 2 of the machine
        used = [pynvml.nvmlDeviceGetMemoryInfo(pynvml.nvmlDeviceGetHandleByIndex(i)).used for i in range(3)]
        print(pynvml.nvmlDeviceGetCount(), cupy.cuda.runtime.getDeviceCount(), *used, *device.visible())
        """,
        GPUSIM_SIMULATE="1",
        GPUSIM_GPUS="3",
        CUDA_VISIBLE_DEVICES="2,GPU-00000000-0000-4000-8000-000000000000",
    )
    assert said == ["3", "2", "0", "0", "8192", "2", "0"]
