"""Parquet, JSON, ORC, Avro, Feather and text."""

import io
import json

import fastavro
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def frame(cudf):
    frame = cudf.DataFrame(
        {"i": [1, None, 3, 4], "f": [1.5, 2.5, None, -1.0], "s": ["a", None, "ç", ""], "b": [True, None, False, True]}
    )
    frame["l"] = cudf.Series([[1, 2], None, [], [3]])
    frame["st"] = cudf.Series([{"x": 1}, None, {"x": 3}, {"x": None}])
    frame["t"] = cudf.Series(["2020-01-01", "2021-02-03", "1969-12-31", "2000-01-01"]).astype("datetime64[us]")
    return frame


def rows(frame):
    return frame.to_arrow(preserve_index=False).to_pylist()


@pytest.mark.parametrize("compression", ["snappy", "ZSTD", "LZ4", None, "NONE"])
def test_parquet_round_trip(cudf, frame, tmp_path, compression):
    frame.to_parquet(tmp_path / "x.parquet", compression=compression)
    again = cudf.read_parquet(tmp_path / "x.parquet")
    assert rows(again) == rows(frame) and list(map(str, again.dtypes)) == list(map(str, frame.dtypes))
    assert isinstance(again.index, cudf.RangeIndex)


@pytest.mark.parametrize("compression", ["snappy", "gzip", "brotli", "lz4", "zstd", "none"])
def test_parquet_of_others_is_read_in_every_codec(cudf, tmp_path, compression):
    table = pa.table({"a": [1, 2, None], "d": pa.array(["x", "y", "x"]).dictionary_encode()})
    pq.write_table(table, tmp_path / "x.parquet", compression=compression)
    again = cudf.read_parquet(tmp_path / "x.parquet")
    assert rows(again) == table.to_pylist()
    assert str(again["d"].dtype) == "str"  # libcudf reads categories as strings


def test_parquet_keeps_an_index(cudf, frame, tmp_path):
    frame[["i", "s"]].set_index("s").to_parquet(tmp_path / "x.parquet")
    again = cudf.read_parquet(tmp_path / "x.parquet")
    assert again.index.name == "s" and again.index._arrow.to_pylist() == ["a", None, "ç", ""]
    assert pd.read_parquet(tmp_path / "x.parquet").index.name == "s"
    frame[["i"]].iloc[1:3].to_parquet(tmp_path / "y.parquet")
    assert cudf.read_parquet(tmp_path / "y.parquet").index.to_pandas().tolist() == [1, 2]


def test_parquet_columns_filters_row_groups(cudf, tmp_path):
    table = cudf.DataFrame({"a": np.arange(100), "b": np.arange(100) * 2.0})
    table.to_parquet(tmp_path / "x.parquet", row_group_size_rows=10)
    assert cudf.io.read_parquet_metadata(tmp_path / "x.parquet")[:2] == (100, 10)
    assert list(cudf.read_parquet(tmp_path / "x.parquet", columns=["b"]).columns) == ["b"]
    found = cudf.read_parquet(tmp_path / "x.parquet", filters=[[("a", ">", 95)], [("a", "in", [3, 4])]])
    assert found["a"]._arrow.to_pylist() == [3, 4, 96, 97, 98, 99]
    assert cudf.read_parquet(tmp_path / "x.parquet", row_groups=[[2]])["a"]._arrow.to_pylist() == list(range(20, 30))
    assert cudf.read_parquet(tmp_path / "x.parquet", nrows=3, skip_rows=5)["a"]._arrow.to_pylist() == [5, 6, 7]
    with pytest.raises(TypeError, match="filters must be None, or non-empty"):
        cudf.read_parquet(tmp_path / "x.parquet", filters=("a", ">", 1))


