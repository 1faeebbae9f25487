"""`compare`: everything in one table, one picture and three ratios, and honest about what it does not know."""

import json

import numpy as np
import pytest

from hundredfold.toolkit import Measurement, compare, limit
from kernellens.plot.figure import MIME


def measurement(name, seconds, device="CPU", **more):
    return Measurement(name, 2 * seconds, np.full(7, seconds), device=device, **more)


NUMPY, NUMBA, CUPY = measurement("NumPy", 1.6), measurement("Numba", 0.4), measurement("CuPy", 1.7, "simulated GPU")
HERE = {"CuPy": CUPY, "NumPy": NUMPY, "Numba": NUMBA}


@pytest.fixture
def comparison(rates):
    return compare("arrays.sincos", HERE, naive=NUMPY, strongest=NUMBA, limit=limit(bytes=8e8))


def test_the_three_ratios(comparison):
    cupy = comparison.ratios["CuPy"]
    assert cupy.limit == pytest.approx(8e-3 / 1.7)
    assert cupy.strongest == pytest.approx(0.4 / 1.7)
    assert cupy.naive == pytest.approx(1.6 / 1.7)
    # A way is not compared with itself.
    assert comparison.ratios["NumPy"].naive is None and comparison.ratios["Numba"].strongest is None
    assert str(cupy) == "0.47 % of the limit, 0.235× the strongest CPU way, 0.941× the naive one"


def test_all_four_kinds_of_rows_are_in_the_table(comparison):
    table = str(comparison)
    for line in (
        "published: NumPy                   402 ms, doubtful",
        "published: CuPy (V100)             746 µs, impossible",
        "here: CuPy                         1.7 s",
        "limit: V100, each byte once        889 µs",
        "limit: this CPU                    8 ms",
        "Numba  2 % of the limit, 4× the naive one",
    ):
        assert line in table.splitlines(), table


def test_the_picture_says_the_same_in_words(comparison):
    figure = comparison.figure
    assert figure.text == str(comparison)
    for said in ("746 µs, impossible", "1.7 s", "889 µs", "0.235× the strongest CPU way"):
        assert said in figure.alt


def test_a_notebook_gets_the_figure(comparison, monkeypatch):
    monkeypatch.setenv("KERNELLENS_FIGURES", "json")
    bundle = comparison._repr_mimebundle_()
    assert bundle["text/plain"] == str(comparison) and "0.746" not in bundle["text/plain"]
    item = json.dumps(bundle[MIME]["item"])
    assert "here: CuPy" in item and "arrays.sincos" in item
    monkeypatch.delenv("KERNELLENS_FIGURES")
    assert "text/html" in comparison._repr_mimebundle_()


def test_in_simulation_text_and_picture_say_so(rates, monkeypatch):
    monkeypatch.setenv("GPUSIM_SIMULATE", "1")
    simulated = compare("arrays.sincos", HERE)
    assert "simulated on this CPU" in str(simulated)
    assert "simulated on this CPU" in json.dumps(simulated.figure.data()["item"])
    monkeypatch.delenv("GPUSIM_SIMULATE")
    on_gpu = compare("arrays.sincos", {"NumPy": NUMPY, "CuPy": measurement("CuPy", 3e-3, "NVIDIA H200")})
    assert "Times taken here (on this CPU, on NVIDIA H200)" in str(on_gpu) and "simulated" not in str(on_gpu)


def test_in_simulation_the_cpus_own_times_are_not_called_simulated(rates, monkeypatch):
    monkeypatch.setenv("GPUSIM_SIMULATE", "1")
    assert "Times taken here (on this CPU)" in str(compare("compiling.stencil", {"NumPy": NUMPY, "Numba": NUMBA}))
    by_hand = compare("compiling.stencil", {"NumPy": NUMPY, "loop": 0.4})
    assert "Times taken here (simulated on this CPU)" in str(by_hand), "nobody knows what that one timed"


