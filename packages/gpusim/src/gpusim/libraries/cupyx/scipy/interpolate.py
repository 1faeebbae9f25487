"""Interpolation.  It waits for the device and runs at once."""

import scipy.interpolate as _scipy
from cupyx._bridge import functions, proxies

_made = functions("cupyx.scipy.interpolate", _scipy) | proxies("cupyx.scipy.interpolate", _scipy)
globals().update(_made)
