"""An allocation of no bytes."""

from __future__ import annotations

import numpy as np


class EmptyBlock:
    """What an array of no bytes holds: CuPy allocates nothing for it and its pointer is null."""

    __slots__ = ("device_id",)
    raw = np.empty(0, np.uint8)
    size = 0
    ptr = 0
    sequence = 0

    def __init__(self, device_id: int):
        self.device_id = device_id

    def in_flight(self) -> bool:
        return False
