"""What the figures say in words, what they hand to a notebook, and what they refuse."""

import html
import json
import math
import subprocess
import sys

import pytest

from gpusim import hardware
from kernellens import plot
from kernellens.plot.figure import MIME, sources

TIMES = {
    "published: CuPy": 746e-6,
    "limit: read once": 889e-6,
    "2019 suite": 13e-3,
    "2019 suite: waited": 14e-3,
    "ordered": 0.1,
}


@pytest.fixture
def real(monkeypatch):
    """As on a machine where nothing is simulated."""
    monkeypatch.delenv("GPUSIM_SIMULATE", raising=False)
    monkeypatch.setattr(hardware, "mode", lambda: "none")


@pytest.fixture
def simulated(monkeypatch):
    monkeypatch.setenv("GPUSIM_SIMULATE", "1")


def test_times_say_every_number(real):
    figure = plot.times(TIMES, title="A title")
    for said in (figure.alt, figure.text):
        assert said.startswith("A title")
        for label in TIMES:
            assert label in said
        for time in ("746 µs", "889 µs", "13 ms", "14 ms", "100 ms"):
            assert time in said
    assert "simulated" not in figure.text and figure.text.endswith("(on this CPU)")


def test_in_simulation_times_taken_here_say_so(simulated):
    assert "simulated on this CPU" in plot.times({"ordered": 0.1}).text
    assert "simulated on this CPU" in plot.times({"ordered": 0.1}).alt
    assert "simulated" in json.dumps(plot.times({"ordered": 0.1}).data()["item"])
    # Published figures are nobody's simulation.
    assert "simulated" not in plot.times({"published: NumPy": 0.1, "2019 suite: sum": 0.2}).text
    assert "simulated" in plot.lines([1, 2], {"CuPy, here": [1, 2]}).alt
    assert "simulated" not in plot.lines([1, 2], {"V100, at best": [1, 2]}).alt


def test_the_table_is_aligned_and_ends_in_the_time(real):
    lines = plot.times(TIMES, note="").text.splitlines()
    assert len(lines) == len(TIMES)
    at = {line.index(time) for line, time in zip(lines, ("746 µs", "889 µs", "13 ms", "14 ms", "100 ms"), strict=True)}
    assert len(at) == 1


def test_the_word_before_the_colon_decides_the_mark():
    from bokeh.models import Scatter

    drawn = plot.times(TIMES).layout.select({"type": Scatter})
    shapes = [glyph.marker for glyph in drawn if glyph.line_alpha == 1.0]
    assert sorted({str(shape) for shape in shapes} & {"circle", "dash", "square"}) == ["circle", "dash", "square"]


def test_an_estimate_is_not_a_time_taken_here(simulated):
    from bokeh.models import Scatter

    figure = plot.times({"estimate: H200": 1e-3, "estimate: V100": 2e-3})
    assert "simulated" not in figure.text
    assert {str(glyph.marker) for glyph in figure.layout.select({"type": Scatter})} == {"diamond"}


def test_nothing_lies_outside_the_axis():
    from kernellens.plot.dots import Row, _span

    for rows in (
        [Row("a", 1e-9), Row("b", 1e5)],
        [Row("one", 0.5)],
        [Row("a" * 60, 1.0, remark="impossible"), Row("b", 1.0)],
    ):
        for narrow in (False, True):
            low, high = _span(rows, narrow)
            assert all(low < row.seconds < high for row in rows)
            assert math.log10(high / low) >= 1.2


