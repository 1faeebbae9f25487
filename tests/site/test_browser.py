"""The page that runs Python in the browser, in Chromium, on Pyodide: a kernel is written, run, fixed and stopped, and each of the lectures runs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from hundredfold.publish.site import browser_page, run_here

ROOT = Path(__file__).resolve().parents[2]
LECTURES = run_here.entries(ROOT)
PHONE = {"width": 375, "height": 720}
DESK = {"width": 1440, "height": 900}
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


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """Pyodide as npm has it, and the folder with NumPy's wheel, for somebody to change."""
    carried = tmp_path_factory.mktemp("carried")
    for wheel in browser_page._carried().glob("numpy-*.whl"):
        shutil.copy(wheel, carried)
    return browser_page.package(), carried


def test_pyodide_is_npms_and_numpy_is_the_one_that_its_lock_file_names(release, tmp_path):
    package, carried = release
    browser_page.vendor(tmp_path / "fine", package, carried)
    there = {file.name for file in (tmp_path / "fine").iterdir()}
    assert {*browser_page.pyodide()["files"], "pyodide-lock.json", "LICENSE-NumPy.txt"} < there and len(there) == 7
    (wheel,) = carried.glob("numpy-*.whl")
    with open(wheel, "ab") as file:
        file.write(b" ")
    with pytest.raises(RuntimeError, match="is not the NumPy that Pyodide"):
        browser_page.vendor(tmp_path / "wheel", package, carried)
    other = tmp_path / package.name
    other.write_bytes(package.read_bytes() + b" ")
    with pytest.raises(RuntimeError, match="is not Pyodide .* as npm has it"):
        browser_page.vendor(tmp_path / "package", other, carried)
    assert not (tmp_path / "package").exists(), "nothing of it is served"


def test_the_page_shows_the_licences_of_what_it_runs(site):
    text = (site / "browser.html").read_text()
    for file, words in (
        ("LICENSE-MPL-2.0.txt", "Mozilla Public License Version 2.0"),
        ("LICENSE-Python-2.0.txt", "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2"),
        ("pyodide/LICENSE-NumPy.txt", "NumPy Developers"),
    ):
        assert f'href="_static/browser/{file}"' in text
        assert words in (site / browser_page.FOLDER / file).read_text()


def run(page):
    editor(page).press("Control+Enter")
    expect(page.get_by_role("button", name="Run")).to_be_enabled(timeout=LONG)


def editor(page):
    return page.get_by_role("textbox", name="Your program")


def written(page) -> str:
    return page.evaluate("[...document.querySelectorAll('#try .cm-line')].map(line => line.textContent).join('\\n')")


def test_a_kernel_is_run_looked_at_mended_and_kept(page):
    asked = []
    page.on("request", lambda asks: asked.append(asks.url))
    page.select_option("#try-program", "guard")
    assert not [url for url in asked if "pyodide" in url]  # nothing large before somebody runs something
    run(page)
    finding, picture = page.locator(".hf-try-finding"), page.locator(".hf-try-picture")
    expect(finding).to_contain_text("out-of-bounds, line 10")
    expect(finding).to_contain_text("In line 10 of brighten: out[i] = x[i] * gain")
    expect(finding).to_contain_text("if index < x.shape[0]")
    expect(page.locator(".cm-lineNumbers")).to_contain_text("✕ 10")
    expect(page.locator("#try .hf-wrong")).to_have_text("    out[i] = x[i] * gain")
    said = picture.locator(".hf-try-said")
    expect(said).to_contain_text("Thread (4)")
    expect(said).to_contain_text("wants x[100], which does not exist")
    expect(picture).to_be_in_viewport()  # a phone shows it below the code
    picture.get_by_label("Thread", exact=True).fill("1")
    expect(said).to_contain_text("line 10 reads x[97]")
    # A finger on the first element that the block reads: x[96], in the fourth row of 32.
    canvas = picture.locator("figure").nth(1).locator("canvas")
    cell = canvas.evaluate("it => (it.getBoundingClientRect().width - 36) / 32")
    rows = canvas.evaluate(f"it => Math.round((it.getBoundingClientRect().height - 18) / {cell})")
    canvas.tap(position={"x": 34 + cell / 2, "y": 16 + (rows - 0.5) * cell})
    expect(said).to_contain_text("x[96]")
    expect(said).to_contain_text("thread (0) reads it")
    number = picture.get_by_label("Number of the element")
    expect(number).to_have_value("96")
    number.fill("97")
    expect(said).to_contain_text("thread (1) reads it")
    assert page.evaluate(WIDE) <= 0
    small = page.locator("#try :is(button, select, input, summary)").evaluate_all(
        "all => all.filter(each => each.checkVisibility()).filter(each => Math.min(each.offsetHeight, each.offsetWidth) < 24).map(each => each.outerHTML)"
    )
    assert not small
    found = Axe().run(page, options=RULES).response["violations"]
    assert not found, [(each["id"], each["nodes"][0]["html"]) for each in found]

    editor(page).fill(written(page).replace("    out[i] = ", "    if i < x.size:\n        out[i] = "))
    expect(page.locator("#try .hf-wrong")).to_have_count(0)
    run(page)
    expect(picture).to_contain_text("Nothing wrong was found.")
    expect(page.locator(".hf-try-output")).to_contain_text("148.5")
    fixed = written(page)
    page.reload()
    expect(editor(page)).to_contain_text("if i < x.size")
    assert written(page) == fixed


