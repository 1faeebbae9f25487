"""A simulated cuDF that computes on the CPU, on pandas and Arrow, and keeps cuDF's rules.

Nulls are kept apart from NaN, what has no order comes in an order of its own, and what cuDF refuses is refused in its
words.
"""

from __future__ import annotations

from gpusim.importing.names import refuser

from . import core, errors, options  # isort: skip
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

from .core.multiindex import MultiIndex  # isort: skip
from .core.series import Series  # isort: skip
from .core.dataframe import DataFrame, from_pandas  # isort: skip
from . import api, datasets, testing, utils
from .api.extensions import register_dataframe_accessor, register_index_accessor, register_series_accessor
from .core.encode import cut, factorize, get_dummies, unique
from .core.groupby import Grouper, NamedAgg
from .core.join import merge
from .core.missing import NA, NaT
from .core.reshape import concat, crosstab, melt, pivot, pivot_table, unstack
from .core.tools.datetimes import DateOffset, date_range, to_datetime
from .core.tools.numeric import to_numeric
from .options import describe_option, get_option, option_context, set_option

_READERS = {"from_dlpack", "read_avro", "read_csv", "read_feather", "read_hdf", "read_json", "read_orc", "read_parquet",
            "read_text"}  # fmt: skip
__version__ = "26.10.02+gpusim"
__git_commit__ = ""
_refuse = refuser("cudf")


def __getattr__(name: str):
    # The readers come on first use: they need parts of Arrow that take a while to import.
    if name in _READERS:
        from . import io

        return getattr(io, name)
    if name == "io":
        import importlib

        return importlib.import_module("cudf.io")
    return _refuse(name)


def _use_rmm(*libraries: str) -> None:
    """Let CuPy and Numba take their memory from RMM, as the real cuDF does.  Each calls this, too, if it is imported later."""
    import sys

    if "cupy" in libraries and "cupy" in sys.modules:
        from rmm.allocators.cupy import rmm_cupy_allocator

        sys.modules["cupy"].cuda.set_allocator(rmm_cupy_allocator)
    if "numba.cuda" in libraries and "numba.cuda" in sys.modules:
        from rmm.allocators.numba import RMMNumbaManager

        sys.modules["numba.cuda"].set_memory_manager(RMMNumbaManager)


_use_rmm("cupy", "numba.cuda")

__all__ = [
    "NA", "CategoricalDtype", "CategoricalIndex", "DataFrame", "DateOffset", "DatetimeIndex", "Decimal32Dtype",
    "Decimal64Dtype", "Decimal128Dtype", "Grouper", "Index", "IntervalDtype", "IntervalIndex", "ListDtype", "MultiIndex",
    "NaT", "NamedAgg", "RangeIndex", "Series", "StructDtype", "TimedeltaIndex", "api", "concat", "core", "crosstab", "cut",
    "datasets", "date_range", "describe_option", "dtype", "errors", "factorize", "from_pandas", "get_dummies", "get_option",
    "interval_range", "melt", "merge", "option_context", "options", "pivot", "pivot_table", "register_dataframe_accessor",
    "register_index_accessor", "register_series_accessor", "set_option", "testing", "to_datetime", "to_numeric", "unique",
    "unstack", "utils", *sorted(_READERS),
]  # fmt: skip
