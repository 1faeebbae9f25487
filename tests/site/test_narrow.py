"""Pages on a phone: code is broken where it may be, printed columns and tables have room, figures are drawn for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from hundredfold.publish.build import figures
from hundredfold.publish.site import narrow

ROOT = Path(__file__).resolve().parents[2]

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

#: Printed lines with two gaps or more that lie on two lines, those aside that have no columns in common.
WRAPPED = """() => [...document.querySelectorAll(".cell_output pre")].flatMap((block) => {
  const found = [], walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    if (node.parentElement.closest(".hf-hanging")) continue;
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
    """Nothing does on a phone of 375 pixels; where letters are large, less has room."""
    page = phone("notebooks/08_merges")
    page.set_viewport_size({"width": 240, "height": 720})
    box = page.locator(".hf-columns:visible", has_text="all flights")
    assert box.evaluate("it => it.scrollWidth > it.clientWidth")
    expect(box).to_have_css("mask-image", "linear-gradient(to left, rgba(0, 0, 0, 0), rgb(0, 0, 0) 48px)")
    assert box.evaluate("it => it.tabIndex === 0")
    box.evaluate("it => it.scrollTo(it.scrollWidth, 0)")
    expect(box).to_have_css("mask-image", "none")
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.locator(".hf-swipe:visible")).to_have_count(0)


@pytest.mark.parametrize("unit", ["10_dask-arrays", "12_svd", "16_profiling"])
def test_what_is_made_for_a_phone_is_seen_there_alone(phone, unit):
    page = phone(f"notebooks/{unit}")
    shown = "all => all.map(it => it.currentSrc.includes('/phone/'))"
    assert all(page.locator("picture > img").evaluate_all(shown)) and page.locator("picture").count()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.reload()
    assert not any(page.locator("picture > img").evaluate_all(shown))
    expect(page.locator(".hf-phone:visible")).to_have_count(0)


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


FRAME = """\
         without a plane  with a tail number  all flights
carrier
MQ                 25397               25395        26397
"""


def test_columns_without_room_are_in_groups_on_a_phone():
    made = narrow.printed(FRAME)
    assert made.startswith('<span class="hf-wide"><span class="hf-columns" style="--columns:57">' + FRAME)
    assert made.endswith(
        """<span class="hf-phone hf-columns" style="--columns:44">\
         without a plane  with a tail number
carrier
MQ                 25397               25395

         all flights
carrier
MQ             26397
</span>"""
    )


@pytest.mark.parametrize(
    ("lines", "room", "groups"),
    [
        # One space between two columns, in a line without names.
        (
            ["offer  per hour    what", "a100       1.48 one GPU", "l4         0.80 one L4"],
            15,
            ["offer  per hour", "offer     what"],
        ),
        # A date and its time are one column.
        (
            ["at                  wind  no", "2013-07-04 03:30:00    8   1"],
            25,
            ["at                  wind", "at                  no"],
        ),
        (["a column that is too wide  b", "c                          d"], 19, []),
        (["no columns", "at all"], 19, []),
    ],
)
def test_groups_are_made_of_whole_columns(lines, room, groups):
    made = "\n".join(narrow.in_groups(lines, room)).split("\n\n")
    assert [group.split("\n")[0] for group in made if group] == groups


def test_lines_without_columns_in_common_are_set_in():
    made = narrow.printed(
        "H200      0.167 ms, memory     binds; in float32  0.083 ms\nRTX 4090  3.876 ms, arithmetic binds; in  float32 0.397 ms\n"
    )
    assert "<span>H200  0.167 ms, memory  binds; in float32  0.083 ms</span>" in made and "hf-hanging" in made


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
            [("what", "one", "two", "three", "four", "five"), ("a_long_name", *["100\N{NO-BREAK SPACE}ms"] * 5)],
            "hf-named",
        ),
        (
            [("what", "one", "two", "three", "four", "five"), ("a_name", *["1000.25\N{NO-BREAK SPACE}ms"] * 5)],
            "hf-flow",
        ),
        ([("what", *"bcdefg"), ("a_name", *["a_piece_of_text"] * 6)], "hf-flow"),
    ],
)
def test_a_table_has_another_form_only_where_it_has_no_room(rows, how):
    made = narrow.stacked(table(*rows))
    assert f'<table class="table{how and " " + how}"' in made
    assert narrow.text(made) == narrow.text(table(*rows))
    assert ('data-head="b"' in made or 'data-head="one"' in made) == (how in ("hf-stacked", "hf-flow"))
    assert ("--widths:" in made) == (how == "hf-named")


def test_a_frame_says_all_names_of_a_column():
    head = "<thead><tr><th>dep_delay</th><th>carrier_of_a_flight</th><th>destination_of_it</th></tr><tr><td>i32</td><td>str</td><td>str</td></tr></thead>"
    made = narrow.stacked(
        f'<table border="1" class="dataframe">{head}<tbody><tr><td>2</td><td>"UA"</td><td>"IAH"</td></tr></tbody></table>'
    )
    assert made.startswith(f'<table border="1" class="dataframe hf-stacked">{head}')
    assert '<td data-head="dep_delay i32">2</td>' in made


# Figures.


def test_a_phone_has_the_second_picture_of_a_figure_that_has_two():
    wide = "0a" * 32
    page = f'<a class="image-reference" href="../_images/{wide}.png"><img alt="A timeline." src="../_images/{wide}.png"></a>'
    made = narrow.beside(page, {wide: ("b.png", 343, 200)})
    assert 'srcset="../_static/phone/b.png" width="343" height="200"><img alt="A timeline."' in made
    assert narrow.beside(page, {}) == page


def test_each_figure_has_a_picture_for_a_phone_and_each_picture_is_used():
    stored = [
        output["metadata"]["image/png"]
        for folder in ("notebooks", "solutions")
        for file in (ROOT / folder).glob("*.ipynb")
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert all("narrow" in about for about in stored)
    names = {*figures.of_phones(ROOT).values()}
    assert len(names) > 80 and names == {file.name for file in (ROOT / figures.PHONE).iterdir()}
    assert {(width, height > 50) for _, width, height in narrow.pictures(ROOT).values()} == {(343, True)}
