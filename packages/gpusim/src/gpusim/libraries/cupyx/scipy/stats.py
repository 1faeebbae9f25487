"""Statistics.  They wait for the device and run at once."""

import scipy.stats as _scipy
from cupyx._bridge import functions

_made = functions("cupyx.scipy.stats", _scipy)
globals().update(_made)
