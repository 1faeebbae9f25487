"""dask_cudf and pylibcudf, in processes of their own: Dask keeps what it once learned of a library."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


# Executes what it reads, a JSON string a line, and answers with null or a traceback.
LOOP = """
import json, sys, traceback, warnings
warnings.simplefilter("ignore")
sys.stdout = sys.stderr
for line in sys.stdin:
    try:
        exec(json.loads(line), {})
        answer = None
    except BaseException:
        answer = traceback.format_exc()
    print(json.dumps(answer), file=sys.__stdout__, flush=True)
"""
ENVIRONMENT = {**os.environ, "GPUSIM_SIMULATE": "1"}


@pytest.fixture(scope="module")
def run():
    """Run code in one simulating process for all tests of this file: Dask and cuDF take seconds to import."""
    start = "from gpusim import activate; activate()\n" + LOOP
    process = subprocess.Popen(
        [sys.executable, "-c", start], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    )

    def execute(code):
        process.stdin.write(json.dumps(code) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        assert line, "the simulating process died"
        trouble = json.loads(line)
        assert trouble is None, trouble

    yield execute
    process.stdin.close()
    process.wait(timeout=30)


@pytest.mark.large
def test_a_cluster_of_worker_processes():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "programs.py")],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=1200,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    out = json.loads(done.stdout.splitlines()[-1])
    assert out == {
        "sum": 4950.0, "groups": [950.0, 970.0, 990.0, 1010.0, 1030.0], "merged": 2000, "sorted": [99.0, 98.0, 97.0],
        "indexed": [0, 1, 2], "keys_kept_together": 5, "type": "cudf.core.dataframe", "strings": {"X": 50, "Y": 50},
        "parquet": 4950.0, "by_arrow": 970.0, "backend": "cudf.core.dataframe", "to_cudf": "cudf.core.dataframe", "to_pandas": "pandas",
    }  # fmt: skip


START = """
import cudf, dask, dask_cudf, dask.dataframe as dd, numpy as np, json, tempfile, os
dask.config.set(scheduler="synchronous")
df = cudf.DataFrame({"a": np.arange(100) % 5, "b": np.arange(100.0), "s": ["x", "y"] * 50})
ddf = dask_cudf.from_cudf(df, npartitions=4)
host = df.to_pandas()
"""


def test_collections_are_of_the_librarys_classes(run):
    run(
        START
        + "assert isinstance(ddf, dask_cudf.DataFrame) and isinstance(ddf.b, dask_cudf.Series)\n"
        + "assert isinstance(ddf.index, dask_cudf.Index) and isinstance(ddf._meta, cudf.DataFrame)\n"
        + "assert isinstance(ddf.compute(), cudf.DataFrame)\n"
    )


@pytest.mark.parametrize("agg", ["mean", "std", "var", "sum", "count", "max", "first", "last"])
def test_groupby(run, agg):
    run(
        START
        + f"got = ddf.groupby('a').agg({{'b': {agg!r}}}).compute().to_pandas().sort_index()\n"
        + f"want = host.groupby('a').agg({{'b': {agg!r}}})\n"
        + "import pandas; pandas.testing.assert_frame_equal(got, want, check_dtype=False)\n"
        + f"got = ddf.groupby(['a', 's']).agg({{'b': ['min', {agg!r}]}}).compute().to_pandas().sort_index()\n"
        + f"want = host.groupby(['a', 's']).agg({{'b': ['min', {agg!r}]}})\n"
        + "pandas.testing.assert_frame_equal(got, want, check_dtype=False)\n"
    )


def test_a_mean_of_several_columns_of_groups_asks_which_are_numbers(run):
    """Dask calls ``_get_numeric_data`` of cuDF's empty table for it, as of pandas'."""
    run(
        START
        + "got = ddf.assign(c=ddf.b > 50).groupby('a')[['b', 'c']].mean().compute().to_pandas().sort_index()\n"
        + "want = host.assign(c=host.b > 50).groupby('a')[['b', 'c']].mean()\n"
        + "import pandas; pandas.testing.assert_frame_equal(got, want, check_dtype=False)\n"
        + "assert ddf._meta._get_numeric_data().columns.to_list() == ['a', 'b']\n"
        + "try:\n    ddf.groupby('a').mean()\n"
        + "except NotImplementedError as error:\n    assert 'numeric_only' in str(error)\n"
        + "else:\n    raise AssertionError('there is no mean of text')\n"
    )


def test_reductions_and_statistics(run):
    run(
        START
        + "for name in ('sum', 'mean', 'std', 'var', 'min', 'max', 'count'):\n"
        + "    assert abs(float(getattr(ddf.b, name)().compute()) - getattr(host.b, name)()) < 1e-9, name\n"
        + "assert ddf.a.nunique().compute() == 5\n"
        + "assert ddf.b.cumsum().compute().to_pandas().tolist() == host.b.cumsum().tolist()\n"
        + "assert ddf.nlargest(2, 'b').compute().b.to_pandas().tolist() == [99.0, 98.0]\n"
        + "assert len(ddf.drop_duplicates(subset=['a']).compute()) == 5\n"
        + "assert float(ddf.b.to_dask_array().sum().compute()) == 4950\n"
    )


def test_files(run):
    run(
        START
        + "folder = tempfile.mkdtemp()\n"
        + "ddf.to_csv(folder + '/c-*.csv', index=False)\n"
        + "assert len(dask_cudf.read_csv(folder + '/c-*.csv')) == 100\n"
        + "parts = dask_cudf.read_csv(folder + '/c-0.csv', blocksize=60)\n"
        + "assert parts.npartitions > 1 and parts.b.sum().compute() == sum(range(25))\n"
        + "ddf.to_json(folder + '/j-*.json')\n"
        + "assert dask_cudf.read_json(folder + '/j-*.json').b.sum().compute() == 4950\n"
        + "ddf.to_orc(folder + '/orc')\n"
        + "assert dask_cudf.read_orc(folder + '/orc').b.sum().compute() == 4950\n"
        + "ddf.to_parquet(folder + '/p')\n"
        + "got = dask_cudf.read_parquet(folder + '/p', filters=[('a', '==', 1)], columns=['b']).compute()\n"
        + "assert got.b.sum() == host[host.a == 1].b.sum() and list(got.columns) == ['b']\n"
        + "ddf.to_parquet(folder + '/q', partition_on='s')\n"
        + "again = dask_cudf.read_parquet(folder + '/q').compute()\n"
        + "assert sorted(zip(again.b.to_pandas(), again.s.astype('str').to_pandas())) == sorted(zip(host.b, host.s))\n"
        + "open(folder + '/t.txt', 'w').write('a|b|c')\n"
        + "assert dask_cudf.read_text(folder + '/t.txt', delimiter='|').compute().to_pandas().tolist() == ['a|', 'b|', 'c']\n"
    )


PARQUET = (
    START
    + """
