"""Numba's performance warnings, under its own settings, at the line of the program that caused them."""

from __future__ import annotations

import os
import sys
import warnings

_HERE = os.path.dirname(os.path.abspath(__file__))


def performance_warning(setting: str, text: str) -> None:
    """Warn unless the setting (``CUDA_…`` in ``numba.config``) or DISABLE_PERFORMANCE_WARNINGS says not to."""
    from numba.core import config
    from numba.core.errors import NumbaPerformanceWarning

    if not getattr(config, setting, 1) or config.DISABLE_PERFORMANCE_WARNINGS:
        return
    level, frame = 2, sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(NumbaPerformanceWarning(text), stacklevel=level)
