"""Tests run with NumPy and with CuPy and compared, and tests run for many dtypes."""

from __future__ import annotations

import functools
import inspect
import unittest
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._core import launch
from .._poly import poly1d
from . import _arrays

# Errors that a program may tell apart: those of NumPy's and CuPy's run have to be the same ones of these.
_TOLD_APART = (
    AttributeError, Exception, IndexError, TypeError, ValueError, NotImplementedError, DeprecationWarning,
    np.exceptions.AxisError, np.linalg.LinAlgError,
)  # fmt: skip


def _skips() -> tuple[type[BaseException], ...]:
    import sys

    outcomes = sys.modules.get("_pytest.outcomes")
    return (unittest.SkipTest, outcomes.Skipped) if outcomes else (unittest.SkipTest,)


def _without(test: Callable, names: Iterable[str]) -> Callable:
    """Decorator that makes a function look like ``test`` less some arguments, so that pytest asks for no fixture of them."""

    def decorate(made: Callable) -> Callable:
        made = functools.wraps(test)(made)
        made.__signature__ = inspect.signature(functools.partial(test, **dict.fromkeys(names)))
        return made

    return decorate


def _modules(sp_name: str | None, scipy_name: str | None, ours: bool) -> dict[str, Any]:
    given = {}
    if sp_name:
        if ours:
            import cupyx.scipy.sparse as sparse
        else:
            import scipy.sparse as sparse
        given[sp_name] = sparse
    if scipy_name:
        if ours:
            import cupyx.scipy as scipy
        else:
            import scipy
        given[scipy_name] = scipy
    return given


def _both(test: Callable, args: tuple, kwargs: dict, name: str, sp_name: str | None, scipy_name: str | None) -> list:
    """``[(CuPy's result, its error), (NumPy's result, its error)]``."""
    import cupy

    outcomes = []
    for xp in (cupy, np):
        try:
            given = {**kwargs, name: xp, **_modules(sp_name, scipy_name, xp is cupy)}
            outcomes.append((test(*args, **given), None))
        except (Exception, *_skips()) as error:
            outcomes.append((None, error))
    return outcomes


def _check_errors(ours: BaseException | None, theirs: BaseException | None, accepted: Any) -> None:
    if isinstance(ours, _skips()) and isinstance(theirs, _skips()):
        raise theirs
    accepted = Exception if accepted is True else accepted or ()
    if theirs is None and ours is None:
        raise AssertionError("Both cupy and numpy are expected to raise errors, but not")
    if ours is None:
        raise AssertionError(f"Only numpy raises error\n\n{theirs!r}") from theirs
    if theirs is None:
        raise AssertionError(f"Only cupy raises error\n\n{ours!r}") from ours
    if any(isinstance(ours, kind) != isinstance(theirs, kind) for kind in _TOLD_APART):
        raise AssertionError(f"Different types of errors occurred\n\ncupy\n{ours!r}\n\nnumpy\n{theirs!r}") from ours
    if not (isinstance(ours, accepted) and isinstance(theirs, accepted)):
        raise AssertionError(f"Both cupy and numpy raise exceptions\n\ncupy\n{ours!r}\n\nnumpy\n{theirs!r}") from ours


def _pair(ours: Any, theirs: Any, sp_name: str | None, same_format: bool) -> tuple:
    """The two results as arrays, or an AssertionError if they are of different kinds."""
    if sp_name is not None and hasattr(ours, "toarray"):
        if same_format and ours.format != theirs.format:
            raise AssertionError(f"Formats differ: {ours.format}, {theirs.format}")
        return ours.toarray(), theirs.toarray()
    if isinstance(ours, launch.array_class) and isinstance(theirs, (np.ndarray, np.generic)):
        return ours, theirs
    if isinstance(ours, poly1d) and isinstance(theirs, np.poly1d):
        return ours.coeffs, theirs.coeffs
    if isinstance(ours, np.generic) and isinstance(theirs, np.generic):
        return ours, theirs
    if np.isscalar(ours) and np.isscalar(theirs):
        return np.array(ours), np.array(theirs)
    raise AssertionError(
        f"numpy and cupy returns different type of return value:\ncupy: {type(ours)}\nnumpy: {type(theirs)}"
    )


