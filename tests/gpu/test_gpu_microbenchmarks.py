"""The microbenchmarks, on the simulated libraries: they run, and their units are what they say; the rates are a GPU's only on a GPU."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))


@pytest.fixture(scope="module")
def microbenchmarks(simulated_libraries):
    from gpu import microbenchmarks

    return microbenchmarks


@pytest.mark.parametrize(
    "name, asked, unit, count",
    [
        ("launches", {"count": 2}, "µs", 4),
        ("transfers", {"sizes": (1 << 12,)}, "GB/s", 4),
        ("random", {"n": 1 << 10}, "10⁹ a second", 6),
    ],
)
def test_each_measures_what_it_says(microbenchmarks, name, asked, unit, count):
    rows = getattr(microbenchmarks, name)(**asked)["rows"]
    assert len(rows) == count and {row["unit"] for row in rows} == {unit}
    assert all(np.isfinite(row["value"]) and row["value"] > 0 for row in rows)
    assert len({row["what"] for row in rows}) == count


def test_a_requests_sectors_lie_where_its_time_lies(microbenchmarks, monkeypatch):
    """A device whose requests take a cycle and half a cycle for each sector: the scale is read back, between its marks too."""
    import cupy

    asked = []

    class Kernel:
        def __init__(self, code, name):
            pass

        def __call__(self, grid, block, args):
            asked.append(len({place // 32 for place in args[1].get().tolist() if place >= 0}))

    def best(call):
        call()
        return 1 + asked[-1] / 2

    monkeypatch.setattr(cupy, "RawKernel", Kernel)
    monkeypatch.setattr(microbenchmarks, "_best", best)
    spread = [
        [32 * lane for lane in range(32)],
        [4 * lane for lane in range(32)],
        [32 * (lane // 5) for lane in range(32)],
        [-1] * 31 + [0],
    ]
    told = microbenchmarks.sectors_by_time(spread)
    assert told[0] == pytest.approx(32) and told[1] == pytest.approx(4) and told[3] == pytest.approx(1)
    assert 6 < told[2] < 8  # 7 sectors, between the marks of 4 and 8
