"""Numba's own ``numba.core.errors``, under the name that numba-cuda gives it."""

import sys

from numba.core import errors

sys.modules[__name__] = errors
