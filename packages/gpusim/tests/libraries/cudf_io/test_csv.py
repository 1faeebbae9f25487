"""read_csv and to_csv."""

import bz2
import gzip
import io

import numpy as np
import pytest

from gpusim.device import queue


def values(frame, name):
    return frame[name]._arrow.to_pylist()


def read(cudf, text, **options):
    return cudf.read_csv(io.StringIO(text), **options)


def test_integers_and_bools_keep_their_dtype_beside_nulls(cudf):
    frame = read(cudf, "i,b,s,n,f\n1,True,x,,1.5\n,,,,nan\n3,False,y,,2\n")
    assert [str(kind) for kind in frame.dtypes] == ["int64", "bool", "str", "int8", "float64"]
    assert values(frame, "i") == [1, None, 3] and values(frame, "b") == [True, None, False]
    assert values(frame, "f") == [1.5, None, 2.0] and values(frame, "s") == ["x", None, "y"]


def test_none_is_text(cudf):
    assert values(read(cudf, "a\nNone\nNULL\n"), "a") == ["None", None]


def test_names(cudf):
    assert list(read(cudf, "1,2\n3,4\n", header=None).columns) == ["0", "1"]
    assert list(read(cudf, "1,2\n", header=None, prefix="c").columns) == ["c0", "c1"]
    assert list(read(cudf, "a,a,b\n1,2,3\n").columns) == ["a", "a.1", "b"]
    assert list(read(cudf, "1,2\n", names=["x", "y"]).columns) == ["x", "y"]
    assert values(read(cudf, "a,b\n1,2\n", names=["x", "y"], header=0), "x") == [1]
    assert list(read(cudf, "a,b,c\n1,2,3\n", usecols=["c", "a"]).columns) == ["a", "c"]
    assert list(read(cudf, "a,b,c\n1,2,3\n", usecols=[1]).columns) == ["b"]


def test_dtypes(cudf):
    text = "a,b,c\n1,2020-01-02,x\n2,2020-01-03,y\n"
    frame = read(cudf, text, dtype={"a": "float32", "b": "datetime64[ms]", "c": "category"})
    assert [str(kind) for kind in frame.dtypes] == ["float32", "datetime64[ms]", "category"]
    assert read(cudf, text, dtype=["int8", "str", "str"])["a"].dtype == np.int8
    assert read(cudf, text)["b"].dtype != np.dtype("M8[ns]")  # dates are not guessed
    assert read(cudf, text, parse_dates=["b"])["b"].dtype == np.dtype("M8[ns]")
    assert values(read(cudf, "h\nff\n0x10\n", dtype={"h": "hex"}), "h") == [255, 16]
    with pytest.raises(RuntimeError, match="Specify data types for all columns in file, or use a dictionary/map"):
        read(cudf, text, dtype=["int8", "str"])


def test_index_and_options(cudf):
    frame = read(cudf, "k;v\na;1,5\nb;2,5\n", sep=";", decimal=",", index_col="k")
    assert values(frame, "v") == [1.5, 2.5] and frame.index.name == "k"
    assert values(read(cudf, "a\n1_0\n# no\n2\n", comment="#", dtype={"a": "str"}), "a") == ["1_0", "2"]
    assert values(read(cudf, "a\n1\n2\n3\n", skipfooter=1), "a") == [1, 2]
    assert values(read(cudf, "x\ny\na\n1\n", skiprows=2), "a") == [1]
    assert values(read(cudf, "a\n1\n2\n3\n", nrows=2), "a") == [1, 2]
    assert values(read(cudf, "a\nyes\nno\n", true_values=["yes"], false_values=["no"]), "a") == [True, False]
    assert values(read(cudf, "a\nx\n-\n", na_values="-"), "a") == ["x", None]
    assert values(read(cudf, "a,b\nNA,1\n", na_filter=False), "a") == ["NA"]


def test_byte_range_reads_each_line_once(cudf):
    data = b"".join(b"%d,%d\n" % (at, at * at) for at in range(200))
    found = []
    for start in range(0, len(data), 37):
        part = cudf.read_csv(io.BytesIO(data), byte_range=(start, 37), names=["a", "b"], header=None)
        found += values(part, "a") if len(part) else []
    assert found == list(range(200))


