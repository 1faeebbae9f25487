"""Grey pictures, and Dask's performance report as a figure."""

import json

import numpy as np
import pytest

from kernellens import plot


def test_pictures_are_drawn_and_said():
    pictures = {"first": np.eye(3), "second": np.arange(9.0).reshape(3, 3)}
    figure = plot.images(pictures, "A line, and a ramp.", title="Two of them")
    assert "first, second" in figure.alt and "A line, and a ramp." in figure.alt and "3 × 3" in figure.alt
    assert figure.text == "Two of them" and not figure.chart
    assert plot.times({"a": 1.0}).data()["chart"]
    item = json.dumps(figure.data()["item"])
    assert "first" in item and "second" in item and item.count('"Image"') >= 2


def test_a_picture_without_any_contrast_is_drawn():
    assert plot.images({"flat": np.zeros((2, 2))}, "Nothing.").data()["item"]


@pytest.mark.parametrize(
    "pictures", [{}, {"a": np.zeros(3)}, {"a": np.zeros((2, 2)), "b": np.zeros((2, 3))}, {"a": np.zeros((0, 3))}]
)
def test_what_is_no_picture_is_refused(pictures):
    with pytest.raises(ValueError, match="matrices of one shape"):
        plot.images(pictures, "Nothing.")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A report that Dask itself wrote, of a cluster in this process."""
    distributed = pytest.importorskip("distributed")
    file = tmp_path_factory.mktemp("report") / "report.html"
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
        distributed.performance_report(filename=str(file)),
    ):
        assert client.gather(client.map(abs, [-1, -2, -3])) == [1, 2, 3]
    return file


def test_a_report_of_dasks_becomes_a_figure(written):
    figure = plot.report(written)
    assert "number of tasks: 3" in figure.alt and "Duration:" in figure.alt
    assert figure.text.startswith("Dask performance report, ") and not figure.chart
    item = json.dumps(figure.data()["item"])
    for tab in ("Summary", "Task Stream", "Bandwidth (Workers)"):
        assert tab in item
    assert "cdn.bokeh.org" not in item
    assert "<" not in figure.alt + figure.text


def test_the_time_of_a_report_is_not_counted_in_days_since_1970(written):
    """Bokeh writes a second line below the axis, "20783 days", unless it is told not to."""
    found = []

    def walk(value):
        if isinstance(value, dict):
            if value.get("name") == "TimedeltaTickFormatter":
                found.append(value.get("attributes", {}).get("context"))
        for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(each)

    walk(plot.report(written).data()["item"])
    assert found and not any(found)


def test_a_report_can_be_shown_again(written):
    assert plot.report(written).data()["item"] and plot.report(str(written)).data()["item"]


@pytest.mark.parametrize("text", ["", "<html></html>", '<script type="application/json">{"a": {"roots": []}}</script>',
                                  '<script type="application/json">{</script>'])  # fmt: skip
def test_another_page_is_no_report(tmp_path, text):
    file = tmp_path / "page.html"
    file.write_text(text)
    with pytest.raises(ValueError, match="no report"):
        plot.report(file)


def test_lines_in_brief_leave_their_numbers_to_the_alternative():
    figure = plot.lines([1, 2], {"rounding": [1.25e-16, 0.125]}, title="Errors", note="Computed", brief=True)
    assert figure.text.splitlines() == ["Errors", "Lines: rounding.", "Computed"]
    assert "0.125" in figure.alt
