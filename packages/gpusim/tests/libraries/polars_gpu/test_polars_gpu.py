"""Polars with engine="gpu": the real translator on the simulated pylibcudf, against what it says on the real one."""

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TOLD = json.loads((HERE / "answers.json").read_text(encoding="utf-8"))
ANSWERS = TOLD["answers"]

# Prints for each query what the translator says, and whether the GPU engine's result is the CPU engine's.
ALL = """
import json, sys, warnings
import polars as pl
from polars.testing import assert_frame_equal
sys.path.insert(0, {here!r})
warnings.simplefilter("ignore")
import queries

def same(name, query):
    if name in queries.DRAWN:
        return query.collect(engine="gpu").height == query.collect().height
    loose = {{"check_row_order": False}} if name in queries.UNORDERED else {{}}
    assert_frame_equal(query.collect(engine="gpu"), query.collect(), **loose)
    return True

print(json.dumps({{name: [queries.judged(query), same(name, query)] for name, query in queries.QUERIES.items()}}))
"""


def run(code, **variables):
    environment = {**os.environ, "GPUSIM_SIMULATE": "1", **variables}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def here():
    return json.loads(run(ALL.format(here=str(HERE))))


def test_the_answers_are_of_the_installed_versions():
    installed = {name: metadata.version(name) for name in ("cudf-polars-cu13", "polars")}
    assert {name: TOLD["versions"][name] for name in installed} == installed


def test_the_list_has_both_kinds(here):
    assert here.keys() == ANSWERS.keys()
    refused = [name for name, said in ANSWERS.items() if said]
    assert len(ANSWERS) > 150 and 40 < len(refused) < 70


@pytest.mark.parametrize("name", ANSWERS)
def test_the_translator_says_what_it_says_on_the_real_pylibcudf(here, name):
    assert here[name][0] == ANSWERS[name]


def test_results_are_the_cpu_engines(here):
    assert all(same for _, same in here.values())


def test_raise_on_fail_raises_with_the_reasons():
    code = """
import polars as pl
query = pl.LazyFrame({"v": [1.0, 2.0]}).select(pl.col("v").ewm_mean(alpha=0.5))
try:
    query.collect(engine=pl.GPUEngine(raise_on_fail=True))
except Exception as error:
    print(type(error).__name__, error)
"""
    said = run(code)
    assert "NotImplementedError" in said and "EwmFunction.Mean" in said


def test_a_fallback_is_silent_unless_polars_is_verbose():
    code = """
import warnings, polars as pl
query = pl.LazyFrame({"v": [1.0, 2.0]}).select(pl.col("v").ewm_mean(alpha=0.5))
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    assert query.collect(engine="gpu").height == 2
print([(each.category.__name__, "EwmFunction.Mean" in str(each.message)) for each in seen])
"""
    assert run(code).strip() == "[]"
    assert run(code, POLARS_VERBOSE="1").strip() == "[('PerformanceWarning', True)]"


@pytest.mark.parametrize(
    "options, error",
    [
        ({"executor": "cluster"}, "Unknown executor 'cluster'"),
        ({"colour": 1}, "Unsupported executor_options: {'colour'}"),
        ({"executor_options": {"fallback_mode": "sometimes"}}, "'sometimes' is not a valid StreamingFallbackMode"),
        ({"parquet_options": {"chunked": "perhaps"}}, "chunked must be a bool"),
    ],
)
def test_options_are_checked_by_the_real_code(options, error):
    code = f"""
import polars as pl
try:
    pl.LazyFrame({{"v": [1]}}).select("v").collect(engine=pl.GPUEngine(**{options!r}))
except Exception as error:
    print(error)
"""
    assert error in run(code)


def test_both_executors_are_accepted():
    code = """
import polars as pl
query = pl.LazyFrame({"v": [1, 2]}).select(pl.col("v").sum())
for executor in ("in-memory", "streaming"):
    print(query.collect(engine=pl.GPUEngine(executor=executor, raise_on_fail=True)).item())
"""
    assert run(code).split() == ["3", "3"]


def test_files_are_scanned(tmp_path):
    code = f"""
import polars as pl
pl.DataFrame({{"k": [1, 2, 1], "v": [1.0, 2.0, 3.0]}}).write_parquet({str(tmp_path / "t.parquet")!r})
pl.DataFrame({{"k": [1, 2, 1], "v": [1.0, 2.0, 3.0]}}).write_csv({str(tmp_path / "t.csv")!r})
engine = pl.GPUEngine(raise_on_fail=True)
for query in (pl.scan_parquet({str(tmp_path / "t.parquet")!r}), pl.scan_csv({str(tmp_path / "t.csv")!r})):
    print(query.filter(pl.col("v") > 1).group_by("k").agg(pl.col("v").sum()).sort("k").collect(engine=engine)["v"].to_list())
"""
    assert run(code).splitlines() == ["[3.0, 2.0]"] * 2


def test_each_enumeration_and_request_that_the_real_code_names_is_there():
    code = """
import importlib.util, re
from pathlib import Path
import pylibcudf as plc
folder = Path(importlib.util.find_spec("cudf_polars").submodule_search_locations[0])
text = "".join(file.read_text() for part in ("dsl", "containers", "utils") for file in (folder / part).rglob("*.py"))
members = set(re.findall(r"\\bplc\\.((?:\\w+\\.)+[A-Z][A-Z0-9_]+)\\b(?!\\.)", text))
members |= set(re.findall(r"\\bplc\\.((?:aggregation|traits)\\.[a-z]\\w+)\\(", text))
for name in sorted(members):
    thing = plc
    for part in name.split("."):
        thing = getattr(thing, part)
print(len(members))
"""
    assert int(run(code)) > 150


def test_what_is_not_simulated_is_no_reason_of_the_gpus():
    code = """
import pylibcudf.traits, polars as pl
from gpusim.importing import names
query = pl.LazyFrame({"k": [1], "v": [1.0]}).group_by("k").agg(pl.col("v").sum())
query.collect(engine="gpu")
pylibcudf.aggregation.sum = names.refused("pylibcudf.aggregation.sum")
try:
    query.collect(engine="gpu")
except Exception as error:
    print(error)
"""
    assert "pylibcudf.aggregation.sum needs a GPU: it is not simulated" in run(code)


def test_what_would_run_on_the_gpu_is_refused_by_name():
    code = """
import pylibcudf as plc
try:
    plc.groupby.GroupBy(None)
except Exception as error:
    print(type(error).__name__, error)
print(plc.traits.is_numeric(plc.DataType(plc.TypeId.INT8)), plc.types.size_of(plc.DataType(plc.TypeId.DECIMAL128)))
"""
    said = run(code)
    assert "NotSimulatedError pylibcudf.groupby.GroupBy" in said and "True 16" in said
