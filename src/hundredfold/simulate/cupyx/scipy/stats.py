"""Statistics.  They wait for the device and run at once."""

from __future__ import annotations

import scipy.stats as _scipy
from cupy._core.adapt import running, table
from cupy._core.names import refuser

_made = table(_scipy, "boxcox_llf entropy trim_mean zmap zscore", running)
globals().update(_made)
__all__ = list(_made)
__getattr__ = refuser("cupyx.scipy.stats")