def _check_layout(ours: Any, theirs: Any) -> None:
    if not isinstance(theirs, np.ndarray):
        return
    for flag in ("c_contiguous", "f_contiguous"):
        if getattr(theirs.flags, flag) and not getattr(ours.flags, flag):
            raise AssertionError(f"The state of {flag} flag is false.")


def _with_both(compare: Callable, name: str, sp_name: Any, scipy_name: Any) -> Callable:
    """Decorator: run a test with both libraries and compare the outcomes, each a result and an error."""

    def decorate(test: Callable) -> Callable:
        @_without(test, [n for n in (name, sp_name, scipy_name) if n])
        def run(*args: Any, **kwargs: Any) -> None:
            compare(*_both(test, args, kwargs, name, sp_name, scipy_name))

        return run

    return decorate


def _comparing(
    check: Callable, name: str, type_check: bool, layout_check: bool, accept_error: Any, sp_name: Any, scipy_name: Any,
    same_format: bool = True,
) -> Callable:  # fmt: skip
    def compare(of_cupy: tuple, of_numpy: tuple) -> None:
        (ours, our_error), (theirs, their_error) = of_cupy, of_numpy
        if our_error is not None or their_error is not None:
            _check_errors(our_error, their_error, accept_error)
            return
        ours = ours if isinstance(ours, (tuple, list)) else (ours,)
        theirs = theirs if isinstance(theirs, (tuple, list)) else (theirs,)
        assert len(ours) == len(theirs)
        for c, n in zip(ours, theirs, strict=True):
            a, b = _pair(c, n, sp_name, same_format)
            if type_check and a.dtype != b.dtype:
                raise AssertionError(f"ndarrays of different dtypes are returned.\ncupy: {a.dtype}\nnumpy: {b.dtype}")
            if layout_check:
                _check_layout(c, n)
            assert a.shape == b.shape
            check(a, b)

    return _with_both(compare, name, sp_name, scipy_name)


def _tolerance(dtype: np.dtype, tolerance: Any) -> float:
    if not isinstance(tolerance, dict):
        return tolerance
    value = tolerance.get(dtype.type, tolerance.get("default"))
    if value is None:
        raise TypeError(f"Can not find tolerance for {dtype.type}")
    return value


def numpy_cupy_allclose(
    rtol: Any = 1e-7, atol: Any = 0, err_msg: str = "", verbose: bool = True, name: str = "xp", type_check: bool = True,
    accept_error: Any = False, sp_name: Any = None, scipy_name: Any = None, contiguous_check: bool = True, *,
    _check_sparse_format: bool = True,
) -> Callable:  # fmt: skip
    """Decorator: the test, run with ``xp`` NumPy and CuPy, has to return arrays that are close.

    ``rtol`` and ``atol`` may be dictionaries by type, with a ``"default"``.
    """
    for tolerance in (rtol, atol):
        if isinstance(tolerance, dict):
            if any(key != "default" and type(key) is not type for key in tolerance):
                raise TypeError(
                    "Keys of the tolerance dictionary need to be type objects as `numpy.float32` and `cupy.float32` or "
                    "`'default'` string."
                )
            if not type_check:
                raise TypeError("When `type_check` is `False`, `rtol` and `atol` must be supplied as float.")

    def check(c: Any, n: Any) -> None:
        _arrays.assert_allclose(
            c, n, _tolerance(c.dtype, rtol), _tolerance(c.dtype, atol), err_msg=err_msg, verbose=verbose
        )

    return _comparing(
        check, name, type_check, contiguous_check, accept_error, sp_name, scipy_name, _check_sparse_format
    )


