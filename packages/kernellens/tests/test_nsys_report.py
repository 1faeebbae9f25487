"""Reports of nsys, read from its SQLite export: two real ones of an A100, and what a report may lack."""

import sqlite3
from pathlib import Path

import pytest

import kernellens
from kernellens.profiling import NotAReportError

DATA = Path(__file__).parents[3] / "data"


def test_a_report_with_ranges():
    """hpcgroup/pipit's saxpy with MPI; the figures are sums over its tables, by SQL."""
    seen = kernellens.nsys_report(DATA / "saxpy-a100.sqlite")
    assert seen.measured
    assert seen.gpu == "NVIDIA A100-SXM4-40GB"
    assert [(share.name, share.count) for share in seen.shares] == [("saxpy", 5)]
    assert seen.busy == pytest.approx(88.57348e-3)
    assert sum(entry.nbytes for entry in seen.copies if entry.way == "h2d") == 2_621_440_000
    assert sum(entry.seconds for entry in seen.copies if entry.way == "d2h") == pytest.approx(98.698477e-3)
    named = [entry.name for entry in seen.ranges]
    assert named.count("MPI_Send") == 10
    assert named.count("saxpy") == 5
    assert min(entry.start for entry in seen.entries) == 0


def test_a_call_of_the_runtime_and_the_drivers_inside_it_are_one():
    seen = kernellens.nsys_report(DATA / "saxpy-a100.sqlite")
    assert [entry.name for entry in seen.entries if entry.kind == "launch"].count("cudaLaunchKernel") == 5
    assert len(seen.waits) == 15  # each copy keeps the host waiting


def test_a_report_of_many_kernels():
    seen = kernellens.nsys_report(DATA / "cloverleaf-a100.sqlite", "CloverLeaf")
    assert len(seen.kernels) == 1312
    assert sum(entry.name == "cudaDeviceSynchronize" for entry in seen.waits) == 1312
    assert seen.shares[0].name == "par_ranged2d_kernel"
    assert seen.overlap == 0
    assert "CloverLeaf on an NVIDIA A100-SXM4-80GB" in repr(seen)
    assert "measured" in seen.figure.alt
    part = seen.between(0.3, 0.31)
    assert part.seconds == pytest.approx(0.01, rel=0.05)
    assert 0 < len(part.kernels) < len(seen.kernels)


def test_measured_times_stay_those_of_their_gpu():
    seen = kernellens.nsys_report(DATA / "saxpy-a100.sqlite")
    for ask in (lambda: seen.on("H200"), seen.without_host):
        with pytest.raises(ValueError, match="measured"):
            ask()


def report(path, *statements):
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


KERNELS = (
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)",
    "INSERT INTO StringIds VALUES (1, 'add'), (2, 'step')",
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, shortName INT)",
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 3000, 0, 7, 1), (2000, 5000, 1, 13, 1)",
)


def test_tables_that_are_not_there_did_not_happen(tmp_path):
    seen = kernellens.nsys_report(report(tmp_path / "small.sqlite", *KERNELS))
    assert [(e.row, e.name, round(1e6 * e.seconds, 3)) for e in seen.kernels] == [
        *[("stream 7", "add", 2.0), ("device 1, stream 13", "add", 3.0)]
    ]
    assert seen.gpu == "GPU"
    assert seen.busy == pytest.approx(4e-6)  # the two overlap


def test_ranges_by_text_and_by_number_and_marks(tmp_path):
    made = report(
        tmp_path / "ranges.sqlite",
        *KERNELS,
        "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, textId INT, globalTid INT)",
        "INSERT INTO NVTX_EVENTS VALUES (500, 6000, 59, NULL, 2, 1), (600, 900, 59, 'load', NULL, 1), (700, NULL, 34, 'now', NULL, 1), "
        "(0, NULL, 75, 'a domain', NULL, 1)",
    )
    seen = kernellens.nsys_report(made)
    assert [(entry.name, entry.depth) for entry in seen.ranges] == [("step", 0), ("load", 1)]
    assert [entry.name for entry in seen.entries if entry.kind == "mark"] == ["now"]


def test_what_is_no_report_is_told(tmp_path):
    (tmp_path / "text.sqlite").write_text("no database, but long enough to be read as one" * 50)
    (tmp_path / "a.nsys-rep").write_bytes(b"")
    report(tmp_path / "other.sqlite", "CREATE TABLE a (b INT)")
    for name, said in (("text.sqlite", "no SQLite"), ("a.nsys-rep", "nsys export"), ("other.sqlite", "no kernel")):
        with pytest.raises(NotAReportError, match=said):
            kernellens.nsys_report(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        kernellens.nsys_report(tmp_path / "none.sqlite")


@pytest.mark.parametrize("name", ["run#1", "100%25", "ü b"])
def test_a_file_may_have_any_name(tmp_path, name):
    assert len(kernellens.nsys_report(report(tmp_path / f"{name}.sqlite", *KERNELS)).kernels) == 2
    assert [file.name for file in tmp_path.iterdir()] == [f"{name}.sqlite"]


def test_tables_without_rows_or_with_other_columns_are_told(tmp_path):
    empty = report(tmp_path / "empty.sqlite", *KERNELS[:3])
    others = report(tmp_path / "others.sqlite", "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (a INT)")
    for file, said in ((empty, "no kernel"), (others, "other tables .* no such column")):
        with pytest.raises(NotAReportError, match=said):
            kernellens.nsys_report(file)
