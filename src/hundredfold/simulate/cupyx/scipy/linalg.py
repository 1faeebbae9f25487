"""Linear algebra beyond NumPy's.  It waits for the device and runs at once."""

from __future__ import annotations

import numpy as np
import scipy.linalg as _scipy
from cupy._core.names import refuser
from cupyx._bridge import functions
from cupyx._bridge.functions import function

_made = functions("cupyx.scipy.linalg", _scipy)
_made["kron"] = function("cupyx.scipy.linalg", "kron", np.kron)  # SciPy gave it up
globals().update(_made)
__all__ = list(_made)
__getattr__ = refuser("cupyx.scipy.linalg")
