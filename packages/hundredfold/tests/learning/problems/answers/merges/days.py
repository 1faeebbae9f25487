"""``merges.days``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.merges.days import ZONE, _stations, windiest

from ..edits import Wrong


def _cudf():
    import cudf

    return cudf


def _device(
    reports,
    tidy=True,
    corrected="last",
    shift=None,
    sort=True,
    drop=False,
    zeros=False,
    how="max",
    kept=("station", "time"),
):
    """The right way in cuDF, with something else in one place."""
    table = reports.assign(time=_cudf().to_datetime(reports["time"]))
    if tidy:
        table = table.assign(station=_stations(reports))
    if sort:
        table = table.sort_values("issue")
    if corrected:
        table = table.drop_duplicates(list(kept), keep=corrected)
    if drop:
        table = table.dropna(subset=["wind"])
    if zeros:
        table = table.assign(wind=table["wind"].fillna(0.0))
    if shift is None:
        local = table["time"].dt.tz_localize("UTC").dt.tz_convert(ZONE).dt.tz_localize(None)
    else:
        local = table["time"] + np.timedelta64(shift, "h")
    table = table.assign(day=local.dt.floor("D"))
    return table.groupby(["station", "day"], as_index=False).agg({"wind": how})


def _right(reports):
    return _device(reports)


def _by_issue(reports):
    """Which report counts by a group and a merge; the day by the text of the local time."""
    table = reports.assign(station=_stations(reports), time=_cudf().to_datetime(reports["time"]))
    last = table.groupby(["station", "time"], as_index=False).agg({"issue": "max"})
    table = table.merge(last, on=["station", "time", "issue"])
    local = table["time"].dt.tz_localize("UTC").dt.tz_convert(ZONE).dt.tz_localize(None)
    table["day"] = _cudf().to_datetime(local.dt.strftime("%Y-%m-%d"))
    return table.groupby(["station", "day"])["wind"].max().reset_index()


def _tidied_late(reports):
    table = reports.assign(time=_cudf().to_datetime(reports["time"])).sort_values("issue")
    table = table.drop_duplicates(["station", "time"], keep="last")
    return _device(table.assign(station=_stations(table)), tidy=False, corrected=None)


def _text_days(reports):
    table = _device_days(reports)
    table["day"] = table["day"].dt.strftime("%Y-%m-%d")
    return table.groupby(["station", "day"], as_index=False).agg({"wind": "max"})


def _device_days(reports):
    table = reports.assign(station=_stations(reports), time=_cudf().to_datetime(reports["time"]))
    table = table.sort_values("issue").drop_duplicates(["station", "time"], keep="last")
    table["day"] = table["time"].dt.tz_localize("UTC").dt.tz_convert(ZONE).dt.tz_localize(None).dt.floor("D")
    return table


def _with_zone(reports):
    table = _device_days(reports)
    table["day"] = table["day"].dt.tz_localize(ZONE)
    return table.groupby(["station", "day"], as_index=False).agg({"wind": "max"})


def _on_host(reports):
    return windiest(reports.to_pandas())


def _writes(reports):
    reports["station"] = _stations(reports)
    return _device(reports)


def _by_month(reports):
    """Summer time by the month: four hours from April to October."""
    table = reports.assign(station=_stations(reports), time=_cudf().to_datetime(reports["time"]))
    table = table.sort_values("issue").drop_duplicates(["station", "time"], keep="last")
    summer = table["time"].dt.month.isin([4, 5, 6, 7, 8, 9, 10]).astype("int64")
    table["day"] = (table["time"] - (5 - summer) * np.timedelta64(1, "h")).dt.floor("D")
    return table.groupby(["station", "day"], as_index=False).agg({"wind": "max"})


def _minus_9999(reports):
    """A wind that is not known is -9999 until the end."""
    out = _device(reports.assign(wind=reports["wind"].fillna(-9999.0)))
    return out.assign(wind=out["wind"].mask(out["wind"] == -9999))


WRONG = {
    "utc": Wrong(lambda reports: _device(reports, shift=0), "zone"),
    "standard": Wrong(lambda reports: _device(reports, shift=-5), "zone"),
    "summer": Wrong(lambda reports: _device(reports, shift=-4), "zone"),
    "wrong-way": Wrong(lambda reports: _device(reports, shift=5), "zone"),
    "untidy": Wrong(lambda reports: _device(reports, tidy=False), "key"),
    "tidied-late": Wrong(_tidied_late, "key"),
    "all-issues": Wrong(lambda reports: _device(reports, corrected=None), "duplicates"),
    "first-issue": Wrong(lambda reports: _device(reports, corrected="first"), "duplicates"),
    "unsorted": Wrong(lambda reports: _device(reports, sort=False), "duplicates"),
    "dropped": Wrong(lambda reports: _device(reports, drop=True), "lost"),
    "dropped-first": Wrong(lambda reports: _device(reports.dropna(subset=["wind"])), "lost"),
    "zeros": Wrong(lambda reports: _device(reports, zeros=True), "nulls"),
    "calmest": Wrong(lambda reports: _device(reports, how="min"), "direction"),
    "by month": Wrong(_by_month, "multiplied"),
    "text": Wrong(_text_days, "dtype"),
    "zoned": Wrong(_with_zone, "dtype"),
    "host": Wrong(_on_host, "host"),
    "aliasing": Wrong(_writes, "aliasing"),
    "-9999 for a null": Wrong(_minus_9999, "nulls"),
}
RIGHT = {"by zone": _right, "by issue": _by_issue}
