"""``to_datetime``, ``date_range``, ``DateOffset``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from gpusim.device import queue

from ..binary import family
from ..cast import cast
from ..column import normal
from ..device import count
from ..guard import kept
from ..host import to_host
from ..wrap import classes, index_of, series_of


@kept
def to_datetime(arg: Any, errors: str = "raise", dayfirst: bool = False, yearfirst: bool = False, utc: bool = False,
                format: Any = None, exact: bool = True, unit: Any = None, origin: Any = "unix", cache: bool = True) -> Any:  # fmt: skip
    """Points in time of strings, of numbers with a unit, or of a frame of year, month, day."""
    if errors not in {"ignore", "raise", "coerce", "warn"}:
        raise ValueError(
            f"errors parameter has to be either one of: {['ignore', 'raise', 'coerce', 'warn']}, found: {errors}"
        )
    if errors in {"warn"} and not pd.api.types.is_scalar(arg):
        raise NotImplementedError(f"{errors=} is not implemented when arg is not scalar-like")
    if errors == "ignore":
        warnings.warn(
            "errors='ignore' is deprecated and will raise in a future version. Use to_datetime without passing `errors` "
            "and catch exceptions explicitly instead", FutureWarning, stacklevel=3)  # fmt: skip
    if arg is None:
        return None
    if exact is False:
        raise NotImplementedError("exact support is not yet implemented")
    if origin != "unix":
        raise NotImplementedError("origin support is not yet implemented")
    if yearfirst:
        raise NotImplementedError("yearfirst support is not yet implemented")
    if format is not None and ("%Z" in format or "%z" in format):
        raise NotImplementedError("cuDF does not yet support timezone-aware datetimes")
    if isinstance(arg, classes["DataFrame"]):
        with queue.suspended_account():  # cuDF adds the columns up where they lie
            made = classes["Series"](pd.to_datetime(arg.to_pandas(), errors=errors))
        count("cudf_to_datetime", 8 * arg.size, 8 * len(made), reads=arg, writes=made)
        return made
    if pd.api.types.is_scalar(arg):
        found = pd.to_datetime(arg, errors=errors, dayfirst=dayfirst, utc=utc, format=format, unit=unit)
        return found.to_numpy() if isinstance(found, pd.Timestamp) and found.tz is None else found
    column = (
        arg
        if hasattr(arg, "_storage")
        else classes["Series"](arg)
        if not isinstance(arg, pd.Index)
        else classes["Index"](arg)
    )
    array = column._storage
    if family(array) == "number" and array._data.dtype.kind == "b":
        raise TypeError("dtype bool cannot be converted to datetime64[ns]")
    try:
        found = _convert(array, errors, dayfirst, utc, format, unit)
    except Exception:
        if errors == "ignore":
            return arg
        raise
    if isinstance(arg, (classes["Series"], pd.Series)):
        return series_of(pd.Series(found, index=column._p.index, name=column.name))
    return index_of(pd.Index(found, name=getattr(arg, "name", None)))


def _convert(array: Any, errors: str, dayfirst: bool, utc: bool, format: Any, unit: Any) -> Any:
    kind = family(array)
    if kind in ("M", "tz"):
        return pd.Series(array).dt.tz_localize("UTC").array if utc and kind == "M" else array
    if kind == "m":
        raise TypeError(f"dtype {array.dtype} cannot be converted to datetime64[ns]")
    host = to_host(array)
    if kind == "number":
        if unit is None and format is None:
            unit = "ns"
        found = pd.to_datetime(
            pd.Series(host), errors=errors, unit=unit if format is None else None, format=format, utc=utc
        )
        return normal(found.array)
    values = pd.Series(host)
    found = pd.to_datetime(values, errors=errors, dayfirst=dayfirst, format=format, utc=utc)
    return normal(found.array)


_UNITS = {
    "years",
    "months",
    "weeks",
    "days",
    "hours",
    "minutes",
    "seconds",
    "milliseconds",
    "microseconds",
    "nanoseconds",
}
_OTHERS = {"year", "month", "day", "weekday", "hour", "minute", "second", "microsecond", "millisecond", "nanosecond"}


class DateOffset:
    """A length of time in calendar units: ``DateOffset(months=1, days=2)``."""

    def __init__(self, n: int = 1, normalize: bool = False, **kwds: Any) -> None:
        if normalize:
            raise NotImplementedError("normalize not yet supported for DateOffset")
        invalid = set(kwds) - _UNITS - _OTHERS
        if invalid:
            raise TypeError(f"Keyword arguments '{','.join(list(invalid))}' are not recognized")
        unsupported = set(kwds) & _OTHERS
        if unsupported:
            raise NotImplementedError(f"Keyword arguments '{','.join(list(unsupported))}' are not yet supported.")
        if any(not isinstance(v, (int, np.integer)) for v in kwds.values()):
            raise ValueError("Non-integer periods not supported")
        self._n, self._kwds = n, kwds
        self._host = pd.DateOffset(n, **kwds)

    def _apply(self, other: Any, sign: int) -> Any:
        array = other._storage
        if array.dtype.kind != "M":
            raise TypeError(f"Can not {'add' if sign > 0 else 'subtract'} a {type(self).__name__} to a {array.dtype}")
        series = pd.Series(array)
        found = series + self._host if sign > 0 else series - self._host
        target = array.dtype
        out = normal(found.array)
        out = cast(out, target) if out.dtype != target and isinstance(target, np.dtype) else out
        if isinstance(other, classes["Series"]):
            return series_of(pd.Series(out, index=other._p.index, name=other.name))
        return index_of(pd.Index(out, name=other.name))

    def __add__(self, other: Any) -> Any:
        return self._apply(other, 1) if hasattr(other, "_storage") else NotImplemented

    __radd__ = __add__

    def __rsub__(self, other: Any) -> Any:
        return self._apply(other, -1) if hasattr(other, "_storage") else NotImplemented

    def __neg__(self) -> DateOffset:
        return DateOffset(-self._n, **self._kwds)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, DateOffset) and self._kwds == other._kwds and self._n == other._n

    __hash__ = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(f'{k}={v}' for k, v in self._kwds.items())}>"


@kept
def date_range(start: Any = None, end: Any = None, periods: Any = None, freq: Any = None, tz: Any = None,
               normalize: bool = False, name: Any = None, inclusive: str = "both", *, unit: Any = None) -> Any:  # fmt: skip
    """Points in time at equal distances."""
    if inclusive != "both":
        raise NotImplementedError(f"{inclusive=} is currently unsupported.")
    if normalize is not False:
        raise NotImplementedError(f"{normalize=} is currently unsupported.")
    if freq is None and any(x is None for x in (start, end, periods)):
        freq = "D"
    if sum(x is not None for x in (start, end, periods, freq)) != 3:
        raise ValueError("Of the four parameters: start, end, periods, and freq, exactly three must be specified")
    if periods is not None and not isinstance(periods, (int, np.integer)):
        raise TypeError(f"periods must be an integer, got {periods}")
    if isinstance(freq, DateOffset):
        freq = freq._host
    elif freq is not None and not isinstance(freq, (str, pd.DateOffset)):
        raise TypeError("`freq` must be a `str` or cudf.DateOffset object.")
    elif isinstance(freq, str):
        offset = pd.tseries.frequencies.to_offset(freq)
        if not isinstance(offset, (pd.tseries.offsets.Tick, pd.tseries.offsets.Week)) and type(offset).__name__ not in (
            "Day",
        ):
            raise ValueError(
                f"Unrecognized frequency string {freq}. cuDF does not yet support month, quarter, year-anchored frequency."
            )
    options = {} if unit is None else {"unit": unit}
    return index_of(pd.date_range(start, end, periods, freq, tz, name=name, **options))
