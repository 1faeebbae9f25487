"""Resources that take large pieces of memory and give out small ones."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from rmm.pylibrmm.helper import format_bytes, parse_bytes

from gpusim.device import device
from gpusim.device import memory as engine

from ._base import Allocation, DeviceMemoryResource, UpstreamResourceAdaptor, out_of_memory

ALIGNMENT = 256


def align_up(size: int) -> int:
    """Bytes rounded up to what CUDA's allocations are aligned to."""
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


class _SubPool(engine.Pool):
    """The engine's pool over memory of an upstream resource: it has what it is given, and asks its owner for more."""

    nested = True

    def __init__(self, device_id: int, owner: Any) -> None:
        super().__init__(device_id)
        self._owner = weakref.ref(owner)  # else only the garbage collector would end a pool

    def taken_bytes(self) -> int:
        return 0  # the upstream resource counts it

    def add(self, raw: np.ndarray) -> None:
        """Take a piece of memory in, to be given out."""
        with self._lock:
            self._total += raw.size
            self._insert(engine._Chunk(raw))

    def _new_memory(self, size: int) -> np.ndarray:
        self._sort_in()
        return self._owner()._grow(size)

    def free_all_blocks(self) -> None:
        """A pool of RMM keeps what it has."""


class PoolMemoryResource(UpstreamResourceAdaptor):
    """A pool that begins with some memory of its upstream, grows when that is used up, and never shrinks.

    Parameters
    ----------
    initial_pool_size : int or str, optional
        Bytes, or text such as ``"1GiB"``; half of the device's free memory without it.
    maximum_pool_size : int or str, optional
        Most bytes it may take.
    """

    def __init__(
        self,
        upstream_mr: DeviceMemoryResource,
        initial_pool_size: int | str | None = None,
        maximum_pool_size: int | str | None = None,
    ) -> None:
        super().__init__(upstream_mr)
        if initial_pool_size is None:
            initial = engine.information(device.current())[0] // 2 // ALIGNMENT * ALIGNMENT
        else:
            initial = parse_bytes(initial_pool_size)
        self._maximum = None if maximum_pool_size is None else parse_bytes(maximum_pool_size)
        if initial % ALIGNMENT:
            raise RuntimeError("RMM failure at:rmm/mr/pool_memory_resource.hpp: Error, Initial pool size required to be a "
                               "multiple of 256 bytes")  # fmt: skip
        if self._maximum is not None and self._maximum % ALIGNMENT:
            raise RuntimeError("RMM failure at:rmm/mr/pool_memory_resource.hpp: Error, Maximum pool size required to be a "
                               "multiple of 256 bytes")  # fmt: skip
        if self._maximum is not None and initial > self._maximum:
            raise RuntimeError(
                "RMM failure at:rmm/mr/pool_memory_resource.hpp: Initial pool size exceeds the maximum pool size!"
            )
        self._pieces: list[Allocation] = []
        self._size = 0
        self._pool = _SubPool(device.current(), self)
        if initial:
            self._pool.add(self._piece(initial))

    def pool_size(self) -> int:
        """Bytes taken from upstream."""
        return self._size

    def _take(self, nbytes: int) -> Any:
        return self._pool.malloc(nbytes)

    def _give(self, block: Any, nbytes: int) -> None:
        pass  # the engine's block finds its way back

    def _piece(self, size: int) -> np.ndarray:
        piece = Allocation(self.upstream_mr, size)
        self._pieces.append(piece)
        self._size += size
        return piece.raw

    def _grow(self, size: int) -> np.ndarray:
        """Return new memory of ``size`` bytes; as the real pool, ask for more than that at first."""
        if self._maximum is None:
            wanted = max(size, self._size)
        else:
            left = self._maximum - self._size
            wanted = max(size, left // 2 // engine.UNIT * engine.UNIT) if size <= left else 0
        why = (
            f"Not enough room to grow, current/max/try size = {format_bytes(self._size)}, "
            f"{format_bytes(self._maximum or 0)}, {format_bytes(size)}"
        )
        while wanted >= size:
            try:
                raw = self._piece(wanted)
            except MemoryError as error:
                why = str(error)
                if wanted == size:
                    break
                wanted = max(size, wanted // 2 // engine.UNIT * engine.UNIT)
                continue
            if wanted > size:
                # What is left over can be given out as well; the pool counts the rest itself.
                self._pool.add(raw[size:])
            return raw[:size]
        raise out_of_memory(
            "RMM failure at:rmm/mr/pool_memory_resource.hpp: Maximum pool size exceeded (failed to allocate "
            f"{format_bytes(size)}): {why}"
        )


class ArenaMemoryResource(PoolMemoryResource):
    """A pool of arenas; in simulation, one pool of ``arena_size`` bytes, the device's free memory without it."""

    def __init__(
        self, upstream_mr: DeviceMemoryResource, arena_size: int | str | None = None, dump_log_on_failure: bool = False
    ) -> None:
        free = engine.information(device.current())[0]
        size = max(free - (64 << 20), free // 2) if arena_size is None else parse_bytes(arena_size)
        size = size // engine.UNIT * engine.UNIT
        super().__init__(upstream_mr, size, size)


class FixedSizeMemoryResource(UpstreamResourceAdaptor):
    """Blocks of one size in bytes, taken from upstream many at a time."""

    def __init__(
        self, upstream_mr: DeviceMemoryResource, block_size: int = 1 << 20, blocks_to_preallocate: int = 128
    ) -> None:
        super().__init__(upstream_mr)
        self._block_size, self._at_once = align_up(block_size), blocks_to_preallocate
        self._pieces: list[Allocation] = []
        self._free: list[np.ndarray] = []
        self._more()

    def _more(self) -> None:
        piece = Allocation(self.upstream_mr, self._block_size * self._at_once)
        self._pieces.append(piece)
        self._free += [piece.raw[start : start + self._block_size] for start in range(0, piece.size, self._block_size)]

    def _take(self, nbytes: int) -> Any:
        if nbytes > self._block_size:
            raise out_of_memory("RMM failure at:rmm/mr/fixed_size_memory_resource.hpp: bytes must be <= block_size")
        if not self._free:
            self._more()
        return _Fixed(self._free.pop())

    def _give(self, block: Any, nbytes: int) -> None:
        self._free.append(block.raw)


class _Fixed:
    __slots__ = ("ptr", "raw", "sequence", "size")

    def __init__(self, raw: np.ndarray) -> None:
        self.raw, self.size, self.ptr, self.sequence = raw, raw.size, raw.ctypes.data, 0

    def in_flight(self) -> bool:
        return True  # nobody noted which operations used it last


class BinningMemoryResource(UpstreamResourceAdaptor):
    """Small allocations from a resource for their size, large ones from upstream.

    Attributes
    ----------
    bin_mrs : list of DeviceMemoryResource
        The resources that `add_bin` was given.
    """

    def __init__(
        self, upstream_mr: DeviceMemoryResource, min_size_exponent: int = -1, max_size_exponent: int = -1
    ) -> None:
        super().__init__(upstream_mr)
        self._bin_mrs: list[DeviceMemoryResource] = []
        self._bins: dict[int, DeviceMemoryResource] = {}
        if min_size_exponent != -1 and max_size_exponent != -1:
            for exponent in range(min_size_exponent, max_size_exponent + 1):
                self.add_bin(1 << exponent)

    def add_bin(self, allocation_size: int, bin_resource: DeviceMemoryResource | None = None) -> None:
        """Serve allocations of up to as many bytes from a resource, one of fixed size without it."""
        size = align_up(allocation_size)
        if bin_resource is not None:
            self._bin_mrs.append(bin_resource)
            self._bins[size] = bin_resource
        elif size not in self._bins:
            self._bins[size] = FixedSizeMemoryResource(self.upstream_mr, size)

    @property
    def bin_mrs(self) -> list[DeviceMemoryResource]:
        """The resources that `add_bin` was given."""
        return self._bin_mrs

    def _for(self, nbytes: int) -> DeviceMemoryResource:
        fitting = [size for size in self._bins if size >= nbytes]
        return self._bins[min(fitting)] if fitting else self.upstream_mr

    def _take(self, nbytes: int) -> Any:
        return self._for(nbytes)._take(nbytes)

    def _give(self, block: Any, nbytes: int) -> None:
        self._for(nbytes)._give(block, nbytes)
