"""Figures as pictures: drawn without network, the same bytes for the same figure, small, with words."""

import base64
import copy
import io
import sys
from collections.abc import Callable

import dask.array as da
import numpy as np
import pytest
from nbformat.v4 import new_output
from numba import cuda

import kernellens as lens
from hundredfold.publish.build import figures, normalise
from hundredfold.publish.build.errors import BuildError
from kernellens import plot
from kernellens.plot import Figure, tracks
from kernellens.plot.figure import NARROW


def bars(heights, title="Times"):
    """What a course figure gives the build: its item, its words and its size."""
    from bokeh.embed import json_item
    from bokeh.layouts import column
    from bokeh.models import Div
    from bokeh.plotting import figure

    plot = figure(width=640, height=320, title=title)
    plot.vbar(x=[1, 2, 3], top=heights, width=0.8, color="#0072B2")
    item = json_item(column(Div(text="<b>Three runs</b>"), plot))
    return {"item": item, "alt": f"Bars of {heights}", "width": 640, "height": 340}


@pytest.fixture(scope="module")
def drawn():
    return figures.render([bars([1, 2, 3]), bars([3, 2, 1]), bars([1, 2, 3])])


@pytest.mark.large
@pytest.mark.browser
def test_the_same_figure_gives_the_same_bytes(drawn):
    assert drawn[0] == drawn[2] != drawn[1]
    assert figures.render([bars([3, 2, 1])]) == [drawn[1]]


@pytest.mark.browser
def test_a_picture_is_small_sharp_and_shows_the_figure(drawn):
    from PIL import Image

    assert len(drawn[0]) < 30_000
    width, height = figures.size(drawn[0])
    assert 640 * figures.SCALE <= width <= 700 * figures.SCALE and height > 320 * figures.SCALE
    colours = Image.open(io.BytesIO(drawn[0])).convert("RGB").getcolors(1 << 24)
    blue = sum(n for n, (r, g, b) in colours if b > 150 and r < 40)
    assert blue > 0.2 * width * height  # bars of 1, 2 and 3 fill more of the frame than that


@pytest.mark.browser
def test_a_picture_has_nothing_to_click():
    """It is that of a figure without tabs, and what is chosen is said."""
    from bokeh.embed import json_item
    from bokeh.models import Div, Select, Slider, TabPanel, Tabs
    from playwright.sync_api import expect, sync_playwright

    def tabs(active):
        select = Select(title="Block", value="0", options=[("0", "block 0"), ("1", "block 1")])
        children = {"One": select, "Two": Slider(title="Warp", start=0, end=4, value=3), "Three": Div()}
        panels = [TabPanel(child=child, title=title) for title, child in children.items()]
        return json_item(Tabs(tabs=panels, active=active))

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=figures.chromium(), args=["--no-sandbox"])
        page = figures._page(browser)
        for active, said in ((0, "block 0"), (1, "Warp: 3")):
            page.evaluate(figures._DRAW, tabs(active))
            expect(page.get_by_text("Three")).to_be_hidden()
            expect(page.get_by_text(said).first).to_be_attached()
            expect(page.locator(".noUi-target:visible")).to_have_count(0)
        page.evaluate(figures._DRAW, tabs(0))
        style = page.locator("select").evaluate(
            "each => { const s = getComputedStyle(each); return [s.appearance, s.borderTopWidth] }"
        )
        assert style == ["none", "0px"]
        browser.close()


@pytest.mark.browser
def test_what_is_empty_at_the_foot_is_cut_off():
    """A figure with tabs has the height of the highest, whichever is open."""
    from bokeh.embed import json_item
    from bokeh.layouts import column
    from bokeh.models import Div, TabPanel, Tabs

    low, high = (column(Div(text="<b>words</b>"), Div(text="", height=height)) for height in (10, 900))
    tabs = Tabs(tabs=[TabPanel(child=low, title="low"), TabPanel(child=high, title="high")])
    (png,) = figures.render([{"item": json_item(tabs), "alt": "tabs", "width": 300}])
    assert 24 * figures.SCALE < figures.size(png)[1] < 200 * figures.SCALE


