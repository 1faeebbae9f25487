"""The few functions of ``numpy.polynomial`` that CuPy has."""

from . import polynomial as polynomial
from . import polyutils as polyutils
