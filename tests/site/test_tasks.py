"""What a new reader comes for, who was told nothing but the address: each within three clicks from the first page."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

MOST = 3
LONG = 300_000  # ms: Python itself is loaded, on a machine that may be ten times slower


class Visitor:
    """Somebody on the first page, whose clicks are counted."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.clicks = page, 0
        page.goto(address)
        self.main = page.locator("main")

    def click(self, what: Locator) -> None:
        self.clicks += 1
        assert self.clicks <= MOST, "a way that is too long"
        what.click()

    def sees(self, found: Locator, timeout: int = 15_000) -> None:
        """What was looked for is in sight, without scrolling."""
        expect(found.first).to_be_in_viewport(timeout=timeout)


@pytest.fixture(params=[(1440, 900), (375, 720)], ids=["desk", "phone"])
def visitor(request, browser, address) -> Iterator[Visitor]:
    context = browser.new_context(viewport=dict(zip(("width", "height"), request.param, strict=True)))
    yield Visitor(context.new_page(), address)
    context.close()


def test_where_groupby_on_the_gpu_is_taught_and_how_its_first_cell_is_run(visitor):
    visitor.click(visitor.main.locator(".sd-card", has_text="groupby"))
    expect(visitor.page).to_have_title(re.compile("^07 · Dataframes"))
    first = visitor.main.locator(".cell_input").first
    expect(first).to_contain_text("%load_ext hundredfold")
    expect(visitor.main.locator(".cell_input", has_text=".groupby(").first).to_be_attached()
    visitor.click(visitor.main.locator(".siblings").get_by_role("link", name="How to run it"))
    visitor.sees(visitor.main.locator("pre", has_text="make lab"))


def test_a_kernel_of_ones_own_shows_its_race(visitor):
    visitor.click(visitor.main.get_by_role("link", name="Try it in the browser"))
    page = visitor.page
    page.get_by_role("textbox", name="Your program").fill(
        "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef mine(x, total):\n    total[0] += x[cuda.grid(1)]\n\n"
        "mine[2, 32](np.ones(64), np.zeros(1))\n"
    )
    visitor.click(page.get_by_role("button", name="Run"))
    visitor.sees(page.get_by_text("race, line 6"), LONG)


def test_forty_learners_and_two_a100_on_thursday(visitor):
    visitor.click(visitor.main.get_by_role("link", name="For instructors"))
    expect(visitor.main.locator("ol > li").last).to_contain_text("Thursday")
    visitor.click(visitor.main.get_by_role("link", name="What it says for other classes"))
    row = visitor.main.locator("table tr", has_text=re.compile("2\\s×\\sA100\\s*40"))
    expect(row).to_contain_text("GB")


def test_why_an_answer_is_refused(visitor):
    visitor.click(visitor.main.get_by_role("link", name="An answer of yours is refused"))
    visitor.sees(visitor.main.get_by_text("the smallest case that fails"))


def test_whether_a_lectures_figure_may_be_used_again(visitor):
    visitor.click(visitor.main.locator(".sd-card", has_text="pandas"))
    terms = visitor.page.locator("footer").get_by_text(
        re.compile("You may reuse text and figures if you name Hundredfold")
    )
    terms.scroll_into_view_if_needed()
    expect(terms).to_contain_text("CC-BY-4.0")
