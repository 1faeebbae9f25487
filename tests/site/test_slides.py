"""Each lecture as slides: what stands on which is read off the notebook, and nothing runs off the screen.

A slide may scroll in a box that says so above itself, and nowhere else.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from hundredfold.publish.site import slides

ROOT = Path(__file__).resolve().parents[2]
LECTURES = sorted(path.stem for path in (ROOT / "notebooks").glob("[0-9]*.ipynb"))
SCREEN = {"width": 1280, "height": 720}
#: The smallest letters that a slide may have: what is read from the last row of a room for thirty.
LEAST = 15.9


# ---- what stands on which slide ----


def markdown(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(source, *outputs):
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": list(outputs), "execution_count": 1}


def printed(text):
    return {"output_type": "stream", "name": "stdout", "text": [text]}


def picture():
    return {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "words"}, "metadata": {}}


def slides_of(*cells):
    """The slides of a notebook, each a list of its cells' sources (or what they printed)."""
    found = []
    for cell in slides.cut({"cells": list(cells), "metadata": {}})["cells"]:
        if cell["metadata"]["slideshow"]["slide_type"] in ("slide", "subslide"):
            found.append([])
        outputs = cell.get("outputs") or [None]
        told = outputs[0] and (outputs[0].get("text") or "picture")
        found[-1].append(told or cell["source"])
    return found


def test_a_heading_begins_a_slide_and_one_right_below_it_does_not():
    assert slides_of(markdown("# One\n\nText.\n\n## Two"), markdown("### Three\n\nMore."), markdown("### Four")) == [
        ["# One", "Text."],
        ["## Two", "### Three", "More."],
        ["### Four"],
    ]


def test_a_prediction_its_measurement_and_the_explanation_are_apart():
    found = slides_of(
        markdown("## Two\n\n**Predict.** How many?"),
        code("my_guess = 1"),
        code("print(count())", printed("17")),
        markdown("**Explain.** So many."),
    )
    assert found == [
        ["## Two", "**Predict.** How many?", "my_guess = 1"],
        ["Two", "print(count())", "17"],
        ["Two", "**Explain.** So many."],
    ]


def test_a_guess_at_the_end_of_a_cell_is_not_beside_its_answer():
    found = slides_of(
        markdown("## Two\n\n**Predict.** How many?"),
        code("x = 1\nmy_guess = 1"),
        markdown("**Measure.** Now:"),
        code("y"),
    )
    assert [slide[-1] for slide in found] == ["x = 1\nmy_guess = 1", "y"]


def test_what_was_printed_is_uncovered_by_a_key_of_its_own():
    cut = slides.cut({"cells": [markdown("# One"), code("print(1)", printed("1"))], "metadata": {}})["cells"]
    assert [cell["metadata"]["slideshow"]["slide_type"] for cell in cut] == ["slide", "-", "fragment"]


def test_a_picture_shares_its_slide_with_a_few_lines_before_it_and_with_nothing_else():
    found = slides_of(markdown("# One"), code("draw()", picture(), picture()), markdown("And then."))
    assert found == [["# One", "draw()", "picture"], ["One", "picture"], ["One", "And then."]]
    found = slides_of(markdown("# One\n\n" + "Words. " * 150), code("draw()", picture()))
    assert [slide[-1] for slide in found] == ["draw()", "picture"]


@pytest.mark.parametrize(("lines", "size", "scrolls"), [(3, 21, None), (24, 16, None), (60, 16, 60)])
def test_code_becomes_smaller_and_then_scrolls(lines, size, scrolls):
    cut = slides.cut({"cells": [markdown("# One"), code("\n".join(["x = 1"] * lines))], "metadata": {}})["cells"]
    told = cut[-1]["metadata"]["hundredfold"]
    assert told["size"] == size or size < 21 and told["size"] < 21
    assert told.get("scrolls") == scrolls


def test_a_long_list_goes_on_with_its_numbers():
    items = "\n".join(f"{number}. {'words ' * 40}" for number in range(1, 9))
    found = slides_of(markdown(f"# One\n\n{items}"))
    assert len(found) > 1
    assert [item.split(".")[0] for slide in found for item in slide[1:]] == [str(number) for number in range(1, 9)]


def runs(cell):
    """Whether a cell is the line at the top of a slide that says which section goes on."""
    return cell["metadata"].get("hundredfold", {}).get("running", False)


