"""The inside of the simulated CuPy.  CuPy has a package of this name too, and a few libraries reach into it."""

from .ndarray import ndarray as ndarray  # noqa: I001  (it must be first: it sets what the others build arrays of)
from .kernel import ufunc as ufunc
from . import core as core
from . import internal as internal
from .internal import complete_slice as complete_slice
from .internal import get_size as get_size
from ._accelerator import get_elementwise_accelerators as get_elementwise_accelerators
from ._accelerator import get_reduction_accelerators as get_reduction_accelerators
from ._accelerator import get_routine_accelerators as get_routine_accelerators
from ._accelerator import set_elementwise_accelerators as set_elementwise_accelerators
from ._accelerator import set_reduction_accelerators as set_reduction_accelerators
from ._accelerator import set_routine_accelerators as set_routine_accelerators
from ._routines_linalg import get_compute_type as get_compute_type
from ._routines_linalg import set_compute_type as set_compute_type


def _get_warpsize() -> int:
    return 32


def __getattr__(name: str):
    """CuPy shows much of its public surface here too; libraries take it from here."""
    import cupy

    if name in ("ElementwiseKernel", "ReductionKernel", "RawKernel", "RawModule", "array", "divmod") or name in _SHOWN:
        return getattr(cupy, name)
    raise AttributeError(f"module 'cupy._core' has no attribute {name!r}")


_SHOWN = frozenset(
    "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift dot matmul equal greater greater_equal less less_equal "
    "not_equal array_split broadcast broadcast_to moveaxis rollaxis size absolute add conjugate divide floor_divide multiply "
    "negative power remainder sqrt subtract true_divide nanmax nanmin ascontiguousarray asfortranarray".split()
)
