"""Casting floats to integers as a GPU does it: what does not fit becomes the nearest integer that does.

C leaves it undefined.  NumPy takes what the processor gives (-1.0 becomes 4294967295 as ``uint32``), the GPU's
instruction ``cvt`` clamps (to 0), and CuPy's documentation names this first among its differences from NumPy.
"""

from __future__ import annotations

import numpy as np


def convert(destination: np.ndarray, source: np.ndarray, casting: str = "unsafe") -> None:
    """Copy floats into integers; takes the arguments of ``numpy.copyto``.

    Types of 8 and 16 bits are converted to 32 and cut off, as there is no instruction for them.  NaN becomes 0, or only
    the highest bit where either type has 64 (PTX ISA, *cvt*).
    """
    if source.dtype.char == "e":  # CuPy's half is converted to float first
        source = source.astype(np.float32)
    own = np.iinfo(destination.dtype)
    # Both comparisons are false where there is a NaN.
    if source.min() > float(own.min) - (own.bits < 64) and source.max() < float(own.max) + (own.bits < 64):
        np.copyto(destination, source, "unsafe")
        return
    wide = destination.dtype if own.bits >= 32 else np.dtype(np.int32 if own.kind == "i" else np.uint32)
    info = np.iinfo(wide)
    low, high = source <= float(info.min), source >= float(info.max)
    unknown = np.isnan(source)
    result = np.where(low | high | unknown, 0, source).astype(wide)
    result[low], result[high] = info.min, info.max
    if source.dtype.itemsize == 8 or info.bits == 64:
        result[unknown] = wide.type(info.min) if info.kind == "i" else wide.type(1 << (info.bits - 1))
    np.copyto(destination, result, "unsafe")
