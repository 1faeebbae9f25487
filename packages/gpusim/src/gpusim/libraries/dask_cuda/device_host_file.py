"""Where a CUDA worker keeps its results: on the device while they fit, then in main memory, then on disk."""

from __future__ import annotations

import itertools
import logging
import os
import time
from collections.abc import Iterator
from typing import Any

import dask
import numpy
from distributed.protocol import (
    dask_deserialize,
    dask_serialize,
    deserialize,
    deserialize_bytes,
    serialize,
    serialize_bytelist,
)
from distributed.sizeof import safe_sizeof
from distributed.spill import AnyKeyFile
from distributed.utils import nbytes
from zict import Buffer, Func
from zict.common import ZictBase

from .is_device_object import is_device_object
from .is_spillable_object import is_spillable_object


def _weight(key: Any, value: Any) -> int:
    return safe_sizeof(value)


def _to_disk(value: Any) -> Any:
    compression = dask.config.get("distributed.worker.memory.spill-compression")
    return serialize_bytelist(value, compression=compression, on_error="raise")


class LoggedBuffer(Buffer):
    """A zict.Buffer that logs what it moves to ``distributed.worker``, where ``client.get_worker_logs()`` finds it."""

    def __init__(
        self, *args: Any, fast_name: str = "Fast", slow_name: str = "Slow", addr: str | None = None, **kwargs: Any
    ):
        self.addr = "Unknown Address" if addr is None else addr
        self.fast_name, self.slow_name = fast_name, slow_name
        self.logger = logging.getLogger("distributed.worker")
        self.total_time_fast_to_slow = self.total_time_slow_to_fast = 0.0
        super().__init__(*args, **kwargs)

    def fast_to_slow(self, key: Any, value: Any) -> None:
        """Move a key down."""
        start = time.time()
        super().fast_to_slow(key, value)
        total = time.time() - start
        self.total_time_fast_to_slow += total
        self._log(key, value, self.fast_name, self.slow_name, total)

    def slow_to_fast(self, key: Any) -> Any:
        """Move a key up."""
        start = time.time()
        value = super().slow_to_fast(key)
        total = time.time() - start
        self.total_time_slow_to_fast += total
        self._log(key, value, self.slow_name, self.fast_name, total)
        return value

    def _log(self, key: Any, value: Any, source: str, target: str, seconds: float) -> None:
        self.logger.info(
            "Worker at <%s>: Spilled key %s with %s bytes from %s to %s in %s seconds",
            self.addr, key, safe_sizeof(value), source, target, seconds,
        )  # fmt: skip

    def set_address(self, addr: str) -> None:
        """Name the worker in the log."""
        self.addr = addr

    def get_total_spilling_time(self) -> dict[str, float]:
        """Seconds that moving took, each way."""
        return {
            f"Total spilling time from {self.fast_name} to {self.slow_name}": self.total_time_fast_to_slow,
            f"Total spilling time from {self.slow_name} to {self.fast_name}": self.total_time_slow_to_fast,
        }


class DeviceSerialized:
    """A device object in main memory: a header and the frames of its bytes."""

    def __init__(self, header: Any, frames: list) -> None:
        self.header = header
        self.frames = frames

    def __sizeof__(self) -> int:
        return self.header.get("device-bytes") or sum(map(nbytes, self.frames))

    def __reduce_ex__(self, protocol: Any) -> tuple:
        header, frames = device_serialize(self)
        # Pickle takes no memoryviews, and copies bytes.
        return device_deserialize, (header, [_array(f) for f in frames])


def _array(frame: Any) -> Any:
    return numpy.frombuffer(frame, "u1") if isinstance(frame, (bytes, memoryview)) else frame


@dask_serialize.register(DeviceSerialized)
def device_serialize(obj: DeviceSerialized) -> tuple[dict, list]:
    """The header and the frames."""
    return {"obj-header": obj.header}, obj.frames


@dask_deserialize.register(DeviceSerialized)
def device_deserialize(header: dict, frames: list) -> DeviceSerialized:
    """The object of a header and frames."""
    return DeviceSerialized(header["obj-header"], frames)


def device_to_host(obj: object) -> DeviceSerialized:
    """Bring a device object to main memory; the transfer is counted."""
    header, frames = serialize(obj, serializers=("dask", "pickle"), on_error="raise")
    # A frame is simulated on pandas, whose masks and offsets are wider. On a GPU its buffers come down as they are.
    return DeviceSerialized({**header, "device-bytes": safe_sizeof(obj)}, frames)


