"""Views with other strides."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.adapt import viewing

sliding_window_view = viewing(np.lib.stride_tricks.sliding_window_view)


def as_strided(x: Any, shape: Any = None, strides: Any = None) -> Any:
    """A view of any shape and strides; nothing checks that it stays inside the array."""
    return x._view(np.lib.stride_tricks.as_strided(x._a, shape, strides))
