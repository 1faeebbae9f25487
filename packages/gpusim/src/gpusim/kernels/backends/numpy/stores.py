"""Stores of which several lanes want the same element, where it is left open which of them wins."""

from __future__ import annotations

import numpy as np


def store_shuffled(flat: np.ndarray, at, value, random: np.random.Generator) -> None:
    """Store each lane's value, and where several store to one element let any of them win."""
    if type(at) is not np.ndarray:
        flat[at] = value[random.integers(len(value))] if type(value) is np.ndarray else value
        return
    order = random.permutation(len(at))
    flat[at[order]] = value[order] if type(value) is np.ndarray else value
