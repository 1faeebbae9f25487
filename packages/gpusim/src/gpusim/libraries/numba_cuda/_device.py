"""The simulated devices as numba-cuda shows them, and what they say of themselves."""

from __future__ import annotations

from typing import Any

from gpusim.device import device
from gpusim.importing.errors import NotSimulatedAttribute

# What an H100 (SXM, 80 GB) says, from NVIDIA's data sheet and tuning guide; the clock rates and widths of a memory that is
# not there are left out on purpose.
ATTRIBUTES = {
    "MAX_THREADS_PER_BLOCK": 1024, "MAX_BLOCK_DIM_X": 1024, "MAX_BLOCK_DIM_Y": 1024, "MAX_BLOCK_DIM_Z": 64,
    "MAX_GRID_DIM_X": 2147483647, "MAX_GRID_DIM_Y": 65535, "MAX_GRID_DIM_Z": 65535,
    "MAX_SHARED_MEMORY_PER_BLOCK": 49152, "SHARED_MEMORY_PER_BLOCK": 49152,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 232448, "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 233472,
    "RESERVED_SHARED_MEMORY_PER_BLOCK": 1024, "TOTAL_CONSTANT_MEMORY": 65536, "WARP_SIZE": 32,
    "MAX_REGISTERS_PER_BLOCK": 65536, "REGISTERS_PER_BLOCK": 65536, "MAX_REGISTERS_PER_MULTIPROCESSOR": 65536,
    "MULTIPROCESSOR_COUNT": device.MULTIPROCESSORS, "MAX_THREADS_PER_MULTIPROCESSOR": 2048,
    "MAX_BLOCKS_PER_MULTIPROCESSOR": 32, "COMPUTE_CAPABILITY_MAJOR": device.COMPUTE_CAPABILITY[0],
    "COMPUTE_CAPABILITY_MINOR": device.COMPUTE_CAPABILITY[1], "MAX_PITCH": 2147483647, "TEXTURE_ALIGNMENT": 512,
    "L2_CACHE_SIZE": 52428800, "ASYNC_ENGINE_COUNT": 3, "GPU_OVERLAP": 1, "CONCURRENT_KERNELS": 1,
    "KERNEL_EXEC_TIMEOUT": 0, "INTEGRATED": 0, "CAN_MAP_HOST_MEMORY": 1, "COMPUTE_MODE": 0, "ECC_ENABLED": 1,
    "TCC_DRIVER": 0, "UNIFIED_ADDRESSING": 1, "MANAGED_MEMORY": 1, "CONCURRENT_MANAGED_ACCESS": 1,
    "PAGEABLE_MEMORY_ACCESS": 0, "COOPERATIVE_LAUNCH": 1, "CLUSTER_LAUNCH": 1, "COMPUTE_PREEMPTION_SUPPORTED": 1,
    "STREAM_PRIORITIES_SUPPORTED": 1, "GLOBAL_L1_CACHE_SUPPORTED": 1, "LOCAL_L1_CACHE_SUPPORTED": 1,
    "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO": 2, "HOST_NATIVE_ATOMIC_SUPPORTED": 0, "MULTI_GPU_BOARD": 0,
    "MEMORY_POOLS_SUPPORTED": 0, "PCI_DOMAIN_ID": 0, "PCI_BUS_ID": 0,
}  # fmt: skip
_OTHERS = frozenset(
    """CLOCK_RATE MEMORY_CLOCK_RATE GLOBAL_MEMORY_BUS_WIDTH SURFACE_ALIGNMENT TEXTURE_PITCH_ALIGNMENT
    MAX_PERSISTING_L2_CACHE_SIZE MAX_ACCESS_POLICY_WINDOW_SIZE DMA_BUF_SUPPORTED GPU_DIRECT_RDMA_SUPPORTED NUMA_ID
    NUMA_CONFIG MULTICAST_SUPPORTED VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED IPC_EVENT_SUPPORTED MPS_ENABLED
    CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM DIRECT_MANAGED_MEM_ACCESS_FROM_HOST COOPERATIVE_MULTI_DEVICE_LAUNCH
    PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES HOST_REGISTER_SUPPORTED TENSOR_MAP_ACCESS_SUPPORTED""".split()
)


class Device:
    """A simulated device; CUDA's device attributes are attributes of it (``MULTIPROCESSOR_COUNT``, ``WARP_SIZE``, …).

    Attributes
    ----------
    id : int
    name : str
    compute_capability : tuple of int
    uuid : str
        One that no real device has.
    """

    def __init__(self, devnum: int):
        self.id = devnum
        self.name = device.NAME
        self.compute_capability = device.COMPUTE_CAPABILITY
        self.uuid = f"GPU-00000000-0000-0000-0000-{devnum:012x}"
        self.PCI_DEVICE_ID = devnum

    @classmethod
    def from_identity(cls, identity: dict) -> Device:
        """The device with an identity that `get_device_identity` gave."""
        for each in all_devices():
            if each.get_device_identity() == identity:
                return each
        raise RuntimeError(f"No device of {identity} is found. Target device may not be visible in this process.")

    def get_device_identity(self) -> dict[str, int]:
        """Where the device would be on the PCI bus."""
        return {"pci_domain_id": 0, "pci_bus_id": 0, "pci_device_id": self.id}

    def __repr__(self) -> str:
        return f"<CUDA device {self.id} '{self.name}'>"

    def __getattr__(self, name: str) -> int:
        if name in ATTRIBUTES:
            return ATTRIBUTES[name]
        if name in _OTHERS or name.startswith(("MAXIMUM_TEXTURE", "MAXIMUM_SURFACE")):
            raise NotSimulatedAttribute(
                f"the device attribute {name}", "MULTIPROCESSOR_COUNT and other counts and sizes"
            )
        raise AttributeError(f"a device has no attribute {name!r}")

    def __hash__(self) -> int:
        return hash(self.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.id == other.id

    def get_primary_context(self) -> Any:
        """The context of the device."""
        from ._context import of_device

        return of_device(self.id)

    def release_primary_context(self) -> None:
        """Nothing to release."""

    def reset(self) -> None:
        """Wait for the device and give its unused memory back."""
        self.get_primary_context().reset()

    @property
    def supports_float16(self) -> bool:
        """Whether it computes in half precision."""
        return True

    @property
    def supports_bfloat16(self) -> bool:
        """Whether it computes in bfloat16: a device like this one does; it is not simulated."""
        return False

    @property
    def supports_fp8(self) -> bool:
        """Whether it computes in 8-bit floats: not simulated."""
        return False


_devices: list[Device] = []


def all_devices() -> list[Device]:
    """The simulated devices, in order."""
    if not _devices:
        _devices[:] = [Device(i) for i in range(device.count())]
    return _devices
