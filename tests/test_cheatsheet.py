"""Each line of the cheat sheet's habits does what the page says: on the host, on the device, and as it should be written."""

import contextlib
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.usefixtures("simulated_libraries")

PAGE = (Path(__file__).parents[1] / "docs" / "cheatsheet.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([^`|]+)` \| ([^|]+) \| `([^`|]+)` \|$", re.MULTILINE)


def section(title):
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def run(code, names):
    with contextlib.ExitStack() as entered:
        if code.startswith("with "):
            manager, code = code.removeprefix("with ").split(": ", 1)
            entered.enter_context(eval(manager, dict(names)))
        return eval(code, dict(names))


def plain(value):
    """A value of either library as pandas or NumPy has it."""
    if hasattr(value, "to_pandas"):
        return value.to_pandas()
    if hasattr(value, "__cuda_array_interface__"):
        return value.get()
    return value


def same(one, other):
    one, other = plain(one), plain(other)
    try:
        if isinstance(one, pd.Series):
            pd.testing.assert_series_equal(one, other, check_names=False)
        elif isinstance(one, pd.DataFrame):
            pd.testing.assert_frame_equal(one, other)
        else:
            np.testing.assert_array_equal(np.asarray(one), np.asarray(other))
    except AssertionError:
        return False
    return True


def judge(habit, said, instead, host, device):
    name = re.match(r"`(\w+)`", said)
    if said.startswith("no error"):
        with pytest.raises(Exception) as on_host:  # noqa: PT011 - which one, the page does not say; it is the same below
            run(habit, host)
        run(habit, device)
        with pytest.raises(on_host.type):
            run(instead, device)
        return
    wanted = run(habit, host)
    if name:
        with pytest.raises(Exception) as found:  # noqa: PT011 - its name is compared
            run(habit, device)
        assert found.type.__name__ == name[1]
    else:
        kind = re.match("the same|another order|another result", said)[0]
        got = run(habit, device)
        alike = getattr(wanted, "dtype", None) == getattr(got, "dtype", None)
        assert (alike and same(wanted, got)) == (kind == "the same")
        if kind == "another order":
            assert sorted(map(str, plain(got).to_list())) == sorted(map(str, wanted.to_list()))
    assert same(wanted, run(instead, device))


@pytest.mark.parametrize(("habit", "said", "instead"), ROW.findall(section("Habits of NumPy")))
def test_a_habit_of_numpy(habit, said, instead):
    import cudf
    import cupy as cp
    import cupyx

    on_device = re.sub(r"\bnp\.(?!asarray|array\(\[1\.0, 2)", "cp.", habit)
    host = {"np": np, "x": np.array([3.0, 1.0, 4.0, 2.0])}
    device = {"np": np, "cp": cp, "cupyx": cupyx, "cudf": cudf, "x": cp.array([3.0, 1.0, 4.0, 2.0])}
    if on_device != habit:
        host["cp"] = np  # the habit is written for NumPy: on the device it is CuPy's function of that name
    judge(on_device, said, instead, host, device)


@pytest.mark.parametrize(("habit", "said", "instead"), ROW.findall(section("Habits of pandas")))
def test_a_habit_of_pandas(habit, said, instead):
    import cudf

    (code,) = re.findall(r"```python\n(.*?)```", section("Habits of pandas"), re.DOTALL)
    frames = []
    for library in (pd, cudf):
        names = {"pd": library}
        exec(code, names)
        frames.append({"np": np, "df": names["df"]})
    judge(habit, said, instead, *frames)


def test_each_line_is_looked_at():
    for title in ("Habits of NumPy", "Habits of pandas"):
        lines = [line for line in section(title).splitlines() if line.startswith("| `")]
        assert len(lines) == len(ROW.findall(section(title))) >= 14
