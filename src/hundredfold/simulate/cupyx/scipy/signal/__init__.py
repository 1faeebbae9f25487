"""Signal processing.  It waits for the device and runs at once."""

from __future__ import annotations

import scipy.signal as _scipy
from cupy._core.names import refuser
from cupyx._bridge import functions, proxies

from . import windows
from ._gone import made as _gone

_made = (
    functions("cupyx.scipy.signal", _scipy, firwin2={"ignored": ("nyq",)})
    | proxies("cupyx.scipy.signal", _scipy)
    | _gone
)
_made |= {"BadCoefficients": _scipy.BadCoefficients}
globals().update(_made)
__all__ = [*_made, "windows"]
__getattr__ = refuser("cupyx.scipy.signal")
