"""A learner's own results on the page of results: dropped, checked, shown beside the others, kept and removed; nothing leaves the browser."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from kernellens.plot import quantities

RECORDING = {
    "schema": 1,
    "kind": "recorded",
    "title": "Recorded on a test's H200",
    "sources": {"run": {"title": "a test", "date": "2026-11-22"}},
    "machines": {"here": {"name": "a test's H200", "gpu": "h200"}},
    "rows": [
        {
            "id": "dataframes.groupby",
            "what": "a groupby",
            "source": "run",
            "machine": "here",
            "least_bytes": 2.61e8,
            "times": [
                {"way": "cuDF", "device": "gpu", "seconds": 0.0087, "verdict": "possible"},
                {"way": "<b>pandas</b>", "device": "cpu", "seconds": 0.7, "verdict": "doubtful"},
            ],
        }
    ],
}

DROP = """([name, text]) => {
  const given = new DataTransfer();
  given.items.add(new File([text], name));
  for (const type of ["dragover", "drop"])
    document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: given }));
}"""


def changed(**how):
    """The recording with some of it replaced; names with two underscores lead into its only row, or its first time."""
    told = copy.deepcopy(RECORDING)
    for name, value in how.items():
        place, _, key = name.rpartition("__")
        {"": told, "row": told["rows"][0], "time": told["rows"][0]["times"][0]}[place][key] = value
    return json.dumps(told)


@pytest.fixture
def page(browser, address):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"{address}results.html")
    yield page
    context.close()


def drop(page, text, name="mine.json"):
    said = page.locator("#results-own [role=status]")
    said.evaluate("each => each.replaceChildren()")
    page.evaluate(DROP, [name, text])
    expect(said).not_to_be_empty()
    return said.inner_text()


def test_ones_own_times_stand_beside_the_others_stay_and_can_be_removed(page, address):
    asked = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    assert "in the figure and the table" in drop(page, changed())
    page.locator("#results-filter input").fill("groupby")
    shown = page.locator("#results tbody tr:visible")
    kinds = [line.split("\t")[3] for line in shown.all_inner_texts()]
    assert set(kinds) - {"recorded"} == {"published", "yours", "limit"}
    own = shown.filter(has_text="a test's H200")
    expect(own.filter(has_text="cuDF")).to_contain_text(re.compile(r"2026\s*yours\s*8\.7 ms\s*54\.4 µs\s*0\.63 %"))
    expect(own.filter(has_text="<b>pandas</b>")).to_contain_text("doubtful")
    figure = page.locator("#results-figure svg[role=img]")
    expect(figure.locator(".mark-yours")).to_have_count(2)
    expect(figure.locator("text", has_text="8.7 ms")).to_have_count(1)
    page.locator("#results-filter select[name=kind]").select_option("yours")
    expect(shown).to_have_count(2)
    # Nothing is sent; what the browser may still ask for is the theme's own.
    assert all(each.startswith(f"GET {address}_static/") and "?" not in each for each in asked), asked
    page.reload()
    expect(page.locator("#results tbody tr", has_text="a test's H200")).to_have_count(2)
    page.locator("#results-own input").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#results-own [role=status]")).to_have_text("mine.json is removed.")
    page.reload()
    expect(page.locator("#results tbody tr", has_text="a test's H200")).to_have_count(0)


REFUSED = [
    ("schema: 1", "mine.json is not JSON and no page"),
    (changed()[:-9], "perhaps it was cut short"),
    ("[1, 2]", "nothing that this course wrote"),
    ("<!DOCTYPE html><p>News", "is a page, but no report of this course"),
    (changed(kind="published"), "stands here already"),
    (changed(kind="simulated"), "A simulated time says nothing of a GPU"),
    (changed(tasks=[]), "which the lab's Dask panel replays"),
    (changed(schema=2), "in version 2 of the format, and this page reads version 1"),
    (changed(row__machine="there"), "names a machine that the file does not have"),
    (changed(time__seconds=-1), "row 1 (dataframes.groupby, cuDF): seconds must be a positive number, not -1"),
    (changed(time__seconds="fast"), 'must be a positive number, not "fast"'),
    (changed(rows=[]), "has no times in it yet"),
    (changed(row__times=[RECORDING["rows"][0]["times"][0] | {"device": "simulated"}]), "taken on a simulated GPU"),
]


def test_what_cannot_be_shown_is_refused_in_a_sentence(page):
    told = {said: drop(page, text) for text, said in REFUSED}
    assert not {said: text for said, text in told.items() if said not in text}
    assert not page.locator("#results tbody tr[data-kind=yours]").count()
    assert page.evaluate("localStorage.getItem('hundredfold-results')") is None


def test_a_time_below_its_limit_is_left_out_and_the_others_stay(page):
    told = drop(page, changed(time__seconds=1e-6))
    assert "dataframes.groupby, cuDF, 1 µs. That is faster than its limit (54.4 µs on H200)" in told
    expect(page.locator("#results tbody tr[data-kind=yours]")).to_have_count(1)


MADE = """
import sys
import numpy as np
import gpusim
gpusim.activate()
import cupy as cp
from hundredfold import compare, measure, report
x, y = np.ones(1000), cp.ones(1000)
on = lambda v, name: measure(lambda: v.sum(), name=name, bytes=8000, repeat=3, min_time=0)
compare("memory.sum.1000x1000", on(y, "mine, CuPy"), naive=on(x, "mine, NumPy"))
report(sys.argv[1], title="A <report> & more", unit=None)
"""


def test_a_reports_page_is_read_too_without_its_simulated_times(page, tmp_path):
    file = tmp_path / "my-report.html"
    env = os.environ | {"HUNDREDFOLD_STATE": str(tmp_path), "GPUSIM_GPU_MEMORY": str(2**28)}
    done = subprocess.run(
        [sys.executable, "-c", MADE, str(file)], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    page.locator("#results-own input").set_input_files(file)
    said = page.locator("#results-own [role=status]")
    expect(said).to_contain_text("Left out: 1 time was taken on a simulated GPU")
    line = page.locator("#results tbody tr[data-kind=yours]")
    expect(line).to_have_count(1)
    expect(line).to_contain_text(re.compile(r"memory\.sum\.1000x1000.*mine, NumPy.*\(CPU only\)", re.DOTALL))
    expect(page.locator("#results-own li")).to_contain_text("A <report> & more, 1 time.")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_with_ones_own_times_the_page_is_readable_and_fits(browser, address, scheme, width):
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{address}results.html")
    drop(page, changed(time__seconds=1e-6))
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag22aa"]}})
    assert not found.response["violations"], found.response["violations"][0]["nodes"][0]["html"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_the_page_writes_numbers_as_the_course_does(page):
    values = [3e-9, 9.996e-4, 0.0021, 0.1234, 97, 119.6, 120, 690, 9540, 1e6]
    assert page.evaluate("all => all.map(hundredfoldResults.seconds)", values) == [
        quantities.seconds(each) for each in values
    ]
    shares = [0.00543, 0.52, 1.7]
    assert page.evaluate("all => all.map(hundredfoldResults.share)", shares) == [
        quantities.share(each) for each in shares
    ]


def test_the_axis_has_round_times(page):
    names = page.locator("#results-figure svg[role=img] text[text-anchor=middle]").all_text_contents()
    assert len(names) > 6 and any(name.endswith((" min", " h")) for name in names), names
    assert all(re.fullmatch(r"10{0,2} (ns|µs|ms|s|min|h)", name) for name in names), names
