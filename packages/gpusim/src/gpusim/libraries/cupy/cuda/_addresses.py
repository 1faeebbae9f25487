"""The CUDA runtime's calls on bare addresses: memory that is held until it is freed by its address."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from gpusim.device import activity, device, pinned, queue, shapes, unowned
from gpusim.device import memory as engine

from ._errors import CUDARuntimeError

_held: dict[int, Any] = {}  # device memory by its address: the block
_managed: set[int] = set()
# Pinned host memory by its address: what `hostAlloc` gave, with its key in `pinned`, and the keys of what `hostRegister` pinned.
_host: dict[int, tuple[np.ndarray, int]] = {}
_registered: dict[int, int] = {}
_pools: dict[int, engine.Pool] = {}


class PointerAttributes(NamedTuple):
    """What CUDA knows of an address."""

    device: int
    devicePointer: int
    hostPointer: int
    type: int


class MemPoolProps(NamedTuple):
    """Properties of a pool to make."""

    allocType: int
    handleType: int
    locationType: int
    devId: int


def malloc(size: int) -> int:
    """Allocate device memory; returns its address."""
    return _hold(engine.Pool(device.current()), size)


def _hold(pool: engine.Pool, size: int) -> int:
    try:
        block = pool.malloc(size)
    except engine.OutOfMemoryError:
        raise CUDARuntimeError(2) from None
    _held[block.ptr] = block
    return block.ptr


def mallocManaged(size: int, flags: int = 1) -> int:
    """Allocate memory that host and device share; returns its address."""
    address = malloc(size)
    _managed.add(address)
    return address


def mallocAsync(size: int, stream: int) -> int:
    """Allocate device memory in stream order."""
    return malloc(size)


def mallocFromPoolAsync(size: int, pool: int, stream: int) -> int:
    """Allocate from a pool in stream order."""
    return _hold(_pools[pool], size)


def free(ptr: int) -> None:
    """Free device memory."""
    if ptr and _held.pop(ptr, None) is None:
        raise CUDARuntimeError(1)
    _managed.discard(ptr)


def freeAsync(ptr: int, stream: int) -> None:
    """Free device memory in stream order."""
    free(ptr)


def hostAlloc(size: int, flags: int = 0) -> int:
    """Allocate pinned host memory; returns its address."""
    memory = np.empty(max(size, 1), np.uint8)
    _host[memory.ctypes.data] = memory, pinned.pin(memory)
    return memory.ctypes.data


def freeHost(ptr: int) -> None:
    """Free pinned host memory."""
    if not ptr:
        return
    if ptr not in _host:
        raise CUDARuntimeError(1)
    pinned.unpin(_host.pop(ptr)[1])


def hostRegister(ptr: int, size: int, flags: int) -> None:
    """Pin memory that the program has: a copy then need not keep the host waiting."""
    _registered[ptr] = pinned.pin(np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(ptr)))


def hostUnregister(ptr: int) -> None:
    """Undo `hostRegister`."""
    if ptr in _registered:
        pinned.unpin(_registered.pop(ptr))


def pointerGetAttributes(ptr: int) -> PointerAttributes:
    """What lies at an address."""
    place = unowned.device_of(ptr)
    if place is not None:
        kind = 3 if ptr in _managed else 2
        return PointerAttributes(place, ptr, ptr if kind == 3 else 0, kind)
    if ptr in _host:
        return PointerAttributes(device.current(), ptr, ptr, 1)
    return PointerAttributes(-2, 0, ptr, 0)


def pointerGetMemoryType(ptr: int) -> int:
    """The kind of memory at an address."""
    return pointerGetAttributes(ptr).type


def _view(address: int, size: int) -> np.ndarray:
    """Bytes at an address: simulated device memory where it is such, else the host's."""
    if not size:
        return np.empty(0, np.uint8)
    block = unowned.borrow(address, size, device.current(), None)
    if block is not None:
        return block.raw
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def memcpy(dst: int, src: int, size: int, kind: int) -> None:
    """Copy bytes between addresses and wait."""
    name, way = {1: ("memcpy HtoD", "h2d"), 2: ("memcpy DtoH", "d2h")}.get(kind, ("memcpy DtoD", "d2d"))
    target, source = _view(dst, size), _view(src, size)
    reads, writes = () if way == "h2d" else (source,), () if way == "d2h" else (target,)
    with activity.on(None, pinned=pinned.holds(src if way == "h2d" else dst)):
        queue.count(name, size, size, way, reads=reads, writes=writes)
    queue.synchronize()
    if not shapes.on:
        np.copyto(target, source)


def memcpyAsync(dst: int, src: int, size: int, kind: int, stream: int) -> None:
    """Copy bytes between addresses; what comes from the host is read at once, what goes to the host is there on return."""
    memcpy(dst, src, size, kind)


def memcpyPeer(dst: int, dst_device: int, src: int, src_device: int, size: int) -> None:
    """Copy bytes between devices."""
    memcpy(dst, src, size, 3)


def memcpyPeerAsync(dst: int, dst_device: int, src: int, src_device: int, size: int, stream: int) -> None:
    """Copy bytes between devices."""
    memcpy(dst, src, size, 3)


def memset(ptr: int, value: int, size: int) -> None:
    """Fill bytes."""
    view = _view(ptr, size)
    queue.submit("memset", np.ndarray.fill, (view, value), reads=(), writes=(view,))


def memsetAsync(ptr: int, value: int, size: int, stream: int) -> None:
    """Fill bytes, in stream order."""
    memset(ptr, value, size)


def memPrefetchAsync(ptr: int, size: int, device_id: int, stream: int) -> None:
    """Accepted: host and simulated device share their memory."""
    if not -1 <= device_id < device.count():
        raise CUDARuntimeError(101)


def memAdvise(ptr: int, size: int, advise: int, device_id: int) -> None:
    """Accepted: host and simulated device share their memory."""
    if not 1 <= advise <= 6:
        raise CUDARuntimeError(1)


def memPoolCreate(props: MemPoolProps) -> int:
    """Make a pool; returns its handle."""
    pool = engine.Pool(props.devId)
    _pools[id(pool)] = pool
    return id(pool)


def memPoolDestroy(pool: int) -> None:
    """Give a pool up."""
    _pools.pop(pool)


def memPoolTrimTo(pool: int, size: int) -> None:
    """Give what a pool does not use back to the device."""
    if pool in _pools:
        _pools[pool].free_all_blocks()