def test_an_example_is_shown_first_and_then_how_much_of_python_has_come(page):
    example, picture = page.locator(".hf-try-example"), page.locator(".hf-try-picture")
    expect(example).to_have_text(
        "Example. This is what a run of One thread, one element shows. Nothing has run here yet."
    )
    drawn = picture.inner_text()
    assert "brighten: 4 blocks of 32 threads" in drawn
    # What the progress says is kept, since it may be gone before one looks.
    page.evaluate(
        """() => {
          const told = document.querySelector(".hf-try-loading span"), bar = document.querySelector("#try progress");
          window.said = [];
          new MutationObserver(() => window.said.push([told.textContent, bar.value, bar.max])).observe(told, { childList: true, characterData: true, subtree: true });
        }"""
    )
    said_before = page.locator("#try-keys").inner_text()
    run(page)
    expect(example).to_be_hidden()
    expect(page.locator("#try progress")).to_be_hidden()
    assert picture.inner_text() == drawn  # the example is what a run gives
    said = page.evaluate("window.said")
    came = [float(text.partition(" ")[0]) for text, _, _ in said]
    assert came == sorted(came) and len(came) > 2
    total = said[-1][2]
    assert said[-1] == [f"{total / 1e6:.1f} MB loaded", total, total]
    assert f"loads {total / 1e6:.0f} MB" in said_before
    assert said[0][0].endswith(f" of {total / 1e6:.1f} MB")
    # All that was fetched for it, as the browser counts it.
    fetched = page.evaluate(
        "async () => { const size = async name => (await (await fetch('_static/browser/' + name)).arrayBuffer()).byteLength;"
        " const names = Object.keys((await (await fetch('_static/browser/programs.json')).json()).sizes);"
        " return (await Promise.all(names.map(name => size(name.endsWith('.zip') && name.startsWith('hundredfold') ? name : 'pyodide/' + name)))).reduce((a, b) => a + b); }"
    )
    assert fetched == total


def test_tab_indents_and_escape_lets_it_leave(page):
    page.select_option("#try-program", "own")
    editor(page).click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("if True:\nx = 1")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("y = 2")
    assert written(page).splitlines()[-3:] == ["if True:", "    x = 1", "        y = 2"]
    expect(editor(page)).to_be_focused()
    expect(editor(page)).to_have_attribute("aria-describedby", "try-keys")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(editor(page)).not_to_be_focused()
    expect(page.locator("#try .tok-keyword").first).to_have_text("import")


def test_a_program_without_an_end_is_stopped_and_the_next_one_runs(browser, address):
    page = browser.new_context(viewport=DESK).new_page()
    page.goto(f"{address}browser.html")
    page.select_option("#try-program", "own")
    editor(page).fill("print('begun')\nwhile True:\n    pass\n")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".hf-try-output")).to_contain_text("begun", timeout=LONG)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".hf-try-status")).to_contain_text("What you wrote is still there")
    editor(page).fill("import cupy as cp\na = cp.arange(3) * 2\nprint(a, a.dtype, cp.array([2**40]) + 1)\na[9]\n")
    run(page)
    expect(page.locator(".hf-try-output")).to_contain_text("[0 2 4] int64 [1099511627777]")
    expect(page.locator(".hf-try-error")).to_contain_text("IndexError, line 4")
    # On a desktop the result is beside the code.
    code, result = page.locator("#try form").bounding_box(), page.locator(".hf-try-result").bounding_box()
    assert result["x"] >= code["x"] + code["width"] and abs(result["y"] - code["y"]) < 20
    page.context.close()


