"""``cupy.cuda.MemoryHook``: being told of every allocation.

A hook hears of memory that is asked of a pool (``malloc``), taken from the device because the pool has none (``alloc``), and given
back to the pool (``free``), each time before and after.  Hooks belong to the thread that entered them.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gpusim.device import memory

_local = threading.local()
_entered = 0  # hooks of all threads
_lock = threading.Lock()


def get_memory_hooks() -> dict[str, MemoryHook]:
    """The hooks of this thread by their names."""
    if not hasattr(_local, "hooks"):
        _local.hooks = {}
    return _local.hooks


class MemoryHook:
    """Base class of hooks; its methods take keyword arguments and do nothing.

    ``device_id``, ``mem_size`` (bytes, rounded), ``mem_ptr`` (0 where memory could not be had), ``size`` (bytes asked for) and
    ``pmem_id`` (the ``id`` of the pointer's ``mem``).
    """

    name = "MemoryHook"

    def __enter__(self) -> MemoryHook:
        hooks = get_memory_hooks()
        if self.name in hooks:
            raise KeyError(f"memory hook {self.name} already exists")
        hooks[self.name] = self
        _count(1)
        return self

    def __exit__(self, *exception: object) -> None:
        del get_memory_hooks()[self.name]
        _count(-1)

    def alloc_preprocess(self, **kwargs: Any) -> None:
        """Before memory is taken from the device: ``device_id``, ``mem_size``."""

    def alloc_postprocess(self, **kwargs: Any) -> None:
        """After memory was taken from the device: ``device_id``, ``mem_size``, ``mem_ptr``."""

    def malloc_preprocess(self, **kwargs: Any) -> None:
        """Before memory is asked of a pool: ``device_id``, ``size``, ``mem_size``."""

    def malloc_postprocess(self, **kwargs: Any) -> None:
        """After a pool gave memory: ``device_id``, ``size``, ``mem_size``, ``mem_ptr``, ``pmem_id``."""

    def free_preprocess(self, **kwargs: Any) -> None:
        """Before memory goes back to a pool: ``device_id``, ``mem_size``, ``mem_ptr``, ``pmem_id``."""

    def free_postprocess(self, **kwargs: Any) -> None:
        """After memory went back to a pool: ``device_id``, ``mem_size``, ``mem_ptr``, ``pmem_id``."""


class _Watcher:
    """Passes on what the engine's pools tell."""

    @staticmethod
    def _tell(what: str, **kwargs: Any) -> None:
        for hook in list(get_memory_hooks().values()):
            getattr(hook, what)(**kwargs)

    def asking(self, device_id: int, size: int) -> None:
        self._tell("malloc_preprocess", device_id=device_id, size=size, mem_size=-(-size // memory.UNIT) * memory.UNIT)

    def given(self, device_id: int, size: int, block: Any) -> None:
        rounded = -(-size // memory.UNIT) * memory.UNIT
        address, number = (0, 0) if block is None else (block.ptr, id(block))
        self._tell(
            "malloc_postprocess", device_id=device_id, size=size, mem_size=rounded, mem_ptr=address, pmem_id=number
        )

    def acquiring(self, device_id: int, size: int) -> None:
        self._tell("alloc_preprocess", device_id=device_id, mem_size=size)

    def acquired(self, device_id: int, size: int, address: int) -> None:
        self._tell("alloc_postprocess", device_id=device_id, mem_size=size, mem_ptr=address)

    def freeing(self, block: Any) -> None:
        self._free("free_preprocess", block)

    def freed(self, block: Any) -> None:
        self._free("free_postprocess", block)

    def _free(self, what: str, block: Any) -> None:
        if get_memory_hooks():
            address = block.raw.ctypes.data
            self._tell(what, device_id=block.device_id, mem_size=block.raw.size, mem_ptr=address, pmem_id=id(block))


def watched(pool: memory.Pool, size: int) -> memory.Block | memory.EmptyBlock:
    """Allocate from a pool and tell the hooks of it."""
    watcher = memory.watcher
    if watcher is None or not size:
        return pool.malloc(size)
    watcher.asking(pool.device_id, size)
    block = None
    try:
        block = pool.malloc(size)
    finally:
        watcher.given(pool.device_id, size, block)
    return block


@contextlib.contextmanager
def unheard() -> Iterator[Callable[[Iterable[Any]], None]]:
    """Keep this thread's hooks from hearing of arrays that a GPU would not make; gives a function that tells of those it would."""
    hooks = get_memory_hooks()
    if not hooks:
        yield lambda arrays: None
        return
    kept, _local.hooks = hooks, {}

    def tell(arrays: Iterable[Any]) -> None:
        watcher = _Watcher()
        for array in arrays:
            if array.base is None and array.nbytes:
                watcher.asking(array._block.device_id, array.nbytes)
                watcher.given(array._block.device_id, array.nbytes, array._block)

    try:
        yield tell
    finally:
        _local.hooks = kept


def _count(change: int) -> None:
    """Note that a hook was entered or left; with none at all the pools are called as quickly as ever."""
    global _entered
    from . import memory as ours

    with _lock:
        _entered += change
        memory.watcher = _Watcher() if _entered else None
    ours.hooked()
