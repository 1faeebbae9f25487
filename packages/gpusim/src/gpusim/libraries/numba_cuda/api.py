"""What a program calls outside kernels: memory, transfers, streams, events, devices."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from gpusim.device import queue
from gpusim.importing.names import refused

from . import _memory, _streams
from ._context import get_context as current_context
from ._context import gpus, require_context
from ._context import reset as _reset
from ._device import Device
from ._streams import event_elapsed_time
from .cudadrv import _layout, devicearray, devices, driver

__all__ = [
    "as_cuda_array", "close", "current_context", "default_stream", "defer_cleanup", "detect", "device_array",
    "device_array_like", "devicearray", "devices", "driver", "event", "event_elapsed_time", "external_stream",
    "from_cuda_array_interface", "get_current_device", "gpus", "is_bfloat16_supported", "is_cuda_array",
    "is_float16_supported", "is_fp8_supported", "legacy_default_stream", "list_devices", "managed_array", "mapped",
    "mapped_array", "mapped_array_like", "open_ipc_array", "per_thread_default_stream", "pinned", "pinned_array",
    "pinned_array_like", "prepare_shape_strides_dtype", "profile_start", "profile_stop", "profiling",
    "require_context", "select_device", "stream", "synchronize", "to_device",
]  # fmt: skip

open_ipc_array = refused("cuda.open_ipc_array", "copy_to_host() and pickling")


def prepare_shape_strides_dtype(shape: Any, strides: Any, dtype: Any, order: str) -> tuple:
    """Make a tuple of ints, a tuple of strides and a dtype of what a caller may give."""
    dtype = np.dtype(dtype)
    if isinstance(shape, (float, np.floating)) or (isinstance(shape, np.ndarray) and shape.dtype.kind == "f"):
        raise TypeError("shape must be an integer or tuple of integers")
    shape = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if isinstance(strides, int):
        strides = (strides,)
    return shape, tuple(strides) if strides else _layout.packed_strides(shape, dtype.itemsize, order), dtype


def from_cuda_array_interface(desc: dict, owner: Any = None, sync: bool = True) -> devicearray.DeviceNDArray:
    """A device array over the memory that a CUDA array interface describes; nothing is copied.

    Parameters
    ----------
    desc : dict
        The interface.
    owner : object, optional
        Kept alive as long as the array.
    sync : bool
        Wait for the interface's stream, if it names one.
    """
    from numba.core import config

    if desc.get("version", 0) >= 1 and desc.get("mask") is not None:
        raise NotImplementedError("Masked arrays are not supported")
    shape, strides, dtype = prepare_shape_strides_dtype(desc["shape"], desc.get("strides"), desc["typestr"], "C")
    first, last = _memory.extents(shape, strides, dtype.itemsize)
    data = None
    if last > first:
        data = _memory.MemoryPointer(current_context(), desc["data"][0] + first, last - first, owner).view(-first)
    stream = desc.get("stream")
    if stream is not None:
        stream = external_stream(stream)
        if sync and config.CUDA_ARRAY_INTERFACE_SYNC:
            stream.synchronize()
    return devicearray.DeviceNDArray(shape, strides, dtype, stream=stream or 0, gpu_data=data)


def as_cuda_array(obj: Any, sync: bool = True) -> devicearray.DeviceNDArray:
    """A device array over the memory of another library's array; nothing is copied."""
    interface = getattr(obj, "__cuda_array_interface__", None)
    if interface is None:
        raise TypeError("*obj* doesn't implement the cuda array interface.")
    return from_cuda_array_interface(interface, owner=obj, sync=sync)


def is_cuda_array(obj: Any) -> bool:
    """Whether an object shows device memory by the CUDA array interface."""
    return hasattr(obj, "__cuda_array_interface__")


def is_float16_supported() -> bool:
    """Whether the device computes in half precision."""
    return True


def is_bfloat16_supported() -> bool:
    """Whether bfloat16 is simulated: it is not."""
    return current_context().device.supports_bfloat16


def is_fp8_supported() -> bool:
    """Whether 8-bit floats are simulated: they are not."""
    return current_context().device.supports_fp8


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
    """Copy a host array or record to the device.

    Parameters
    ----------
    obj : array_like
    stream : Stream, optional
        Queue the transfer; without one the work before it is done first.
    copy : bool
        If False, only allocate.
    to : DeviceNDArray, optional
        Copy into this one.

    Returns
    -------
    DeviceNDArray
        ``obj`` itself if it is on the device already.

    Raises
    ------
    ValueError
        If the array is not contiguous.
    """
    if to is None:
        return devicearray.auto_device(obj, stream=stream, copy=copy, user_explicit=True)[0]
    if copy:
        to.copy_to_device(obj, stream=stream)
    return to


def device_array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C", stream: Any = 0):
    """An uninitialised device array."""
    shape, strides, dtype = prepare_shape_strides_dtype(shape, strides, dtype, order)
    return devicearray.DeviceNDArray(shape, strides, dtype, stream=stream)


def _host_array(shape: Any, dtype: Any, strides: Any, order: str, kind: Any, stream: Any) -> np.ndarray:
    shape, strides, dtype = prepare_shape_strides_dtype(shape, strides, dtype, order)
    raw = _memory.host_bytes(_memory.memory_size_from_info(shape, strides, dtype.itemsize), kind is not None)
    host = np.ndarray(shape, dtype, raw, 0, strides)
    if kind is None:
        return host
    host = host.view(kind)
    host.device_setup(_memory.MappedMemory.of(current_context(), raw, raw), stream)
    return host


def pinned_array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C") -> np.ndarray:
    """An uninitialised host array in pinned memory: with a stream its transfers do not wait."""
    return _host_array(shape, dtype, strides, order, None, 0)


