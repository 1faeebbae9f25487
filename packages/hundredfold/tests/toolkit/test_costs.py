"""Prices and powers: each with its source, and what follows from them."""

import json
import re
from pathlib import Path

import pytest

from gpusim.hardware import gpus
from hundredfold.toolkit import costs

DATA = json.loads((Path(costs.__file__).with_name("costs.json")).read_text())


def test_every_figure_has_a_source_with_a_date_and_says_how_it_came_here():
    assert {row["source"] for table in ("watts", "prices") for row in DATA[table]} == set(DATA["sources"])
    for source in DATA["sources"].values():
        assert re.search(r"20\d\d", source["date"]) and source["publisher"] and source["address"].startswith("https://")
        assert source["read"].startswith("a stored copy")


def test_the_gpus_are_known_ones_and_the_figures_are_of_a_size_that_makes_sense():
    for row in DATA["prices"]:
        assert "gpu" not in row or gpus.find(row["gpu"]).name == row["gpu"]
        assert 0.1 < row["price"] < 100
    for row in DATA["watts"]:
        assert row["what"].startswith("Xeon") or gpus.find(row["what"]).name == row["what"]
        assert 10 < row["watts"] < 1500


def test_a_figure_comes_with_its_source():
    h100 = costs.watts("H100 PCIe")
    assert h100.value == 350 and h100.publisher == "NVIDIA" and h100.date == "2022-11-30"
    assert {figure.what for figure in costs.prices()} == {row["what"] for row in DATA["prices"]}


@pytest.mark.parametrize("find", [costs.watts, costs.price])
def test_what_is_not_on_file_is_answered_with_what_is(find):
    with pytest.raises(ValueError, match="there are .*H100"):
        find("Abacus")


def test_energy_and_money():
    assert costs.energy(3600, 1000) == 3.6e6
    assert costs.money(1800, 4.0) == pytest.approx(2.0)
    assert costs.money(60, 6.0, step=3600) == costs.money(3600, 6.0, step=3600) == pytest.approx(6.0)
    assert costs.money(3601, 6.0, step=3600) == pytest.approx(12.0)
    assert costs.money(5, 6.0, least=60) == pytest.approx(0.1)
    assert costs.money(0.1 * 30, 3600.0, step=0.1) == pytest.approx(3.0), "no step more by rounding"
    with pytest.raises(ValueError, match="negative"):
        costs.money(-1, 1)
