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
ENVIRONMENT = {**os.environ, "HUNDREDFOLD_SIMULATE": "1"}


@pytest.fixture(scope="module")
def run():
    """Run code in one simulating process for all tests of this file: Dask and cuDF take seconds to import."""
    start = "from hundredfold.simulate import activate; activate()\n" + LOOP
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
        "parquet": 4950.0, "backend": "cudf.core.dataframe", "to_cudf": "cudf.core.dataframe", "to_pandas": "pandas",
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
        "from hundredfold.simulate.errors import NotSimulatedError\n"
        "table = plc.Table.from_arrow(pa.table({'a': [1, None]}))\n"
        "assert table.num_rows() == 2 and table.columns()[0].null_count() == 1\n"
        "assert plc.interop.to_arrow(table, ['a']).to_pydict() == {'a': [1, None]}\n"
        "assert plc.interop.from_arrow(pa.array([1, 2])).size() == 2\n"
        "with pytest.raises(NotSimulatedError):\n"
        "    plc.groupby.GroupBy\n"
    )
