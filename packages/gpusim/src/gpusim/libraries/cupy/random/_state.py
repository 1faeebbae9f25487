"""``cupy.random.RandomState``, the legacy interface."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import launch
from .._core.convert import asarray
from ._streams import Source, entropy, scaled, sized
from ._table import DISTRIBUTIONS, distribution

ndarray = launch.array_class


def _float(dtype: Any) -> np.dtype:
    dtype = np.dtype(dtype)
    if dtype.char not in "fd":
        raise TypeError("cupy.random only supports float32 and float64")
    return dtype


class RandomState:
    """A seeded stream of random numbers.

    Parameters
    ----------
    seed : int, optional
        By default the system's entropy, or ``CUPY_SEED``.
    method : optional
        Accepted; the numbers are NumPy's.
    """

    def __init__(self, seed: Any = None, method: Any = 100):
        self.seed(seed)

    def seed(self, seed: Any = None) -> None:
        """Start the stream anew.  Draws already enqueued keep the old one."""
        if seed is not None and not isinstance(seed, (np.ndarray, ndarray)):
            value = np.asarray(seed)
            if value.dtype.kind not in "biu":
                raise TypeError("Seed must be an integer.")
            seed = int(value)
            if not 0 <= seed < 2**64:
                raise ValueError("Seed must be an integer between 0 and 2**64 - 1")
        self._source = Source(entropy(seed))

    def random_sample(self, size: Any = None, dtype: Any = float) -> ndarray:
        """Uniform in [0, 1)."""
        return self._source.draw("curand_uniform", "random", sized(size), _float(dtype))

    def rand(self, *size: int, dtype: Any = float) -> ndarray:
        """Uniform in [0, 1)."""
        return self.random_sample(size, dtype)

    def standard_normal(self, size: Any = None, dtype: Any = float) -> ndarray:
        """Normal of mean 0 and variance 1."""
        return self._source.draw("curand_normal", "standard_normal", sized(size), _float(dtype))

    def randn(self, *size: int, dtype: Any = float) -> ndarray:
        """Normal of mean 0 and variance 1."""
        return self.standard_normal(size, dtype)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = float) -> ndarray:
        """Normal."""
        shape = sized(size, loc, scale)
        return scaled(self._source.draw("curand_normal", "standard_normal", shape, _float(dtype)), scale, loc)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, dtype: Any = float) -> ndarray:
        """Log-normal."""
        x = self.normal(mean, sigma, size, dtype)
        launch.queue.submit_uncounted("exp", np.exp, (x._a, x._a))
        return x

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = float) -> ndarray:
        """Uniform in an interval."""
        low, high = (asarray(v) if isinstance(v, (list, tuple)) else v for v in (low, high))
        x = self._source.draw("curand_uniform", "random", sized(size, low, high), _float(dtype))
        return scaled(x, high - low, low)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> ndarray:
        """Integers of a half-open interval."""
        if high is None:
            low, high = 0, low
        if (
            not isinstance(low, ndarray)
            and not isinstance(high, ndarray)
            and np.any(np.asarray(low) >= np.asarray(high))
        ):
            raise ValueError("low >= high")
        dtype = np.dtype(dtype)
        if not isinstance(low, ndarray) and np.ndim(low) == 0 and np.ndim(high) == 0 and dtype.kind in "iu":
            info = np.iinfo(dtype)
            if low < info.min:
                raise ValueError(f"low is out of bounds for {dtype.name}")
            if high > info.max + 1:
                raise ValueError(f"high is out of bounds for {dtype.name}")
        shape = sized(size, low, high)
        return self._source.draw("curand_integers", "integers", shape, dtype, low, high, dtype=dtype)

    def tomaxint(self, size: Any = None) -> ndarray:
        """Integers from 0 to the largest of the type."""
        return self.randint(0, np.iinfo(np.int64).max, sized(size))

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None, *args: Any, **kwargs: Any) -> ndarray:
        """Normal vectors of a given mean and covariance."""
        mean, cov = asarray(mean), asarray(cov)
        if mean.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if mean.shape[0] != cov.shape[0]:
            raise ValueError("mean and cov must have same length")
        if kwargs.get("method", "cholesky") not in ("eigh", "svd", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        if kwargs.get("check_valid", "ignore") not in ("ignore", "warn", "raise"):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        shape = sized(size) + (mean.shape[-1],) if size is not None else (mean.shape[-1],)
        dtype = kwargs.pop("dtype", float)
        out = launch.empty(shape, np.dtype(dtype))
        function = self._source.generator.multivariate_normal
        arguments = (out._a, _vectors, (function, mean._a, cov._a, shape[:-1]), {})
        launch.submit("curand_normal", launch.store, arguments, reads=(mean._a, cov._a), writes=(out._a,))
        return out

    def dirichlet(self, alpha: Any, size: Any = None, dtype: Any = float) -> ndarray:
        """Dirichlet."""
        return self._source.dirichlet(asarray(alpha), size, dtype)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> ndarray:
        """A random sample of an array or of ``arange(a)``; without replacement only where all are as likely."""
        if a is None:
            raise ValueError("a must be 1-dimensional or an integer")
        if isinstance(a, ndarray) and a.ndim == 0:
            raise NotImplementedError
        if isinstance(a, (int, np.integer)):
            n = int(a)
            if n < 0:
                raise ValueError("a must be greater than or equal to 0")
        else:
            a = asarray(a)
            if a.ndim != 1:
                raise ValueError("a must be 1-dimensional or an integer")
            n = len(a)
        if p is not None:
            p = self._probabilities(asarray(p), n)
        if size is None:
            raise NotImplementedError("choice() without specifying size is not supported yet")
        shape = sized(size)
        if n == 0 and np.prod(shape):
            raise ValueError("a cannot be empty unless no samples are taken")
        if not replace:
            if p is not None:
                raise NotImplementedError
            if int(np.prod(shape)) > n:
                raise ValueError("Cannot take a larger sample than population when 'replace=False'")
        out = launch.empty(shape, np.dtype(np.int64))
        function = self._source.generator.choice
        reads = () if p is None else (p._a,)
        arguments = (out._a, _choose, (function, n, shape, replace, None if p is None else p._a), {})
        launch.submit("cupy_choice", launch.store, arguments, reads=reads, writes=(out._a,))
        return a.take(out) if isinstance(a, ndarray) else out

    @staticmethod
    def _probabilities(p: ndarray, n: int) -> ndarray:
        if p.ndim != 1:
            raise ValueError("p must be 1-dimensional")
        if len(p) != n:
            raise ValueError("a and p must have same size")
        host = p.get()
        if not (host >= 0).all():
            raise ValueError("probabilities are not non-negative")
        if not np.allclose(host.sum(), 1):
            raise ValueError("probabilities do not sum to 1")
        return p

    def _interval(self, mx: Any, size: Any) -> ndarray:
        """Integers from 0 to ``mx``, which is included; how CuPy's own functions draw them."""
        shape = sized(size)
        if np.isscalar(mx):
            if mx < 0:
                raise ValueError(f"mx must be non-negative (actual: {mx})")
            if mx >= 2**64:
                raise ValueError(f"mx must be within uint64 range (actual: {mx})")
            kind = np.uint32 if mx < 2**32 else np.uint64
        elif mx.dtype.kind in "iu" and mx.dtype.itemsize in (4, 8):
            kind = np.uint32 if mx.dtype.itemsize == 4 else np.uint64
        else:
            raise ValueError(f"dtype must be integer, got: {mx.dtype}")
        return self._source.draw("curand_integers", "integers", shape, kind, 0, mx, dtype=kind, endpoint=True)

    def permutation(self, a: Any) -> ndarray:
        """A shuffled copy, or a permutation of ``arange(a)``."""
        n = int(a) if not isinstance(a, ndarray) else len(a)
        order = launch.empty((n,), np.dtype(np.int64))
        function = self._source.generator.permutation
        arguments = (order._a, function, (n,), {})
        launch.submit("cupy_permutation", launch.store, arguments, reads=(), writes=(order._a,))
        return a.take(order, 0) if isinstance(a, ndarray) else order

    def shuffle(self, a: Any) -> None:
        """Shuffle along the first axis, in place."""
        if not isinstance(a, ndarray):
            raise TypeError("The array must be cupy.ndarray")
        if a.ndim == 0:
            raise TypeError("An array whose ndim is 0 is not supported")
        a[...] = self.permutation(a)


def _vectors(function: Any, mean: np.ndarray, cov: np.ndarray, shape: tuple) -> np.ndarray:
    return function(mean, cov, shape, method="svd")


def _choose(function: Any, n: int, shape: tuple, replace: bool, p: Any) -> Any:
    return function(n, shape, replace, None if p is None else p / p.sum())


for _name in DISTRIBUTIONS:
    setattr(RandomState, _name, distribution(_name))
