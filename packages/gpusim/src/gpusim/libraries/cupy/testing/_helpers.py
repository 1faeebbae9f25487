"""Arrays to test with, and conditions under which to test."""

from __future__ import annotations

import contextlib
import importlib.metadata
import inspect
import unittest
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np


def installed(*specifiers: str) -> bool:
    """Whether packages of some versions (``"numpy>=2"``) are installed."""
    from packaging.requirements import Requirement

    for text in specifiers:
        requirement = Requirement(text)
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            return False
        if requirement.specifier and not requirement.specifier.contains(version, prereleases=True):
            return False
    return True


def with_requires(*requirements: str) -> Callable:
    """Decorator: skip a test where packages of some versions are not installed."""
    return _skip(not installed(*requirements), f"requires: {','.join(requirements)}")


def numpy_satisfies(version_range: str) -> bool:
    """Whether NumPy is of some version (``">=2"``)."""
    return installed(f"numpy{version_range}")


def _skip(condition: bool, reason: str) -> Callable:
    try:
        import pytest
    except ImportError:
        return unittest.skipIf(condition, reason)
    return pytest.mark.skipif(condition, reason=reason)


def slow(*args: Any, **kwargs: Any) -> Any:
    """Mark a test as slow."""
    import pytest

    return pytest.mark.slow(*args, **kwargs)


def multi_gpu(gpu_num: int) -> Callable:
    """Decorator: skip a test where there are fewer devices, as ``CUPY_TEST_GPU_LIMIT`` says."""
    import os

    import pytest

    limit = int(os.environ.get("CUPY_TEST_GPU_LIMIT", "-1"))

    def decorate(test: Any) -> Any:
        return pytest.mark.skipif(0 <= limit < gpu_num, reason=f"{gpu_num} GPUs required")(pytest.mark.multi_gpu(test))

    return decorate


def _in_type(a: np.ndarray, dtype: Any) -> np.ndarray:
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        a = a % 2 == 0
    elif dtype.kind == "c":
        a = a + a * 1j
    return a.astype(dtype)


def _module(xp: Any) -> Any:
    import cupy

    return cupy if xp is None else xp


def shaped_arange(shape: Any, xp: Any = None, dtype: Any = np.float32, order: str = "C") -> Any:
    """Numbers from 1 in a shape; bool says which are even, complex has them in both parts."""
    a = _in_type(np.arange(1, int(np.prod(shape)) + 1), dtype)
    return _module(xp).array(a.reshape(shape), order=order)


def shaped_reverse_arange(shape: Any, xp: Any = None, dtype: Any = np.float32) -> Any:
    """Numbers down to 1 in a shape."""
    return _module(xp).array(_in_type(np.arange(int(np.prod(shape)), 0, -1), dtype).reshape(shape))


def shaped_random(
    shape: Any, xp: Any = None, dtype: Any = np.float32, scale: float = 10, seed: int = 0, order: str = "C"
) -> Any:
    """Seeded random numbers of [0, ``scale``) in a shape."""
    rng, kind = np.random.RandomState(seed), np.dtype(dtype).kind
    if kind == "b":
        a = rng.randint(2, size=shape)
    elif kind == "c":
        a = (rng.rand(*shape) + 1j * rng.rand(*shape)) * scale
    else:
        a = rng.rand(*shape) * scale
    return _module(xp).asarray(a, dtype=dtype, order=order)


def shaped_sparse_random(
    shape: Any, sp: Any = None, dtype: Any = np.float32, density: float = 0.01, format: str = "coo", seed: int = 0
) -> Any:
    """A seeded random sparse matrix of SciPy's or of ``cupyx.scipy.sparse``."""
    import scipy.sparse

    if sp is None:
        import cupyx.scipy.sparse as sp
    a = scipy.sparse.random(*shape, density, random_state=seed).astype(dtype)
    return sp.coo_matrix(a).asformat(format)


def shaped_linspace(start: float, stop: float, shape: Any, xp: Any = None, dtype: Any = np.float32) -> Any:
    """Evenly spaced numbers in a shape."""
    dtype = np.dtype(dtype)
    if dtype.kind in "bu":
        start = max(start, 0)
    if dtype.kind == "b":
        stop = min(stop, 1)
    return _module(xp).array(np.linspace(start, stop, int(np.prod(shape))).astype(dtype).reshape(shape))


def generate_matrix(shape: Any, xp: Any = None, dtype: Any = np.float32, *, singular_values: Any = None) -> Any:
    """Random matrices of given singular values, which are broadcast over the stack."""
    xp, dtype = _module(xp), np.dtype(dtype)
    if len(shape) <= 1:
        raise ValueError(f"shape {shape} is invalid for matrices: too few axes")
    if singular_values is None:
        raise TypeError("singular_values is not given")
    singular_values = xp.asarray(singular_values)
    if dtype.kind not in "fc":
        raise TypeError(f"dtype {dtype} is not supported")
    if not xp.isrealobj(singular_values):
        raise TypeError("singular_values is not real")
    if (singular_values < 0).any():
        raise ValueError("negative singular value is given")
    a = xp.random.randn(*shape)
    if dtype.kind == "c":
        a = a + 1j * xp.random.randn(*shape)
    u, s, vh = xp.linalg.svd(a, full_matrices=False)
    return xp.matmul(u * xp.broadcast_to(singular_values, s.shape)[..., None, :], vh).astype(dtype)


@contextlib.contextmanager
def assert_warns(expected: type[Warning]) -> Iterator[None]:
    """Assert inside a ``with`` that a warning is given."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    if not any(isinstance(w.message, expected) for w in caught):
        raise AssertionError(f"{getattr(expected, '__name__', expected)} not triggerred")  # CuPy's own spelling


@contextlib.contextmanager
def AssertFunctionIsCalled(*args: Any, times_called: int = 1, **kwargs: Any) -> Iterator[None]:
    """Assert inside a ``with`` that a function (named as for ``mock.patch``) is called."""
    with mock.patch(*args, **kwargs) as handle:
        yield
        assert handle.call_count == times_called


class _AliasTestBase(unittest.TestCase):
    func = ""

    @property
    def cupy_func(self) -> Callable:
        return getattr(_module(None), self.func)

    @property
    def numpy_func(self) -> Callable:
        return getattr(np, self.func)


class NumpyAliasBasicTestBase(_AliasTestBase):
    """Tests that a function of the name ``func`` has NumPy's signature and a docstring of its own."""

    def test_argspec(self) -> None:
        assert inspect.signature(self.cupy_func) == inspect.signature(self.numpy_func)

    def test_docstring(self) -> None:
        assert self.cupy_func.__doc__
        assert self.cupy_func.__doc__ is not self.numpy_func.__doc__


class NumpyAliasValuesTestBase(_AliasTestBase):
    """Tests that a function of the name ``func`` gives what NumPy's does for ``args``."""

    args: tuple = ()

    def test_values(self) -> None:
        assert self.cupy_func(*self.args) == self.numpy_func(*self.args)