def test_an_impossible_time_of_ones_own_is_drawn_as_such(rates):
    lied = compare("arrays.sincos", {"CuPy": 1e-4}, limit=limit(bytes=8e8))
    assert any(line.startswith("here: CuPy") and line.endswith("impossible") for line in str(lied).splitlines())


def test_our_own_rates_are_doubted_before_a_time_is(rates):
    bad_day = limit(bytes=8e9)
    rates.again = rates.faster
    suspect = bad_day.seconds / 1.5
    assert bad_day.impossible(suspect) is not None
    compared = compare("arrays.sincos", {"CuPy": measurement("CuPy", suspect)}, limit=bad_day)
    assert "impossible" not in str(compared).partition("here: CuPy")[2].splitlines()[0]
    assert compared.ratios["CuPy"].limit < 1


def test_the_limit_comes_from_the_measurement_where_none_is_given(rates):
    own = measurement("NumPy", 1.0, bytes=8e8, limit=limit(bytes=8e8))
    assert compare("arrays.sincos", own).ratios["NumPy"].limit == pytest.approx(8e-3)
    assert compare("arrays.sincos", 1.0).ratios["here"].limit is None


def test_another_size_is_said(rates):
    assert "Here 10 000 000 elements, published 100 000 000" in str(compare("arrays.sincos", NUMPY, n=10**7))
    assert "elements, published" not in str(compare("arrays.sincos", NUMPY, n=10**8))


def test_a_newer_gpu_stands_beside_and_its_other_work_is_said(rates):
    shown = str(compare("dataframes.groupby", NUMPY))
    assert "published: cuDF (V100)            54 ms" in shown and "published: cuDF, 1 M groups (T4)  58 ms" in shown
    notes = shown.splitlines()[-2:]
    assert notes[0] == "Published by Matthew Rocklin, 2018"
    assert notes[1].startswith("Published by Alexis Lowys, 2026. Their work: mean of one column and sum of another")
    # A workload that only one file has: its work is the title's. A source without an author is named by its title.
    assert "Their work" not in str(compare("memory.cumsum", NUMPY))
    assert "Published in “dask-cuda issue 183: merge over TCP and over UCX”, 2019" in str(compare("svd.merge", NUMPY))


def test_a_gpu_without_a_data_sheet_is_named_and_has_no_limit(rates):
    shown = str(compare("fast-kernels.matmul", NUMPY))
    assert "published: cuBLAS (NVIDIA RTX A6000)" in shown and "limit: NVIDIA RTX A6000" not in shown


def test_where_arithmetic_binds_the_limit_counts_operations(rates):
    shown = str(compare("fast-kernels.matmul", NUMPY)).splitlines()
    (line,) = [line for line in shown if line.startswith("limit: A100 40 GB, each operation once")]
    assert line.endswith("7.05 ms"), 2 * 4096**3 / 19.5e12
    assert any(line.startswith("limit: V100, each operation once") for line in shown)
    assert "limit: V100, each byte once" in str(compare("memory.sum.10000x10000", NUMPY))


def test_a_workload_without_published_times_can_be_compared(rates):
    assert "here: NumPy  1.6 s" in str(compare("compiling.sum", NUMPY))


@pytest.mark.parametrize(
    ("here", "more", "error", "says"),
    [
        ({}, {}, ValueError, "at least one"),
        ({"CuPy": 0.0}, {}, ValueError, "CuPy: a positive"),
        ({"CuPy": "fast"}, {}, TypeError, "CuPy: a Measurement or seconds"),
        ({"CuPy": np.zeros(3)}, {}, TypeError, "ndarray"),
        (1.0, {"naive": -1}, ValueError, "naive"),
        (1.0, {"limit": 3.0}, TypeError, r"limit\(\.\.\.\)"),
    ],
)
def test_what_is_no_time_is_refused(here, more, error, says):
    with pytest.raises(error, match=says):
        compare("arrays.sincos", here, **more)


def test_an_unknown_workload_is_told_its_neighbours():
    with pytest.raises(KeyError, match=r"arrays\.sincos"):
        compare("array.sincos", 1.0)