def numpy_cupy_array_equal(
    err_msg: str = "", verbose: bool = True, name: str = "xp", type_check: bool = True, accept_error: Any = False,
    sp_name: Any = None, scipy_name: Any = None, strides_check: bool = False,
) -> Callable:  # fmt: skip
    """Decorator: the test, run with ``xp`` NumPy and CuPy, has to return equal arrays."""

    def check(c: Any, n: Any) -> None:
        _arrays.assert_array_equal(c, n, err_msg, verbose, strides_check=strides_check)

    return _comparing(check, name, type_check, False, accept_error, sp_name, scipy_name)


def numpy_cupy_array_list_equal(
    err_msg: str = "", verbose: bool = True, name: str = "xp", sp_name: Any = None, scipy_name: Any = None
) -> Callable:
    """Decorator: the test has to return equal lists of arrays (deprecated)."""
    warnings.warn(
        "numpy_cupy_array_list_equal is deprecated. Use numpy_cupy_array_equal instead.", DeprecationWarning, stacklevel=2
    )  # fmt: skip
    return _comparing(
        lambda c, n: _arrays.assert_array_equal(c, n, err_msg, verbose), name, False, False, False, sp_name, scipy_name
    )


def _simple(assertion: str, *own: tuple[str, Any]) -> Callable:
    """One of the decorators that differ in what they assert only; ``own`` are its own first arguments."""
    function = getattr(_arrays, assertion)
    order = [
        *own,
        ("name", "xp"),
        ("type_check", True),
        ("accept_error", False),
        ("sp_name", None),
        ("scipy_name", None),
    ]

    def factory(*args: Any, **kwargs: Any) -> Callable:
        given = dict(order) | dict(zip((n for n, _ in order), args, strict=False)) | kwargs
        unknown = set(given) - {n for n, _ in order}
        if unknown:
            raise TypeError(f"numpy_cupy_{assertion}() got an unexpected keyword argument {unknown.pop()!r}")
        options = {n: given.pop(n) for n, _ in own}
        return _comparing(
            lambda c, n: function(c, n, **options), given["name"], given["type_check"], False, given["accept_error"],
            given["sp_name"], given["scipy_name"],
        )  # fmt: skip

    factory.__name__ = assertion.replace("assert", "numpy_cupy")
    factory.__doc__ = f"Decorator: the test, run with ``xp`` NumPy and CuPy, has to satisfy ``{assertion}``."
    return factory


_message = (("err_msg", ""), ("verbose", True))
numpy_cupy_array_almost_equal = _simple("assert_array_almost_equal", ("decimal", 6), *_message)
numpy_cupy_array_almost_equal_nulp = _simple("assert_array_almost_equal_nulp", ("nulp", 1))
numpy_cupy_array_max_ulp = _simple("assert_array_max_ulp", ("maxulp", 1), ("dtype", None))
numpy_cupy_array_less = _simple("assert_array_less", *_message)


def numpy_cupy_equal(name: str = "xp", sp_name: Any = None, scipy_name: Any = None) -> Callable:
    """Decorator: the test, run with ``xp`` NumPy and CuPy, has to return equal objects."""

    def compare(of_cupy: tuple, of_numpy: tuple) -> None:
        (ours, our_error), (theirs, their_error) = of_cupy, of_numpy
        if our_error is not None or their_error is not None:
            _check_errors(our_error, their_error, False)
        elif ours != theirs:
            raise AssertionError(f"Results are not equal:\ncupy: {ours}\nnumpy: {theirs}")

    return _with_both(compare, name, sp_name, scipy_name)


def numpy_cupy_raises(
    name: str = "xp", sp_name: Any = None, scipy_name: Any = None, accept_error: Any = Exception
) -> Callable:
    """Decorator: the test, run with ``xp`` NumPy and CuPy, has to raise the same (deprecated)."""
    warnings.warn("cupy.testing.numpy_cupy_raises is deprecated.", DeprecationWarning, stacklevel=2)

    return _with_both(lambda ours, theirs: _check_errors(ours[1], theirs[1], accept_error), name, sp_name, scipy_name)