import datetime, pyarrow as pa, pyarrow.parquet as pq
folder = tempfile.mkdtemp()
for i in range(4):
    pq.write_table(pa.table({
        "a": pa.array([i, None, 2, 3], pa.int32()), "b": np.arange(4.0) + 4 * i, "s": ["x", "y", None, "z"],
        "d": pa.array([datetime.date(2013, 1, 1)] * 4), "t": pa.array([datetime.datetime(2013, 1, 1)] * 4, pa.timestamp("us", "UTC")),
    }), f"{folder}/{i}.parquet", row_group_size=2)
def read(**options):
    return dask_cudf.read_parquet(folder, **options)
"""
)


@pytest.mark.parametrize(
    "options", ["{}", "{'filesystem': 'arrow'}", "{'blocksize': None}", "{'split_row_groups': True}"]
)
def test_parquet_is_read_as_its_meta_says(run, options):
    run(
        PARQUET
        + f"df = read(**{options})\n"
        + "got = df.compute()\n"
        + "assert isinstance(df, dask_cudf.DataFrame) and isinstance(got, cudf.DataFrame)\n"
        + "assert dict(got.dtypes) == dict(df.dtypes) and str(df.a.dtype) == 'int32'\n"
        + "assert got.a.isna().sum() == 4 and float(df.b.sum().compute()) == 120\n"
        + "assert len(df[df.b > 3]) == 12\n"
        + f"some = read(filters=[('b', '>', 10.0)], columns=['s'], **{options}).compute()\n"
        + "assert list(some.columns) == ['s'] and len(some) == 5\n"
        + f"assert read(columns='b', **{options}).compute().ndim == 1\n"
    )


def test_parquet_small_files_are_put_together_and_large_ones_split(run):
    run(
        PARQUET
        + "assert read().npartitions == 4 and read().optimize().npartitions == 1\n"
        + "assert read(blocksize=None).optimize().npartitions == 4\n"
        + "assert read(split_row_groups=True).optimize().npartitions == 8\n"
        + "size = pq.ParquetFile(folder + '/0.parquet').metadata.row_group(0).total_byte_size\n"
        + "assert read(blocksize=size // 2).npartitions == 8\n"
    )


def test_parquet_reads_what_is_asked_for(run):
    """Columns by themselves, rows by filters: with Arrow's file system a condition becomes one, with fsspec it does not."""
    run(
        PARQUET
        + "def plan(df):\n"
        + "    from dask.dataframe.dask_expr.io.parquet import ReadParquet\n"
        + "    return list(df.expr.simplify().find_operations(ReadParquet))\n"
        + "for system, filters in (('fsspec', None), ('arrow', [[('b', '>', 3)]])):\n"
        + "    df = read(filesystem=system)\n"
        + "    assert plan(df.b.sum())[0].operand('columns') == ['b']\n"
        + "    assert any(one.operand('filters') == filters for one in plan(df[df.b > 3]))\n"
    )


