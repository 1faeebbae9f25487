"""Figures in a page, as a notebook shows them: drawn by a real browser with BokehJS from a server of ours."""

import functools
import http.server
import os
import shutil
import threading
from collections import Counter

import pytest
from playwright.sync_api import sync_playwright

from hundredfold.setup.lab.server import PATH, bokehjs
from kernellens import plot


class Server(http.server.ThreadingHTTPServer):
    """Serves one page and, where `bokeh` is true, BokehJS where the lab has it. Counts what is asked for."""

    def __init__(self, bokeh: bool) -> None:
        self.asked: Counter[str] = Counter()
        self.page = ""
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, bokeh))
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    def __init__(self, bokeh: bool, *args) -> None:
        self.bokeh = bokeh
        super().__init__(*args)

    def do_GET(self) -> None:
        self.server.asked[self.path] += 1
        name = self.path.removeprefix(f"/user/ada/{PATH}/")
        if self.path == "/page":
            self.answer(self.server.page.encode(), "text/html; charset=utf-8")
        elif self.bokeh and name != self.path:
            self.answer((bokehjs() / name).read_bytes(), "text/javascript")
        else:
            self.send_error(404)

    def answer(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args) -> None:
        pass


@pytest.fixture(scope="module")
def browser():
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    program = next((found for name in names if name and (found := shutil.which(name))), None)
    assert program, "Chromium is needed: install it, or name it in CHROMIUM"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def show(browser, monkeypatch):
    """Open figures in a page; returns the page and the server."""
    monkeypatch.setenv("KERNELLENS_BASE_URL", "/user/ada/")
    monkeypatch.delenv("KERNELLENS_FIGURES", raising=False)
    opened = []

    def show(*figures, bokeh: bool = True, light: bool = True):
        server = Server(bokeh)
        # Nothing but this server: the public copy of BokehJS must not be needed, nor reached from a test.
        page = browser.new_page(viewport={"width": 760, "height": 900})
        page.route("**/*", lambda route: route.continue_() if server.address in route.request.url else route.abort())
        body = "".join(figure._repr_mimebundle_()["text/html"] for figure in figures)
        background = "white" if light else "#111"
        server.page = (
            f'<!doctype html><body data-jp-theme-light="{str(light).lower()}" style="background:{background}">{body}'
        )
        opened.append((server, page))
        page.goto(f"{server.address}/page")
        return page, server

    yield show
    for server, page in opened:
        page.close()
        server.shutdown()
        server.server_close()


TIMES = {"published: CuPy": 746e-6, "limit: read once": 889e-6, "ordered": 0.1}


def figures():
    lines = plot.lines([1, 10], {"a": [1.0, 2.0], "b": [2.0, 1.0]}, "n", "seconds", True, True)
    return plot.times(TIMES, title="One"), plot.times(TIMES, title="Two"), lines


def test_several_figures_load_bokehjs_once(show):
    page, server = show(*figures())
    page.wait_for_function("document.querySelectorAll('.bk-Column').length === 3")
    page.wait_for_function("Bokeh.documents.length === 3 && Bokeh.documents.every((d) => d.is_idle)")
    asked = {path: count for path, count in server.asked.items() if path.endswith(".js")}
    assert len(asked) == 2 and set(asked.values()) == {1}, asked
    assert page.get_by_text("One", exact=True).is_visible()
    assert page.locator("[role=img]").first.get_attribute("aria-label") == figures()[0].alt
    assert not page.locator("pre").first.is_visible()


def paper(page) -> tuple[int, ...]:
    """The colour of a corner of the first figure, where nothing is drawn."""
    import io

    from PIL import Image

    picture = Image.open(io.BytesIO(page.locator("[role=img]").first.screenshot())).convert("RGB")
    return picture.getpixel((picture.width - 4, 60))


@pytest.mark.parametrize(("light", "expected"), [(True, 255), (False, 17)])
def test_a_figure_suits_its_page(show, light, expected):
    page, _ = show(figures()[0], light=light)
    page.wait_for_function("window.Bokeh && Bokeh.documents.length === 1 && Bokeh.documents[0].is_idle")
    page.wait_for_timeout(200)
    assert paper(page) == (expected,) * 3


def test_below_a_figure_nothing_is_left_empty(show):
    figure = figures()[0]
    figure.height = 900  # the room that is kept until it is drawn
    page, _ = show(figure)
    page.wait_for_function("document.querySelector('[role=img]').style.minHeight === '0px'")
    place = page.locator("[role=img]")
    assert place.bounding_box()["height"] == place.locator(".bk-Column").bounding_box()["height"] < 400


def test_without_bokehjs_the_words_are_shown(show):
    page, server = show(figures()[0], bokeh=False)
    words = page.locator("pre").first
    words.wait_for(state="visible")
    assert "746 µs" in words.inner_text() and "limit: read once" in words.inner_text()
