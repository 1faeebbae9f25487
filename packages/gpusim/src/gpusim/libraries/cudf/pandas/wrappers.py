"""Which classes of pandas have proxies, and which of cuDF's they stand for."""

from __future__ import annotations

from typing import Any

import pandas as pd

_done = False


def setup() -> None:
    """Make the proxies, once; from here on the real pandas is known to everything that must know it."""
    global _done
    if _done:
        return
    import cudf
    import pyarrow as pa

    from ._final import make
    from .accessors import make_chain

    pa.Table.from_pandas(pd.DataFrame({"a": [1]}))  # Arrow looks for pandas at its first use
    pd.DataFrame({"a": [1]}).groupby("a").sum().rolling(1).sum()
    for module in ("pandas.core.resample", "pandas.core.window", "pandas.plotting", "pandas.testing", "pandas.api.types",
                   "pandas.tseries.offsets", "pandas.errors", "pandas.api.extensions", "pandas.io.formats.style"):  # fmt: skip
        try:
            __import__(module)
        except ImportError:  # it needs something that is not installed
            pass
    make("DataFrame", pd.DataFrame, cudf.DataFrame)
    make("Series", pd.Series, cudf.Series)
    index = make("Index", pd.Index, cudf.Index)
    for name in ("RangeIndex", "CategoricalIndex", "DatetimeIndex", "TimedeltaIndex", "IntervalIndex", "MultiIndex"):
        make(name, getattr(pd, name), getattr(cudf, name, None), bases=(index,))
    make("PeriodIndex", pd.PeriodIndex, None, bases=(index,))
    _chains(cudf, make_chain)
    _done = True


def _chains(cudf: Any, make_chain: Any) -> None:
    frame = cudf.DataFrame({"a": [1, 2], "t": cudf.Series([0, 1]).astype("datetime64[ns]")})
    host = pd.DataFrame({"a": [1, 2], "t": pd.to_datetime([0, 1])})
    series, host_series = frame["a"], host["a"]
    timed, host_timed = frame.set_index("t"), host.set_index("t")
    pairs = {
        "DataFrameGroupBy": lambda one, ser, tim: one.groupby("a"),
        "SeriesGroupBy": lambda one, ser, tim: ser.groupby(ser),
        "Rolling": lambda one, ser, tim: ser.rolling(1),
        "ExponentialMovingWindow": lambda one, ser, tim: ser.ewm(1),
        "Expanding": lambda one, ser, tim: ser.expanding(),
        "RollingGroupby": lambda one, ser, tim: one.groupby("a").rolling(1),
        "ExpandingGroupby": lambda one, ser, tim: one.groupby("a").expanding(),
        "DatetimeIndexResampler": lambda one, ser, tim: tim.resample("1D"),
    }
    for name, get in pairs.items():
        slow = type(get(host, host_series, host_timed))
        try:
            fast = (type(get(frame, series, timed)),)
        except Exception:  # cuDF has none of these
            fast = ()
        if any(one.__module__.partition(".")[0] == "pandas" for one in fast):
            fast = ()
        make_chain(name, slow, fast)