def host_to_device(s: DeviceSerialized) -> object:
    """Bring it back."""
    return deserialize(s.header, s.frames)


class DeviceHostFile(ZictBase):
    """A mapping of three levels, each the least recently used of what the level above had no room for.

    Parameters
    ----------
    worker_local_directory : path
        Where the files go, in a folder ``storage``.
    device_memory_limit : int, optional
        Bytes of device objects kept on the device; None: all of them.
    memory_limit : int, optional
        Bytes kept in main memory; None or 0: all.
    log_spilling : bool
        Whether each move is logged.
    """

    def __init__(
        self,
        worker_local_directory: Any,
        *,
        device_memory_limit: int | None = None,
        memory_limit: int | None = None,
        log_spilling: bool = False,
    ) -> None:
        self.disk_func_path = os.path.join(worker_local_directory, "storage")
        os.makedirs(self.disk_func_path, exist_ok=True)
        memory_limit = memory_limit or None
        self.host_func: dict = {}
        self.disk_func = Func(_to_disk, deserialize_bytes, AnyKeyFile(self.disk_func_path))

        def buffer(fast: Any, slow: Any, limit: int, fast_name: str, slow_name: str) -> Buffer:
            if log_spilling:
                return LoggedBuffer(fast, slow, limit, weight=_weight, fast_name=fast_name, slow_name=slow_name)
            return Buffer(fast, slow, limit, weight=_weight)

        if memory_limit is None:
            self.host_buffer: Any = self.host_func
            self.host, self.disk, self.fast = self.host_func, None, self.host_func
        else:
            self.host_buffer = buffer(self.host_func, self.disk_func, memory_limit, "Host", "Disk")
            self.fast = self.host_buffer.fast  # what a Dask worker calls the main memory of its data
            self.host, self.disk = self.fast.d, self.host_buffer.slow.d

        self.device_keys: set = set()
        self.device_func: dict = {}
        self.device_host_func = Func(device_to_host, host_to_device, self.host_buffer)
        if device_memory_limit is None:
            self.device_buffer: Any = self.device_func
            self.device = self.device_func
        else:
            self.device_buffer = buffer(self.device_func, self.device_host_func, device_memory_limit, "Device", "Host")
            self.device = self.device_buffer.fast.d
        self.others: dict = {}  # what cuDF spills by itself

    def __setitem__(self, key: Any, value: Any) -> None:
        if key in self.device_buffer:
            del self[key]
        if is_spillable_object(value):
            self.others[key] = value
        elif is_device_object(value):
            self.device_keys.add(key)
            self.device_buffer[key] = value
        else:
            self.host_buffer[key] = value

    def __getitem__(self, key: Any) -> Any:
        if key in self.others:
            return self.others[key]
        if key in self.device_keys:
            return self.device_buffer[key]
        if key in self.host_buffer:
            return self.host_buffer[key]
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return key in self.others or key in self.device_keys or key in self.host_buffer

    def _keys(self) -> set:
        return (
            {*self.device_buffer, *self.host_buffer}
            if self.device_buffer is self.device_func
            else {*self.device_buffer}
        )

    def __len__(self) -> int:
        return len(self._keys()) + len(self.others)

    def __iter__(self) -> Iterator:
        return itertools.chain(self._keys(), self.others)

    def __delitem__(self, key: Any) -> None:
        self.device_keys.discard(key)
        if key in self.others:
            del self.others[key]
        elif isinstance(self.device_buffer, dict) and key not in self.device_buffer:
            del self.host_buffer[key]  # without a device limit, host keys never pass through the device buffer
        else:
            del self.device_buffer[key]

    def evict(self) -> int:
        """Move the least recently used host object to disk and return its bytes, -1 if that cannot be."""
        try:
            return self.host_buffer.fast.evict()[2]
        except Exception:  # whatever goes wrong, the worker only wants to know that nothing was freed
            return -1

    def set_address(self, addr: str) -> None:
        """Name the worker in the log."""
        for buffer in (self.host_buffer, self.device_buffer):
            if isinstance(buffer, LoggedBuffer):
                buffer.set_address(addr)

    def get_total_spilling_time(self) -> dict[str, float]:
        """Seconds that moving took, by way; empty without logging."""
        told: dict[str, float] = {}
        for buffer in (self.device_buffer, self.host_buffer):
            if isinstance(buffer, LoggedBuffer):
                told |= buffer.get_total_spilling_time()
        return told
