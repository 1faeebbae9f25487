"""The page that runs Python in the browser: a kernel is written, run, mended and stopped there, in Chromium, on Pyodide."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

PHONE = {"width": 375, "height": 720}
#: Without asking for style sheets of its own, which it would look for in the wrong place.
RULES = {
    "preload": False,
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
}
LONG = 300_000  # ms: Python itself is loaded, on a machine that may be ten times slower
WIDE = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture(params=["light", "dark"])
def page(request, browser, address):
    """The page on a phone, by day or by night; what went wrong in it, and whom it asked, is looked at in the end."""
    context = browser.new_context(viewport=PHONE, color_scheme=request.param, has_touch=True, reduced_motion="reduce")
    made, wrong = context.new_page(), []
    made.on("console", lambda said: said.type == "error" and wrong.append(f"console: {said.text}"))
    made.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    made.on("response", lambda got: got.status >= 400 and wrong.append(f"{got.status}: {got.url}"))
    context.on(
        "request", lambda asks: asks.url.startswith((address, "data:", "blob:")) or wrong.append(f"asks {asks.url}")
    )
    made.goto(f"{address}browser.html")
    made.locator("#try form").wait_for()
    yield made
    context.close()
    assert not wrong


def run(page):
    page.locator("#try-code").press("Shift+Enter")
    expect(page.get_by_role("button", name="Run")).to_be_enabled(timeout=LONG)


def test_a_kernel_is_run_looked_at_mended_and_kept(page):
    asked = []
    page.on("request", lambda asks: asked.append(asks.url))
    page.select_option("#try-program", "guard")
    assert not [url for url in asked if "pyodide" in url]  # nothing large before somebody runs something
    run(page)
    finding, picture = page.locator(".hf-try-finding"), page.locator(".hf-try-picture")
    expect(finding).to_contain_text("out-of-bounds, line 10")
    expect(finding).to_contain_text("if index < x.shape[0]")
    expect(page.locator(".hf-try-lines .wrong")).to_have_text("✕ 10")
    said = picture.locator(".hf-try-said")
    expect(said).to_contain_text("Thread (4)")
    expect(said).to_contain_text("wants x[100], which does not exist")
    picture.get_by_label("Thread", exact=True).fill("1")
    expect(said).to_contain_text("line 10 reads x[97]")
    # A finger on the first element that the block reads: x[96], in the fourth row of 32.
    canvas = picture.locator("figure").nth(1).locator("canvas")
    cell = canvas.evaluate("it => (it.getBoundingClientRect().width - 36) / 32")
    rows = canvas.evaluate(f"it => Math.round((it.getBoundingClientRect().height - 18) / {cell})")
    canvas.tap(position={"x": 34 + cell / 2, "y": 16 + (rows - 0.5) * cell})
    expect(said).to_contain_text("x[96]")
    expect(said).to_contain_text("thread (0) reads it")
    assert page.evaluate(WIDE) <= 0
    found = Axe().run(page, options=RULES).response["violations"]
    assert not found, [(each["id"], each["nodes"][0]["html"]) for each in found]

    editor = page.locator("#try-code")
    editor.fill(editor.input_value().replace("    out[i] = ", "    if i < x.size:\n        out[i] = "))
    run(page)
    expect(picture).to_contain_text("Nothing wrong was found.")
    expect(page.locator(".hf-try-output")).to_contain_text("148.5")
    page.reload()
    expect(page.locator("#try-code")).to_have_value(editor.input_value())
    assert "if i < x.size" in page.locator("#try-code").input_value()


def test_a_program_without_an_end_is_stopped_and_the_next_one_runs(browser, address):
    page = browser.new_context(viewport=PHONE).new_page()
    page.goto(f"{address}browser.html")
    page.select_option("#try-program", "own")
    page.locator("#try-code").fill("print('begun')\nwhile True:\n    pass\n")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".hf-try-output")).to_contain_text("begun", timeout=LONG)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".hf-try-status")).to_contain_text("What you wrote is still there")
    page.locator("#try-code").fill(
        "import cupy as cp\na = cp.arange(3) * 2\nprint(a, a.dtype, cp.array([2**40]) + 1)\na[9]\n"
    )
    run(page)
    expect(page.locator(".hf-try-output")).to_contain_text("[0 2 4] int64 [1099511627777]")
    expect(page.locator(".hf-try-error")).to_contain_text("IndexError, line 4")
    page.context.close()
