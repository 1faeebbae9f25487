"""Contexts: one per device, made when it is first used; which one a thread works in is the engine's to know."""

from __future__ import annotations

import contextlib
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gpusim.device import activity, device, memory, queue
from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels import limits

from . import _memory, _streams
from ._device import Device, all_devices

MemoryInfo = namedtuple("MemoryInfo", "free,total")
"""Free and total memory of a device in bytes."""

_contexts: dict[int, Context] = {}
_local = threading.local()


def of_device(device_id: int) -> Context:
    """The context of a device."""
    there = _contexts.get(device_id)
    return there if there is not None else _contexts.setdefault(device_id, Context(all_devices()[device_id]))


def get_context(devnum: Any = None) -> Context:
    """The current context, or that of a device, which becomes the current one of this thread."""
    if devnum is None:
        return of_device(device.current())
    context = of_device(gpus[int(devnum)].id)
    context.push()
    return context


def require_context(function: Callable) -> Callable:
    """A decorator that makes sure of a context: in simulation there always is one."""
    return function


class _Deallocations:
    """The deallocations that wait in a context: none, since memory is freed at once."""

    def __init__(self) -> None:
        self._disabled = 0

    def __len__(self) -> int:
        return 0

    def clear(self) -> None:
        """Nothing waits."""

    @contextlib.contextmanager
    def disable(self) -> Iterator[None]:
        """Within it, `is_disabled` is true. It may be nested."""
        self._disabled += 1
        try:
            yield
        finally:
            self._disabled -= 1

    @property
    def is_disabled(self) -> bool:
        return self._disabled > 0


class Context:
    """What a program does on one device.

    Attributes
    ----------
    device : Device
    extras : dict
        For data of a library.
    deallocations
        Those that wait: none.
    """

    def __init__(self, device: Device, handle: Any = None):
        self.device = device
        self.handle = 0x1000 + device.id
        self.extras: dict = {}
        self.deallocations = _Deallocations()
        self.peers: set[int] = set()

    def __repr__(self) -> str:
        return f"<CUDA context {self.handle} of device {self.device.id}>"

    def __eq__(self, other: object) -> bool:
        return self.handle == other.handle if isinstance(other, Context) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.handle)

    def push(self) -> None:
        """Work on this device, in this thread."""
        _stack().append(device.current())
        device.use(self.device.id)

    def pop(self) -> None:
        """Work on the device from before `push` again."""
        stack = _stack()
        device.use(stack.pop() if stack else 0)

    def prepare_for_use(self) -> None:
        """Nothing to prepare."""

    def reset(self) -> None:
        """Wait for the device and give its unused memory back."""
        queue.synchronize(activity.DEVICE)
        _memory.give_back(self.device.id)

    def synchronize(self) -> None:
        """Wait until all work is done."""
        queue.synchronize(activity.DEVICE)

    def get_memory_info(self) -> MemoryInfo:
        """Free and total memory of the device in bytes."""
        _memory.give_back(self.device.id)
        return MemoryInfo(*memory.information(self.device.id))

    def memalloc(self, bytesize: int) -> _memory.MemoryPointer:
        """Allocate device memory."""
        base, owner = _memory.allocate(int(bytesize))
        return _memory.AutoFreePointer.of(self, base, owner, int(bytesize))

    def memhostalloc(self, bytesize: int, mapped: bool = False, portable: bool = False, wc: bool = False) -> np.ndarray:
        """Allocate host memory that stays in place; ``mapped``, the device sees it."""
        return _memory.host_bytes(int(bytesize), mapped)

    def memallocmanaged(self, bytesize: int, attach_global: bool = True) -> np.ndarray:
        """Allocate memory that host and device see."""
        return _memory.host_bytes(int(bytesize), True)

    def mempin(self, owner: Any, pointer: Any, size: int, mapped: bool = False) -> Any:
        """Page-lock host memory."""
        raise NotSimulatedError("Context.mempin", "cuda.pinned(array)")

    def get_ipc_handle(self, memory: Any) -> Any:
        """Share memory with another process."""
        raise NotSimulatedError("sharing device memory between processes (CUDA IPC)", "copy_to_host() and pickling")

    open_ipc_handle = get_ipc_handle

    def create_module_ptx(self, ptx: Any) -> Any:
        """Load PTX."""
        raise NotSimulatedError("loading PTX", "@cuda.jit")

    create_module_image = create_module_ptx

    def enable_peer_access(self, peer_context: Any, flags: int = 0) -> None:
        """Let kernels of this device use memory of another."""
        assert flags == 0, "*flags* is reserved and MUST be zero"
        self.peers.add(peer_context.device.id if isinstance(peer_context, Context) else int(peer_context) - 0x1000)

    def can_access_peer(self, peer_device: Any) -> bool:
        """Whether this device can reach another's memory: simulated ones can."""
        return int(getattr(peer_device, "id", peer_device)) != self.device.id

    def get_active_blocks_per_multiprocessor(self, func: Any, blocksize: int, memsize: int, flags: Any = None) -> int:
        """Blocks of a kernel that fit a multiprocessor at once, by its threads and shared memory (not its registers)."""
        shared = memsize + int(getattr(func, "shared_mem_per_block", 0))
        return limits.resident_blocks(int(blocksize), shared) // limits.DEVICE.multiprocessors

    def get_max_potential_block_size(
        self, func: Any, b2d_func: Any, memsize: int, blocksizelimit: int, flags: Any = None
    ) -> tuple[int, int]:
        """A status of 0 and the largest block that a kernel may be launched with."""
        return 0, min(int(getattr(func, "max_threads_per_block", 1024)), blocksizelimit or 1024)

    def get_default_stream(self) -> _streams.Stream:
        """The default stream."""
        return _streams.Stream(0)

    def get_legacy_default_stream(self) -> _streams.Stream:
        """The legacy default stream."""
        return _streams.Stream(_streams.LEGACY)

    def get_per_thread_default_stream(self) -> _streams.Stream:
        """The per-thread default stream."""
        return _streams.Stream(_streams.PER_THREAD)

    def create_stream(self) -> _streams.Stream:
        """A new stream."""
        return _streams.new_stream()

    def create_external_stream(self, ptr: int) -> _streams.Stream:
        """A stream that another library made, by its handle."""
        if not isinstance(ptr, int):
            raise TypeError("ptr for external stream must be an int")
        return _streams.Stream(ptr, external=True)

    def create_event(self, timing: bool = True) -> _streams.Event:
        """A new event."""
        return _streams.Event(timing=timing)

    @contextlib.contextmanager
    def defer_cleanup(self) -> Iterator[None]:
        """Memory is freed without waiting for the device here, so there is nothing to put off."""
        with self.deallocations.disable():
            yield


