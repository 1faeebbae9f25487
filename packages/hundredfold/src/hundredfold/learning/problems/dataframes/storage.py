"""``dataframes.storage``: a month's delays out of a file in object storage, with as few of its bytes as can be.

The judge serves the files itself, through `hundredfold.data.storage`, and counts what it is asked for. The limit is what any reader needs who
does not know the file: its footer, which says where everything is, and the two columns of the row groups that can hold that month.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from hundredfold import data
from hundredfold.data.storage import Storage

from .. import guard
from ..frames import FrameJudge, flat, need_cudf, to_pandas
from ..guard import require_callable
from ..problem import Mistake, Problem
from ..traffic import spell
from ..verdict import Verified, attempted, in_case, refuse, with_printed
from . import tables

MOST = 300_000  # bytes that may be asked for
KEY, OTHER = "flights.parquet", "others.parquet"  # in the bucket: our file, and any other
TAIL = 8  # bytes at a Parquet file's end: how long the footer is, and "PAR1"


def delays(flights: pd.DataFrame, month: int) -> pd.DataFrame:
    """The specification: of one month's flights the mean arrival delay by carrier (float64, minutes, null where none arrived),
    carriers in alphabetical order."""
    return _delays(flights[flights["month"] == month], flights["arr_delay"])


def _delays(flights: pd.DataFrame, delay: pd.Series) -> pd.DataFrame:
    means = flights.assign(delay=delay).groupby("carrier")["delay"].mean().sort_index()
    return pd.DataFrame({"carrier": means.index.astype("string"), "delay": means.astype("Float64").array})


def least(file: Any, month: int, columns: tuple[str, ...] = ("carrier", "arr_delay")) -> int:
    """How many bytes of a Parquet file have to be read for some columns of the rows of a month: the footer and their chunks.

    Where a group's statistics say that it has this month alone, its months need not be read; else they are counted too.
    """
    meta = file.metadata
    nbytes = meta.serialized_size + TAIL
    for place in range(meta.num_row_groups):
        group = meta.row_group(place)
        chunks = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
        low, high = chunks["month"].statistics.min, chunks["month"].statistics.max
        if low <= month <= high:
            needed = columns if low == high else (*columns, "month")
            nbytes += sum(chunks[name].total_compressed_size for name in needed)
    return nbytes


@dataclass(frozen=True)
class StoredCase:
    """A file, and the month that is asked for."""

    name: str
    month: int
    path: Any  # () -> Path
    key: str = KEY

    def host(self) -> tuple[Any, ...]:
        import pyarrow.parquet as pq

        return to_pandas(pq.read_table(self.path(), columns=list(tables.COLUMNS))), self.month


@functools.cache
def _odd() -> Path:
    """A file whose row groups are no months: 900 rows each, by time, with a gap in June."""
    made = tables.made(9_000, seed=41).sort_by("month")
    return _written(made.filter(_not(made["month"], 6)))


@functools.cache
def _unsorted() -> Path:
    """A file in which each row group but the first has flights of every month but June, and the columns stand in another order."""
    made = tables.made(4_000, seed=43)
    made = made.filter(_not(made["month"], 6))
    first = made.sort_by("month").slice(0, 900)
    return _written(pa.concat_tables([first, made]).select(made.column_names[::-1]))


@functools.cache
def _nobody() -> Path:
    """A file of two years in which the months go backwards, so that the row groups of a month lie apart. It has more carriers than
    the real one, and three of them never arrived."""
    made = tables.made(9_000, seed=47, carriers=30)
    lost = ("Q0", "B13", "V21")
    late = [
        None if name in lost else delay
        for name, delay in zip(*(made[c].to_pylist() for c in ("carrier", "arr_delay")), strict=True)
    ]
    made = tables.replaced(made, arr_delay=late)
    years = (made.slice(start, 4_500).sort_by([("month", "descending")]) for start in (0, 4_500))
    return _written(pa.concat_tables(years))


def _written(table: Any) -> Path:
    """A file of this table, with 900 rows in each row group; it is kept for as long as Python runs."""
    import pyarrow.parquet as pq

    folder = tempfile.TemporaryDirectory(prefix="hundredfold-storage-")
    _KEPT.append(folder)
    path = Path(folder.name) / KEY
    pq.write_table(table, path, row_group_size=900)
    return path


_KEPT: list[Any] = []


def _not(column: Any, value: int) -> Any:
    import pyarrow.compute as pc

    return pc.not_equal(column, value)


_JULY = StoredCase("July", 7, lambda: data.path("flights"))
_CASES = (
    _JULY,
    StoredCase("February", 2, lambda: data.path("flights")),
    StoredCase("September of a file in which months begin anywhere", 9, _odd, OTHER),
)
_UNLISTED = (
    StoredCase("a month with no flights", 6, _odd, OTHER),
    StoredCase("January", 1, lambda: data.path("flights")),
    StoredCase("December", 12, lambda: data.path("flights")),
    StoredCase("July of two years that go backwards, in which some carriers never arrived", 7, _nobody, OTHER),
    StoredCase("a file in no order", 11, _unsorted, OTHER),
    StoredCase("a file in no order, and a month with no flights", 6, _unsorted, OTHER),
)
_COMPARING = FrameJudge(cases=(), keys=("carrier",), keeps=False)


@contextmanager
def serving(case: StoredCase) -> Iterator[tuple[Storage, Any]]:
    """Serve a case's file; a real S3 client to it is the second thing that comes."""
    from pyarrow import fs

    with Storage({case.key: case.path()}) as storage:
        yield (
            storage,
            fs.S3FileSystem(anonymous=True, scheme="http", endpoint_override=storage.endpoint, region="us-east-1"),
        )


