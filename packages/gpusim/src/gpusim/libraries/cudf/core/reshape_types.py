"""Which type columns have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .cast import cast
from .column import dtype_of, normal
from .dtypes import (
    STR,
    CategoricalDtype,
    Decimal32Dtype,
    Decimal64Dtype,
    Decimal128Dtype,
    DecimalDtype,
    IntervalDtype,
    ListDtype,
    StructDtype,
)


def find_common_type(dtypes: list) -> Any:
    """The dtype that holds the values of all of some dtypes, as cuDF chooses it.

    Raises
    ------
    NotImplementedError
        For lists, structs and intervals with anything else, and for categories of different types.
    """
    if not dtypes:
        raise ValueError("no types given")
    if any(isinstance(d, CategoricalDtype) for d in dtypes):
        if all(isinstance(d, CategoricalDtype) and not d.ordered for d in dtypes):
            kinds = {d.categories.dtype for d in dtypes}
            if len(kinds) == 1:
                union = dtypes[0]._categories
                for d in dtypes[1:]:
                    union = union.append(d._categories.difference(union, sort=False))
                return CategoricalDtype(union)
            raise NotImplementedError(
                "Only unordered categories of the same underlying type may be currently coerced to a common type."
            )
        return find_common_type([d.categories.dtype if isinstance(d, CategoricalDtype) else d for d in dtypes])
    different = []
    for d in dtypes:
        if d not in different:
            different.append(d)
    if len(different) == 1:
        return different[0]
    if any(isinstance(d, DecimalDtype) for d in different):
        if all(isinstance(d, DecimalDtype) or getattr(d, "kind", "") in "iufb" for d in different):
            decimals = [d for d in different if isinstance(d, DecimalDtype)]

            scale = max(d.scale for d in decimals)
            precision = scale + max(d.precision - d.scale for d in decimals)
            for kind in (Decimal32Dtype, Decimal64Dtype):
                if precision <= kind.MAX_PRECISION:
                    return kind(precision, scale)
            return Decimal128Dtype(min(38, precision), scale)
        return STR
    if any(isinstance(d, (ListDtype, StructDtype, IntervalDtype)) for d in different):
        raise NotImplementedError("Finding a common type for `ListDtype` or `StructDtype` is currently not supported")
    try:
        common = np.result_type(*different)
    except TypeError:
        from pandas.core.computation.common import result_type_many

        common = result_type_many(*different)
    return np.dtype(np.float32) if common == np.float16 else common


def common_storage(arrays: list, found: pd.Series) -> Any:
    """A row of several columns as one storage array of their common type, None where pandas' answer will do."""
    dtypes = [dtype_of(a.dtype) for a in arrays]
    try:
        target = find_common_type(dtypes)
    except NotImplementedError:
        return None
    except TypeError:
        return "mixed"
    text = [d == STR for d in dtypes]
    if any(text) and not all(text):
        return "mixed"
    return cast(normal(found.array), target) if not isinstance(target, CategoricalDtype) else None
