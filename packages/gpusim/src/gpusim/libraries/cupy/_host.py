"""What CuPy's functions make of a NumPy array as the array that they work on.

Many hand the work to a method of it, and give back what NumPy computed; others say that it is none of theirs.  Each line
here is what CuPy 14.2.0 answered on a machine without a GPU, where both happen before any device is asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

# Answered by NumPy, on the host.
NUMPYS = frozenset(
    "broadcast_arrays copy dot fill_diagonal flip fliplr flipud repeat rot90 shares_memory sort_complex squeeze swapaxes "
    "transpose unravel_index".split()
)
_ARGUMENT = "Argument '{}' has incorrect type (expected cupy._core.core._ndarray_base, got numpy.ndarray)"
_CLASS = (
    "Argument '{}' has incorrect type (expected <class 'cupy._core.core._ndarray_base'>, got <class 'numpy.ndarray'>)."
)
_OBJECT = "'{}' must be a cupy.ndarray object, not <class 'numpy.ndarray'>."
_SHOULD = "`{}` should be of type cupy.ndarray"
REFUSALS = {
    name: TypeError(text.format(argument))
    for text, argument, names in (
        (
            _ARGUMENT,
            "a",
            "apply_along_axis asfortranarray ascontiguousarray cumprod cumsum expand_dims inner kron may_share_memory median "
            "moveaxis nanargmax nanargmin nanmean nanprod nanstd nansum nanvar rollaxis size tensordot vdot",
        ),
        (_ARGUMENT, "array", "broadcast_to"),
        (_ARGUMENT, "ary", "array_split dsplit hsplit split vsplit"),
        (_CLASS, "a", "count_nonzero nanmax nanmin"),
        (_OBJECT, "a", "all any argwhere flatnonzero nonzero"),
        (_SHOULD, "arr", "ediff1d"),
        (_SHOULD, "y", "trapezoid"),
    )
    for name in names.split()
} | {
    "argmax": TypeError("argmax() got an unexpected keyword argument 'dtype'"),
    "argmin": TypeError("argmin() got an unexpected keyword argument 'dtype'"),
    "digitize": NotImplementedError("Only int or ndarray are supported for a"),
    "extract": TypeError("extract requires input array to be cupy.ndarray"),
    "meshgrid": ValueError("input has to be cupy.ndarray"),
}  # fmt: skip


def hosted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of CuPy with its answer to NumPy's arrays; itself where it has none."""
    if name in NUMPYS:
        numpys = getattr(np, name)

        def answer(args: tuple, kwargs: dict) -> Any:
            return numpys(*args, **kwargs)

    elif name in REFUSALS:

        def answer(args: tuple, kwargs: dict) -> Any:
            error = REFUSALS[name]
            raise type(error)(*error.args)

    else:
        return function

    at = {"apply_along_axis": 2, "extract": 1}.get(name, 0)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if len(args) > at and isinstance(args[at], np.ndarray):
            return answer(args, kwargs)
        return function(*args, **kwargs)

    return wrapper