@pytest.mark.parametrize("name", LECTURES)
def test_nothing_of_a_lecture_is_lost_and_the_notebook_is_left_as_it_is(name):
    notebook = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    before = copy.deepcopy(notebook)
    cut = slides.cut(notebook)
    assert notebook == before
    for kind in ("markdown", "code"):
        written, shown = (
            "".join("".join("".join(cell["source"]).split()) for cell in each if cell["cell_type"] == kind)
            for each in (notebook["cells"], [cell for cell in cut["cells"] if not runs(cell)])
        )
        assert shown == written
    pictures = [
        [
            output["data"]["image/png"]
            for cell in each["cells"]
            for output in cell.get("outputs", ())
            if "image/png" in output.get("data", ())
        ]
        for each in (notebook, cut)
    ]
    assert [("".join(png)) for png in pictures[0]] == pictures[1]


# ---- in a browser ----

#: What of the current slide lies outside of the screen, or scrolls without saying so; fragments are uncovered first.
OUTSIDE = """() => {
  const slide = Reveal.getCurrentSlide(), wrong = [];
  slide.querySelectorAll(".fragment").forEach((each) => each.classList.add("visible"));
  for (const each of slide.querySelectorAll("*")) {
    const box = each.closest(".slide-scroll");
    if (box) {
      const says = box.previousElementSibling?.matches(".slide-says") && box.tabIndex === 0;
      if (!says) wrong.push("scrolls without a word");
      if (each !== box) continue;
    } else if (each.scrollHeight > each.clientHeight + 1 && /auto|scroll|hidden/.test(getComputedStyle(each).overflowY)) {
      wrong.push("hides " + (each.scrollHeight - each.clientHeight) + " px of " + each.tagName);
    }
    const at = each.getBoundingClientRect();
    if (at.width && at.height && (at.bottom > innerHeight || at.right > innerWidth || at.left < 0 || at.top < 0))
      wrong.push(each.tagName + " at " + [at.left, at.top, at.right, at.bottom].map(Math.round));
  }
  return wrong;
}"""
#: The smallest letters on a slide in px, but those of formulas and of what Dask and pandas draw.
LETTERS = """() => {
  const walk = document.createTreeWalker(Reveal.getCurrentSlide(), NodeFilter.SHOW_TEXT);
  let least = 99;
  while (walk.nextNode()) {
    const parent = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || parent.closest("math, svg, style, .hf-html")) continue;
    least = Math.min(least, parseFloat(getComputedStyle(parent).fontSize));
  }
  return least;
}"""
NEXT = """() => {
  const slide = Reveal.getCurrentSlide();
  for (let key = 0; key < 50 && Reveal.getCurrentSlide() === slide; key++) Reveal.next();
}"""


def started(page):
    """Wait until reveal.js says "ready", by an event and this class: then the first slide has its size. `Reveal.isReady()` is true before."""
    page.locator(".reveal.ready").wait_for()


