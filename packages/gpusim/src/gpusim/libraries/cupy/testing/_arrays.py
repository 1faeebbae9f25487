"""Assertions on arrays of host and device: both are compared on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._misc import asnumpy


def _comparing(name: str) -> Callable:
    function = getattr(np.testing, name)

    def check(x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        return function(asnumpy(x), asnumpy(y), *args, **kwargs)

    check.__name__ = name
    check.__doc__ = f"As ``numpy.testing.{name}``, on arrays of host or device."
    return check


assert_allclose = _comparing("assert_allclose")
assert_array_almost_equal = _comparing("assert_array_almost_equal")
assert_array_almost_equal_nulp = _comparing("assert_array_almost_equal_nulp")
assert_array_less = _comparing("assert_array_less")
assert_array_max_ulp = _comparing("assert_array_max_ulp")


def assert_array_equal(
    actual: Any, desired: Any, err_msg: str = "", verbose: bool = True, *, strict: bool = False, strides_check: bool = False
) -> None:  # fmt: skip
    """Assert that two arrays are equal, and their strides too where ``strides_check`` says so."""
    np.testing.assert_array_equal(asnumpy(actual), asnumpy(desired), err_msg=err_msg, verbose=verbose, strict=strict)
    if strides_check and actual.strides != desired.strides:
        details = f"\n x: {actual.strides}\n y: {desired.strides}" if verbose else ""
        raise AssertionError(f"Strides are not equal:{' ' + err_msg if err_msg else ''}{details}")


def assert_array_list_equal(xlist: Any, ylist: Any, err_msg: str = "", verbose: bool = True) -> None:
    """Assert that two lists (or two tuples) of arrays are equal."""
    if type(xlist) is not type(ylist):
        raise AssertionError(
            f"Matching types of list or tuple are expected, but were different types (xlist:{type(xlist)} ylist:{type(ylist)})"
        )
    if type(xlist) not in (list, tuple):
        raise AssertionError(f"List or tuple is expected, but was {type(xlist)}")
    if len(xlist) != len(ylist):
        raise AssertionError("List size is different")
    for x, y in zip(xlist, ylist, strict=True):
        np.testing.assert_array_equal(asnumpy(x), asnumpy(y), err_msg=err_msg, verbose=verbose)
