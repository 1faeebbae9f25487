"""The seeds of a simulated GPU's generators, shifted by ``GPUSIM_SEED_SHIFT``.

A GPU draws other numbers than the simulator for the same seed.  What a program prints is comparable only where it does not
depend on them: a run with shifted seeds shows where it does (`kernellens try`).
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

SHIFT = "GPUSIM_SEED_SHIFT"


def shifted(seed: Any) -> Any:
    """A seed of a GPU library's generator as the simulator uses it; what is no whole number stays as it is.

    Raises
    ------
    ValueError
        If the variable is no whole number.
    """
    by = os.environ.get(SHIFT)
    if not by or not isinstance(seed, (int, np.integer)):
        return seed
    if not by.removeprefix("-").isdecimal():
        raise ValueError(f"{SHIFT} must be a whole number, not {by!r}.")
    return (int(seed) + int(by)) % 2**32  # NumPy and scikit-learn take no larger ones
