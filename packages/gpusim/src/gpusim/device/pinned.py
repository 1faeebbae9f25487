"""Host memory that stays in place: a transfer from or to it need not keep the host waiting."""

from __future__ import annotations

import itertools

import numpy as np

_pinned: dict[int, tuple[int, int]] = {}
_keys = itertools.count()


def pin(raw: np.ndarray) -> int:
    """Enter host memory as pinned until `unpin` is called with the key returned."""
    key = next(_keys)
    _pinned[key] = np.lib.array_utils.byte_bounds(raw)
    return key


def unpin(key: int) -> None:
    """Take an entry of `pin` back."""
    _pinned.pop(key, None)


def is_pinned(host: np.ndarray) -> bool:
    """Whether a host array lies in pinned memory."""
    if not _pinned:
        return False
    first, last = np.lib.array_utils.byte_bounds(host)
    return any(start <= first and last <= stop for start, stop in list(_pinned.values()))


def holds(address: int) -> bool:
    """Whether a host address lies in pinned memory."""
    return any(start <= address < stop for start, stop in list(_pinned.values()))