class StorageJudge:
    """Judge a function ``f(filesystem, path, month)``: its frame by the specification, its requests by the bytes."""

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        function = answers[0]
        require_callable(function, problem.answers[0])
        need_cudf()
        asked = {}
        for number, case in enumerate([*_CASES, *_UNLISTED]):
            with in_case(case.name):
                asked[case.name] = self._judge(problem, function, case, first=number == 0)
        import pyarrow.parquet as pq

        needed, moved = least(pq.ParquetFile(_JULY.path()), _JULY.month), asked[_JULY.name]
        what = f"{len(_CASES)} cases ({'; '.join(case.name for case in _CASES)}); at most {spell(MOST)} asked for."
        return Verified(
            what,
            f"For July {spell(moved)} were asked for; {spell(needed)} are needed: {needed / moved:.0%} of the limit.",
        )

    def _judge(self, problem: Problem, function: Any, case: StoredCase, *, first: bool) -> int:
        with serving(case) as (storage, filesystem):
            path = f"{storage.bucket}/{case.key}"
            called = guard.call(function, filesystem, path, case.month, limit=problem.time_limit)
            moved = storage.nbytes
        attempted(called.value, called.printed, first=first)
        expected = delays(*case.host())
        with with_printed(called.printed):
            _COMPARING.compare(problem, case, called.value, expected)
            size = case.path().stat().st_size
            if moved < 1000 < size and len(flat(expected)):
                refuse("asked", "the storage was not asked for the data: read them from the filesystem that is given.")
            if moved >= max(size, MOST + 1):
                refuse(
                    "asked",
                    f"the result is right, but the whole file was fetched, {spell(moved)} in total; at most {spell(MOST)} pass. If it was "
                    "`cudf.read_parquet`: that fetches all of it, whatever columns and filters you name.",
                    advice="Name columns and filters to `pyarrow.parquet.read_table`: let Arrow fetch, and cuDF take over "
                    "(`cudf.DataFrame.from_arrow`).",
                )
            if moved > MOST:
                refuse(
                    "asked",
                    f"the result is right, but {spell(moved)} of the file's {spell(size)} were asked for. At most {spell(MOST)} "
                    "pass.",
                    advice="Two columns are needed of nineteen (`columns=`), and of the row groups those that can hold the month (`filters=`).",
                )
        return moved


STORAGE = Problem(
    id="dataframes.storage",
    title="Open: a month out of a bucket",
    kind="open",
    answers=("delays",),
    lines=None,
    judge=StorageJudge(),
    specification=delays,
    hints=(
        "cuDF 26.10 fetches the whole file, whatever columns and filters you name. Somebody else can read less of it, and hand "
        "cuDF what was read.",
        "`pyarrow.parquet.read_table` takes `filesystem=`, `columns=` and `filters=`, and reads the parts that can hold what you want; "
        "`cudf.DataFrame.from_arrow` takes its table.",
        "Nearer to the limit: `filesystem.open_input_file(path)` opens the file; `pyarrow.parquet.ParquetFile` reads its footer; the statistics "
        "of its row groups say which of them hold the month. To the last byte: the footer's length stands in 4 bytes, 8 before the file's end, and "
        "`read_at(nbytes, offset)` reads what you name.",
    ),
    mistakes={
        "group by number": Mistake(
            "rows",
            "that is the row group with the month's number. In this file a row group is no month: what it holds stands in its "
            "statistics.",
            lambda flights, month: _delays(*_group(flights, month)),
        ),
        "whole year": Mistake(
            "rows", "those are the delays of all months.", lambda flights, month: _delays(flights, flights["arr_delay"])
        ),
        "null as zero": Mistake(
            "nulls",
            "flights that never arrived were counted as punctual.",
            lambda flights, month: delays(flights.assign(arr_delay=flights["arr_delay"].fillna(0)), month),
        ),
    },
    time_limit=60,
)


def _group(flights: pd.DataFrame, month: int) -> tuple[pd.DataFrame, pd.Series]:
    """The rows of the row group with the month's number, in `_odd`'s file."""
    groups = -(-len(flights) // 900)
    part = flights.iloc[900 * (min(month, groups) - 1) :][:900]
    return part, part["arr_delay"]