def test_on_a_phone_names_stand_above(real):
    """None is cut, axes are of the same kind, and their labels have room."""
    long = "published: a name that is longer than a phone's page is wide"
    said = json.dumps(
        plot.times({long: 1e-3, "here: b": 5.0}, "A title", note="A note.").data()["narrow"], ensure_ascii=False
    )
    for words in ("published: a name that is longer than a", "phone's page is wide", "here: b", "A title", "A note."):
        assert words in said
    figure = plot.lines([1, 10, 1e6], {"a": [1, 2, 3], long: [3, 2, 1]}, "rows", "MB", xlog=True, marks={"L3": 500})
    said = json.dumps(figure.data()["narrow"], ensure_ascii=False)
    for words in ("● a<", f"■ {html.escape(long)}<", "MB<", "rows", "L3", "LogScale"):
        assert words in said
    assert '"10 000"' in said and '"100"' in said and '"1 000"' not in said


def test_lines_say_every_number(real):
    figure = plot.lines(
        [100, 1000],
        {"NumPy": [1e-5, 2e-4], "CuPy": [float("nan"), 7e-5]},
        xlabel="elements",
        ylabel="seconds",
        xlog=True,
        ylog=True,
        marks={"cache": 500},
        title="Crossing",
    )
    for said in (figure.alt, figure.text):
        for part in (
            "Crossing",
            "NumPy: 10 µs at 100, 200 µs at 1 000 elements",
            "CuPy: 70 µs at 1 000 elements",
            "cache is marked at 500",
        ):
            assert part in said
    assert "nan" not in figure.text


def test_no_tick_is_where_the_names_are():
    """The days of a year: the axis ends with them, though the names need room beside it."""
    from bokeh.models import Plot

    figure = plot.lines([1, 180, 365], {"the last 28 days": [1.0, 2.0, 3.0]})
    (drawn,) = figure.layout.select({"type": Plot})
    assert drawn.x_range.end > 400
    assert drawn.xaxis[0].bounds[1] == drawn.xgrid[0].bounds[1] == 365


def test_labels_at_the_ends_do_not_cover_each_other():
    from kernellens.plot.curves import _BESIDE, _apart

    moved = _apart({"a": 100.0, "b": 101.0, "c": 99.0, "far": 300.0}, 310.0)
    places = sorted(moved.values())
    assert all(over - under > 0.9 * _BESIDE for under, over in zip(places, places[1:], strict=False))
    assert sorted(moved, key=moved.get) == ["c", "a", "b", "far"] and abs(moved["far"] - 300) < 1


def test_labels_at_the_ends_stay_inside_the_frame():
    """Three that belong at the upper edge, and three at the lower one, of a frame of 310 pixels."""
    from kernellens.plot.curves import _BESIDE, _apart

    moved = _apart({"top": 309.0, "next": 308.0, "third": 290.0, "low": 0.0, "lower": 1.0, "lowest": 2.0}, 310.0)
    placed = sorted(moved.values())
    assert placed[0] >= _BESIDE / 2 and placed[-1] <= 310 - _BESIDE / 2
    assert all(b - a >= _BESIDE - 1e-6 for a, b in zip(placed, placed[1:], strict=False))
    assert sorted(moved, key=moved.get) == ["low", "lower", "lowest", "third", "next", "top"]


