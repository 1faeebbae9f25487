"""Every page in a browser: nothing asked of others, nothing broken, nothing too wide for a phone, readable by everyone."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page

from hundredfold.publish.build import figures

ROOT = Path(__file__).resolve().parents[2]
PHONE = {"width": 375, "height": 720}
DESK = {"width": 1280, "height": 900}
CONTRAST = "color-contrast"
#: All rules but one, which takes half a minute for a page of code: colours belong to the styles, not to the pages.
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "rules": {CONTRAST: {"enabled": False}},
}
#: One page of each kind, whose colours are looked at, by day and by night.
COLOURED = [
    "index",
    "results",
    "course",
    "search",
    "reference/api",
    "exercises/01_arrays",
    "notebooks/03_protocols",
    "browser",
]


#: With every change each twelfth page is walked, and the whole site in `make test-all`.
FAR = pytest.mark.parametrize("every", [pytest.param(12, marks=pytest.mark.smoke), 1])


def pages(site: Path, every: int = 1) -> list[str]:
    all_of_them = sorted(page.relative_to(site).as_posix() for page in site.rglob("*.html"))
    return [page for page in all_of_them if not page.startswith("_")][::every]


class Reader:
    """A browser window, and what went wrong in it."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.page: Page = context.new_page()
        self.address = address
        self.wrong: list[str] = []
        self.page.on("console", lambda said: said.type == "error" and self.wrong.append(f"console: {said.text}"))
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("request", self._ask)
        self.page.on("response", lambda got: got.status >= 400 and self.wrong.append(f"{got.status}: {got.url}"))

    def _ask(self, request) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.wrong.append(f"asked of others: {request.url}")

    def open(self, name: str) -> list[str]:
        self.wrong.clear()
        self.page.goto(self.address + name, wait_until="load")
        return self.wrong


def windows(browser: Browser, address: str, scheme: str, size: dict) -> Iterator[Reader]:
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    yield Reader(context, address)
    context.close()


@pytest.fixture(scope="session")
def desk(browser, address):
    yield from windows(browser, address, "light", DESK)


@pytest.fixture(scope="session")
def night(browser, address):
    yield from windows(browser, address, "dark", DESK)


@pytest.fixture(scope="session")
def phone(browser, address):
    yield from windows(browser, address, "light", PHONE)


BROKEN = "all => all.filter(each => !each.complete || !each.naturalWidth).map(each => each.src)"

TOO_WIDE = """() => {
  const wide = document.documentElement.scrollWidth;
  if (wide <= window.innerWidth) return null;
  const culprits = [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > window.innerWidth + 1);
  return [wide, ...culprits.slice(0, 3).map(e => e.tagName + "." + e.className)];
}"""


#: Boxes whose contents are wider than they: what is folded is unfolded, since a reader may do so.
SCROLLING = """() => {
  document.querySelectorAll("details").forEach(it => it.open = true);
  return [...document.querySelectorAll("article *")].filter(it =>
    it.clientWidth && it.scrollWidth > it.clientWidth + 2 && ["auto", "scroll"].includes(getComputedStyle(it).overflowX)
  ).map(it => `${it.scrollWidth} px in ${it.clientWidth}: ${it.outerHTML.slice(0, 120)}`);
}"""


#: Figures whose letters a phone shows smaller than ten pixels: drawings by their smallest letter, pictures, whose letters have eleven
#: pixels or more (packages/hundredfold/tests/publish/build/test_figures.py), by how far they are scaled down.
SMALL = """async scale => {
  document.querySelectorAll("details").forEach(it => it.open = true);
  const size = text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
  const smallest = drawing => Math.min(...[...drawing.querySelectorAll("text")].map(size));
  const found = [];
  for (const it of document.querySelectorAll("main :is(img, object.hf-live, svg[role=img])")) {
    const wide = it.getBoundingClientRect().width;
    if (!wide) continue;
    let letters = 11 * wide * scale / it.naturalWidth;
    if (it.tagName === "svg") letters = smallest(it);
    else if (/[.]svg$/.test(it.src ?? it.data)) {
      const text = await (await fetch(it.src ?? it.data)).text();
      const drawing = document.body.appendChild(new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
      drawing.style.width = `${wide}px`;
      letters = smallest(drawing);
      drawing.remove();
    }
    if (letters < 10) found.push(`${letters.toFixed(1)} px: ${(it.alt ?? it.ariaLabel).slice(0, 60)}`);
  }
  return found;
}"""


SQUEEZED = """all => all.filter(each => {
  const drawn = each.clientWidth / each.clientHeight, made = each.naturalWidth / each.naturalHeight;
  return each.clientHeight && each.naturalHeight && Math.abs(drawn / made - 1) > 0.03;
}).map(each => `${each.src}: ${each.clientWidth} × ${each.clientHeight}`)"""


def rules_broken(reader: Reader, name: str, options: dict) -> dict[str, str]:
    """Each rule that a page breaks, and where first."""
    found = Axe().run(reader.page, options=options).response["violations"]
    return {f"{each['id']}: {each['help']}": f"{name}: {each['nodes'][0]['html'][:160]}" for each in found}


