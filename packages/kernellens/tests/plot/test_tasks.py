"""The picture of a graph: which tasks, in which steps, and which needs which."""

import dask
import dask.array as da
import pytest

from kernellens import plot
from kernellens.plot import tasks


@pytest.fixture
def total():
    return (da.ones((4, 4), chunks=2) + 1).sum()


def test_what_is_drawn_is_said(total):
    drawn = plot.graph(total, title="A sum")
    assert drawn.text == (
        "A sum\n13 tasks in 4 steps, from left to right: 4 ones_like; 4 add; 4 sum; 1 sum-aggregate. "
        "12 results are handed on."
    )
    assert drawn.alt.startswith("A sum. 13 tasks")


def test_what_would_run_is_drawn_without_second_names(total):
    drawn = plot.graph(total, optimized=True)
    assert drawn.text.startswith("5 tasks in 2 steps, from left to right: 4 ")
    assert drawn.text.endswith("1 sum-aggregate. 4 results are handed on.")


def test_each_task_is_a_mark_and_each_need_a_line(total):
    layout = plot.graph(total).layout
    from bokeh.models import ColumnDataSource, Scatter, Segment

    sources = {each.glyph: each.data_source for each in layout.select({"type": object}) if hasattr(each, "glyph")}
    marks = [len(source.data["x"]) for glyph, source in sources.items() if isinstance(glyph, Scatter)]
    lines = [len(source.data["x0"]) for glyph, source in sources.items() if isinstance(glyph, Segment)]
    assert sorted(marks) == [1, 4, 4, 4] and lines == [12]
    assert all(isinstance(source, ColumnDataSource) for source in sources.values())


def test_a_task_stands_right_of_all_that_it_needs():
    x = da.ones((4, 4), chunks=2)
    needs = tasks._needs((x @ x.T + x).sum(), optimized=False)
    column = {key: number for number, keys in enumerate(tasks._columns(needs)) for key in keys}
    assert set(column) == set(needs)
    assert all(column[each] < column[key] for key, needed in needs.items() for each in needed)


def test_a_delayed_value_and_a_plain_graph_are_drawn():
    one = dask.delayed(int)(1)
    both = dask.delayed(sum)([one, one])
    assert plot.graph(both).text.startswith("2 tasks in 2 steps")
    assert plot.graph(dict(both.__dask_graph__())).text == plot.graph(both).text


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        (1, TypeError, "a Dask collection, such as"),
        ({}, ValueError, "no task"),
        (da.ones(200, chunks=1), ValueError, "has 200 tasks; a picture of more than 150"),
    ],
)
def test_what_cannot_be_drawn_is_said(given, error, says):
    with pytest.raises(error, match=says):
        plot.graph(given)
