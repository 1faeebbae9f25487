"""``cupy.random.Generator`` and its bit generators."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import launch
from .._core.convert import array
from ._state import _float
from ._streams import Source, entropy, scaled, sized
from ._table import distribution

ndarray = launch.array_class


class BitGenerator:
    """A source of random bits.  The three kinds differ in name only: the bits are NumPy's, and depend on the kind."""

    _bits: Any = np.random.SFC64

    def __init__(self, seed: Any = None, *, size: int = -1):
        # Under this name as in CuPy: Dask spawns a child of it for each block.
        if isinstance(seed, (float, complex, np.inexact)):
            raise TypeError("SeedSequence expects int or sequence of ints for entropy not " + repr(seed))
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

    @property
    def _source(self) -> Source:
        return self.bit_generator._source

    @staticmethod
    def _check_output_array(dtype: Any, size: Any, out: Any, only_c: bool = False) -> None:
        dtype = np.dtype(dtype)
        if out.dtype.char != dtype.char:
            raise TypeError(f"Supplied output array has the wrong type. Expected {dtype.name}, got {out.dtype.name}")
        if not out.flags.forc or (only_c and not out.flags.c_contiguous):
            raise ValueError("Supplied output array is not contiguous, writable or aligned.")
        if size is not None and sized(size) != out.shape:
            raise ValueError("size must match out.shape when used together")

    def _standard(self, kernel: str, method: str, size: Any, dtype: Any, out: Any) -> ndarray:
        if out is not None:
            self._check_output_array(dtype, size, out)
        shape = sized(size) if out is None else out.shape
        return self._source.draw(kernel, method, shape, _float(dtype), out=out)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> ndarray:
        """Uniform in [0, 1)."""
        return self._standard("curand_uniform", "random", size, dtype, out)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> ndarray:
        """Normal of mean 0 and variance 1."""
        return self._standard("curand_normal", "standard_normal", size, dtype, out)

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "inv", out: Any = None
    ) -> ndarray:
        """Exponential of mean 1."""
        if method != "inv":
            raise NotImplementedError("Ziggurat method is not supported")
        return self._standard("curand_exponential", "standard_exponential", size, dtype, out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = np.float64) -> ndarray:
        """Uniform in an interval."""

        x = self._source.draw("curand_uniform", "random", sized(size, low, high), _float(dtype))
        return scaled(x, high - low, low)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> ndarray:
        """Integers of an interval."""
        if high is None:
            low, high = 0, low
        if not isinstance(low, ndarray) and not isinstance(high, ndarray):
            info, top = np.iinfo(dtype), high - (not endpoint)
            if low <= top and low < info.min:
                raise ValueError(f"low is out of bounds for {np.dtype(dtype).name}")
            if low <= top and top > info.max:
                raise ValueError(f"high is out of bounds for {np.dtype(dtype).name}")
        if not isinstance(low, ndarray) and not isinstance(high, ndarray) and low >= high + endpoint:
            raise ValueError("low >= high")
        shape, dtype = sized(size, low, high), np.dtype(dtype)
        return self._source.draw("curand_integers", "integers", shape, dtype, low, high, dtype=dtype, endpoint=endpoint)

    def standard_gamma(self, shape: Any, size: Any = None, dtype: Any = np.float64, out: Any = None) -> ndarray:
        """Gamma of scale 1."""
        if shape is None:
            raise TypeError("shape must be real number, not NoneType")
        if isinstance(shape, (str, np.ndarray, list, tuple)):
            raise ValueError("shape is required to be a cupy.ndarray or a scalar")
        if out is not None:
            self._check_output_array(dtype, size, out, only_c=True)
        kind = np.dtype(dtype)
        if kind.char not in "fd":
            raise TypeError(f"Unsupported dtype {kind.name} for standard_gamma")
        where = out.shape if out is not None else sized(size, shape)
        return self._source.draw("standard_gamma_kernel", "standard_gamma", where, kind, shape, out=out)

    def dirichlet(self, alpha: Any, size: Any = None) -> ndarray:
        """Dirichlet."""
        if isinstance(alpha, (int, float)):
            alpha = array([alpha], float)
        if not isinstance(alpha, ndarray):
            raise TypeError("alpha is required to be a cupy.ndarray or a scalar")
        return self._source.dirichlet(alpha, size, np.float64)


for _name in "beta binomial chisquare exponential f gamma geometric hypergeometric logseries poisson power".split():
    setattr(Generator, _name, distribution(_name, generator=True))


def default_rng(seed: Any = None) -> Generator:
    """A generator with the default bit generator."""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, BitGenerator) else XORWOW(seed))
