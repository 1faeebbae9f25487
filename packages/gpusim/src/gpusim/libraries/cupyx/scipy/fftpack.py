"""SciPy's old interface to Fourier transforms; what is no packed real transform is queued."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.fftpack as _scipy
from cupy import fft as _fft
from cupyx._bridge import functions, takes

from . import _plans
from .fft import get_fft_plan

_MODULE = "cupyx.scipy.fftpack"


def _one(name: str) -> Callable:
    def transform(x: Any, n: Any, axis: int, overwrite_x: bool, plan: Any) -> Any:
        if _plans.is_device(x):
            _plans.check(x, None if n is None else (n,), (axis,), plan, "C2C")
        return getattr(_fft, name)(x, n, axis)

    transform.__doc__ = f"As ``scipy.fftpack.{name}``, on device arrays."
    return takes(_MODULE, name)(transform)


def _many(name: str) -> Callable:
    def transform(x: Any, shape: Any, axes: Any, overwrite_x: bool, plan: Any) -> Any:
        if _plans.is_device(x):
            _plans.check(x, shape, axes, plan, "C2C")
        return getattr(_fft, name.replace("2", "n"))(x, shape, axes)

    transform.__doc__ = f"As ``scipy.fftpack.{name}``, on device arrays."
    return takes(_MODULE, name)(transform)


def _planned(given: dict) -> None:
    x, n = given["x"], given["n"]
    if _plans.is_device(x) and x.ndim:
        _plans.check(x, None if n is None else (n,), (given["axis"],), given["plan"], "R2C")


_made = {name: _one(name) for name in ("fft", "ifft")}
_made |= {name: _many(name) for name in ("fft2", "ifft2", "fftn", "ifftn")}
_made |= functions(_MODULE, _scipy, ["rfft", "irfft"], rfft={"ignored": ("plan",), "before": _planned})
globals().update(_made)
__all__ = [*_made, "get_fft_plan"]
