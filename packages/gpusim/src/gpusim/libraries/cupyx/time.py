"""The old place of :func:`cupyx.profiler.benchmark`."""

from __future__ import annotations

import math
import warnings
from typing import Any

from . import profiler


def repeat(
    func: Any, args: tuple = (), kwargs: dict | None = None, n_repeat: int = 10000, *, name: str | None = None,
    n_warmup: int = 10, max_duration: float = math.inf, devices: tuple | None = None,
) -> Any:  # fmt: skip
    """As ``cupyx.profiler.benchmark``; deprecated."""
    warnings.warn(
        "cupyx.time.repeat has been moved to cupyx.profiler.benchmark since CuPy v10. Access through cupyx.time is "
        "deprecated and will be removed in the future.",
        stacklevel=2,
    )
    return profiler.benchmark(
        func, args, {} if kwargs is None else kwargs, n_repeat, name=name, n_warmup=n_warmup,
        max_duration=max_duration, devices=devices,
    )  # fmt: skip
