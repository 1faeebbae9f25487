"""Numba's own ``numba.core.config``, under the name that numba-cuda gives it."""

import sys

from numba.core import config

sys.modules[__name__] = config