def open_slides(page, address, name):
    wrong = []
    page.on("console", lambda said: said.type == "error" and wrong.append(f"console: {said.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("response", lambda got: got.status >= 400 and wrong.append(f"{got.status}: {got.url}"))
    page.on("request", lambda asks: asks.url.startswith((address, "data:")) or wrong.append(f"asks {asks.url}"))
    page.goto(f"{address}slides/{name}.html")
    started(page)
    return wrong


@pytest.fixture(params=["light", "dark"])
def screen(request, browser):
    context = browser.new_context(viewport=SCREEN, color_scheme=request.param, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport=SCREEN, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", LECTURES)
def test_every_slide_fits_the_screen(name, page, address):
    wrong, small = open_slides(page, address, name), {}
    count = page.evaluate("Reveal.getTotalSlides()")
    assert count > 25
    for number in range(1, count + 1):
        if outside := page.evaluate(OUTSIDE):
            wrong.append(f"slide {number}: {outside[:3]}")
        if (least := page.evaluate(LETTERS)) < LEAST:
            small[number] = least
        page.evaluate(NEXT)
    assert page.evaluate("Reveal.isLastSlide()")
    assert not wrong
    assert not small


#: The height in px from the first to the last thing on the current slide, fragments uncovered.
FILLED = """() => {
  const slide = Reveal.getCurrentSlide();
  slide.querySelectorAll(".fragment").forEach((each) => each.classList.add("visible"));
  const boxes = [...slide.querySelectorAll("*")].map((each) => each.getBoundingClientRect()).filter((box) => box.width && box.height);
  return Math.max(...boxes.map((box) => box.bottom)) - Math.min(...boxes.map((box) => box.top));
}"""


@pytest.mark.large(smoke=2)
@pytest.mark.parametrize("name", LECTURES)
def test_the_right_arrow_goes_through_all_slides_and_none_is_two_thirds_empty(name, page, address):
    open_slides(page, address, name)
    seen, empty = 0, []
    for _ in range(2000):
        now = page.evaluate("Reveal.getSlidePastCount()")
        if now == seen:
            seen += 1
            if (filled := page.evaluate(FILLED)) < SCREEN["height"] / 3:
                empty.append((seen, filled))
        assert now == seen - 1, "a slide was passed over"
        if page.evaluate("Reveal.isLastSlide()"):
            break
        page.keyboard.press("ArrowRight")
    assert seen == page.evaluate("Reveal.getTotalSlides()")
    assert not empty


def test_slides_have_a_main_landmark_and_what_has_the_focus_is_seen(page, address):
    open_slides(page, address, "01_arrays")
    main = page.get_by_role("main")
    expect(main.get_by_label("Slides", exact=True)).to_be_visible()
    page.keyboard.press("End")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            continue
        focus = page.locator(":focus")
        expect(focus).to_be_in_viewport()
        expect(focus).to_have_css("outline-style", "solid")
        expect(focus).to_have_css("outline-width", "3px")


def test_a_slide_that_does_not_fit_is_found(page, address):
    open_slides(page, address, "01_arrays")
    assert not page.evaluate(OUTSIDE)
    page.evaluate("Reveal.getCurrentSlide().insertAdjacentHTML('beforeend', '<p style=\"height: 700px\">x</p>')")
    assert "P at" in page.evaluate(OUTSIDE)[0]
    page.evaluate("Reveal.getCurrentSlide().lastChild.style = 'height: 9px; overflow: auto'")
    assert "hides" in page.evaluate(OUTSIDE)[0]
    page.evaluate("Reveal.getCurrentSlide().lastChild.className = 'slide-scroll'")
    assert page.evaluate(OUTSIDE) == ["scrolls without a word"]


def test_where_letters_are_larger_a_slide_is_set_smaller_and_still_fits(page, address):
    """As with a system's fonts that are wider than those which were computed with."""
    open_slides(page, address, "10_dask-arrays")
    page.add_style_tag(content=".reveal { font-family: 'DejaVu Sans Mono' !important; letter-spacing: 0.06em; }")
    smaller = 0
    for _ in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate(NEXT)
        assert not page.evaluate(OUTSIDE)
        smaller += page.evaluate("Reveal.getCurrentSlide().matches('.hf-smaller, .hf-smallest')")
    assert smaller


def test_the_way_there_by_a_click_and_through_them_by_keys(page, address):
    page.goto(f"{address}notebooks/01_arrays.html")
    page.locator(".siblings").get_by_role("link", name="Slides").click()
    expect(page).to_have_url(f"{address}slides/01_arrays.html")
    started(page)
    first = page.locator("section.present section.present")
    expect(first.locator("h1")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.locator("section.present section.present h1")).to_have_count(0)
    page.keyboard.press("Shift+Space")
    expect(first.locator("h1")).to_be_visible()
    page.keyboard.press("End")
    page.goto(f"{address}slides/10_dask-arrays.html")
    page.locator("a[href^='../exercises/']").first.evaluate("link => link.click()")
    expect(page).to_have_url(f"{address}exercises/10_dask-arrays.html")


def test_slides_are_readable_by_day_and_by_night(screen, address):
    open_slides(screen, address, "05_kernels")
    rules = {"runOnly": ["color-contrast"]}
    for _ in range(12):
        found = Axe().run(screen, options=rules).response["violations"]
        assert not found, found[0]["nodes"][0]["html"]
        screen.evaluate(NEXT)


def test_charts_are_dark_by_night_and_pictures_of_data_keep_their_greys(screen, address):
    open_slides(screen, address, "10_dask-arrays")
    night = screen.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    turned = screen.locator(".hf-picture img").evaluate_all(
        "all => all.map(each => [each.classList.contains('hf-chart'), getComputedStyle(each).filter !== 'none'])"
    )
    assert set(map(tuple, turned)) == {(True, night), (False, False)}


def test_on_a_phone_slides_are_read_by_scrolling(browser, address):
    context = browser.new_context(viewport={"width": 375, "height": 720})
    page = context.new_page()
    open_slides(page, address, "01_arrays")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert page.evaluate("Reveal.isScrollView()")
    context.close()
