"""Cepstra."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
from cupyx._bridge import takes

_MODULE = "cupyx.signal"


@takes(_MODULE)
def real_cepstrum(x: Any, n: Any, axis: int) -> Any:
    """The real cepstrum: the transform back of the spectrum's logarithmic magnitude."""
    spectrum = cupy.fft.fft(cupy.asarray(x), n=n, axis=axis)
    return cupy.fft.ifft(cupy.log(cupy.abs(spectrum)), n=n, axis=axis).real


@takes(_MODULE)
def complex_cepstrum(x: Any, n: Any, axis: int) -> tuple[Any, Any]:
    """The complex cepstrum, and the delay in samples that was taken out."""
    spectrum = cupy.fft.fft(cupy.asarray(x), n=n, axis=axis)
    phase = cupy.unwrap(cupy.angle(spectrum))
    samples = phase.shape[-1]
    centre = (samples + 1) // 2
    delay = cupy.round(phase[..., centre] / np.pi)
    phase = phase - np.pi * delay[..., None] * cupy.arange(samples) / centre
    logarithm = cupy.log(cupy.abs(spectrum)) + 1j * phase
    return cupy.fft.ifft(logarithm, n=n, axis=axis).real, delay


@takes(_MODULE)
def inverse_complex_cepstrum(ceps: Any, ndelay: Any) -> Any:
    """The signal of a complex cepstrum and its delay."""
    logarithm = cupy.fft.fft(cupy.asarray(ceps))
    samples = logarithm.shape[-1]
    centre = (samples + 1) // 2
    ndelay = cupy.asarray(ndelay)
    delay = ndelay[..., None] if ndelay.ndim else ndelay
    phase = logarithm.imag + np.pi * delay * cupy.arange(samples) / centre
    return cupy.fft.ifft(cupy.exp(logarithm.real + 1j * phase)).real


@takes(_MODULE)
def minimum_phase(x: Any, n: Any) -> Any:
    """The signal of minimum phase with the same magnitudes."""
    n = len(x) if n is None else n
    ceps = real_cepstrum(x, n=n)
    odd = n % 2
    window = np.concatenate(([1.0], 2.0 * np.ones((n + odd) // 2 - 1), np.ones(1 - odd), np.zeros((n + odd) // 2 - 1)))
    return cupy.fft.ifft(cupy.exp(cupy.fft.fft(cupy.asarray(window) * ceps))).real