@pytest.mark.parametrize(
    ("compression", "suffix", "pack"), [("gzip", ".gz", gzip.compress), ("bz2", ".bz2", bz2.compress)]
)
def test_compression(cudf, tmp_path, compression, suffix, pack):
    path = tmp_path / f"x.csv{suffix}"
    path.write_bytes(pack(b"a\n1\n"))
    assert values(cudf.read_csv(path), "a") == [1]
    assert values(cudf.read_csv(io.BytesIO(path.read_bytes()), compression=compression), "a") == [1]


def test_refusals(cudf, tmp_path):
    with pytest.raises(FileNotFoundError, match="could not be resolved to any files"):
        cudf.read_csv(tmp_path / "nope.csv")
    with pytest.raises(NotImplementedError, match="cannot decompress 'xz' data"):
        cudf.read_csv(tmp_path / "nope.csv.xz")
    with pytest.raises(TypeError, match="ord\\(\\) expected a character"):
        read(cudf, "a b\n", sep=r"\s+")
    with pytest.raises(ValueError, match="cannot use both nrows and skipfooter parameters"):
        read(cudf, "a\n1\n", nrows=1, skipfooter=1)
    with pytest.raises(RuntimeError, match="Nonexistent column selected"):
        read(cudf, "a\n1\n", usecols=["q"])
    with pytest.raises(ValueError, match="read_csv does not support multiple sources"):
        (tmp_path / "a.csv").write_text("a\n1\n")
        cudf.read_csv([str(tmp_path / "a.csv"), str(tmp_path / "a.csv")])


def test_an_empty_file_is_an_empty_frame(cudf):
    assert read(cudf, "").shape == (0, 0)
    assert [str(kind) for kind in read(cudf, "a,b\n").dtypes] == ["str", "str"]


def test_reading_is_a_transfer_of_the_files_bytes(cudf):
    data = b"a\n" + b"1\n" * 1000
    before = queue.counters()
    cudf.read_csv(io.BytesIO(data))
    spent = queue.counters() - before
    assert spent.h2d_bytes == len(data) and spent.bytes_written >= 8 * 1000


def test_text(cudf):
    frame = cudf.DataFrame({"i": [1, None], "f": [3.141592653589793, 1e-9], "s": ['q"x', "a,b"], "b": [True, False]})
    frame["t"] = cudf.Series(["2020-01-02", "1999-12-31"]).astype("datetime64[ms]")
    assert frame.to_csv(index=False) == (
        'i,f,s,b,t\n1,3.141592654,"q""x",True,2020-01-02T00:00:00.000Z\n,1.0e-09,"a,b",False,1999-12-31T00:00:00.000Z\n'
    )
    assert frame[["i"]].to_csv(na_rep="NA", sep=";", header=False) == "0;1\n1;NA\n"
    with pytest.raises(NotImplementedError, match="quoting=1 is not supported"):
        frame.to_csv(quoting=1)
    with pytest.raises(NotImplementedError, match="Compression gzip is not supported"):
        frame.to_csv("x", compression="gzip")
    with pytest.raises(TypeError, match='"sep" must be a 1-character string'):
        frame.to_csv(sep="ab")


def test_round_trip(cudf, tmp_path):
    frame = cudf.DataFrame({"a": [1, 2, 3], "s": ["x", None, 'a "quoted", one']})
    frame.to_csv(tmp_path / "x.csv", index=False)
    again = cudf.read_csv(tmp_path / "x.csv")
    assert values(again, "a") == [1, 2, 3] and values(again, "s") == ["x", None, 'a "quoted", one']


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"), (1.0, "1.0"), (100.0, "100.0"), (1e9, "1000000000.0"), (1.23456789012e10, "1.23456789e+10"),
        (-0.0, "-0.0"), (float("nan"), "NaN"), (float("-inf"), "-Inf"), (0.00012345678901, "0.000123457"), (2.5e-7, "2.5e-07"),
        (12345.678901234, "12345.6789"), (0.9999999999, "1.0"),
    ],
)  # fmt: skip
def test_floats(cudf, value, text):
    from cudf.io._floats import text_of

    assert text_of(value) == text
