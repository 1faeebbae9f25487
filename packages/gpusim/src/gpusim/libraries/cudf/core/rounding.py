"""``round``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.core.arrays.masked import BaseMaskedArray

from .column import arrow_of, masked, storage_of
from .operators import mapped
from .wrap import classes, frame_of, make_frame


def round_array(array: Any, decimals: int, how: str) -> Any:
    """A storage array with fewer digits."""
    if not isinstance(array, BaseMaskedArray):
        if array.dtype.kind in "Mm" or isinstance(array.dtype, (pd.StringDtype, pd.CategoricalDtype)):
            return array
        import pyarrow.compute as pc

        mode = "half_to_even" if how == "half_even" else "half_towards_infinity"
        return storage_of(pc.round(arrow_of(array), ndigits=decimals, round_mode=mode))
    values = array._data
    if values.dtype.kind == "b":
        return array
    if how == "half_up":
        scale = 10.0**decimals
        found = np.sign(values) * np.floor(np.abs(values) * scale + 0.5) / scale
        found = found.astype(values.dtype)
    else:
        found = np.round(values, decimals)
    return masked(found, array._mask)


def round_frame(self: Any, decimals: Any = 0, how: str = "half_even") -> Any:
    """``round`` of Series and DataFrame."""
    if how not in {"half_even", "half_up"}:
        raise ValueError(f"{how=} must be either 'half_even' or 'half_up'")
    if isinstance(decimals, (dict, classes["Series"], pd.Series)):
        if isinstance(decimals, classes["Series"]):
            decimals = decimals.to_pandas()
        if isinstance(decimals, pd.Series):
            if not decimals.index.is_unique:
                raise ValueError("Index of decimals must be unique")
            decimals = decimals.to_dict()
        if not all(isinstance(x, (int, np.integer)) for x in decimals.values()):
            raise TypeError("Argument 'decimals' must an integer")
        p = self._p
        arrays = {i: round_array(p.iloc[:, i].array, int(decimals[c]), how) if c in decimals else p.iloc[:, i].array
                  for i, c in enumerate(p.columns)}  # fmt: skip
        return frame_of(make_frame(arrays, p.index, p.columns))
    if not isinstance(decimals, (int, np.integer)) or isinstance(decimals, bool):
        raise TypeError("decimals must be an integer, a dict-like or a Series")
    return mapped(self, lambda array: round_array(array, int(decimals), how))