@pytest.mark.large
@FAR
def test_every_page_opens_whole_asks_nobody_else_and_keeps_the_rules_of_wcag(site, every, desk):
    wrong, rules = {}, {}
    for name in pages(site, every):
        said = list(desk.open(name)) + desk.page.locator("img").evaluate_all(BROKEN)
        if said:
            wrong[name] = said
        for rule, where in rules_broken(desk, name, RULES).items():
            rules.setdefault(rule, []).append(where)
    assert not wrong
    assert not rules, "\n".join(f"{rule} ({len(where)} pages)\n   {where[0]}" for rule, where in rules.items())
    assert len(pages(site)) > 3 * len(list((ROOT / "notebooks").glob("*.ipynb")))


#: What has a light ground of its own.
LIGHT = """() => [...document.querySelectorAll("main *")].filter(it => {
  const [red, green, blue, alpha = 1] = getComputedStyle(it).backgroundColor.match(/[\\d.]+/g).map(Number);
  return alpha > 0.5 && Math.min(red, green, blue) > 190 && it.offsetWidth * it.offsetHeight > 1000;
}).map(it => it.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("light", ["desk", "night"])
@pytest.mark.parametrize("name", COLOURED)
def test_text_stands_out_by_day_and_by_night(name, light, request):
    reader = request.getfixturevalue(light)
    reader.open(f"{name}.html")
    night = reader.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert night == (light == "night")
    assert not rules_broken(reader, name, {"runOnly": [CONTRAST]})
    assert bool(reader.page.evaluate(LIGHT)) != night


def test_figures_are_dark_by_night_and_pictures_of_data_keep_their_greys(night, desk):
    """Their corners, where nothing is drawn."""
    corners = {}
    for name, reader in (("night", night), ("day", desk)):
        reader.open("notebooks/10_dask-arrays.html")
        for kind, which in (("chart", ":is(.hf-chart, .hf-chart *)"), ("greys", ":not(.hf-chart, .hf-chart *)")):
            shown = reader.page.locator(f".cell_output img{which}:visible").first
            shown.scroll_into_view_if_needed()
            picture = Image.open(io.BytesIO(shown.screenshot())).convert("L")
            corners[name, kind] = picture.getpixel((6, picture.height // 2))
    assert corners["night", "chart"] < 40 and min(corners["night", "greys"], corners["day", "chart"]) > 240, corners


@pytest.mark.large
@FAR
def test_figures_have_letters_of_ten_pixels_on_a_phone(site, every, phone):
    small = {}
    for name in pages(site, every):
        if not name.startswith("slides/"):  # for a room, and as large as its screen
            phone.open(name)
            if found := phone.page.evaluate(SMALL, figures.SCALE):
                small[name] = found
    assert not small


@pytest.mark.large
@FAR
def test_nothing_scrolls_sideways_and_no_picture_is_squeezed_on_a_phone(site, every, phone):
    wide, squeezed, scrolling = {}, {}, {}
    for name in pages(site, every):
        phone.open(name)
        if found := phone.page.evaluate(SCROLLING):
            scrolling[name] = found
        if found := phone.page.evaluate(TOO_WIDE):
            wide[name] = found
        if found := phone.page.locator("img").evaluate_all(SQUEEZED):
            squeezed[name] = found
    assert not wide
    assert not squeezed
    assert not scrolling


# In Firefox.


@pytest.fixture(scope="module")
def walk(firefox):
    """Opens pages in Firefox and returns for each what is wrong with it."""
    axe = Path(next(iter(importlib.util.find_spec("axe_playwright_python").submodule_search_locations))) / "axe.min.js"

    def walk(names: list[str], width: int, height: int, scheme: str) -> list[dict]:
        return firefox("walk.mjs", axe, width, height, scheme, *names)

    return walk


@pytest.mark.large
@FAR
@pytest.mark.parametrize(
    ("width", "height", "scheme"), [(1440, 900, "light"), (375, 720, "dark")], ids=["desk", "phone"]
)
def test_every_page_is_whole_in_firefox_and_keeps_the_rules_of_wcag(walk, site, every, width, height, scheme):
    names = pages(site, every)
    told = walk(names, width, height, scheme)
    assert [each["name"] for each in told] == names
    assert {each["width"] for each in told} == {width}
    assert {each["dark"] for each in told if not each["name"].startswith("slides/")} == {scheme == "dark"}
    assert not {each["name"]: each["wrong"] for each in told if each["wrong"]}


def test_what_is_wrong_is_seen_in_firefox(walk, site):
    (site / "wrong.html").write_text(
        "<!doctype html><title> </title><img src=none.png alt=a.png><p style='width: 3000px'>x</p><script>throw Error('oh')</script>"
    )
    try:
        (told,) = walk(["wrong.html"], 1440, 900, "light")
    finally:
        (site / "wrong.html").unlink()
    said = " ".join(told["wrong"])
    for words in (
        "no picture",
        "no words",
        "px wide",
        "no title",
        "no main landmark",
        "404: ",
        "error: ",
        "html-has-lang",
    ):
        assert words in said, said