def test_parquet_partitions_globs_buffers_urls(cudf, tmp_path):
    table = cudf.DataFrame({"k": ["p", "q", "p"], "v": [1, 2, 3]})
    table.to_parquet(tmp_path / "set", partition_cols=["k"])
    again = cudf.read_parquet(tmp_path / "set")
    assert str(again["k"].dtype) == "category"
    assert sorted(zip(again["k"].astype("str")._arrow.to_pylist(), again["v"]._arrow.to_pylist(), strict=True)) == [
        ("p", 1), ("p", 3), ("q", 2),
    ]  # fmt: skip
    assert len(cudf.read_parquet(tmp_path / "set", filters=[("k", "==", "q")])) == 1
    buffer = io.BytesIO()
    table.to_parquet(buffer)
    assert rows(cudf.read_parquet(io.BytesIO(buffer.getvalue()))) == rows(table)
    table.to_parquet("memory://hundredfold/x.parquet")
    assert rows(cudf.read_parquet("memory://hundredfold/x.parquet")) == rows(table)
    for at in range(2):
        table.to_parquet(tmp_path / f"part{at}.parquet")
    assert len(cudf.read_parquet(str(tmp_path / "part*.parquet"))) == 6


def test_parquet_dataset_writer_and_footers(cudf, tmp_path):
    table = cudf.DataFrame({"k": ["p", "q"], "v": [1, 2]})
    with cudf.io.parquet.ParquetDatasetWriter(tmp_path / "set", partition_cols=["k"]) as writer:
        writer.write_table(table)
        writer.write_table(table)
    assert len(cudf.read_parquet(tmp_path / "set")) == 4
    footers = [table.to_parquet(tmp_path / f"{at}.parquet", metadata_file_path=f"{at}.parquet") for at in range(2)]
    merged = cudf.io.merge_parquet_filemetadata(footers)
    assert merged.dtype == np.uint8 and pq.read_metadata(io.BytesIO(merged.tobytes())).num_rows == 4


def test_parquet_refusals(cudf, tmp_path):
    table = cudf.DataFrame({"a": [1]})
    with pytest.raises(RuntimeError, match="Unsupported compression type"):
        table.to_parquet(tmp_path / "x", compression="BROTLI")
    with pytest.raises(ValueError, match="Unsupported `compression` type"):
        table.to_parquet(tmp_path / "x", compression="nope")
    with pytest.raises(ValueError, match="'category' column dtypes are currently not"):
        cudf.DataFrame({"a": cudf.Series(["x"], dtype="category")}).to_parquet(tmp_path / "x")
    with pytest.raises(ValueError, match="Writing a Parquet file requires string column names"):
        cudf.DataFrame({1: [1]}).to_parquet(tmp_path / "x")
    with pytest.raises(FileNotFoundError, match="could not be resolved to any files"):
        cudf.read_parquet(tmp_path / "nope.parquet")
    for data, words in (
        (b"", "Incorrect data source"),
        (b"x" * 100, "Corrupted header"),
        (b"PAR1" + b"x" * 100, "Corrupted footer"),
    ):
        with pytest.raises(RuntimeError, match=words):
            cudf.read_parquet(io.BytesIO(data))
    (tmp_path / "cut.parquet").write_bytes(b"PAR1abc")
    with pytest.raises(RuntimeError, match="Incorrect data source"):
        cudf.read_parquet(tmp_path / "cut.parquet")


def test_json_lines(cudf):
    text = '{"a":1,"b":"x","l":[1,2],"s":{"q":1}}\n{"a":null,"b":"y","l":null,"s":{"q":2}}\n{"a":3}\n'
    found = cudf.read_json(io.StringIO(text), lines=True)
    assert rows(found) == [
        {"a": 1, "b": "x", "l": [1, 2], "s": {"q": 1}},
        {"a": None, "b": "y", "l": None, "s": {"q": 2}},
        {"a": 3, "b": None, "l": None, "s": None},
    ]
    assert list(map(str, found.dtypes)) == ["int64", "str", "list", "struct"]
    assert cudf.read_json(io.StringIO('{"d":"2020-01-01"}\n'), lines=True)["d"].dtype == "str"  # dates are not guessed
    assert cudf.read_json(io.StringIO(text), lines=True, dtype={"a": "float32"})["a"].dtype == np.float32
    with pytest.raises(RuntimeError, match="JSON Parser encountered an invalid format at location"):
        cudf.read_json(io.StringIO('{"a":1}\n{"a":'), lines=True)
    with pytest.raises(ValueError, match="False value is unsupported for `dtype`"):
        cudf.read_json(io.StringIO(text), lines=True, dtype=False)


def test_json_by_pandas_warns(cudf):
    with pytest.warns(UserWarning, match="Using CPU via Pandas to read JSON dataset"):
        assert rows(cudf.read_json(io.StringIO('[{"a":1},{"a":2}]'))) == [{"a": 1}, {"a": 2}]


