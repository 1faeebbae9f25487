"""The published figures: complete, sourced, in the shape the schema says, and with verdicts that arithmetic bears out."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

from gpusim.hardware import gpus
from hundredfold import paths
from hundredfold.toolkit import limit, recorded

FOLDER = Path(paths.data_dir("recordings"))
FILES = sorted(file for file in FOLDER.glob("*.json") if file.name != "schema.json")
SCHEMA = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_each_file_fits_the_schema(file):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_each_name_leads_somewhere(file):
    data = json.loads(file.read_text(encoding="utf-8"))
    entries = [*data["rows"], *(time for row in data["rows"] for time in row["times"])]
    assert {entry["source"] for entry in entries if "source" in entry} <= set(data["sources"])
    assert {entry["machine"] for entry in entries if "machine" in entry} <= set(data["machines"])
    for each in data["machines"].values():
        assert "gpu" not in each or gpus.find(each["gpu"])
    ids = [row["id"] for row in data["rows"]]
    assert len(ids) == len(set(ids))
    assert file.stat().st_size < 60_000


def test_a_row_out_of_shape_is_found():
    data = json.loads((FOLDER / "published-2019.json").read_text(encoding="utf-8"))
    data["rows"][0]["times"][0]["seconds"] = -1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(data)


@pytest.mark.parametrize("lost", ["address", "source", "sources"])
def test_a_published_time_without_a_source_is_refused(lost):
    data = json.loads((FOLDER / "published-2026.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.validate(data)
    where = {"address": data["sources"][data["rows"][0]["source"]], "source": data["rows"][0], "sources": data}[lost]
    del where[lost]
    with pytest.raises(jsonschema.ValidationError, match=lost):
        validator.validate(data)


def test_what_was_published_lately_names_its_licence_and_where_it_stands_for_good():
    data = json.loads((FOLDER / "published-2026.json").read_text(encoding="utf-8"))
    fixed = re.compile(r"/(pull|issues)/\d+$|/(blob|tree)/[0-9a-f]{10}/")
    for name, source in data["sources"].items():
        assert source["licence"] and source["author"], name
        assert fixed.search(source["address"]) or "README" in source.get("note", ""), name
    assert data["kind"] == "published"


def test_newer_gpus_stand_beside_the_older_ones():
    """What a learner sees a modern GPU for, and that the first published row is still the oldest."""
    gpus_of = {row.id: {time.gpu for time in row.times} for row in recorded.rows() if row.kind == "published"}
    for workload, named in {
        "memory.triad": {"V100", "A100", "A100 40 GB", "H100 PCIe", "H200"},
        "memory.cumsum": {"A100 40 GB", "H100"},
        "kernels.histogram": {"A100 40 GB", "H100"},
        "fast-kernels.stencil-5": {"A100", "H200"},
        "fast-kernels.sum": {"A100 40 GB"},
        "fast-kernels.transpose": {"T4"},
        "merges.join-small": {"A100", "H100"},
        "merges.lookup": {"T4"},
    }.items():
        assert named <= gpus_of[workload], workload
    both = [row for row in recorded.rows("dataframes.groupby") if row.kind == "published"]
    assert [{time.gpu for time in row.times if time.device == "gpu"} for row in both] == [{"V100"}, {"T4"}]
    assert recorded.published("dataframes.groupby") is both[0]


def test_the_verdicts_follow_from_bytes_and_operations():
    """No GPU may move a row's bytes or do its operations faster than it can: exactly the times that would have to are called impossible."""
    checked = 0
    for row in recorded.rows():
        for time in row.times:
            if time.device != "gpu" or time.gpu is None or row.least_bytes is None:
                continue
            dtype = "float32" if row.dtype == "float32" else "float64"
            least = limit(bytes=row.least_bytes, flops=row.flops, machine=time.gpu, dtype=dtype)
            at_once = least.seconds / (time.workers or 1)
            assert (time.seconds < at_once) == (time.verdict == "impossible"), (row.id, time.way, time.seconds, at_once)
            checked += 1
    assert checked > 90


def test_the_figures_that_the_course_is_built_on_are_there():
    first = recorded.published("arrays.sincos")
    assert [time.seconds for time in first.times[:2]] == [0.402, 0.000746]
    assert first.times[1].verdict == "impossible" and first.times[1].source["address"].endswith("gpu-python-challenges")
    rows = recorded.rows()
    published = {row.id: [time.seconds for time in row.times] for row in reversed(rows) if row.kind == "published"}
    assert published["dataframes.mean"] == [0.0502, 0.00142]
    assert published["dataframes.groupby"] == [1.15, 0.054]
    assert published["merges.merge"] == [10.3, 0.28]
    assert published["kernels.stencil"] == [0.621, 0.00287]
    assert published["dask-arrays.sum"] == [9540, 690, 97, 19]
    assert published["memory.elementwise.10000x10000"] == [3.499, 0.01306]


def test_a_family_is_found_by_its_name_and_an_unknown_one_is_told_its_neighbours():
    family = recorded.rows("memory.sum")
    assert {row.shape for row in family} == {(1000, 1000), (10000, 10000), (20000, 20000)}
    with pytest.raises(KeyError, match=r"'array.sincos'.*arrays\.sincos"):
        recorded.rows("array.sincos")
    with pytest.raises(KeyError):
        recorded.rows("memory.su")
