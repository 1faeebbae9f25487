"""The inside of the CuPy stand-in.  CuPy has a package of this name too, and a few libraries reach into it."""

from .ndarray import ndarray as ndarray  # noqa: I001  (it must be first: it sets what the others build arrays of)
from .kernel import ufunc as ufunc
from . import core as core
from . import internal as internal
from ._accelerator import get_elementwise_accelerators as get_elementwise_accelerators
from ._accelerator import get_reduction_accelerators as get_reduction_accelerators
from ._accelerator import get_routine_accelerators as get_routine_accelerators
from ._accelerator import set_elementwise_accelerators as set_elementwise_accelerators
from ._accelerator import set_reduction_accelerators as set_reduction_accelerators
from ._accelerator import set_routine_accelerators as set_routine_accelerators
from ._routines_linalg import get_compute_type as get_compute_type
from ._routines_linalg import set_compute_type as set_compute_type
