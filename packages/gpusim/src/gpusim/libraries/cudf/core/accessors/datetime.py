"""``Series.dt``: fields of dates and of durations, in cuDF's widths (int32; int16 for days of the year and of the month)."""

from __future__ import annotations

import calendar
import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from .base_accessor import BaseAccessor

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
FREQUENCIES = {
    "D": 86_400 * 10**9, "h": 3_600 * 10**9, "min": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1,
}  # fmt: skip
SPECIFIERS = set("YymdHIMSfzZpjWwUuVGaAbB")


def to_integers(array: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the counts of a column of times, and where they are null."""
    integers = array.cast(pa.int64(), safe=False)
    return integers.fill_null(0).to_numpy(zero_copy_only=False), np.asarray(array.is_null())


def from_integers(values: np.ndarray, nulls: np.ndarray, type: pa.DataType) -> pa.Array:
    """Return counts as a column, null where they are."""
    return pa.array(values, mask=nulls).cast(type) if len(values) else pa.array([], type)


def rounded(array: pa.Array, freq: str, how: str) -> pa.Array:
    """Round times to a unit: "floor", "ceil" or "round" (half to even)."""
    if freq not in FREQUENCIES:
        raise ValueError(f"Invalid resolution: '{freq}'")
    step = FREQUENCIES[freq] // NANOSECONDS[array.type.unit]
    if step <= 1:
        return array
    values, nulls = to_integers(array)
    low = values // step * step
    rest = values - low
    if how == "ceil":
        low = np.where(rest > 0, low + step, low)
    elif how == "round":
        up = (rest * 2 > step) | ((rest * 2 == step) & (low // step % 2 != 0))
        low = np.where(up, low + step, low)
    return from_integers(low, nulls, array.type)


def local(array: pa.Array) -> pa.Array:
    """Return what the clocks of a column's time zone show, without the zone."""
    return pc.local_timestamp(array) if array.type.tz else array


def localized(array: pa.Array, tz: str) -> pa.Array:
    """Return clock times as times in a zone; null where a clock shows none, or two."""
    pandas = pd.DatetimeIndex(local(array).to_pandas()).tz_localize(str(tz), ambiguous="NaT", nonexistent="NaT")
    return pa.array(pandas, type=pa.timestamp(array.type.unit, str(tz)))


def formatted(array: pa.Array, date_format: str) -> pa.Array:
    """Return times written as a format says, with libcudf's ``%3f``, ``%6f`` and ``%9f``."""
    for found in re.finditer("%(%|([0-9]?)(.?))", date_format):
        digit, letter = found.group(2), found.group(3)
        if found.group(1) == "%":
            continue
        if not letter:
            raise ValueError("Unfinished specifier in timestamp format")
        if digit and letter != "f":
            raise ValueError(f"precision not supported for specifier: {letter}")
        if letter not in SPECIFIERS:
            raise ValueError(f"invalid format specifier: {letter}")
    values, nulls = to_integers(array)
    fractions = values % (10**9 // NANOSECONDS[array.type.unit]) * NANOSECONDS[array.type.unit]
    places = [None]

    def fraction(found: re.Match) -> str:
        if found.group() == "%%":
            return "%%"
        places[0] = int(found.group(1) or 6)
        return f"\x01{places[0]}\x01"

    masked = re.sub("%%|%([0-9]?)f", fraction, date_format)
    times = pd.DatetimeIndex(array.to_pandas())
    if array.type.tz is None and re.search("(?<!%)%[zZ]", masked):
        times = times.tz_localize("UTC")  # libcudf's times without a zone are UTC
    texts = times.strftime(masked)
    out = []
    for text, null, part in zip(texts, nulls, fractions, strict=True):
        if null:
            out.append(None)
        else:
            out.append(re.sub("\x01([0-9])\x01", lambda found, part=part: f"{part:09d}"[: int(found.group(1))], text))
    return pa.array(out, pa.string())


class BaseDatelikeProperties(BaseAccessor):
    """What the fields of dates and of durations share."""

    def __setattr__(self, key: str, value: Any) -> None:
        if key not in ("_parent",):
            raise AttributeError(f"You cannot add any new attribute '{key}'")
        object.__setattr__(self, key, value)

    @property
    def series(self) -> Any:
        """The Series."""
        return self._parent


def _field(function: Any, type: pa.DataType, doc: str, false: bool = False) -> property:
    def get(self: Any) -> Any:
        result = function(local(self._array)).cast(type)
        return self._return_or_inplace(pc.fill_null(result, False) if false else result)

    return property(get, doc=doc)


def _is(array: pa.Array, months: tuple[int, ...] | None, last: bool) -> pa.Array:
    day = pc.equal(pc.day(array), _days_in_month(array) if last else 1)
    if months is None:
        return day
    return pc.and_(day, pc.is_in(pc.month(array), value_set=pa.array(months, pa.int64())))


def _days_in_month(array: pa.Array) -> pa.Array:
    long = pc.is_in(pc.month(array), value_set=pa.array([1, 3, 5, 7, 8, 10, 12], pa.int64()))
    february = pc.if_else(pc.is_leap_year(array), 29, 28)
    return pc.if_else(
        pc.is_null(array),
        pa.scalar(None, pa.int64()),
        pc.if_else(pc.equal(pc.month(array), 2), february, pc.if_else(long, 31, 30)).cast(pa.int64()),
    )


def _not_yet(name: str) -> property:
    def get(self: Any) -> Any:
        raise NotImplementedError(f"{name} is not yet implemented.")

    return property(get, doc=f"{name}: cuDF has it not.")


class DatetimeProperties(BaseDatelikeProperties):
    """Fields of dates; of a column of durations `TimedeltaProperties`.

    Parameters
    ----------
    parent : cudf.Series
        Of dates or durations.
    """

    def __new__(cls, parent: Any) -> Any:
        type = parent._arrow.type
        if pa.types.is_duration(type):
            return TimedeltaProperties(parent)
        if not pa.types.is_timestamp(type):
            raise AttributeError("Can only use .dt accessor with datetimelike values")
        return super().__new__(cls)

    year = _field(pc.year, pa.int32(), "Year (int32).")
    month = _field(pc.month, pa.int32(), "Month, from 1 (int32).")
    day = _field(pc.day, pa.int32(), "Day of the month, from 1 (int32).")
    hour = _field(pc.hour, pa.int32(), "Hour (int32).")
    minute = _field(pc.minute, pa.int32(), "Minute (int32).")
    second = _field(pc.second, pa.int32(), "Second (int32).")
    microsecond = _field(
        lambda a: pc.add(pc.multiply(pc.millisecond(a), 1000), pc.microsecond(a)), pa.int32(), "Microsecond (int32)."
    )
    nanosecond = _field(pc.nanosecond, pa.int32(), "Nanosecond (int32).")
    weekday = _field(pc.day_of_week, pa.int32(), "Day of the week, Monday is 0 (int32).")
    dayofweek = day_of_week = _field(pc.day_of_week, pa.int32(), "Day of the week, Monday is 0 (int32).")
    dayofyear = day_of_year = _field(pc.day_of_year, pa.int16(), "Day of the year, from 1 (int16).")
    quarter = _field(pc.quarter, pa.int8(), "Quarter, from 1 (int8).")
    days_in_month = daysinmonth = _field(_days_in_month, pa.int16(), "Days of the month (int16).")
    is_leap_year = _field(pc.is_leap_year, pa.bool_(), "Whether in a leap year; False for null.", True)
    is_month_start = _field(lambda a: _is(a, None, False), pa.bool_(), "Whether a month's first day.", True)
    is_month_end = _field(lambda a: _is(a, None, True), pa.bool_(), "Whether a month's last day.", True)
    is_quarter_start = _field(
        lambda a: _is(a, (1, 4, 7, 10), False), pa.bool_(), "Whether a quarter's first day.", True
    )
    is_quarter_end = _field(lambda a: _is(a, (3, 6, 9, 12), True), pa.bool_(), "Whether a quarter's last day.", True)
    is_year_start = _field(lambda a: _is(a, (1,), False), pa.bool_(), "Whether a year's first day.", True)
    is_year_end = _field(lambda a: _is(a, (12,), True), pa.bool_(), "Whether a year's last day.", True)
    freq, date, time, timetz = _not_yet("freq"), _not_yet("date"), _not_yet("time"), _not_yet("timetz")

    @property
    def tz(self) -> Any:
        """The time zone, None without one."""
        return getattr(self._parent.dtype, "tz", None)

    @property
    def unit(self) -> str:
        """The resolution: "s", "ms", "us" or "ns"."""
        return self._array.type.unit

    def _names(self, field: pa.Array, names: list[str], locale: str | None) -> Any:
        if locale is not None:
            raise NotImplementedError(
                "Setting a locale is currently not supported. Results will be returned in your current locale."
            )
        return self._return_or_inplace(pa.array(names, pa.string()).take(field))

    def day_name(self, locale: str | None = None) -> Any:
        """Return the name of the day of the week."""
        return self._names(pc.day_of_week(local(self._array)), list(calendar.day_name), locale)

    def month_name(self, locale: str | None = None) -> Any:
        """Return the name of the month."""
        return self._names(pc.month(local(self._array)), list(calendar.month_name), locale)

    def isocalendar(self) -> Any:
        """Return a frame of the ISO year, week and day (uint32)."""
        parts = pc.iso_calendar(local(self._array))
        names = {"year": "iso_year", "week": "iso_week", "day": "iso_day_of_week"}
        columns = {name: pc.struct_field(parts, field).cast(pa.uint32()) for name, field in names.items()}
        return self._return_or_inplace(columns, expand=True)

    def _rounded(self, freq: str, how: str) -> Any:
        array = rounded(local(self._array), freq, how)
        return self._return_or_inplace(localized(array, self._array.type.tz) if self._array.type.tz else array)

    def ceil(self, freq: str) -> Any:
        """Round up to "D", "h", "min", "s", "ms", "us" or "ns"; no other frequency."""
        return self._rounded(freq, "ceil")

    def floor(self, freq: str) -> Any:
        """Round down to "D", "h", "min", "s", "ms", "us" or "ns"; no other frequency."""
        return self._rounded(freq, "floor")

    def round(self, freq: str) -> Any:
        """Round to "D", "h", "min", "s", "ms", "us" or "ns", half to even; no other frequency."""
        return self._rounded(freq, "round")

    def strftime(self, date_format: str, *args: Any, **kwargs: Any) -> Any:
        """Return the times as text."""
        if not isinstance(date_format, str):
            raise TypeError(f"'date_format' must be str, not {type(date_format)}")
        for refused in ("%c", "%x", "%X"):
            if refused in date_format:
                raise NotImplementedError(
                    f"{refused} date-time format is not supported yet, Please follow this issue "
                    "https://github.com/NVIDIA/cudf/issues/5991 for tracking purposes."
                )
        array = self._array
        if not re.search("(?<!%)%[zZ]", date_format):
            array = local(array)
        return self._return_or_inplace(formatted(array, date_format))

    def tz_localize(self, tz: Any, ambiguous: str = "NaT", nonexistent: str = "NaT") -> Any:
        """Say which zone's clock the times are of; null where that clock shows none, or two."""
        if tz is None:
            return self._return_or_inplace(local(self._array))
        if ambiguous != "NaT":
            raise NotImplementedError("Only ambiguous='NaT' is currently supported")
        if nonexistent != "NaT":
            raise NotImplementedError("Only nonexistent='NaT' is currently supported")
        if self._array.type.tz:
            raise ValueError("Already localized. Use `tz_convert` to convert between time zones.")
        return self._return_or_inplace(localized(self._array, tz))

    def tz_convert(self, tz: Any) -> Any:
        """Show the same times on another zone's clock; None: on UTC's, without a zone."""
        array = self._array
        if not array.type.tz:
            raise TypeError("Cannot convert tz-naive timestamps, use tz_localize to localize")
        if tz is None:
            return self._return_or_inplace(
                array.cast(pa.timestamp(array.type.unit, "UTC")).cast(pa.timestamp(array.type.unit))
            )
        return self._return_or_inplace(array.cast(pa.timestamp(array.type.unit, str(tz))))

    def to_pydatetime(self) -> Any:
        """Return Python's datetimes, on the host."""
        return self._parent.to_pandas().dt.to_pydatetime()


class TimedeltaProperties(BaseDatelikeProperties):
    """Fields of durations.

    Parameters
    ----------
    parent : cudf.Series
        Of durations.
    """

    def _part(self, above: int | None, unit: int, type: pa.DataType) -> pa.Array:
        values, nulls = to_integers(self._array)
        scale = NANOSECONDS[self._array.type.unit]
        if above is not None:
            values = values % max(above // scale, 1)
        values = values * (scale // unit) if scale >= unit else values // (unit // scale)
        return from_integers(values, nulls, type)

    @property
    def days(self) -> Any:
        """Days (int64), rounded down."""
        return self._return_or_inplace(self._part(None, FREQUENCIES["D"], pa.int64()))

    @property
    def seconds(self) -> Any:
        """Seconds of the day (int32)."""
        return self._return_or_inplace(self._part(FREQUENCIES["D"], FREQUENCIES["s"], pa.int32()))

    @property
    def microseconds(self) -> Any:
        """Microseconds of the second (int32)."""
        return self._return_or_inplace(self._part(FREQUENCIES["s"], FREQUENCIES["us"], pa.int32()))

    @property
    def nanoseconds(self) -> Any:
        """Nanoseconds of the microsecond (int32)."""
        return self._return_or_inplace(self._part(FREQUENCIES["us"], 1, pa.int32()))

    @property
    def components(self) -> Any:
        """A frame of days, hours, … nanoseconds (int64)."""
        names = ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"]
        steps = list(FREQUENCIES.values())
        columns = {
            name: self._part(steps[at - 1] if at else None, steps[at], pa.int64()) for at, name in enumerate(names)
        }
        return self._return_or_inplace(columns, expand=True)

    @property
    def unit(self) -> str:
        """The resolution: "s", "ms", "us" or "ns"."""
        return self._array.type.unit

    def total_seconds(self) -> Any:
        """Return seconds (float64)."""
        values, nulls = to_integers(self._array)
        return self._return_or_inplace(pa.array(values * NANOSECONDS[self._array.type.unit] / 1e9, mask=nulls))

    def to_pytimedelta(self) -> Any:
        """Return Python's timedeltas, on the host."""
        return self._parent.to_pandas().dt.to_pytimedelta()
