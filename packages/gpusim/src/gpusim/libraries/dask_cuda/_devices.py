"""What Dask-CUDA asks NVML about the devices."""

from __future__ import annotations

import math
import os
import warnings
from multiprocessing import cpu_count
from typing import Any

import pynvml
import toolz


def unpack_bitmask(x: list[int], mask_bits: int = 64) -> list[int]:
    """The numbers of the bits that are set in a list of words of ``mask_bits`` bits each."""
    found: list[int] = []
    for word, mask in enumerate(x):
        if not isinstance(mask, int):
            raise TypeError("All elements of the list `x` must be integers")
        found += [word * mask_bits + bit for bit in range(mask_bits) if mask >> bit & 1]
    return found


@toolz.memoize
def get_cpu_count() -> int:
    """Number of cores."""
    return cpu_count()


@toolz.memoize
def get_gpu_count() -> int:
    """Number of devices, hidden ones included."""
    pynvml.nvmlInit()
    return pynvml.nvmlDeviceGetCount()


def get_gpu_handle(device_id: int | str = 0) -> Any:
    """NVML's handle of a device, by number or UUID; ValueError if there is none."""
    pynvml.nvmlInit()
    try:
        if device_id and not str(device_id).isnumeric():
            handle = pynvml.nvmlDeviceGetHandleByUUID(str.encode(device_id))
            if pynvml.nvmlDeviceIsMigDeviceHandle(handle):
                handle = pynvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(handle)
            return handle
        return pynvml.nvmlDeviceGetHandleByIndex(device_id)
    except pynvml.NVMLError:
        raise ValueError(f"Invalid device index or UUID: {device_id}") from None


@toolz.memoize
def get_gpu_count_mig(return_uuids: bool = False) -> Any:
    """Number of MIG instances, and their UUIDs where asked for: a simulated device has none."""
    return (0, []) if return_uuids else 0


def get_cpu_affinity(device_index: int | str | None = None) -> list[int]:
    """The cores that are near a device: in simulation, all that this process may use."""
    try:
        handle = get_gpu_handle(device_index)
        return unpack_bitmask(list(pynvml.nvmlDeviceGetCpuAffinity(handle, math.ceil(get_cpu_count() / 64))))
    except (pynvml.NVMLError, ValueError):
        # As in the real one, a UUID that does not exist cannot be put into this message: the format wants a number.
        warnings.warn(
            f"Cannot get CPU affinity for device with index {device_index:d}, setting default affinity", stacklevel=2
        )
        return list(range(get_cpu_count()))


def get_n_gpus() -> int:
    """Number of devices that CUDA_VISIBLE_DEVICES names, else of all."""
    try:
        return len(os.environ["CUDA_VISIBLE_DEVICES"].split(","))
    except KeyError:
        return get_gpu_count()


def get_device_total_memory(device_index: int | str = 0) -> int | None:
    """Bytes of memory of a device."""
    handle = get_gpu_handle(device_index)
    try:
        return int(pynvml.nvmlDeviceGetMemoryInfo(handle).total)
    except pynvml.NVMLError_NotSupported:
        return None


def has_device_memory_resource(device_index: int | str = 0) -> bool:
    """Whether a device has memory of its own; simulated ones have."""
    return get_device_total_memory(device_index) is not None


def get_gpu_uuid(device_index: int | str = 0) -> str:
    """The UUID of a device."""
    uuid = pynvml.nvmlDeviceGetUUID(get_gpu_handle(device_index))
    return uuid.decode("utf-8") if isinstance(uuid, bytes) else uuid


def parse_cuda_visible_device(dev: int | str) -> int | str:
    """One entry of CUDA_VISIBLE_DEVICES: a number, or a UUID; ValueError for anything else."""
    try:
        return int(dev)
    except ValueError:
        if dev.startswith(("GPU-", "MIG-")):
            return dev
        raise ValueError(
            "Devices in CUDA_VISIBLE_DEVICES must be comma-separated integers "
            "or strings beginning with 'GPU-' or 'MIG-' prefixes."
        ) from None


def cuda_visible_devices(i: int, visible: Any = None) -> str:
    """CUDA_VISIBLE_DEVICES for worker ``i``: the list rotated, so that its own device comes first."""
    if visible is None:
        named = os.environ.get("CUDA_VISIBLE_DEVICES")
        visible = range(get_n_gpus()) if named is None else map(parse_cuda_visible_device, named.split(","))
    devices = list(visible)
    return ",".join(map(str, devices[i:] + devices[:i]))


def nvml_device_index(i: int, CUDA_VISIBLE_DEVICES: str | list) -> int | str:
    """What NVML calls the i-th device of CUDA_VISIBLE_DEVICES: its number on the machine, or its UUID."""
    if isinstance(CUDA_VISIBLE_DEVICES, str):
        named = CUDA_VISIBLE_DEVICES.split(",")[i]
        return int(named) if named.isnumeric() else named
    if isinstance(CUDA_VISIBLE_DEVICES, list):
        return CUDA_VISIBLE_DEVICES[i]
    raise ValueError("`CUDA_VISIBLE_DEVICES` must be `str` or `list`")
