"""Numba's own ``numba.core.sigutils``, under the name that numba-cuda gives it."""

import sys

from numba.core import sigutils

sys.modules[__name__] = sigutils
