"""Transposing a 2-d device array."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.device import queue


def transpose(a: Any, b: Any = None) -> Any:
    """Transpose a 2-d device array, into ``b`` if it is given."""
    if b is None:
        return a.transpose()
    if b.shape != a.shape[::-1]:
        raise ValueError(f"the transpose of an array of shape {a.shape} has shape {a.shape[::-1]}, not {b.shape}")
    queue.submit("transpose", np.copyto, (b._a, a._a.T), reads=(a._a,), writes=(b._a,))
    return b
