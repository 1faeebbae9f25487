"""Tests run for many dtypes, orders in memory and axes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ._loops import _skips, _without
from ._parameterized import product


def _repeated(test: Callable, names: Iterable[str], combinations: list[dict]) -> Callable:
    @_without(test, names)
    def run(*args: Any, **kwargs: Any) -> None:
        for combination in combinations:
            try:
                test(*args, **kwargs, **combination)
            except _skips() as skipped:
                print("skipped:", combination, skipped)
            except Exception as error:
                error.add_note(f"with {combination}")
                raise

    return run


def for_dtypes(dtypes: Iterable[Any], name: str = "dtype") -> Callable:
    """Decorator: the test is run for each of some dtypes."""
    combinations = [{name: np.dtype(d).type} for d in dtypes]
    return lambda test: _repeated(test, [name], combinations)


def for_dtypes_combination(types: Iterable[Any], names: Iterable[str] = ("dtype",), full: Any = None) -> Callable:
    """Decorator: the test is run for combinations of dtypes: all of them, or each type in each place and a random choice."""
    import os

    types, names = list(types), list(names)
    if full is None:
        full = os.environ.get("CUPY_TEST_FULL_COMBINATION", "0") != "0"
    if full or len(types) == 1:
        combinations = product(dict.fromkeys(names, types))
    else:
        columns = [types + random.sample(types, len(types)) for _ in names]
        combinations = [dict(zip(names, row, strict=True)) for row in dict.fromkeys(zip(*columns, strict=True))]
    return lambda test: _repeated(test, names, combinations)


_FLOATS = (np.float64, np.float32, np.float16)
_SIGNED, _UNSIGNED = (tuple(np.dtype(c).type for c in chars) for chars in ("bhilq", "BHILQ"))
_COMPLEX = (np.complex64, np.complex128)


def _types(no_float16: bool = False, no_bool: bool = False, no_complex: bool = False) -> tuple:
    floats = _FLOATS[:2] if no_float16 else _FLOATS
    return floats + _SIGNED + _UNSIGNED + (() if no_bool else (np.bool_,)) + (() if no_complex else _COMPLEX)


def for_all_dtypes(
    name: str = "dtype", no_float16: bool = False, no_bool: bool = False, no_complex: bool = False
) -> Callable:
    """Decorator: the test is run for all dtypes."""
    return for_dtypes(_types(no_float16, no_bool, no_complex), name)


def for_all_dtypes_combination(
    names: Iterable[str] = ("dtyes",), no_float16: bool = False, no_bool: bool = False, full: Any = None,
    no_complex: bool = False,
) -> Callable:  # fmt: skip
    """Decorator: the test is run for combinations of all dtypes."""
    return for_dtypes_combination(_types(no_float16, no_bool, no_complex), names, full)


def for_float_dtypes(name: str = "dtype", no_float16: bool = False) -> Callable:
    """Decorator: the test is run for the real floating types."""
    return for_dtypes(_FLOATS[:2] if no_float16 else _FLOATS, name)


def for_complex_dtypes(name: str = "dtype") -> Callable:
    """Decorator: the test is run for the complex types."""
    return for_dtypes(_COMPLEX, name)


def for_signed_dtypes(name: str = "dtype") -> Callable:
    """Decorator: the test is run for the signed integers."""
    return for_dtypes(_SIGNED, name)


def for_unsigned_dtypes(name: str = "dtype") -> Callable:
    """Decorator: the test is run for the unsigned integers."""
    return for_dtypes(_UNSIGNED, name)


def for_int_dtypes(name: str = "dtype", no_bool: bool = False) -> Callable:
    """Decorator: the test is run for the integers, and bool."""
    return for_dtypes(_SIGNED + _UNSIGNED + (() if no_bool else (np.bool_,)), name)


def for_signed_dtypes_combination(names: Iterable[str] = ("dtype",), full: Any = None) -> Callable:
    """Decorator: the test is run for combinations of the signed integers."""
    return for_dtypes_combination(_SIGNED, names, full)


def for_unsigned_dtypes_combination(names: Iterable[str] = ("dtype",), full: Any = None) -> Callable:
    """Decorator: the test is run for combinations of the unsigned integers."""
    return for_dtypes_combination(_UNSIGNED, names, full)


def for_int_dtypes_combination(names: Iterable[str] = ("dtype",), no_bool: bool = False, full: Any = None) -> Callable:
    """Decorator: the test is run for combinations of the integers, and bool."""
    return for_dtypes_combination(_SIGNED + _UNSIGNED + (() if no_bool else (np.bool_,)), names, full)


def for_orders(orders: Iterable[Any], name: str = "order") -> Callable:
    """Decorator: the test is run for each of some orders in memory."""
    combinations = [{name: order} for order in orders]
    return lambda test: _repeated(test, [name], combinations)


def for_CF_orders(name: str = "order") -> Callable:
    """Decorator: the test is run for the orders None, C and F, in both spellings."""
    return for_orders([None, "C", "F", "c", "f"], name)


def for_contiguous_axes(name: str = "axis") -> Callable:
    """Decorator: the test, of a class with ``shape`` and ``order``, is run for the axes that lie together in memory."""

    def decorate(test: Callable) -> Callable:
        @_without(test, [name])
        def run(self: Any, *args: Any, **kwargs: Any) -> None:
            ndim = len(self.shape)
            if self.order in ("c", "C"):
                choices = [tuple(range(i, ndim)) for i in range(ndim)]
            elif self.order in ("f", "F"):
                choices = [tuple(range(i + 1)) for i in range(ndim)]
            else:
                raise ValueError(f"Please specify the array order. Got {self.order}.")
            for axes in choices:
                test(self, *args, **kwargs, **{name: axes})

        return run

    return decorate