def test_ticks_are_few_round_and_inside():
    from kernellens.plot.axes import log_ticks, time_ticks

    for low, high in ((1e-4, 2.0), (0.9e-3, 1.1e-3), (3e-9, 5e5), (2.0, 9000.0), (1.0, 1000.0)):
        ticks = time_ticks(low, high)
        assert 2 <= len(ticks) <= 9 and all(low <= place <= high for place in ticks), (low, high, ticks)
        assert len(set(ticks.values())) == len(ticks)
    assert log_ticks(1, 1000) == [1.0, 10.0, 100.0, 1000.0]
    assert log_ticks(100, 1e6, 4) == [1e2, 1e4, 1e6] and log_ticks(0.9, 60, 4) == [1.0, 10.0]
    assert log_ticks(0.9, 11) == [1.0, 2.0, 5.0, 10.0]
    assert time_ticks(2.0, 9000.0)[60.0] == "1 min"
    assert list(time_ticks(200.0, 9000.0).values()) == ["5 min", "10 min", "20 min", "30 min", "1 h", "2 h"]
    assert list(time_ticks(15.0, 400.0).values()) == ["20 s", "1 min", "2 min", "5 min"]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: plot.times({}), "at least one"),
        (lambda: plot.times({"a": 0.0}), "'a'"),
        (lambda: plot.times({"a": float("nan")}), "'a'"),
        (lambda: plot.times([plot.Row("a", 1.0, "elsewhere")]), "published, here"),
        (lambda: plot.lines([1, 2], {}), "one to 6"),
        (lambda: plot.lines([1, 2], {"a": [1.0]}), "'a' has 1 values for 2"),
        (lambda: plot.lines([1], {"a": [1.0]}), "two places"),
        (lambda: plot.lines([1, 2], {"a": [0.0, 1.0]}, ylog=True), "positive"),
        (lambda: plot.lines([0, 2], {"a": [1.0, 1.0]}, xlog=True), "positive"),
        (lambda: plot.lines([1, 2], {"a": [float("nan")] * 2}), "no value"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_a_build_gets_data_and_a_notebook_gets_html(monkeypatch, real):
    figure = plot.times(TIMES, title="<script>alert(1)</script>")
    monkeypatch.setenv("KERNELLENS_FIGURES", "json")
    bundle = figure._repr_mimebundle_()
    assert set(bundle) == {"text/plain", MIME}
    data = json.loads(json.dumps(bundle[MIME]))
    assert data["alt"] == figure.alt and data["width"] == 700 and data["height"] > 150
    assert data["item"]["doc"]["roots"]
    assert len(json.dumps(data)) < 60_000

    monkeypatch.delenv("KERNELLENS_FIGURES")
    bundle = figure._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert len(bundle["text/html"]) < 60_000  # no BokehJS inside
    assert "<script>alert" not in bundle["text/html"]
    assert figure._repr_mimebundle_()["text/html"] != bundle["text/html"]  # each showing has an element of its own


def test_bokehjs_comes_from_the_lab_first(monkeypatch):
    monkeypatch.setenv("KERNELLENS_BASE_URL", "/user/ada/")
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/ada/")
    tried = sources()
    assert tried[0] == [f"/user/ada/hundredfold/bokehjs/js/{part}.min.js" for part in ("bokeh", "bokeh-widgets")]
    assert len(tried) == 2 and all(url.startswith("https://") for url in tried[1]) and len(tried[1]) == 2
    monkeypatch.delenv("KERNELLENS_BASE_URL")
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/eve/")
    assert sources()[0][0] == "/user/eve/hundredfold/bokehjs/js/bokeh.min.js"
    monkeypatch.delenv("JUPYTERHUB_SERVICE_PREFIX")
    assert len(sources()) == 1


def test_the_server_has_these_files():
    pytest.importorskip("hundredfold", reason="the course's own part in it")
    from hundredfold.setup.lab.server import bokehjs

    assert all((bokehjs() / "js" / f"{part}.min.js").is_file() for part in ("bokeh", "bokeh-widgets"))


def test_figures_keep_bokehs_rules(real):
    """They are not checked when they are rendered, so they are here."""
    from bokeh.core.validation import check_integrity

    for figure in (
        plot.times({"here: one": 0.5, "limit: another": 0.1}),
        plot.lines([1, 2, 3], {"a": [1, 2, 3], "b": [3, 2, 1]}, xlog=True),
    ):
        found = check_integrity(figure.layout.references())
        assert not found.error and not found.warning, found


def test_a_figure_nobody_looks_at_does_not_import_bokeh():
    code = "import sys; from kernellens import plot; f = plot.times({'a': 1.0}); f.alt; print('bokeh' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_each_name_is_what_it_was_once_its_module_is_imported():
    """An import puts a module into its package, under the module's name."""
    for _ in range(2):
        assert not [name for name in plot.__all__ if not callable(getattr(plot, name))]