def test_the_length_of_parquet_is_asked_of_the_footers(run):
    run(
        PARQUET
        + "from dask.callbacks import Callback\n"
        + "ran = []\n"
        + "class Seen(Callback):\n"
        + "    def _pretask(self, key, dsk, state):\n"
        + "        ran.append(str(key))\n"
        + "with Seen():\n"
        + "    assert len(read()) == 16\n"
        + "assert not any('read' in key and 'parquet' in key for key in ran), ran\n"
    )


def test_the_length_of_a_selection_with_nulls(run):
    """Dask asks it of the index; a null selects no row."""
    run(
        PARQUET
        + "df = read()\n"
        + "assert len(df[df.a > 1]) == len(df[df.a > 1].compute()) == 10\n"
        + "assert len(df.compute().index[df.compute().a > 1]) == 10\n"
    )


def test_parquet_in_folders(run):
    """A folder's value is a column of categories, a null among them; a filter on it leaves whole files unread."""
    run(
        PARQUET
        + "there = tempfile.mkdtemp()\n"
        + "read()[['a', 'b', 's']].to_parquet(there, partition_on=['s'])\n"
        + "df = dask_cudf.read_parquet(there)\n"
        + "assert df.s.dtype == 'category' and len(df) == 16\n"
        + "got = df.compute().to_pandas()\n"
        + "assert sorted(got.b[got.s == 'x']) == [0, 4, 8, 12] and sorted(got.b[got.s.isna()]) == [2, 6, 10, 14]\n"
        + "one = dask_cudf.read_parquet(there, filters=[('s', '==', 'x'), ('b', '>', 5.0)], columns=['b'])\n"
        + "assert one.npartitions == 1 and sorted(one.compute().b.to_pandas()) == [8, 12]\n"
    )


def test_parquet_refuses_what_belongs_to_the_other_file_system(run):
    run(
        PARQUET
        + "import pytest\n"
        + "with pytest.raises(NotImplementedError, match='split_row_groups is not supported'):\n"
        + "    read(filesystem='arrow', split_row_groups=True)\n"
        + "with pytest.raises(ValueError, match='no longer supported'):\n"
        + "    read(open_file_options={})\n"
    )


def test_refusals(run):
    run(
        START
        + "import pytest\n"
        + "with pytest.raises(NotImplementedError, match='does not support MultiIndex'):\n"
        + "    dask_cudf.from_cudf(df.set_index(['a', 's']), npartitions=2)\n"
        + "with pytest.raises(FileNotFoundError):\n"
        + "    dask_cudf.read_csv('/nowhere/*.csv')\n"
        + "with pytest.raises(ValueError, match='Unsupported key-word arguments'):\n"
        + "    ddf.to_backend('pandas', nope=1).compute()\n"
        + "with pytest.raises(RuntimeError, match='Unsupported compression type'):\n"
        + "    ddf.to_parquet(tempfile.mkdtemp(), compression='brotli')\n"
    )


def test_lists_and_structs(run):
    run(
        START
        + "s = dask_cudf.from_cudf(cudf.Series([[1, 2], [3], None, [4, 5]]), npartitions=2)\n"
        + "assert s.list.len().compute().to_pandas().tolist()[:2] == [2, 1]\n"
        + "t = dask_cudf.from_cudf(cudf.Series([{'x': 1}, {'x': 2}]), npartitions=2)\n"
        + "assert t.struct.field('x').compute().to_pandas().tolist() == [1, 2]\n"
    )


def test_pylibcudf(run):
    run(
        "import pylibcudf as plc, pyarrow as pa, pytest\n"
        "from gpusim.importing.errors import NotSimulatedError\n"
        "table = plc.Table.from_arrow(pa.table({'a': [1, None]}))\n"
        "assert table.num_rows() == 2 and table.columns()[0].null_count() == 1\n"
        "assert plc.interop.to_arrow(table, ['a']).to_pydict() == {'a': [1, None]}\n"
        "assert plc.interop.from_arrow(pa.array([1, 2])).size() == 2\n"
        "with pytest.raises(NotSimulatedError):\n"
        "    plc.groupby.GroupBy(table)\n"
        "with pytest.raises(NotSimulatedError):\n"
        "    plc.partitioning\n"
    )
