"""The order of what has none: cuDF's hash-based operations return their rows as the hash table gives them."""

from __future__ import annotations

import numpy as np

from gpusim.device import unordered


def shuffled(n: int, seed: int = 0) -> np.ndarray:
    """Return a permutation of ``n`` rows, the same for the same ``n`` and ``seed`` in every process, but in `unordered.varying`.

    Two rows keep their order; from three on it never is the identity, so that code which relies on an order fails here as it would on a GPU.
    """
    from ..options import get_option

    if get_option("mode.pandas_compatible"):
        return np.arange(n)
    if n < 3:
        return np.arange(n)
    entropy = [n, seed & 0xFFFFFFFF, *([turn] if (turn := unordered.turn()) else [])]
    order = np.random.Generator(np.random.PCG64(entropy)).permutation(n)
    return order[::-1].copy() if (order == np.arange(n)).all() else order
