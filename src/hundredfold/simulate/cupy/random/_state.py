"""``cupy.random.RandomState``, the legacy interface."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import launch
from .._core.convert import array, asarray
from ._streams import Source, entropy, scaled, sized

ndarray = launch.array_class


def _float(dtype: Any) -> np.dtype:
    dtype = np.dtype(dtype)
    if dtype.char not in "fd":
        raise TypeError("cupy.random only supports float32 and float64")
    return dtype


# Distributions that differ only in their parameters: name, defaults, whether the numbers are integers.
_SIMPLE: dict[str, tuple[tuple, bool]] = {
    "beta": ((), False), "binomial": ((), True), "chisquare": ((), False), "exponential": ((1.0,), False), "f": ((), False),
    "gamma": ((None, 1.0), False), "geometric": ((), True), "gumbel": ((0.0, 1.0), False), "hypergeometric": ((), True),
    "laplace": ((0.0, 1.0), False), "logistic": ((0.0, 1.0), False), "logseries": ((), True),
    "negative_binomial": ((), True), "noncentral_chisquare": ((), False), "noncentral_f": ((), False),
    "pareto": ((), False), "poisson": ((1.0,), True), "power": ((), False), "rayleigh": ((1.0,), False),
    "standard_cauchy": ((), False), "standard_exponential": ((), False), "standard_gamma": ((), False),
    "standard_t": ((), False), "triangular": ((), False), "vonmises": ((), False), "wald": ((), False),
    "weibull": ((), False), "zipf": ((), True),
}  # fmt: skip
_PARAMETERS = {
    "beta": 2, "binomial": 2, "chisquare": 1, "exponential": 1, "f": 2, "gamma": 2, "geometric": 1, "gumbel": 2,
    "hypergeometric": 3, "laplace": 2, "logistic": 2, "logseries": 1, "negative_binomial": 2,
    "noncentral_chisquare": 2, "noncentral_f": 3, "pareto": 1, "poisson": 1, "power": 1, "rayleigh": 1,
    "standard_cauchy": 0, "standard_exponential": 0, "standard_gamma": 1, "standard_t": 1, "triangular": 3, "vonmises": 2,
    "wald": 2, "weibull": 1, "zipf": 1,
}  # fmt: skip
_KEYWORDS = {
    "exponential": ("scale",), "poisson": ("lam",), "gamma": ("shape", "scale"), "binomial": ("n", "p"),
    "beta": ("a", "b"), "gumbel": ("loc", "scale"), "laplace": ("loc", "scale"), "logistic": ("loc", "scale"),
    "rayleigh": ("scale",), "chisquare": ("df",), "standard_t": ("df",), "geometric": ("p",),
    "triangular": ("left", "mode", "right"), "vonmises": ("mu", "kappa"), "wald": ("mean", "scale"),
}  # fmt: skip


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
        shape = sized(size) + (mean.shape[-1],) if size is not None else (mean.shape[-1],)
        dtype = kwargs.pop("dtype", float)
        out = launch.empty(shape, np.dtype(dtype))
        function = self._source.generator.multivariate_normal
        arguments = (out._a, _vectors, (function, mean._a, cov._a, shape[:-1]), {})
        launch.submit("curand_normal", launch.store, arguments, None, mean.nbytes + cov.nbytes, out.nbytes)
        return out

    def dirichlet(self, alpha: Any, size: Any = None, dtype: Any = float) -> ndarray:
        """Dirichlet."""
        alpha = asarray(alpha)
        lead = () if size is None else sized(size)
        out = launch.empty((*lead, alpha.size), np.dtype(dtype))
        function = self._source.generator.dirichlet
        launch.submit(
            "dirichlet_kernel", launch.store, (out._a, function, (alpha._a, lead), {}), None, alpha.nbytes, out.nbytes
        )
        return out

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> ndarray:
        """A random sample of an array or of ``arange(a)``."""
        if isinstance(a, np.ndarray):
            a = array(a)
        if isinstance(a, ndarray):
            if a.ndim != 1:
                raise ValueError("a must be 1-dimensional or an integer")
            n = a.size
        else:
            n = int(a)
            if n < 0:
                raise ValueError("a must be greater than or equal to 0")
        if n == 0 and (size is None or np.prod(size)):
            raise ValueError("a cannot be empty unless no samples are taken")
        shape = sized(size)
        if not replace and int(np.prod(shape)) > n:
            raise ValueError("Cannot take a larger sample than population when 'replace=False'")
        p = asarray(p) if p is not None and not isinstance(p, ndarray) else p
        out = launch.empty(shape, np.dtype(np.int64))
        function = self._source.generator.choice
        arguments = (out._a, _choose, (function, n, shape, replace, None if p is None else p._a), {})
        launch.submit("cupy_choice", launch.store, arguments, None, launch.read(p), out.nbytes)
        return a.take(out) if isinstance(a, ndarray) else out

    def permutation(self, a: Any) -> ndarray:
        """A shuffled copy, or a permutation of ``arange(a)``."""
        n = int(a) if not isinstance(a, ndarray) else len(a)
        order = launch.empty((n,), np.dtype(np.int64))
        function = self._source.generator.permutation
        launch.submit("cupy_permutation", launch.store, (order._a, function, (n,), {}), None, 0, order.nbytes)
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


def _distribution(name: str) -> Any:
    defaults, integers = _SIMPLE[name]
    number, keywords = _PARAMETERS[name], _KEYWORDS.get(name, ())

    def call(self: RandomState, *args: Any, size: Any = None, dtype: Any = None, **named: Any) -> ndarray:
        values = list(args[:number])
        rest = args[number:]
        for keyword, default in zip(keywords, (*defaults, *(None,) * number), strict=False):
            if len(values) < number and keyword in named:
                values.append(named.pop(keyword))
            elif len(values) < number and default is not None:
                values.append(default)
        values += [d for d in defaults[len(values) :] if d is not None]
        if rest:
            size, *rest = rest
            dtype = rest[0] if rest else dtype
        if named or len(values) != number:
            raise TypeError(f"{name}() takes {number} parameters, size and dtype")
        kind = np.dtype((np.int64 if integers else np.float64) if dtype is None else dtype)
        return self._source.draw(f"{name}_kernel", name, sized(size, *values), kind, *values)

    call.__name__ = name
    call.__doc__ = f"Draw from the distribution of ``numpy.random.Generator.{name}``."
    return call


for _name in _SIMPLE:
    setattr(RandomState, _name, _distribution(_name))
