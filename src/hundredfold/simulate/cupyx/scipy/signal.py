"""Signal processing, the part that is one array in and one out.  It waits for the device and runs at once."""

from __future__ import annotations

import scipy.signal as _scipy
from cupy._core.adapt import running, table

_made = table(
    _scipy,
    "choose_conv_method convolve convolve2d correlate correlate2d decimate deconvolve detrend fftconvolve filtfilt hilbert "
    "lfilter medfilt medfilt2d oaconvolve order_filter resample resample_poly savgol_coeffs savgol_filter sosfilt "
    "sosfiltfilt wiener welch periodogram spectrogram stft istft csd coherence",
    running,
)
globals().update(_made)
__all__ = list(_made)