#: What the lens says of kernels and arrays, with numbers that 32 bits do not hold on the way.
LENS = """\
import cupy as cp
import numpy as np
from numba import cuda

from hundredfold import lens


@cuda.jit
def histogram(v, counts):
    for i in range(cuda.grid(1), v.size, cuda.gridsize(1)):
        counts[v[i]] += 1


@cuda.jit
def total(x, result):
    mine = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        mine += x[i]
    cuda.atomic.add(result, 0, mine)


@cuda.jit
def smooth(x, out):
    part = cuda.shared.array((16, 17), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    part[ty, tx] = x[i, j]
    cuda.syncthreads()
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        out[i, j] = part[ty, tx] + x[i - 1, j] + x[i + 1, j]


x = np.random.default_rng(5).random(100_000)
seen = lens.trace(total, 80, 128, x, np.zeros(1))
print(seen)
print(lens.estimate(seen, gpu="H200"))
print(lens.bound(seen, gpu="V100"))
image = np.zeros((64, 64), np.float32)
seen = lens.trace(smooth, (4, 4), (16, 16), image, np.zeros_like(image))
print(seen)
print(lens.estimate(seen, griddim=(64, 64), gpu="H200"))
print(lens.roofline(seen, gpu="H200"))
print(lens.occupancy(32, 4096, blockdim=256, gpu="H200"))
values = np.random.default_rng(5).integers(0, 16, 4096, dtype=np.uint8)
print(lens.schedules(histogram, 4, 64, values, np.zeros(16, np.int32)))
y = cp.asarray(x)
print(lens.account(lambda: (y * 2 + 1).sum()))
"""


def test_the_lens_says_there_what_it_says_here(desk):
    child = ROOT / "packages" / "hundredfold" / "tests" / "publish" / "browser" / "child.py"
    done = subprocess.run(
        [sys.executable, str(child)], input=json.dumps([LENS]), capture_output=True, text=True, timeout=300
    )
    [here] = json.loads(done.stdout)
    assert here["error"] is None and len(here["printed"]) > 5000
    desk.select_option("#try-program", "own")
    editor(desk).fill(LENS)
    run(desk)
    assert desk.locator(".hf-try-output pre").evaluate("it => it.textContent") == here["printed"]


# Kernels of the lectures and solutions.


def test_a_link_opens_its_kernel_and_runs_nothing(browser, address):
    page = browser.new_context(viewport=DESK).new_page()
    asked = []
    page.on("request", lambda asks: asked.append(asks.url))
    page.goto(f"{address}notebooks/05_kernels.html")
    links = page.locator(".hf-run-here a")
    wanted = {each["name"]: each for each in LECTURES if each["page"].startswith("notebooks/05_kernels.")}
    assert [each.get_attribute("href").partition("=")[2] for each in links.all()] == [*wanted]
    kernel = links.first.locator("code").first.inner_text()
    # The link is below the cell that defines the kernel.
    before = page.locator("div.cell:has(+ .hf-run-here)").first
    expect(before).to_contain_text(f"def {kernel}(")
    links.first.click()
    program = wanted[f"05_kernels.{kernel}"]
    expect(editor(page)).to_contain_text(f"def {kernel}(")
    assert written(page) == program["code"]
    assert not [url for url in asked if "pyodide" in url or "worker" in url]
    page.locator(".hf-try-about a").click()
    expect(page).to_have_url(f"{address}{program['page']}")
    page.goto(f"{address}browser.html?kernel=print('x')")
    expect(page.locator(".hf-try-status")).to_have_text(
        "The kernel that the link names is not here: choose another program."
    )
    page.context.close()


@pytest.fixture(scope="module")
def desk(browser, address):
    """The page on a desktop, with one Python for all kernels."""
    context = browser.new_context(viewport=DESK)
    page = context.new_page()
    page.goto(f"{address}browser.html")
    page.locator("#try form").wait_for()
    yield page
    context.close()


@pytest.mark.large(smoke=6)
@pytest.mark.parametrize("program", LECTURES, ids=lambda program: program["name"])
def test_a_kernel_that_is_offered_runs(desk, program):
    desk.select_option("#try-program", program["name"])
    run(desk)
    expect(desk.locator(".hf-try-status")).to_have_text("Done.")
    expect(desk.locator(".hf-try-error > div")).to_have_count(0)
    drawn = desk.locator(".hf-try-title").all_inner_texts()
    kernels = program["title"].split(", ")
    assert {title.partition(":")[0] for title in drawn} >= set(kernels[-1:]), drawn
    assert desk.locator(".hf-try-picture canvas").count() >= 2 * len(drawn)


# In Firefox.


def test_firefox_runs_python_and_shows_what_a_kernel_touches(firefox):
    guard, lecture = firefox("run.mjs", "guard", LECTURES[0]["name"])
    assert not guard["wrong"] and not guard["errors"], guard
    assert "out-of-bounds, line 10" in guard["findings"][0]
    assert guard["marked"] == ["    out[i] = x[i] * gain"]
    assert not lecture["wrong"] and not lecture["errors"], lecture
    assert lecture["status"] == "Done."
    for each in (guard, lecture):
        assert each["titles"] and min(each["drawn"]) > 3
