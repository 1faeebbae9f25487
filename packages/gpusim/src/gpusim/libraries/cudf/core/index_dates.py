"""What indexes of times have: the fields and methods of ``Series.dt``, as indexes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from . import device
from .wrap import index_of

_MASKS = {
    "is_leap_year",
    "is_month_end",
    "is_month_start",
    "is_quarter_end",
    "is_quarter_start",
    "is_year_end",
    "is_year_start",
}
_DATES = ("year", "month", "day", "hour", "minute", "second", "microsecond", "nanosecond", "weekday", "dayofweek",
          "day_of_year", "dayofyear", "quarter", "days_in_month", "daysinmonth", *sorted(_MASKS))  # fmt: skip
_DURATIONS = ("days", "seconds", "microseconds", "nanoseconds")
_METHODS = (
    "ceil",
    "floor",
    "round",
    "strftime",
    "day_name",
    "month_name",
    "tz_localize",
    "tz_convert",
    "total_seconds",
)


def _accessor(index: Any) -> Any:
    from .accessors.datetime import DatetimeProperties, TimedeltaProperties

    series = index.to_series(index=pd.RangeIndex(len(index)))
    return DatetimeProperties(series) if index._p.dtype.kind == "M" else TimedeltaProperties(series)


def _back(index: Any, found: Any) -> Any:
    return index_of(pd.Index(found._p.array, name=index.name)) if hasattr(found, "_p") and found.ndim == 1 else found


def _field(name: str) -> property:
    def get(self: Any) -> Any:
        source = {"dayofyear": "day_of_year", "daysinmonth": "days_in_month"}.get(name, name)
        accessor = _accessor(self)
        found = getattr(accessor, name if hasattr(type(accessor), name) else source)
        if name in _MASKS:
            return device.as_cupy(np.asarray(found._p.array.fillna(False), dtype=bool))
        return _back(self, found)

    return property(get, doc=f"``{name}`` of each point in time.")


def _method(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _back(self, getattr(_accessor(self), name)(*args, **kwargs))

    method.__name__ = name
    method.__doc__ = f"``Series.dt.{name}`` of an index."
    return method


def _absent(name: str, is_property: bool) -> Any:
    def get(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{name} is not yet implemented.")

    return property(get) if is_property else get


def _unit(index: Any) -> str:
    dtype = index._p.dtype
    return dtype.unit if isinstance(dtype, pd.DatetimeTZDtype) else np.datetime_data(dtype)[0]


def add_dates(cls: type, durations: bool) -> None:
    """Give an index class its fields and methods of time."""
    for name in _DURATIONS if durations else _DATES:
        setattr(cls, name, _field(name))
    wanted = {"total_seconds", "ceil", "floor", "round"} if durations else set(_METHODS) - {"total_seconds"}
    for name in wanted:
        setattr(cls, name, _method(name))
    for name in ("resolution",) if durations else ("date", "time", "timetz", "is_normalized", "resolution"):
        setattr(cls, name, _absent(name, True))
    for name in () if durations else ("to_julian_date", "normalize", "to_period", "indexer_between_time"):
        setattr(cls, name, _absent(name, False))

    def isocalendar(self: Any) -> Any:
        """Year, week and day of the ISO calendar."""
        return _accessor(self).isocalendar().set_index(self)

    def as_unit(self: Any, unit: str, round_ok: bool = True) -> Any:
        """The same in another resolution."""
        return index_of(self._p.as_unit(unit))

    def statistic(name: str) -> Any:
        def method(self: Any, *, skipna: bool = True, **kwargs: Any) -> Any:
            return getattr(self.to_series(), name)(skipna=skipna)

        method.__name__ = name
        method.__doc__ = f"{name} of the values."
        return method

    cls.as_unit = as_unit
    cls.unit = property(_unit, doc="Resolution.")
    cls.asi8 = property(lambda self: _values(self), doc="The values as integers on the device.")
    cls.freq = property(lambda self: self._p.freq, doc="Distance of the values, where it was given.")
    cls.freqstr = property(lambda self: self._p.freqstr, doc="Distance of the values as a string.")
    cls.inferred_freq = property(lambda self: self._p.inferred_freq, doc="Distance of the values, found from them.")
    for name in ("mean", "std") + (("median", "sum") if durations else ()):
        setattr(cls, name, statistic(name))
    if durations:
        cls.components = property(lambda self: _accessor(self).components, doc="Days, hours, minutes … of each.")
        cls.to_pytimedelta = lambda self: self._p.to_pytimedelta()
    else:
        cls.isocalendar = isocalendar
        cls.tz = property(lambda self: self._p.tz, doc="Time zone.")
        cls.tzinfo = cls.tz
        cls.to_pydatetime = lambda self: self._p.to_pydatetime()


def _values(index: Any) -> Any:
    return device.as_cupy(np.asarray(index._p.asi8))
