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
    """A seed of a GPU library's generator as the simulator uses it; what is no whole number stays as it is."""
    by = os.environ.get(SHIFT)
    return int(seed) + int(by) if by and isinstance(seed, (int, np.integer)) else seed
