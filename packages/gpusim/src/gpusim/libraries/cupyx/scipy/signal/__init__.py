"""Signal processing.  It waits for the device and runs at once."""

import scipy.signal as _scipy
from cupyx._bridge import functions, proxies

from . import windows
from ._gone import made as _gone
from ._states import made as _states

_MODULE = "cupyx.scipy.signal"
_made = functions(_MODULE, _scipy, firwin2={"ignored": ("nyq",)}) | proxies(_MODULE, _scipy) | _gone | _states
_made |= {"BadCoefficients": _scipy.BadCoefficients}
globals().update(_made)
__all__ = [*_made, "windows"]
