"""The hub's two pages, on seats and on the class, without a mouse and by the rules of axe. What the hub would answer is made here."""

from __future__ import annotations

import json
from urllib.parse import parse_qs

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .conftest import ROOT
from .test_keyboard import CONTROLS, FOCUS, UNSEEN

HUNDREDFOLD = ROOT / "packages" / "hundredfold" / "src" / "hundredfold"
ADDRESS = "http://hub.test/services/page/"
KERNEL = {"path": "05_kernels.ipynb", "state": "idle", "idle": 4000}
SEAT = {
    "place": "A100 · 0",
    "since": "2026-11-25T10:00:00Z",
    "memory": 3e9,
    "limit": 4e9,
    "device": 1e9,
    "processes": 3,
    "silent": "",
}
SEATS = [
    SEAT | {"owner": "ada", "kernels": [KERNEL]},
    SEAT | {"owner": "bob", "kernels": [], "memory": None, "limit": None, "device": None},
    SEAT | {"owner": "eve", "kernels": [], "silent": "did not answer within 1 s", "memory": 3.9e9},
]
REASON = {"learners": 3, "means": "a column that is constant came out as NaN"}
PROBLEM = {
    "problem": "arrays.port",
    "title": "From NumPy to CuPy",
    "solved": 3,
    "trying": 5,
    "minutes": 7.4,
    "reasons": [REASON] * 5,
}
PREDICTION = {
    **{
        "unit": "01",
        "name": "first",
        "question": "How many times as fast?",
        "answers": 9,
        "left": 2,
        "given": "1",
        "last": "b",
    },
    "bars": [{"label": "1 to 3", "count": 4}, {"label": "3 to 10", "count": 5}],
}
LEARNER = {"name": "ada", "solved": 3, "begun": 4, "last": "2026-11-25T10:00:00Z"}
CLASS = {"problems": [PROBLEM], "count": 12, "predictions": [PREDICTION], "learners": [LEARNER]}
PAGES = {
    "seats": (HUNDREDFOLD / "classroom" / "seats", {"status": {"seats": SEATS, "last": []}}),
    "class": (HUNDREDFOLD / "learning" / "progress", {"summary": CLASS}),
}


class Hub:
    """A page in a browser, with what it is answered and what it sent."""

    def __init__(self, page, name):
        self.page, (self.folder, self.answers) = page, PAGES[name]
        self.sent, self.asked = [], 0
        page.route("**/*", self._answer)
        page.goto(ADDRESS)
        expect(page.locator("#summary")).not_to_have_text("Asking …")

    def _answer(self, route):
        name = route.request.url.removeprefix(ADDRESS)
        if route.request.method == "POST":
            self.sent.append((name, {key: value for key, (value,) in parse_qs(route.request.post_data).items()}))
            route.fulfill(json={"warned": ["ada: 05_kernels.ipynb"], "unreachable": []})
        elif name.startswith("api/"):
            self.asked += 1
            route.fulfill(body=json.dumps(self.answers[name.removeprefix("api/")]), content_type="application/json")
        else:
            route.fulfill(path=self.folder / (name or "page.html"))

    def focus(self):
        return self.page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.tagName")


@pytest.fixture(
    params=[(1280, "light"), (1280, "dark"), (375, "light"), (375, "dark")], ids=lambda each: f"{each[0]}-{each[1]}"
)
def window(browser, request):
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    yield context.new_page()
    context.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.clock.install()
    yield page
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_and_nothing_scrolls_sideways(window, name):
    Hub(window, name)
    found = Axe().run(window).response["violations"]
    assert not found, [(each["id"], [node["html"][:120] for node in each["nodes"]]) for each in found]
    assert window.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_each_control_of_the_seats_is_reached_seen_and_left(window):
    hub = Hub(window, "seats")
    count, reached = window.evaluate(CONTROLS), set()
    assert count == len(SEATS) + 3
    for _ in range(count):
        window.keyboard.press("Tab")
        reached.add(window.evaluate(FOCUS)["at"])
    assert reached == set(range(count)) and not window.evaluate(UNSEEN)
    assert hub.sent == []


def test_the_focus_stays_where_it_is_when_the_page_is_renewed(page):
    hub = Hub(page, "seats")
    page.get_by_role("button", name="Stop the server of bob").focus()
    page.clock.run_for(6000)
    expect(page.locator("#seats tr")).to_have_count(3)
    assert hub.asked > 1 and hub.focus() == "Stop the server of bob"


def test_who_is_gone_takes_the_focus_to_the_table(page):
    hub = Hub(page, "seats")
    page.get_by_role("button", name="Stop the server of bob").focus()
    hub.answers = {"status": {"seats": [SEATS[0]], "last": []}}
    page.clock.run_for(6000)
    expect(page.locator("#seats tr")).to_have_count(1)
    page.keyboard.press("Tab")
    assert hub.focus() == "Stop the server of ada", "not from the top of the page again"


def test_what_is_the_same_is_not_announced_again(page):
    hub = Hub(page, "seats")
    page.evaluate(
        "new MutationObserver(() => (window.changed = true)).observe(document.getElementById('summary'), { childList: true, characterData: true, subtree: true })"
    )
    page.clock.run_for(6000)
    page.wait_for_function("() => true")
    assert hub.asked > 1 and not page.evaluate("window.changed")


def test_a_server_is_stopped_and_memory_freed_by_keys_alone(page):
    hub, asked = Hub(page, "seats"), []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#told")).to_have_text("The server of ada stops.")
    assert asked[0].startswith("Stop the server of ada?") and hub.sent == [("api/stop", {"owner": "ada"})]
    for key in ("Tab", "Tab", "Tab", "ControlOrMeta+a", "4", "5", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#told")).to_have_text("Warned ada: 05_kernels.ipynb.")
    assert hub.sent[1:] == [("api/reclaim", {"idle": "2700", "grace": "300"})]
