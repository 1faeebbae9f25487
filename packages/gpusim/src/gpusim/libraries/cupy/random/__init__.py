"""Random numbers on the device: seeded, queued, and not cuRAND's (see :mod:`cupy.random._streams`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import launch
from ._generator import get_random_state, reset_states, set_random_state
from ._generator_api import XORWOW, BitGenerator, Generator, MRG32k3a, Philox4x3210, default_rng
from ._state import RandomState
from ._table import DISTRIBUTIONS


def seed(seed: Any = None) -> None:
    """Start the stream anew."""
    get_random_state().seed(seed)


def bytes(length: int) -> Any:
    """Random bytes, drawn on the host as in CuPy."""
    return np.random.bytes(length)


def random_integers(low: int, high: int | None = None, size: Any = None) -> Any:
    """Integers of a closed interval."""
    if high is None:
        low, high = 1, low
    return randint(low, high + 1, size)


def multinomial(n: int, pvals: Any, size: Any = None) -> Any:
    """Multinomial."""

    generator = get_random_state()._source.generator
    return launch.now("cupy_multinomial", generator.multinomial, n, pvals, size)


def _from_state(name: str) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(get_random_state(), name)(*args, **kwargs)

    call.__name__ = name
    call.__doc__ = getattr(RandomState, name).__doc__
    return call


_NAMES = [
    *DISTRIBUTIONS, "choice", "dirichlet", "lognormal", "multivariate_normal", "normal", "permutation", "rand", "randint",
    "randn", "random_sample", "shuffle", "standard_normal", "uniform",
]  # fmt: skip
for _name in _NAMES:
    globals()[_name] = _from_state(_name)
random = ranf = sample = random_sample  # noqa: F821
randint = globals()["randint"]
__all__ = [
    *_NAMES, "BitGenerator", "Generator", "MRG32k3a", "Philox4x3210", "RandomState", "XORWOW", "bytes", "default_rng",
    "get_random_state", "multinomial", "random", "random_integers", "ranf", "reset_states", "sample", "seed",
    "set_random_state",
]  # fmt: skip
