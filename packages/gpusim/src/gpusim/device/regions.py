"""All host memory that device memory is cut from: whose it is, by address."""

from __future__ import annotations

import weakref
from collections.abc import Iterator

import numpy as np


class Region(weakref.ref[np.ndarray]):
    """A piece of host memory, and the device whose memory it stands for."""

    __slots__ = ("device_id",)

    def __new__(cls, raw: np.ndarray, device_id: int):
        return super().__new__(cls, raw, _regions.remove)

    def __init__(self, raw: np.ndarray, device_id: int):
        self.device_id = device_id


_regions: list[Region] = []


def note(raw: np.ndarray, device_id: int) -> None:
    """Remember a piece of memory, contiguous and of any type, for as long as it lives."""
    _regions.append(Region(raw, device_id))


def alive() -> Iterator[tuple[np.ndarray, int]]:
    """The pieces there are, each as bytes and with its device."""
    for region in list(_regions):
        raw = region()
        if raw is not None:
            yield raw if raw.dtype == np.uint8 else raw.reshape(-1).view(np.uint8), region.device_id
