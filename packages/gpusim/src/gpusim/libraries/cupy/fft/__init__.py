"""Fourier transforms: cuFFT on a GPU, pocketfft here."""

import sys as _sys

from . import _fft
from ._config import config as config

globals().update({name: getattr(_fft, name) for name in _fft.__all__})
__all__ = [*_fft.__all__, "config"]
_sys.modules[f"{__name__}.config"] = config  # as in CuPy, `import cupy.fft.config` works too
