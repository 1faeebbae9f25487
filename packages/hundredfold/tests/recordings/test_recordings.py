"""The published figures: complete, sourced, in the shape the schema says, and with verdicts that arithmetic bears out."""

import json
from pathlib import Path

import jsonschema
import pytest

from gpusim.hardware import gpus
from hundredfold import paths
from hundredfold.toolkit import recorded

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


def test_the_verdicts_follow_from_the_bytes():
    """No GPU may move a row's bytes faster than its memory can: exactly the times that would have to are called impossible."""
    checked = 0
    for row in recorded.rows():
        for time in row.times:
            if time.device != "gpu" or time.gpu is None or row.least_bytes is None:
                continue
            at_once = row.least_bytes / (gpus.find(time.gpu).bandwidth * (time.workers or 1))
            assert (time.seconds < at_once) == (time.verdict == "impossible"), (row.id, time.way, time.seconds, at_once)
            checked += 1
    assert checked > 30


def test_the_figures_that_the_course_is_built_on_are_there():
    first = recorded.published("arrays.sincos")
    assert [time.seconds for time in first.times[:2]] == [0.402, 0.000746]
    assert first.times[1].verdict == "impossible" and first.times[1].source["address"].endswith("gpu-python-challenges")
    published = {row.id: [time.seconds for time in row.times] for row in recorded.rows() if row.kind == "published"}
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