def mapped_array(
    shape: Any,
    dtype: Any = np.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    portable: bool = False,
    wc: bool = False,
) -> devicearray.MappedNDArray:
    """An uninitialised host array that kernels can use as it is."""
    return _host_array(shape, dtype, strides, order, devicearray.MappedNDArray, stream)


def managed_array(
    shape: Any,
    dtype: Any = np.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    attach_global: bool = True,
) -> devicearray.ManagedNDArray:
    """An uninitialised array in managed memory, which host and kernels can use."""
    return _host_array(shape, dtype, strides, order, devicearray.ManagedNDArray, stream)


def _like(ary: Any) -> dict[str, Any]:
    flags = ary.flags
    if flags["C_CONTIGUOUS"] or flags["F_CONTIGUOUS"] or ary.ndim <= 1:
        return {"strides": None, "order": "C" if flags["C_CONTIGUOUS"] or ary.ndim <= 1 else "F"}
    strides, step = [0] * ary.ndim, ary.dtype.itemsize
    for axis in sorted(range(ary.ndim), key=lambda i: ary.strides[i]):
        strides[axis] = step
        step *= ary.shape[axis]
    return {"strides": tuple(strides), "order": "C"}


def device_array_like(ary: Any, stream: Any = 0) -> devicearray.DeviceNDArray:
    """An uninitialised device array with the shape, dtype and order of another array."""
    return device_array(ary.shape, ary.dtype, stream=stream, **_like(ary))


def mapped_array_like(ary: Any, stream: Any = 0, portable: bool = False, wc: bool = False) -> devicearray.MappedNDArray:
    """A mapped array with the shape, dtype and order of another array."""
    return mapped_array(ary.shape, ary.dtype, stream=stream, portable=portable, wc=wc, **_like(ary))


def pinned_array_like(ary: Any) -> np.ndarray:
    """A pinned array with the shape, dtype and order of another array."""
    return pinned_array(ary.shape, ary.dtype, **_like(ary))


@contextlib.contextmanager
def pinned(*arylist: np.ndarray) -> Iterator[None]:
    """Pin host arrays inside a ``with`` block."""
    keys = [_memory.pin(array) for array in arylist]
    try:
        yield
    finally:
        queue.run()  # what was queued on them
        for key in keys:
            _memory.unpin(key)


@contextlib.contextmanager
def mapped(*arylist: np.ndarray, **kws: Any) -> Iterator[Any]:
    """Show host arrays to the device inside a ``with`` block: one device array, or a list of them."""
    assert not kws or "stream" in kws, "Only accept 'stream' as keyword."
    shown = []
    for array in arylist:
        devicearray.sentry_contiguous(array)
        first, last = np.lib.array_utils.byte_bounds(array)
        flat = array.reshape(-1, order="A").view(np.uint8) if last > first else _memory._NOTHING
        data = _memory.MappedMemory.of(current_context(), flat, array)
        shown.append(devicearray.from_array_like(array, stream=kws.get("stream", 0), gpu_data=data))
    with pinned(*arylist):
        yield shown[0] if len(shown) == 1 else shown


def stream() -> _streams.Stream:
    """A new stream."""
    return current_context().create_stream()


def default_stream() -> _streams.Stream:
    """The default stream."""
    return current_context().get_default_stream()


def legacy_default_stream() -> _streams.Stream:
    """The legacy default stream."""
    return current_context().get_legacy_default_stream()


def per_thread_default_stream() -> _streams.Stream:
    """The per-thread default stream."""
    return current_context().get_per_thread_default_stream()


def external_stream(ptr: int) -> _streams.Stream:
    """A stream that another library made, by its handle."""
    return current_context().create_external_stream(ptr)


def event(timing: bool = True) -> _streams.Event:
    """A new event; its times are those of this CPU."""
    return current_context().create_event(timing=timing)


def synchronize() -> None:
    """Wait until all work of the current device is done."""
    current_context().synchronize()


def select_device(device_id: int) -> Device:
    """Use a device in this thread."""
    return devices.get_context(device_id).device


def get_current_device() -> Device:
    """The device this thread uses."""
    return current_context().device


def list_devices() -> Any:
    """The simulated devices."""
    return gpus


def close() -> None:
    """Wait for all devices and start from the first one again."""
    _reset()


def _auto_device(ary: Any, stream: Any = 0, copy: bool = True) -> tuple[Any, bool]:
    return devicearray.auto_device(ary, stream=stream, copy=copy)


def detect() -> bool:
    """Print the simulated devices and return whether there is one."""
    print(f"Found {len(gpus)} CUDA devices")
    for each in gpus:
        major, minor = each.compute_capability
        print(f"id {each.id}    {each.name:>20} {'[SUPPORTED]':>40}")
        for key, value in (
            ("Compute Capability", f"{major}.{minor}"),
            ("PCI Device ID", each.PCI_DEVICE_ID),
            ("PCI Bus ID", each.PCI_BUS_ID),
            ("UUID", each.uuid),
            ("Watchdog", "Disabled"),
            ("FP32/FP64 Performance Ratio", each.SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO),
            ("FP16 Support", "Yes"),
            ("BF16 Support", "No (not simulated)"),
            ("FP8 Support", "No (not simulated)"),
            ("Runs on", "this CPU, simulated by gpusim"),
        ):
            print(f"{key:>40}: {value}")
    print(f"Summary:\n\t{len(gpus)}/{len(gpus)} devices are supported")
    return len(gpus) > 0


@contextlib.contextmanager
def defer_cleanup() -> Iterator[None]:
    """Put off freeing memory inside a ``with`` block."""
    with current_context().defer_cleanup():
        yield


profiling, profile_start, profile_stop = driver.profiling, driver.profile_start, driver.profile_stop
_ = weakref, require_context
