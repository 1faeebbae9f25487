"""Pages on a phone: code is broken where it may be, printed columns stay side by side, what scrolls says so."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from hundredfold.publish.site import narrow

#: Words of code that lie on two lines. A long name may, between its words.
DIVIDED = """() => {
  const found = [], walker = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    if (!node.parentElement.closest("code, pre, .sig")) continue;
    for (const word of node.data.matchAll(/(?<![A-Za-z0-9])[A-Za-z0-9]{2,16}(?![A-Za-z0-9])/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1) found.push(word[0]);
    }
  }
  return found;
}"""

#: Printed lines with two gaps or more that lie on two lines.
WRAPPED = """() => [...document.querySelectorAll(".cell_output pre")].flatMap((block) => {
  const found = [], walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    for (const line of node.data.matchAll(/.*\\S {2,}\\S.* {2,}\\S.*/g)) {
      const range = document.createRange();
      range.setStart(node, line.index);
      range.setEnd(node, line.index + line[0].length);
      if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1) found.push(line[0]);
    }
  }
  return found;
})"""


@pytest.fixture
def phone(browser, address):
    page = browser.new_page(viewport={"width": 375, "height": 720})

    def open_page(name):
        page.goto(f"{address}{name}.html")
        return page

    yield open_page
    page.close()


@pytest.mark.parametrize(
    "name",
    [
        "cheatsheet",
        "reference/times",
        "reference/differs",
        "notebooks/08_merges",
        "notebooks/09_learning",
        "solutions/15_capstone",
    ],
)
def test_code_is_not_divided_within_a_word(phone, name):
    assert not phone(name).evaluate(DIVIDED)


@pytest.mark.parametrize("unit", ["02_memory", "08_merges", "13_dask-dataframes", "14_deploying", "16_profiling"])
def test_printed_columns_stay_side_by_side(phone, unit):
    assert not phone(f"notebooks/{unit}").evaluate(WRAPPED)


def test_what_scrolls_sideways_says_so_until_its_end(phone):
    page = phone("notebooks/08_merges")
    charts = page.locator(".cell_output a.image-reference")
    boxes = [charts.first, page.locator(".hf-columns", has_text="all flights")]
    for box in boxes:
        assert box.evaluate("it => it.scrollWidth > it.clientWidth")
        expect(box).to_have_css("mask-image", "linear-gradient(to left, rgba(0, 0, 0, 0), rgb(0, 0, 0) 48px)")
        assert box.evaluate("it => it.matches('a[href]') || it.tabIndex === 0")
        box.evaluate("it => it.scrollTo(it.scrollWidth, 0)")
        expect(box).to_have_css("mask-image", "none")
    expect(page.locator(".hf-swipe").first).to_have_text("Swipe for the rest →, or tap to see it whole")
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(charts.first).to_have_css("mask-image", "none")
    expect(page.locator(".hf-swipe:visible")).to_have_count(0)


@pytest.mark.parametrize("unit", ["10_dask-arrays", "12_svd"])
def test_the_letters_in_a_figure_can_be_read(phone, unit):
    """A figure is stored with two pixels for each of the page's; its smallest letters are 12 of these high, the axes' 11."""
    shown = phone(f"notebooks/{unit}").locator(".cell_output a.image-reference img")
    heights = shown.evaluate_all("all => all.map(it => (11 * it.getBoundingClientRect().width * 2) / it.naturalWidth)")
    assert heights and min(heights) > 9


def test_a_table_without_room_has_its_cells_below_each_other(phone):
    page = phone("cheatsheet")
    row = page.locator(".hf-stacked tr", has_text="no loop over rows")
    cells = row.locator("td").evaluate_all(
        "all => all.map(it => it.getBoundingClientRect()).map(it => [it.left, it.top])"
    )
    assert len({left for left, _ in cells}) == 1 and len({top for _, top in cells}) == 3
    head = row.locator("td").nth(1).evaluate("it => getComputedStyle(it, '::before').content")
    assert head == '"on a cuDF frame: "'
    page.set_viewport_size({"width": 1280, "height": 900})
    tops = row.locator("td").evaluate_all("all => all.map(it => it.getBoundingClientRect().top)")
    assert len(set(tops)) == 1


# HTML in, HTML out.


@pytest.mark.parametrize(
    ("code", "where"),
    [
        ("cp.get_default_memory_pool().free_all_blocks()", "cp.get_default_memory_pool()|.free_all_blocks()"),
        ('df.merge(df[["key"]].drop_duplicates(), on="key")', 'df.merge(|df[[|"key"]]|.drop_duplicates(), on=|"key")'),
        ("np.array([1.0, 2.0]) + f(x,y)", "np.array([|1.0, 2.0]) + f(|x,|y)"),
        ('["origin", "month"]', '["origin", "month"]'),
        ('hint("capstone.prepare")', 'hint(|"capstone.prepare")'),
        ("packages/kernellens/tests/test_bound_compiler.py", "packages/|kernellens/|tests/|test_bound_compiler|.py"),
        ("x.__cuda_array_interface__()", "x.__cuda_array_interface__()"),
        ("cupyx.scipy.CloughTocher2DInterpolator", "cupyx|.scipy|.Clough|Tocher2D|Interpolator"),
        ("DASK_DISTRIBUTED__WORKER__LIFETIME", "DASK_|DISTRIBUTED__|WORKER__|LIFETIME"),
        ("memory.stencil.10000x10000", "memory|.stencil|.10000x10000"),
    ],
)
def test_code_may_be_broken_between_its_parts(code, where):
    assert narrow.broken(code).replace("<wbr>", "|") == where


def test_a_long_line_of_code_is_the_same_text():
    line = (
        '    <span class="n">print</span>(<span class="s2">&quot;a&quot;</span>, <span class="n">x</span>'
        + ", 1" * 20
        + ")\n"
    )
    made = narrow.code("x = 1\n" + line)
    assert narrow.text(made) == narrow.text("x = 1\n" + line)
    assert made.startswith('x = 1\n<span class="hf-long" style="--indented:4ch">    <span') and made.endswith("</span>")
    assert narrow.code("x = 1\n") == "x = 1\n"


COLUMNS = "                  without a plane  all flights\ncarrier\nMQ                          25397        26397\n"


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        (COLUMNS, COLUMNS),
        (f"A sentence.\n{COLUMNS}\nAnother.\n", COLUMNS),
        ("a  b\nc  d\n", ""),  # has room
        ("one  line with a gap, which is a sentence that is as long as it pleases\n" * 2, ""),
        ("Two sentences that are too long for a phone.\nThey have no columns, and go on below.\n", ""),
    ],
)
def test_columns_are_found_in_what_was_printed(printed, kept):
    made = narrow.printed(printed)
    before, _, rest = made.partition('<span class="hf-columns" style="--columns:46">')
    assert rest.partition("</span>")[0] == kept and narrow.text(made) == printed


def table(*rows):
    cells = ["".join(f"<td><p>{cell}</p></td>" for cell in row) for row in rows]
    return '<table class="table">' + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


@pytest.mark.parametrize(
    ("rows", "how"),
    [
        ([("a", "b"), ("short", "cells")], ""),
        ([("a", "b", "c"), ("three cells of a sentence each " * 2,) * 3], "hf-stacked"),
        ([("a", "b"), ("one tall cell " * 20, "x")], "hf-stacked"),
        ([("what", "one", "two", "three", "four", "five", "six"), ("a_name", *["10.2 ms"] * 6)], ""),
        (
            [("what", "one", "two", "three", "four", "five", "six"), ("a_name", *["1000.25\N{NO-BREAK SPACE}ms"] * 6)],
            "hf-compact",
        ),
    ],
)
def test_a_table_is_stacked_only_where_it_has_no_room(rows, how):
    made = narrow.stacked(table(*rows))
    assert made.startswith(f'<table class="table{how and " " + how}">') and narrow.text(made) == narrow.text(
        table(*rows)
    )
    assert ('data-head="b"' in made) == (how == "hf-stacked")
