"""Simulated device memory that is known by its address only: what ``__cuda_array_interface__`` hands from object to object."""

from __future__ import annotations

import numpy as np

from . import regions


class Borrowed:
    """Device memory that another object owns, found by its address.

    Attributes
    ----------
    raw : numpy.ndarray
        The memory, 1-d uint8.
    owner
        Kept alive as long as this.
    """

    __slots__ = ("device_id", "owner", "raw")

    def __init__(self, raw: np.ndarray, device_id: int, owner: object):
        self.raw, self.device_id, self.owner = raw, device_id, owner

    @property
    def size(self) -> int:
        return self.raw.size

    @property
    def ptr(self) -> int:
        return self.raw.ctypes.data

    def in_flight(self) -> bool:
        return True


def device_of(address: int) -> int | None:
    """The device whose simulated memory an address lies in, or None."""
    for raw, device_id in regions.alive():
        if 0 <= address - raw.ctypes.data < raw.size:
            return device_id
    return None


def borrow(address: int, nbytes: int, device_id: int, owner: object) -> Borrowed | None:
    """Find simulated device memory by its address; None if it is not ours."""
    for raw, _ in regions.alive():
        if 0 <= (start := address - raw.ctypes.data) <= raw.size - nbytes:
            return Borrowed(raw[start : start + nbytes], device_id, owner)
    return None
