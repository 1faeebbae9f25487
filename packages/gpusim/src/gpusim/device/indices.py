"""Positions in an array, in the type that NumPy takes them in."""

from __future__ import annotations

import numpy as np


def indices(at: np.ndarray) -> np.ndarray:
    """Positions or counts as `take`, `repeat`, `bincount` and `reduceat` want them: as ``numpy.intp``.

    That is int64, and nothing is copied, on every machine but one: a browser's, whose WebAssembly has 32 bits. There those
    functions refuse an int64 that would index without fail. No array there is so long that a position would not fit.
    """
    return at.astype(np.intp, copy=False)
