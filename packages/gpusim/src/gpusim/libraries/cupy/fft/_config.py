"""``cupy.fft.config``: CuPy's settings of cuFFT.  There are no plans here, so the cache of plans is always empty."""

from __future__ import annotations

import contextvars
import threading
import warnings
from typing import Any

from gpusim.device import device
from gpusim.importing.errors import NotSimulatedError

_OLD = "enable_nd_planning is deprecated as of CuPy 14 and will always be True in the future."


class PlanCache:
    """The cache of plans of a thread and device: its limits can be set, and it stays empty."""

    def __init__(self, size: int = 16, memsize: int = -1, dev: int = -1):
        self._size, self._memsize = size, memsize
        self._device = device.current() if dev == -1 else dev

    def get_size(self) -> int:
        """Plans that would be kept, -1 for any number."""
        return self._size

    def set_size(self, size: int) -> None:
        """Set how many plans would be kept."""
        self._check(size, self._memsize)
        self._size = size

    def get_memsize(self) -> int:
        """Bytes that plans might hold, -1 for any number."""
        return self._memsize

    def set_memsize(self, memsize: int) -> None:
        """Set how many bytes plans might hold."""
        self._check(self._size, memsize)
        self._memsize = memsize

    @staticmethod
    def _check(size: int, memsize: int) -> None:
        if size < -1 or memsize < -1:
            raise ValueError("limits must be -1 (none) or not negative")

    def get_curr_size(self) -> int:
        """0: there are no plans."""
        return 0

    get_curr_memsize = get_curr_size

    def get(self, key: tuple, default: Any = None) -> Any:
        """The default: there are no plans."""
        return default

    def clear(self) -> None:
        """Nothing is kept."""

    def __getitem__(self, key: tuple) -> Any:
        raise KeyError(key)

    def __repr__(self) -> str:
        return f"------------------- cuFFT plan cache (device {self._device}) -------------------\ncache enabled? " + (
            f"{bool(self._size and self._memsize)}\ncurrent / max size: 0 / {self._size} (counts)\n"
            f"current / max memsize: 0 / {self._memsize} (bytes)\nhits / misses: 0 / 0 (counts)\n\ncached plans: (empty)"
        )

    def show_info(self) -> None:
        """Print it."""
        print(self)


_local = threading.local()


class _FFTConfig:
    _enable_nd_planning = contextvars.ContextVar("cupy.fft.config.enable_nd_planning", default=True)
    _use_multi_gpus = contextvars.ContextVar("cupy.fft.config.use_multi_gpus", default=False)
    _devices: contextvars.ContextVar = contextvars.ContextVar("cupy.fft.config.devices", default=None)

    @property
    def enable_nd_planning(self) -> bool:
        """Whether transforms of several axes are one plan: without effect here."""
        warnings.warn(_OLD, DeprecationWarning, stacklevel=2)
        return self._enable_nd_planning.get()

    @enable_nd_planning.setter
    def enable_nd_planning(self, value: bool) -> None:
        warnings.warn(_OLD, DeprecationWarning, stacklevel=2)
        self._enable_nd_planning.set(value)

    @property
    def use_multi_gpus(self) -> bool:
        """Whether transforms are shared among devices: without effect here."""
        return self._use_multi_gpus.get()

    @use_multi_gpus.setter
    def use_multi_gpus(self, value: bool) -> None:
        self._use_multi_gpus.set(bool(value))

    @property
    def devices(self) -> tuple[int, ...] | None:
        """The devices that share transforms, or None."""
        return self._devices.get() if self._use_multi_gpus.get() else None

    def set_cufft_gpus(self, gpus: Any) -> None:
        """Choose the devices that share transforms: a number of them, or their ids."""
        if not isinstance(gpus, (int, list, tuple)):
            raise ValueError("gpus must be an int or a list or tuple of int.")
        chosen = tuple(range(gpus)) if isinstance(gpus, int) else tuple(gpus)
        if len(chosen) <= 1:
            raise ValueError("Must use at least 2 GPUs.")
        self._devices.set(chosen)

    @staticmethod
    def get_plan_cache() -> PlanCache:
        """The cache of this thread and device."""
        caches = _local.__dict__.setdefault("caches", {})
        return caches.setdefault(device.current(), PlanCache())

    def clear_plan_cache(self) -> None:
        """Nothing is kept."""

    def get_plan_cache_size(self) -> int:
        """Plans that would be kept."""
        return self.get_plan_cache().get_size()

    def set_plan_cache_size(self, size: int) -> None:
        """Set how many plans would be kept."""
        self.get_plan_cache().set_size(size)

    def get_plan_cache_max_memsize(self) -> int:
        """Bytes that plans might hold."""
        return self.get_plan_cache().get_memsize()

    def set_plan_cache_max_memsize(self, size: int) -> None:
        """Set how many bytes plans might hold."""
        self.get_plan_cache().set_memsize(size)

    def show_plan_cache_info(self) -> None:
        """Print the caches of all devices."""
        print("=============== cuFFT plan cache info (all devices) ===============")
        for cache in _local.__dict__.get("caches", {}).values():
            cache.show_info()

    @staticmethod
    def get_current_callback_manager() -> None:
        """None: there are no callbacks."""

    @staticmethod
    def set_cufft_callbacks(*args: Any, **kwargs: Any) -> None:
        """Refused: callbacks are C++."""
        raise NotSimulatedError("callbacks of cuFFT, which are C++,", "the same work before or after the transform")


config = _FFTConfig()