@pytest.mark.browser
def test_a_figure_in_an_output_becomes_a_picture_with_its_words(drawn, tmp_path):
    output = new_output("display_data", data={figures.MIME: bars([1, 2, 3]), "text/plain": "run 1: 1 s"})
    assert figures.replace({3: [new_output("stream", text="x"), output]}, tmp_path) == 1
    assert set(output.data) == {"image/png", "text/plain"}
    assert base64.b64decode(output.data["image/png"]) == drawn[0]
    assert output.data["text/plain"] == "run 1: 1 s"
    width, height = figures.size(drawn[0])
    shown = {"alt": "Bars of [1, 2, 3]", "width": width / figures.SCALE, "height": height / figures.SCALE}
    assert output.metadata == {"image/png": shown, "needs_background": "light"}


@pytest.mark.browser
def test_a_picture_of_data_does_not_say_that_a_dark_page_may_turn_it(tmp_path):
    output = new_output("display_data", data={figures.MIME: bars([1, 2, 3]) | {"chart": False}})
    figures.replace({0: [output]}, tmp_path)
    assert set(output.metadata) == {"image/png"}


def test_without_figures_no_browser_starts(monkeypatch, tmp_path):
    monkeypatch.setattr(figures, "render", None)
    assert figures.replace({0: [new_output("stream", text="x")]}, tmp_path) == 0


@pytest.mark.browser
def test_the_courses_own_figure_is_drawn(monkeypatch, tmp_path):
    """The contract with `kernellens.plot`, from its side."""
    from bokeh.plotting import figure

    from kernellens.plot import Figure

    monkeypatch.setenv("KERNELLENS_FIGURES", "json")
    plot = figure(width=300, height=200, x_range=(0, 1), y_range=(0, 1))
    bundle = Figure(plot, alt="An empty frame", width=300, height=200)._repr_mimebundle_()
    output = new_output("display_data", data=bundle)
    assert figures.replace({0: [output]}, tmp_path) == 1
    assert output.metadata["image/png"]["alt"] == "An empty frame"
    assert "image/png" in output.data and figures.MIME not in output.data


def sixteen_pictures() -> Figure:
    rng = np.random.default_rng(0)
    return plot.images({str(n): rng.random((4, 6)) for n in range(16)}, "Noise.", common=True)


