"""Fourier and cosine transforms; the Fourier transforms are queued."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft as _scipy
from cupy import fft as _fft
from cupyx._bridge import functions, takes

from . import _plans
from ._plans import get_fft_plan
from ._uarray import backend

_MODULE = "cupyx.scipy.fft"
_SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _kind(name: str) -> str:
    return "R2C" if name.startswith("rfft") else "C2R" if name.startswith("irfft") else "C2C"


def _sequence(value: Any) -> Any:
    return (value,) if isinstance(value, (int, np.integer)) else value


def _one(name: str) -> Callable:
    def transform(x: Any, n: Any, axis: int, norm: Any, overwrite_x: bool, *, plan: Any) -> Any:
        if _plans.is_device(x):
            _plans.check(x, None if n is None else (n,), (axis,), plan, _kind(name))
        return getattr(_fft, name)(x, n, axis, norm)

    return takes(_MODULE, name)(transform)


def _many(name: str) -> Callable:
    there = name.replace("2", "n")

    def transform(x: Any, s: Any, axes: Any, norm: Any, overwrite_x: bool, *, plan: Any) -> Any:
        s, axes = _sequence(s), _sequence(axes)
        if _plans.is_device(x):
            _plans.check(x, s, axes, plan, _kind(name))
        return getattr(_fft, there)(x, s, axes, norm)

    return takes(_MODULE, name)(transform)


def _hermitian(name: str) -> Callable:
    inverse, tail = name.startswith("ih"), name.removeprefix("i")[1:]
    base = ("r" if inverse else "ir") + tail

    def transform(x: Any, n: Any, axes: Any, norm: Any, overwrite_x: bool, *, plan: Any) -> Any:
        if plan is not None:
            raise NotImplementedError(f"{name} plan is currently not yet supported")
        norm = _SWAPPED.get(norm, norm)
        if inverse:
            return _made[base](x, n, axes, norm).conj()
        return _made[base](x.conj(), n, axes, norm)

    return takes(_MODULE, name)(transform)


_made = {name: _one(name) for name in "fft ifft rfft irfft".split()}
_made |= {name: _many(name) for name in "fft2 ifft2 fftn ifftn rfft2 irfft2 rfftn irfftn".split()}
_made |= {name: _hermitian(name) for name in "hfft ihfft hfft2 ihfft2 hfftn ihfftn".split()}
_made |= {name: getattr(_fft, name) for name in "fftshift ifftshift fftfreq rfftfreq".split()}


def _single(result: Any, arguments: tuple) -> Any:
    # CuPy computes halves in single precision and everything else that is no single in double.
    x = arguments[0]
    return result.astype(np.float32 if x.dtype.char in "ef" else np.complex64) if x.dtype.char in "efF" else result


def _real_transform(name: str) -> Callable:
    kind = "DST" if "dst" in name else "DCT"

    def before(arguments: dict) -> None:
        x, number = arguments["x"], arguments["type"]
        if _plans.is_device(x) and x.dtype.char == "e":
            arguments["x"] = x.astype(np.float32)
        if number in (1, 4):
            raise NotImplementedError(f"Only {kind}-II and {kind}-III have been implemented.")
        if number not in (2, 3):
            raise ValueError(f"invalid {kind} type")

    return before


_REAL = "dct dctn dst dstn idct idctn idst idstn".split()
_made |= functions(
    _MODULE, _scipy, _REAL, every={"finish": _single}, **{name: {"before": _real_transform(name)} for name in _REAL}
)
_made |= functions(_MODULE, _scipy, ["fht", "ifht"])
globals().update(_made)


def next_fast_len(target: int, real: bool = False) -> int:
    """The next length that a transform is quick with: no prime factors above 7 for cuFFT."""
    if target < 1:
        return target
    size = target
    while True:
        rest = size
        for prime in (2, 3, 5, 7):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return size
        size += 1


globals().update(backend("numpy.scipy.fft", _scipy, _made))
__all__ = [*_made, "get_fft_plan", "next_fast_len"]
