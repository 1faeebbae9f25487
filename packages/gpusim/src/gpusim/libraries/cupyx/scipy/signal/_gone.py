"""What CuPy still has of SciPy's signal processing and SciPy has no more: the wavelets, deprecated."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np
from cupyx._bridge import takes
from cupyx._bridge.convert import call

_MODULE = "cupyx.scipy.signal"


def _deprecated() -> None:
    warnings.warn(
        "Following the change in SciPy 1.12, all wavelet functions have been deprecated in CuPy v14 and are planned to "
        "be removed in the future.",
        cupy.exceptions.VisibleDeprecationWarning,
        stacklevel=4,
    )


def _wavelet(compute: Callable) -> Callable:
    def made(*args: Any) -> Any:
        _deprecated()
        return call(f"_{compute.__name__}_kernel", compute, args, {}, host=True)

    made.__doc__ = compute.__doc__
    return takes(_MODULE, compute.__name__)(made)


@_wavelet
def qmf(hk: Any) -> np.ndarray:
    """The quadrature mirror filter of a low-pass filter."""
    hk = np.asarray(hk)
    return hk[::-1] * np.where(np.arange(len(hk)) % 2, -1, 1).astype(hk.dtype)


@_wavelet
def morlet(M: int, w: float, s: float, complete: bool) -> np.ndarray:
    """Morlet's wavelet at ``M`` points from ``-2πs`` to ``2πs``, complex128."""
    x = np.linspace(-s * 2 * np.pi, s * 2 * np.pi, M)
    wave = np.exp(1j * w * x)
    if complete:
        wave -= np.exp(-0.5 * w**2)
    return wave * np.exp(-0.5 * x**2) * np.pi**-0.25


@_wavelet
def ricker(points: int, a: float) -> np.ndarray:
    """Ricker's wavelet of a width, float64."""
    x = np.arange(int(points)) - (int(points) - 1.0) / 2
    ratio = x**2 / a**2
    return 2 / (np.sqrt(3 * a) * np.pi**0.25) * (1 - ratio) * np.exp(-ratio / 2)


@_wavelet
def morlet2(M: int, s: float, w: float) -> np.ndarray:
    """Morlet's wavelet for ``cwt``, complex128."""
    x = (np.arange(int(M)) - (int(M) - 1.0) / 2) / s
    return np.exp(1j * w * x) * np.exp(-0.5 * x**2) * np.pi**-0.25 * np.sqrt(1 / s)


@takes(_MODULE)
def cwt(data: Any, wavelet: Callable, widths: Any) -> Any:
    """The continuous wavelet transform: widths by samples."""
    from cupyx.scipy.signal import convolve

    _deprecated()
    kind = cupy.asarray(wavelet(1, 1)).dtype
    out = cupy.empty([len(widths), len(data)], dtype=np.complex128 if kind.kind == "c" else np.float64)
    for i, width in enumerate(widths):
        size = int(min(10 * int(width), len(data)))
        out[i] = convolve(data, cupy.conj(wavelet(size, int(width)))[::-1], mode="same")
    return out


made = {f.__name__: f for f in (qmf, morlet, ricker, morlet2, cwt)}
