"""A recipe for the CUDA workers of a SpecCluster."""

from __future__ import annotations

import os
from typing import Any

from distributed import Nanny
from distributed.system import MEMORY_LIMIT

from .initialize import initialize
from .plugins import CPUAffinity
from .utils import cuda_visible_devices, get_cpu_affinity, get_gpu_count


def worker_spec(
    interface: str | None = None,
    protocol: str | None = None,
    dashboard_address: str | None = ":8787",
    threads_per_worker: int = 1,
    silence_logs: bool = True,
    CUDA_VISIBLE_DEVICES: Any = None,
    enable_tcp_over_ucx: bool = False,
    enable_infiniband: bool = False,
    enable_nvlink: bool = False,
    **kwargs: Any,
) -> dict[int, dict[str, Any]]:
    """Return ``{device: {"cls": Nanny, "options": {…}}}``, each with its device first in CUDA_VISIBLE_DEVICES."""
    if (enable_tcp_over_ucx or enable_infiniband or enable_nvlink) and protocol != "ucx":
        raise TypeError("Enabling InfiniBand or NVLink requires protocol='ucx'")
    if CUDA_VISIBLE_DEVICES is None:
        CUDA_VISIBLE_DEVICES = os.environ.get("CUDA_VISIBLE_DEVICES", list(range(get_gpu_count())))
    if isinstance(CUDA_VISIBLE_DEVICES, str):
        CUDA_VISIBLE_DEVICES = CUDA_VISIBLE_DEVICES.split(",")
    devices = [int(device) for device in CUDA_VISIBLE_DEVICES]
    initialize(
        enable_tcp_over_ucx=enable_tcp_over_ucx, enable_infiniband=enable_infiniband, enable_nvlink=enable_nvlink
    )
    return {
        device: {
            "cls": Nanny,
            "options": {
                "env": {"CUDA_VISIBLE_DEVICES": cuda_visible_devices(i, devices)},
                "interface": interface,
                "protocol": protocol,
                "nthreads": threads_per_worker,
                "data": dict,
                "dashboard_address": dashboard_address,
                "plugins": [CPUAffinity(get_cpu_affinity(device))],
                "silence_logs": silence_logs,
                "memory_limit": MEMORY_LIMIT / get_gpu_count(),
                "preload": "dask_cuda.initialize",
                "preload_argv": "--create-cuda-context",
            },
        }
        for i, device in enumerate(devices)
    }