def test_json_written(cudf):
    frame = cudf.DataFrame({"a": [1, None], "b": ["x", 'q"']})
    assert frame.to_json(engine="cudf", orient="records") == '[{"a":1,"b":"x"},{"a":null,"b":"q\\""}]'
    lines = frame.to_json(engine="cudf", orient="records", lines=True).splitlines()
    assert [json.loads(line) for line in lines] == [{"a": 1, "b": "x"}, {"a": None, "b": 'q"'}]
    with pytest.raises(ValueError, match="Only the `orient='records'` is supported"):
        frame.to_json(engine="cudf", orient="split")
    with pytest.warns(UserWarning, match="Using CPU via Pandas to write JSON dataset"):
        frame.to_json()


@pytest.mark.parametrize("compression", ["SNAPPY", "ZLIB", "ZSTD", "LZ4", None])
def test_orc(cudf, frame, tmp_path, compression):
    frame.to_orc(tmp_path / "x.orc", compression=compression)
    again = cudf.read_orc(tmp_path / "x.orc")
    assert rows(again.drop(columns="t")) == rows(frame.drop(columns="t"))
    assert again["t"].astype("datetime64[us]")._arrow.to_pylist() == frame["t"]._arrow.to_pylist()
    assert list(cudf.read_orc(tmp_path / "x.orc", columns=["s", "i"]).columns) == ["s", "i"]
    with pytest.raises(ValueError, match="Unsupported `compression` type LZO"):
        frame.to_orc(tmp_path / "x.orc", compression="LZO")
    with pytest.raises(RuntimeError, match="CUDF failure"):
        cudf.read_orc(io.BytesIO(b"nothing of the kind"))


def test_avro(cudf):
    schema = {"type": "record", "name": "r", "fields": [
        {"name": "i", "type": "int"}, {"name": "l", "type": ["null", "long"]}, {"name": "f", "type": "float"},
        {"name": "s", "type": ["null", "string"]}, {"name": "d", "type": {"type": "int", "logicalType": "date"}},
        {"name": "a", "type": {"type": "array", "items": "long"}},
    ]}  # fmt: skip
    records = [
        {"i": 1, "l": None, "f": 0.5, "s": "x", "d": 0, "a": [1]},
        {"i": 2, "l": 5, "f": 1.5, "s": None, "d": 1, "a": []},
    ]
    out = io.BytesIO()
    fastavro.writer(out, schema, records)
    found = cudf.read_avro(io.BytesIO(out.getvalue()))
    assert list(map(str, found.dtypes))[:4] == ["int32", "int64", "float32", "str"]
    assert found["l"]._arrow.to_pylist() == [None, 5] and found["a"]._arrow.to_pylist() == [[1], []]
    assert found["d"]._arrow.to_pylist()[1].isoformat().startswith("1970-01-02")
    assert len(cudf.read_avro(io.BytesIO(out.getvalue()), skiprows=1)) == 1
    with pytest.raises(RuntimeError, match="Cannot parse metadata"):
        cudf.read_avro(io.BytesIO(b"nothing of the kind"))


def test_feather(cudf, tmp_path):
    frame = cudf.DataFrame({"a": [1, None], "s": ["x", None]})
    with pytest.warns(UserWarning, match="Using CPU via PyArrow to write Feather dataset"):
        frame.to_feather(tmp_path / "x.feather")
    with pytest.warns(UserWarning, match="Using CPU via PyArrow to read feather dataset"):
        assert rows(cudf.read_feather(tmp_path / "x.feather")) == rows(frame)


def test_text(cudf, tmp_path):
    (tmp_path / "x.txt").write_text("a::b::::c")
    assert cudf.read_text(tmp_path / "x.txt", delimiter="::")._arrow.to_pylist() == ["a::", "b::", "::", "c"]
    stripped = cudf.read_text(tmp_path / "x.txt", delimiter="::", strip_delimiters=True)
    assert stripped._arrow.to_pylist() == ["a", "b", "", "c"]
    assert cudf.read_text(tmp_path / "x.txt", delimiter="::", byte_range=(1, 5))._arrow.to_pylist() == ["b::"]
    with pytest.raises(ValueError, match="delimiter needs to be provided"):
        cudf.read_text(tmp_path / "x.txt")
