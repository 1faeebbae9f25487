"""Windows, made on the device in double precision."""

import scipy.signal.windows as _scipy
from cupyx._bridge import functions

_made = functions("cupyx.scipy.signal.windows", _scipy)
globals().update(_made)
