"""A stand-in for cuDF that computes on the CPU, on pandas and Arrow, and keeps cuDF's rules."""

from __future__ import annotations

from hundredfold.simulate.names import refuser

from . import core, errors, options
from .core.dtypes import (
    CategoricalDtype,
    Decimal32Dtype,
    Decimal64Dtype,
    Decimal128Dtype,
    IntervalDtype,
    ListDtype,
    StructDtype,
    dtype,
)
from .core.index import (
    CategoricalIndex,
    DatetimeIndex,
    Index,
    IntervalIndex,
    RangeIndex,
    TimedeltaIndex,
    interval_range,
)
from .core.multiindex import MultiIndex
from .core.series import Series  # isort: skip
from .core.dataframe import DataFrame, from_pandas
from .core.missing import NA, NaT
from .options import describe_option, get_option, option_context, set_option

__version__ = "26.10.02+hundredfold"
__git_commit__ = ""
__getattr__ = refuser("cudf")
