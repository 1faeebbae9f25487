"""Assertions on arrays of host and device: both are compared on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._core.names import refuser
from ._misc import asnumpy


def _comparing(name: str) -> Callable:
    function = getattr(np.testing, name)

    def check(x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        return function(asnumpy(x), asnumpy(y), *args, **kwargs)

    check.__name__ = name
    check.__doc__ = f"As ``numpy.testing.{name}``, on arrays of host or device."
    return check


_NAMES = (
    "assert_allclose assert_array_almost_equal assert_array_almost_equal_nulp assert_array_equal assert_array_less "
    "assert_array_max_ulp"
).split()
for _name in _NAMES:
    globals()[_name] = _comparing(_name)


def assert_array_list_equal(xlist: Any, ylist: Any, err_msg: str = "", verbose: bool = True) -> None:
    """Assert that two lists of arrays are equal."""
    if len(xlist) != len(ylist):
        raise AssertionError("List size is different")
    for x, y in zip(xlist, ylist, strict=True):
        np.testing.assert_array_equal(asnumpy(x), asnumpy(y), err_msg=err_msg, verbose=verbose)


def shaped_arange(shape: Any, xp: Any = None, dtype: Any = np.float32, order: str = "C") -> Any:
    """Numbers from 1 in a shape."""
    import cupy

    a = np.arange(1, np.prod(shape, dtype=int) + 1)
    a = a % 2 == 0 if np.dtype(dtype).type is np.bool_ else a
    return (xp or cupy).asarray(a.astype(dtype).reshape(shape), order=order)


def shaped_random(
    shape: Any, xp: Any = None, dtype: Any = np.float32, scale: float = 10, seed: int = 0, order: str = "C"
):
    """Seeded random numbers in a shape."""
    import cupy

    rng = np.random.RandomState(seed)
    a = rng.rand(*shape)
    kind = np.dtype(dtype)
    if kind.type is np.bool_:
        a = rng.randint(2, size=shape)
    elif kind.kind == "c":
        a = (a + 1j * rng.rand(*shape)) * scale
    else:
        a = a * scale
    return (xp or cupy).asarray(a.astype(dtype), order=order)


__all__ = [*_NAMES, "assert_array_list_equal", "shaped_arange", "shaped_random"]
__getattr__ = refuser("cupy.testing")
