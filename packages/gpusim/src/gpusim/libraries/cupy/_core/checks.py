"""What CuPy checks of arguments before it launches a kernel, and how it complains."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gpusim.device import device

from . import launch
from .promote import kind_of_scalar


def broadcast(*arrays: np.ndarray) -> tuple[int, ...]:
    """The common shape of some arrays, or CuPy's error."""
    try:
        return np.broadcast_shapes(*(np.shape(a) for a in arrays))
    except ValueError:
        shapes = " ".join(str(np.shape(a)) for a in arrays)
        raise ValueError(f"operands could not be broadcast together with shapes {shapes}") from None


def check_array(value: Any, argument: str) -> None:
    """Raise Cython's TypeError if an argument that it declares as an array is none."""
    if not isinstance(value, launch.array_class):
        kind = type(value)
        given = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        expected = "cupy._core.core._ndarray_base"
        raise TypeError(f"Argument {argument!r} has incorrect type (expected {expected}, got {given})")


def check_output(out: Any) -> None:
    """Raise a kernel's TypeError if an output is no device array; what is no number either is none of its arguments."""
    if not isinstance(out, launch.array_class):
        kind_of_scalar(out)
        raise TypeError("Output arguments type must be cupy.ndarray")


def may_share_bounds(x: Any, y: Any) -> bool:
    """Whether two arrays' address ranges overlap."""
    return x._block is y._block and np.may_share_memory(x._a, y._a)


def raise_if_invalid_cast(given: np.dtype, wanted: np.dtype, casting: str, what: str = "output operand") -> None:
    """Raise CuPy's TypeError if a cast is not allowed."""
    if given is not wanted and not np.can_cast(given, wanted, casting):
        raise TypeError(f"Cannot cast {what} from {given!r} to {wanted!r} according to the rule '{casting}'")
    if casting == "unsafe" and given.kind == "c" and wanted.kind in "iuf":
        from ..exceptions import ComplexWarning

        warnings.warn("Casting complex values to real discards the imaginary part", ComplexWarning, stacklevel=4)


def check_devices(arrays: Any) -> None:
    """Warn, as CuPy does, of arrays that lie on another device; peer access makes the operation work all the same."""
    here = device.current()
    for array in arrays:
        if isinstance(array, launch.array_class) and array._block.device_id != here and array.size:
            from .._util import PerformanceWarning

            warnings.warn(
                f"The device where the array resides ({array._block.device_id}) is different from the current "
                f"device ({here}). Peer access has been activated automatically.",
                PerformanceWarning,
                stacklevel=3,
            )
