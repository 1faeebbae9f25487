"""Image filters and measurements.  They wait for the device and run at once."""

from __future__ import annotations

import scipy.ndimage as _scipy
from cupy._core.adapt import running, table
from cupy._core.names import real_names, refuser

# What takes a Python function of a neighbourhood would run it on host memory: left out.
_REFUSED = {"generic_filter", "generic_filter1d", "find_objects", "value_indices", "labeled_comprehension"}
_made = table(_scipy, " ".join(sorted(real_names()["cupyx.scipy.ndimage"] - _REFUSED)), running)
globals().update(_made)
__all__ = list(_made)
__getattr__ = refuser("cupyx.scipy.ndimage")
