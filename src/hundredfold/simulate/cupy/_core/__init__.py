"""The inside of the CuPy stand-in.  CuPy has a package of this name too, and a few libraries reach into it."""

from .ndarray import ndarray as ndarray  # noqa: I001  (it must be first: it sets what the others build arrays of)
from .kernel import ufunc as ufunc
