"""``cupy.random.Generator`` and its bit generators."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import launch
from ._state import _distribution, _float
from ._streams import Source, entropy, sized

ndarray = launch.array_class


class BitGenerator:
    """A source of random bits.  The three kinds differ in name only: the bits are NumPy's, and depend on the kind."""

    _bits: Any = np.random.SFC64

    def __init__(self, seed: Any = None, *, size: int = -1):
        # Under this name as in CuPy: Dask spawns a child of it for each block.
        self._seed_seq = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(entropy(seed))
        self._source = Source(self._seed_seq, self._bits)

    def random_raw(self, size: Any = None, out: bool = False) -> ndarray:
        """Random unsigned integers of 32 bits."""
        return self._source.draw("curand_raw", "integers", sized(size), np.uint32, 0, 2**32, dtype=np.uint32)


class XORWOW(BitGenerator):
    """CuPy's default kind."""


class MRG32k3a(BitGenerator):
    """Another kind."""

    _bits = np.random.PCG64DXSM


class Philox4x3210(BitGenerator):
    """Another kind."""

    _bits = np.random.Philox


class Generator:
    """Random numbers from a bit generator."""

    def __init__(self, bit_generator: BitGenerator):
        self.bit_generator = bit_generator
        self._source = bit_generator._source

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> ndarray:
        """Uniform in [0, 1)."""
        shape = sized(size) if out is None or size is not None else out.shape
        return self._source.draw("curand_uniform", "random", shape, _float(dtype), out=out)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> ndarray:
        """Normal of mean 0 and variance 1."""
        shape = sized(size) if out is None or size is not None else out.shape
        return self._source.draw("curand_normal", "standard_normal", shape, _float(dtype), out=out)

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "inv", out: Any = None
    ) -> ndarray:
        """Exponential of mean 1."""
        if method != "inv":
            raise NotImplementedError("Ziggurat method is not supported")
        shape = sized(size) if out is None or size is not None else out.shape
        return self._source.draw("curand_exponential", "standard_exponential", shape, _float(dtype), out=out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = np.float64) -> ndarray:
        """Uniform in an interval."""
        from ._streams import scaled

        x = self._source.draw("curand_uniform", "random", sized(size, low, high), _float(dtype))
        return scaled(x, high - low, low)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> ndarray:
        """Integers of an interval."""
        if high is None:
            low, high = 0, low
        if not isinstance(low, ndarray) and not isinstance(high, ndarray) and low >= high + endpoint:
            raise ValueError("low >= high" if not endpoint else "low > high")
        shape, dtype = sized(size, low, high), np.dtype(dtype)
        return self._source.draw("curand_integers", "integers", shape, dtype, low, high, dtype=dtype, endpoint=endpoint)


for _name in "beta binomial chisquare exponential f gamma geometric hypergeometric logseries poisson power standard_gamma".split():
    setattr(Generator, _name, _distribution(_name))


def default_rng(seed: Any = None) -> Generator:
    """A generator with the default bit generator."""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, BitGenerator) else XORWOW(seed))