def _stack() -> list[int]:
    if not hasattr(_local, "stack"):
        _local.stack = []
    return _local.stack


class _Managed:
    """A device, and a context manager to work on it: ``with cuda.gpus[1]:``."""

    def __init__(self, device: Device):
        self._device = device

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def __enter__(self) -> None:
        of_device(self._device.id).push()

    def __exit__(self, *exception: object) -> None:
        of_device(self._device.id).pop()

    def __str__(self) -> str:
        return f"<Managed Device {self._device.id}>"


class _Devices:
    @property
    def lst(self) -> list[_Managed]:
        if not hasattr(self, "_lst"):
            self._lst = [_Managed(each) for each in all_devices()]
        return self._lst

    def __getitem__(self, devnum: Any) -> Any:
        try:
            return self.lst[devnum if isinstance(devnum, slice) else int(devnum)]
        except IndexError:
            count = len(self.lst)
            there = "is 1 simulated device" if count == 1 else f"are {count} simulated devices"
            raise IndexError(f"list index out of range: there {there}, numbered from 0 (see GPUSIM_GPUS)") from None

    def __str__(self) -> str:
        return ", ".join(map(str, self.lst))

    def __iter__(self) -> Iterator[_Managed]:
        return iter(self.lst)

    def __len__(self) -> int:
        return len(self.lst)

    @property
    def current(self) -> _Managed:
        """The device this thread uses."""
        return self.lst[device.current()]


gpus = _Devices()


def reset() -> None:
    """Wait for all devices, give their unused memory back, and use the first one again."""
    queue.synchronize(activity.DEVICE)
    for each in all_devices():
        _memory.give_back(each.id)
    _stack().clear()
    device.use(0)
