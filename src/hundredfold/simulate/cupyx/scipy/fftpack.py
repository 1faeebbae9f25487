"""SciPy's old interface to Fourier transforms."""

from __future__ import annotations

import scipy.fftpack as _scipy
from cupy._core.names import refuser
from cupyx._bridge import functions

from .fft import get_fft_plan

_made = functions("cupyx.scipy.fftpack", _scipy, every={"ignored": ("plan",)})
globals().update(_made)
__all__ = [*_made, "get_fft_plan"]
__getattr__ = refuser("cupyx.scipy.fftpack")