def shift(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[(i + 1) % x.size]


def meet(x):
    x[0] += cuda.grid(1)


def lanes() -> Figure:
    kinds = [kind for kind in tracks.KINDS if kind not in ("range", "mark")]
    bars = [("host", kind, f"{kind} of a long name", at * 1e-3, at * 1e-3 + 9e-4, 0) for at, kind in enumerate(kinds)]
    return plot.lanes([*bars, ("ranges", "range", "solve", 0.0, 5e-3, 0)], "A step", "Estimates.", alt="A step.")


KINDS: dict[str, Callable[[], Figure]] = {
    "lanes": lanes,
    "graph": lambda: plot.graph((da.ones(30, chunks=1) + 1).sum(), title="A sum"),
    "images": sixteen_pictures,
    "show": lambda: lens.show(lens.trace(shift, 4, 64, np.ones(256), np.empty(256)), tab="warp"),
    "schedules": lambda: lens.schedules(meet, 4, 64, np.zeros(4)).figure(),
    "roofline": lambda: lens.roofline(shift, 4, 64, np.ones(256), np.empty(256), gpu="V100"),
    "times": lambda: plot.times(
        {"published: a label that is longer than a phone's page": 3e-3, "limit: b": 2e-6}, "A title"
    ),
    "lines": lambda: plot.lines(
        [1, 10, 1000], {"a": [1, 2, 3], "b": [3, 2, 1]}, "rows", "MB", marks={"L3 cache": 500}, xlog=True
    ),
}
"""A figure of each kind."""


@pytest.fixture
def noting():
    """A page that draws figures, and notes the sizes of the letters in them."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=figures.chromium(), args=["--no-sandbox"])
        page = figures._page(browser)
        page.evaluate(LETTERS)
        yield page
        browser.close()


@pytest.mark.large(smoke=2)
@pytest.mark.browser
@pytest.mark.parametrize("kind", KINDS)
def test_a_phones_picture_is_as_wide_as_its_page_and_has_letters_of_eleven_pixels(kind, noting):
    data = KINDS[kind]().data()
    noting.evaluate("letters.length = 0")
    png = figures._draw(noting, data | {"item": data["narrow"], "width": NARROW})
    written = noting.evaluate("[...letters, ...shown()]")
    assert figures.size(png)[0] == 343 * figures.SCALE
    assert len(written) > 3 and min(written) >= 11, sorted(written)[:9]


#: Notes the size of each letter that is drawn on a canvas, and finds that of the words around it.
LETTERS = """() => {
  window.letters = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    if (text.trim()) letters.push(parseFloat(this.font.match(/[\\d.]+(?=px)/)[0]));
    return draw.call(this, text, ...place);
  };
  const all = (root) => [...root.querySelectorAll("*")].flatMap(it => [it, ...(it.shadowRoot ? all(it.shadowRoot) : [])]);
  const own = (it) => [...it.childNodes].some(node => node.nodeType === 3 && node.data.trim()) && it.tagName !== "STYLE";
  window.shown = () => all(document.body).filter(it => own(it) && it.getBoundingClientRect().width > 1 && it.checkVisibility())
    .map(it => parseFloat(getComputedStyle(it).fontSize));
}"""


@pytest.mark.browser
def test_a_figure_with_a_phones_picture_has_it_in_its_metadata(tmp_path):
    output = new_output("display_data", data={figures.MIME: sixteen_pictures().data(), "text/plain": "16"})
    stored = copy.deepcopy(output)
    assert figures.replace({0: [output]}, tmp_path) == 1
    about = output.metadata["image/png"]
    file = tmp_path / figures.PHONE / about["narrow"]
    assert figures.size(file.read_bytes())[0] == 343 * figures.SCALE < about["width"] * figures.SCALE
    assert normalise.same([output], [stored], [])
    del about["narrow"]
    assert not normalise.same([output], [stored], [])


@pytest.mark.browser
def test_a_figure_that_cannot_be_drawn_is_named():
    broken = bars([1, 2, 3])
    broken["item"]["doc"]["roots"][0]["name"] = "NoSuchModel"
    with pytest.raises(BuildError, match=r"the figure 'Bars of \[1, 2, 3\]' could not be drawn: .*NoSuchModel"):
        figures.render([broken])


def test_no_browser_and_no_playwright_are_said_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        BuildError, match="needs Chromium: install it, or name one in the environment variable CHROMIUM"
    ):
        figures.chromium()
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "none"))
    with pytest.raises(BuildError, match="is no program"):
        figures.chromium()
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(BuildError, match="needs Playwright"):
        figures.render([bars([1, 2, 3])])


def test_a_browser_that_does_not_start_is_said(monkeypatch, tmp_path):
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\nexit 1\n")
    browser.chmod(0o755)
    monkeypatch.setenv("CHROMIUM", str(browser))
    with pytest.raises(BuildError, match="chromium did not start"):
        figures.render([bars([1, 2, 3])])


def test_a_colour_that_few_pixels_have_stays():
    """Large areas of many shades, as hatching and soft edges make them, and one small bar."""
    import numpy as np
    from PIL import Image

    share = np.random.default_rng(0).random((300, 700, 1))
    inks = np.array([(213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0)])[np.arange(300) // 75]
    pixels = (255 * share + inks[:, None, :] * (1 - share)).astype(np.uint8)
    pixels[20:32, 20:32] = (0, 114, 178)
    shrunk = Image.open(io.BytesIO(figures._shrink(figures._png(Image.fromarray(pixels))))).convert("RGB")
    assert np.abs(np.subtract(shrunk.getpixel((25, 25)), (0, 114, 178))).max() < 8
