"""Object storage on this machine: what HTTP and S3 clients get of it, and what it says they asked for."""

import http.client
import urllib.error
import urllib.request

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest

from hundredfold.data.storage import Request, Storage


@pytest.fixture
def table(tmp_path):
    table = pa.table({"a": range(5000), "b": [str(i) for i in range(5000)]})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=1000)
    return table


@pytest.fixture
def storage(table, tmp_path):
    (tmp_path / "digits").write_bytes(b"0123456789")
    (tmp_path / "empty").write_bytes(b"")
    with Storage(
        {"a b/digits": tmp_path / "digits", "empty": tmp_path / "empty", "t.parquet": tmp_path / "t.parquet"}
    ) as storage:
        yield storage


def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
        return answer.status, answer.read(), answer.headers


@pytest.mark.parametrize(
    ("asked", "status", "content"),
    [
        (None, 200, b"0123456789"),
        ("bytes=2-4", 206, b"234"),
        ("bytes=7-", 206, b"789"),
        ("bytes=-3", 206, b"789"),
        ("bytes=-30", 200, b"0123456789"),
        ("bytes=8-100", 206, b"89"),
        ("bytes=0-9", 200, b"0123456789"),
        ("lines=1-2", 200, b"0123456789"),
        ("bytes=1-2,4-5", 200, b"0123456789"),
    ],
)
def test_ranges(storage, asked, status, content):
    got = get(storage.url("a b/digits"), **({"Range": asked} if asked else {}))
    assert got[:2] == (status, content)
    assert int(got[2]["Content-Length"]) == len(content)
    if status == 206:
        start = b"0123456789".index(content)
        assert got[2]["Content-Range"] == f"bytes {start}-{start + len(content) - 1}/10"
    assert [r.nbytes for r in storage.requests] == [len(content)]


@pytest.mark.parametrize(
    ("key", "asked"), [("a b/digits", "bytes=10-"), ("a b/digits", "bytes=-0"), ("empty", "bytes=0-1")]
)
def test_a_range_of_bytes_that_do_not_exist_is_refused(storage, key, asked):
    with pytest.raises(urllib.error.HTTPError, match="416"):
        get(storage.url(key), Range=asked)
    assert storage.nbytes == 0


@pytest.mark.parametrize("path", ["lake/nothing", "other/empty"])
def test_what_is_not_there_is_not_found(storage, path):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        get(f"http://{storage.endpoint}/{path}")


def test_head_sends_nothing_and_is_counted_so(storage):
    connection = http.client.HTTPConnection(storage.endpoint, timeout=10)
    connection.request("HEAD", "/lake/a%20b/digits")
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Content-Length"], answer.read()) == (200, "10", b"")
    connection.close()
    assert storage.requests == [Request("HEAD", "a b/digits")]


def s3(storage):
    return pafs.S3FileSystem(anonymous=True, scheme="http", endpoint_override=storage.endpoint, region="us-east-1")


def test_a_real_s3_client_lists_and_reads(storage, table):
    client = s3(storage)
    found = client.get_file_info(pafs.FileSelector("lake", recursive=True))
    assert {info.path: info.size for info in found if info.is_file} == {
        "lake/a b/digits": 10, "lake/empty": 0, "lake/t.parquet": storage.files["t.parquet"].stat().st_size
    }  # fmt: skip
    shallow = client.get_file_info(pafs.FileSelector("lake"))
    assert {(info.base_name, info.is_file) for info in shallow} == {
        ("a b", False),
        ("empty", True),
        ("t.parquet", True),
    }
    assert pq.read_table("lake/t.parquet", filesystem=client).equals(table)
    assert client.get_file_info("lake/nothing").type == pafs.FileType.NotFound


def test_the_requests_tell_what_a_column_of_a_row_group_takes(storage, table):
    storage.forget()
    found = pq.read_table("lake/t.parquet", filesystem=s3(storage), columns=["a"], filters=[("a", ">=", 4000)])
    assert found["a"].to_pylist() == list(range(4000, 5000))
    group = pq.ParquetFile(storage.files["t.parquet"]).metadata.row_group(4).column(0)
    spans = [(r.start, r.stop) for r in storage.requests if r.nbytes]
    assert any(start <= group.dictionary_page_offset and stop >= group.data_page_offset for start, stop in spans)
    storage.forget()
    assert storage.requests == [] and storage.nbytes == 0


def test_it_says_nothing_when_a_reader_breaks_off(tmp_path, capfd):
    (tmp_path / "large").write_bytes(bytes(30_000_000))
    with Storage({"large": tmp_path / "large"}) as storage:
        connection = http.client.HTTPConnection(storage.endpoint, timeout=10)
        connection.request("GET", "/lake/large")
        connection.getresponse().read(10)
        connection.sock.close()
        connection.close()
        get(storage.url("large"), Range="bytes=0-1")  # it still serves
    assert capfd.readouterr().err == ""


def test_a_file_that_is_not_there_is_told_before_anything_is_served(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file .*absent to serve"):
        Storage({"x": tmp_path / "absent"})


def test_nobody_is_served_after_it_is_closed(storage):
    url = storage.url("empty")
    storage.close()
    with pytest.raises(OSError):
        get(url)
