"""The order of what has none: cuDF's hash-based operations return their rows as the hash table gives them."""

from __future__ import annotations

import numpy as np

from gpusim.device import unordered

RUN = 4096
"""Rows that stay together: a run of a column's values stays in a CPU's cache while its rows are gathered."""


def shuffled(n: int, seed: int = 0) -> np.ndarray:
    """Return a permutation of ``n`` rows, the same for the same ``n`` and ``seed`` in every process, but in `unordered.varying`.

    Two rows keep their order; from three on it never is the identity, so that code which relies on an order fails here as it would on a GPU.
    Runs of `RUN` rows come in any order, and the rows of each in one that all runs have.
    """
    from ..options import get_option

    if get_option("mode.pandas_compatible"):
        return np.arange(n)
    if n < 3:
        return np.arange(n)
    entropy = [n, seed & 0xFFFFFFFF, *([turn] if (turn := unordered.turn()) else [])]
    random = np.random.Generator(np.random.PCG64(entropy))
    run = min(n, RUN)
    order = (random.permutation(-(-n // run))[:, None] * run + random.permutation(run)).ravel()
    order = order[order < n]
    return order[::-1].copy() if (order == np.arange(n)).all() else order
