"""Fourier and cosine transforms."""

from __future__ import annotations

import scipy.fft as _scipy
from cupy import fft as _fft
from cupy._core.adapt import running, table
from cupy._core.names import refuser
from scipy.fft import next_fast_len

_made = {name: getattr(_fft, name) for name in _fft.__all__}
_made |= table(_scipy, "dct dctn dst dstn idct idctn idst idstn fht ifht hfft2 hfftn ihfft2 ihfftn", running)
globals().update(_made)
__all__ = [*_made, "next_fast_len"]
__getattr__ = refuser("cupyx.scipy.fft")
