"""What runs underneath: a simulated device."""

from __future__ import annotations

import platform
from typing import Any

import cupy
import numpy as np
import scipy


def _ask(function: Any) -> Any:
    try:
        return function()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return repr(error)


class _RuntimeInfo:
    """Versions and devices; its text is a table."""

    cuda_path = nvcc_path = cub_build_version = jitify_build_version = nccl_build_version = nccl_runtime_version = None
    cutensor_version = cusparselt_version = thrust_version = cuda_extra_include_dirs = None

    def __init__(self, *, full: bool = True) -> None:
        self._full = full
        self.cupy_version = cupy.__version__
        self.cuda_build_version = self.cuda_driver_version = _ask(cupy.cuda.runtime.driverGetVersion)
        self.cuda_runtime_version = self.cuda_local_runtime_version = _ask(cupy.cuda.runtime.runtimeGetVersion)
        self.numpy_version, self.scipy_version = np.__version__, scipy.__version__

    def __str__(self) -> str:
        rows = [
            ("OS", platform.platform()),
            ("Python Version", platform.python_version()),
            ("CuPy Version", self.cupy_version),
            ("CuPy Platform", "NVIDIA CUDA, simulated on the CPU"),
            ("NumPy Version", self.numpy_version),
            ("SciPy Version", self.scipy_version),
            ("CUDA Build Version", self.cuda_build_version),
            ("CUDA Driver Version", self.cuda_driver_version),
            ("CUDA Runtime Version", self.cuda_runtime_version),
        ]
        if self._full:
            for i in range(cupy.cuda.runtime.getDeviceCount()):
                there = cupy.cuda.runtime.getDeviceProperties(i)
                rows.append((f"Device {i} Name", there["name"].decode()))
                rows.append((f"Device {i} Compute Capability", f"{there['major']}{there['minor']}"))
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name.ljust(width)} : {value}" for name, value in rows) + "\n"


def get_runtime_info(*, full: bool = True) -> _RuntimeInfo:
    """What the library runs on; print it."""
    return _RuntimeInfo(full=full)
