"""Series.dt, .cat, .list and .struct."""

import re

import numpy as np
import pandas as pd
import pytest


def values(result):
    return result._arrow.to_pylist()


TIMES = ["2020-02-29 23:59:59.123456789", "1999-12-31 00:00:00", None, "2021-01-01 12:30:00.5", "1969-07-20 20:17:40"]


@pytest.fixture
def times(cudf):
    host = pd.Series(pd.to_datetime(TIMES, format="ISO8601")).astype("datetime64[ns]")
    return host, cudf.from_pandas(host)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("year", "int32"), ("month", "int32"), ("day", "int32"), ("hour", "int32"), ("minute", "int32"), ("second", "int32"),
        ("microsecond", "int32"), ("nanosecond", "int32"), ("weekday", "int32"), ("dayofweek", "int32"),
        ("day_of_year", "int16"), ("quarter", "int8"), ("days_in_month", "int16"),
    ],
)  # fmt: skip
def test_fields(times, name, dtype):
    host, ours = times
    result = getattr(ours.dt, name)
    assert result.dtype == np.dtype(dtype)
    assert values(result) == [None if value != value else int(value) for value in getattr(host.dt, name)]


@pytest.mark.parametrize(
    "name",
    [
        "is_leap_year",
        "is_month_start",
        "is_month_end",
        "is_quarter_start",
        "is_quarter_end",
        "is_year_start",
        "is_year_end",
    ],
)
def test_flags_are_false_for_null(times, name):
    host, ours = times
    assert values(getattr(ours.dt, name)) == list(map(bool, getattr(host.dt, name)))


@pytest.mark.parametrize("how", ["floor", "ceil", "round"])
@pytest.mark.parametrize("freq", ["D", "h", "min", "s", "ms", "us", "ns"])
def test_rounding(times, how, freq):
    host, ours = times
    assert getattr(ours.dt, how)(freq).to_pandas().equals(getattr(host.dt, how)(freq))


def test_rounding_knows_no_multiples(times):
    with pytest.raises(ValueError, match=re.escape("Invalid resolution: '15min'")):
        times[1].dt.floor("15min")


def test_names_and_formats(times):
    host, ours = times
    assert values(ours.dt.day_name())[:2] == ["Saturday", "Friday"]
    assert values(ours.dt.month_name())[2] is None
    assert values(ours.dt.strftime("%Y/%m/%d %H"))[0] == "2020/02/29 23"
    assert values(ours.dt.strftime("%S.%3f %S.%9f %%"))[0] == "59.123 59.123456789 %"
    with pytest.raises(NotImplementedError, match="%c date-time format"):
        ours.dt.strftime("%c")
    with pytest.raises(ValueError, match="invalid format specifier: Q"):
        ours.dt.strftime("%Q")
    expected = host.dt.isocalendar()
    assert values(ours.dt.isocalendar()["week"])[0] == expected["week"][0]


def test_time_zones(cudf):
    host = pd.Series(pd.to_datetime(["2024-03-31 02:30", "2024-10-27 02:30", "2024-07-01 12:00"])).astype(
        "datetime64[ns]"
    )
    ours = cudf.from_pandas(host).dt.tz_localize("Europe/Berlin")
    # One hour that no clock showed, one that they showed twice: both are null, with no way to ask for another answer.
    assert list(ours.isnull().to_pandas()) == [True, True, False]
    assert values(ours.dt.hour)[2] == 12
    assert values(ours.dt.tz_convert("UTC").dt.hour)[2] == 10
    assert values(ours.dt.tz_localize(None))[2].hour == 12
    with pytest.raises(NotImplementedError, match="Only ambiguous='NaT' is currently supported"):
        cudf.from_pandas(host).dt.tz_localize("Europe/Berlin", ambiguous="raise")


def test_durations(cudf):
    host = pd.Series(pd.to_timedelta(["1 days 02:03:04.5", None, "-1s"])).astype("timedelta64[ns]")
    ours = cudf.from_pandas(host)
    for name in ("days", "seconds", "microseconds", "nanoseconds"):
        assert values(getattr(ours.dt, name)) == [None if v != v else int(v) for v in getattr(host.dt, name)]
    assert ours.dt.total_seconds().to_pandas().equals(host.dt.total_seconds())
    assert list(ours.dt.components.columns) == list(host.dt.components.columns)


def test_only_times_have_dt(cudf):
    with pytest.raises(AttributeError, match="Can only use .dt accessor with datetimelike values"):
        _ = cudf.Series([1]).dt


def test_categories(cudf):
    s = cudf.Series(["b", "a", None, "b"], dtype="category")
    assert values(s.cat.codes) == [1, 0, -1, 1] and s.cat.codes.dtype == np.int8
    assert list(s.cat.categories.to_pandas()) == ["a", "b"]
    removed = s.cat.remove_categories(["a"])
    assert values(removed) == ["b", None, None, "b"]
    assert list(s.cat.set_categories(["b", "z"]).cat.categories.to_pandas()) == ["b", "z"]
    with pytest.raises(ValueError, match="removals must all be in old categories"):
        s.cat.remove_categories(["q"])
    with pytest.raises(ValueError, match="new categories must not include old categories"):
        s.cat.add_categories(["a"])
    with pytest.raises(ValueError, match="items in new_categories are not the same as in old categories"):
        s.cat.reorder_categories(["a"])


def test_adding_a_category_takes_the_order_away(cudf):
    s = cudf.Series(["b", "a"], dtype=cudf.CategoricalDtype(["a", "b"], ordered=True))
    assert s.cat.ordered and not s.cat.add_categories(["z"]).cat.ordered


def test_lists(cudf):
    s = cudf.Series([[3, 1, 3], [], None, [2, None]])
    assert values(s.list.len()) == [3, 0, None, 2] and s.list.len().dtype == np.int32
    assert values(s.list.get(1)) == [1, None, None, None]
    assert values(s.list.get(5, default=9)) == [9, 9, None, 9]
    assert values(s.list.contains(3)) == [True, False, None, False]
    assert values(s.list.index(1)) == [1, -1, None, -1]
    assert values(s.list.sort_values()) == [[1, 3, 3], [], None, [2, None]]
    assert values(s.list.sort_values(ascending=False, na_position="first"))[3] == [2, None]
    assert sorted(values(s.list.unique())[0]) == [1, 3]
    assert values(s.list.leaves) == [3, 1, 3, 2, None]
    assert values(cudf.Series([[[1], [2, 3]], None]).list.concat()) == [[1, 2, 3], None]
    assert values(s.list.take([[0], [], [], [1]]))[:2] == [[3], []]
    with pytest.raises(ValueError, match="input must be list type with length 4 and only integer elements"):
        s.list.take([1, 2])
    with pytest.raises(NotImplementedError, match="`inplace` not currently implemented."):
        s.list.sort_values(inplace=True)


def test_structs(cudf):
    s = cudf.Series([{"a": 1, "b": "x"}, None, {"a": 3, "b": None}])
    assert values(s.struct.field("a")) == [1, None, 3] and s.struct.field("a").name == "a"
    assert values(s.struct.field(1)) == ["x", None, None]
    assert list(s.struct.explode().columns) == ["a", "b"]
    with pytest.raises(KeyError, match="Field q not found"):
        s.struct.field("q")
    with pytest.raises(IndexError, match="Index 5 out of range for 2 children"):
        s.struct.field(5)
