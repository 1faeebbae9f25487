"""What the pages say and do: search, the filter of the results, the way between a unit's pages, the keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from hundredfold.classroom import syllabi
from hundredfold.publish import REUSE
from hundredfold.publish.site import answers, proof, stage


@pytest.fixture
def page(browser, address):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    yield page
    page.close()


def test_each_page_says_once_what_a_reader_may_do_with_it(site):
    pages = [page for page in site.rglob("*.html") if "slides" not in page.parts and "_static" not in page.parts]
    assert len(pages) > 60 and {page.read_text(encoding="utf-8").count(REUSE) for page in pages} == {1}


def test_a_stranger_finds_the_answers_from_the_first_page(page):
    main = page.locator("main")
    for question in (
        "See what a kernel reads",
        "Who it is for",
        "Will it run on my laptop",
        "How do I teach it",
        "tests of my own",
    ):
        expect(main.get_by_role("heading", name=re.compile(question))).to_be_visible()
    expect(main).to_contain_text(re.compile(rf"It takes about \d+ hours: {len(syllabi.units())} lectures"))
    expect(main).to_contain_text(
        re.compile(r"cuDF on a V100 54\sms, .* on an H200 its bytes alone take 54\.4\sµs", re.DOTALL)
    )
    main.get_by_role("link", name="a groupby of ten million rows").click()
    expect(
        page.locator("#results tbody tr[data-id='dataframes.groupby']:visible", has_text="H200, data sheet")
    ).to_contain_text("54.4 µs")
    page.go_back()
    main.get_by_role("link", name="For instructors").last.click()
    expect(page.locator("article ol").first.locator("> li")).to_have_count(5)
    expect(
        page.locator("article table tr", has_text="4\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}H200").last
    ).to_contain_text("14.6 GB")
    page.go_back()
    main.get_by_role("link", name="Results").first.click()
    page.locator("#results-filter input").fill("groupby")
    rows = page.locator("#results tbody tr:visible")
    expect(rows).not_to_have_count(0)
    assert all("groupby" in text for text in rows.all_inner_texts())
    expect(page.locator("#results-filter output")).to_have_text(re.compile(rf"^{rows.count()} of \d+$"))
    page.locator("#results-filter select[name=device]").select_option("GPU")
    kinds = {text.split("\t")[3]: text for text in rows.all_inner_texts()}
    assert "cuDF" in kinds["published"] and "H200" in kinds["limit"]


def test_the_first_page_is_to_be_tried(page):
    sectors = page.locator("#hf-sectors")
    for step, said in (
        (1, "4 sectors move: 128 bytes. All of them"),
        (2, "8 sectors move: 256 bytes. 50 %"),
        (8, "32 sectors move: 1024 bytes. 13 %"),
    ):
        sectors.locator("input").fill(str(step))
        expect(sectors.get_by_role("status")).to_contain_text(said)
        expect(sectors.locator("svg rect.sector")).to_have_count(int(said.split()[0]))
    speed = page.locator("#hf-possible")
    expect(speed.get_by_role("status")).to_have_text(
        "A V100 moves 900 GB/s. 800 MB take it 0.889 ms at least. In 0.746 ms that is impossible."
    )
    speed.locator("[name=gpu]").select_option(label="H200")
    expect(speed.get_by_role("status")).to_contain_text("In 0.746 ms that is 22.3 % of the limit.")
    speed.locator("[name=milliseconds]").fill("0")
    expect(speed.get_by_role("status")).to_have_text("Both numbers have to be larger than 0.")
    replies = page.locator("main details")
    expect(replies).to_have_count(3)
    for number in range(3):
        replies.nth(number).click()
        expect(replies.nth(number)).to_contain_text("Right." if number == 0 else "Wrong.")


def test_the_header_is_one_line_whatever_the_width(page):
    """What has the focus is kept clear of a header of one line, no higher."""
    heights = {}
    for width in (375, 959, 960, 1100, 1199, 1200, 1399, 1400, 1920):
        page.set_viewport_size({"width": width, "height": 700})
        heights[width] = page.locator(".bd-header").evaluate("it => it.offsetHeight")
    assert len(set(heights.values())) == 1, heights


def test_no_column_is_empty_and_the_times_are_in_sight(page, address, site):
    lists = "nav.bd-docs-nav:not(:has(a))"
    for name in sorted(site.glob("*.html")):
        page.goto(f"{address.rstrip('/')}/{name.name}")
        assert not page.locator(lists).filter(visible=True).count(), name.name
    for name in ("results", "course", "browser", "administrators/threats", "reference/data"):
        page.goto(f"{address.rstrip('/')}/{name}.html")
        for width in (1280, 375):
            page.set_viewport_size({"width": width, "height": 900})
            hidden = page.locator("main :is(.hf-scroll, .pst-scrollable-table-container)").evaluate_all(
                "all => all.map(it => it.scrollWidth - it.clientWidth)"
            )
            # On a phone the eight columns of the results scroll in their box.
            assert (max(hidden, default=0) <= 1) or (name, width) == ("results", 375), (name, width)


def test_the_ways_to_other_pages_are_on_the_screen_of_a_phone(page, address, site):
    page.set_viewport_size({"width": 375, "height": 900})
    for name in ("reference/times", "instructors/17_polars", "contributing/first"):  # with the longest words
        page.goto(f"{address.rstrip('/')}/{name}.html")
        for box in page.locator(".prev-next-area :is(a, svg, i)").evaluate_all(
            "all => all.map(it => it.getBoundingClientRect()).map(box => [box.left, box.right])"
        ):
            assert 0 <= box[0] <= box[1] <= 375, name


def test_a_name_to_answer_with_is_not_divided_on_a_phone(page, address):
    page.set_viewport_size({"width": 375, "height": 900})
    page.goto(f"{address.rstrip('/')}/exercises/16_profiling.html")
    names = page.locator("article td:first-child code", has_text=re.compile('^"'))
    assert names.count() == 5
    assert {names.nth(number).evaluate("it => it.getClientRects().length") for number in range(5)} == {1}


def test_a_number_is_on_one_line(site):
    text = (site / "notebooks" / "01_arrays.html").read_text(encoding="utf-8")
    assert "10\N{NO-BREAK SPACE}000" in text and "0.746\N{NO-BREAK SPACE}ms" in text


def test_the_first_page_says_the_same_without_scripts(browser, address):
    page = browser.new_page(java_script_enabled=False)
    page.goto(address)
    expect(page.locator("#hf-sectors [role=status]")).to_contain_text("4 sectors move")
    expect(page.locator("#hf-possible [role=status]")).to_contain_text("0.889 ms at least")
    page.close()


def test_a_unit_is_one_place_in_the_menu_and_on_the_way(page, address):
    page.goto(f"{address}notebooks/05_kernels.html")
    menu = page.locator("#pst-primary-sidebar nav.bd-links")
    for part in syllabi.SUBJECTS:
        expect(menu.locator(".caption", has_text=part)).to_have_count(1)
    unit = menu.locator("li.current").first
    expect(unit.get_by_role("link", name="Exercises")).to_be_visible()
    expect(unit.get_by_role("link", name="Solutions")).to_be_visible()
    expect(unit.locator("summary")).to_have_attribute("aria-label", "Below 05 · Kernels: from loops to threads")
    for place in ("exercises/05_kernels", "solutions/05_kernels", "notebooks/06_fast-kernels"):
        page.locator(".right-next").click()
        expect(page).to_have_url(f"{address}{place}.html")


def test_titles_say_what_a_page_is(page, address):
    for place, title in (
        ("notebooks/07_dataframes", "07 · Dataframes: from pandas to cuDF"),
        ("exercises/07_dataframes", "07 · Dataframes: exercises"),
        ("solutions/07_dataframes", "07 · Dataframes: solutions"),
        ("instructors/07_dataframes", "Teaching 07 · Dataframes: from pandas to cuDF"),
    ):
        page.goto(f"{address}{place}.html")
        expect(page).to_have_title(re.compile(f"^{re.escape(title)}"))


def test_a_term_says_what_it_means_where_it_is_used(page, address):
    page.goto(f"{address}notebooks/05_kernels.html")
    warp = page.locator("article a[href$='#term-warp']").first
    expect(warp).to_have_attribute("title", "32 threads that run in step.")
    page.goto(f"{address}notebooks/12_svd.html")
    law = page.locator("article a[href$='#term-Amdahl-s-law']").first
    expect(law).to_have_attribute("title", re.compile("^What part of the work"))


@pytest.mark.parametrize("width", [1280, 375])
def test_a_drawing_is_touched_by_mouse_and_keyboard(browser, address, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(f"{address}notebooks/10_dask-arrays.html")
    place = page.locator("object.hf-live")
    place.scroll_into_view_if_needed()
    expect(page.locator(".hf-touch")).to_have_text("Point at a chunk, or tap it, to see what moves.")
    box = place.bounding_box()
    assert box["height"] / box["width"] == pytest.approx(458 / 500, abs=0.02)
    drawing = next(frame for frame in page.frames if frame.url.endswith("/tree-or-shuffle.svg"))
    assert drawing.evaluate("document.documentElement.getBoundingClientRect().width") == pytest.approx(
        box["width"], abs=2
    )
    one, other = (drawing.locator(".spot", has_text=name) for name in ("rows 2", "columns 1"))
    still = drawing.locator(".still")
    expect(still).to_be_visible()
    one.locator(".hit").hover()
    expect(one.locator(".told")).to_be_visible()
    expect(still).to_be_hidden()
    page.mouse.move(1, 1)
    expect(one.locator(".told")).to_be_hidden()
    other.focus()
    expect(other.locator(".told")).to_be_visible()
    one.locator(".hit").hover()
    expect(other.locator(".told")).to_be_hidden()
    page.close()


def test_what_a_visitor_looks_for_is_not_at_the_end_of_a_list(page, address):
    header = page.locator(
        ".bd-header .bd-header__inner .navbar-header-items__center .nav-item:not(.dropdown) > a.nav-link"
    )
    expect(header.filter(has_text="For instructors")).to_be_visible()
    page.goto(f"{address}browser.html")
    expect(page.locator("#try-program option").first).to_have_text("A program of your own")
    page.goto(f"{address}exercises/01_arrays.html")
    expect(page.locator("article .siblings")).to_contain_text("How to run it")
    expect(page.locator("article em").first).to_have_text("Unit 01 · arrays · 25 minutes")


def test_a_name_with_underscores_is_not_bold(site):
    text = (site / "reference" / "differs.html").read_text(encoding="utf-8")
    assert "__init__.py" in text and "<strong>init</strong>" not in text


def test_pictures_of_notebooks_have_sentences(page, address):
    page.goto(f"{address}notebooks/01_arrays.html")
    words = page.locator(".cell_output img").evaluate_all("all => all.map(image => image.alt)")
    assert words and all(" " in alt and "_images" not in alt for alt in words)


def test_a_time_that_cannot_be_is_called_so(page, address):
    page.goto(f"{address}results.html")
    line = page.locator("#results tbody tr", has=page.locator("span.hf-impossible"))
    share = line.first.locator("td").nth(6).inner_text()
    assert float(share.split()[0].replace("×", "")) > 1 or "%" in share and float(share.split()[0]) > 100


def test_from_a_lecture_to_its_exercises_and_solutions_is_one_click(page, address):
    page.goto(f"{address}notebooks/01_arrays.html")
    way = page.locator(".siblings")
    way.get_by_role("link", name="Exercises").click()
    expect(page).to_have_url(f"{address}exercises/01_arrays.html")
    way.get_by_role("link", name="Solutions").click()
    expect(page).to_have_url(f"{address}solutions/01_arrays.html")
    way.get_by_role("link", name="Lecture").click()
    expect(page).to_have_url(f"{address}notebooks/01_arrays.html")


def test_the_search_finds_what_a_learner_looks_for(page, address):
    page.goto(f"{address}notebooks/05_kernels.html")
    assert not page.locator("script[src*=searchindex]").count()  # only the page that searches loads all words
    page.keyboard.press("ControlOrMeta+k")
    page.keyboard.type("coalesced")
    page.keyboard.press("Enter")
    expect(page.locator("#search-results li a").first).to_be_visible(timeout=30_000)
    page.goto(f"{address}search.html?q=coalesced")
    expect(page.locator("#search-results li a").first).to_be_visible(timeout=30_000)
    assert "notebooks/0" in " ".join(
        each.get_attribute("href") or "" for each in page.locator("#search-results li a").all()
    )


def test_the_keyboard_reaches_the_text_past_the_menu(page):
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    expect(skip).to_have_text(re.compile("Skip to main content"))
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main-content"


def test_formulas_are_drawn_without_a_script(page, address):
    page.goto(f"{address}notebooks/06_fast-kernels.html")
    formula = page.locator("math").first
    assert formula.bounding_box()["width"] > 5


def test_a_number_that_no_page_can_say_is_named():
    with pytest.raises(LookupError, match="{{speed}}.*hours"):
        answers.filled("It takes {{hours}} hours at {{speed}}.")


# The proof is proved: what is wrong is found.

GOOD = '<html><body><a id="here" href="#here">x</a><img src="a.png" alt="words"></body></html>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD, None),
        (GOOD.replace("#here", "nowhere.html"), "leads nowhere"),
        (GOOD.replace("#here", "#there"), "names a place"),
        (GOOD.replace("a.png", "b.png"), "not there"),
        (GOOD.replace("a.png", "https://elsewhere.example/a.png"), "from elsewhere"),
        (GOOD.replace(' alt="words"', ""), "no words"),
        (GOOD.replace("words", "w" * proof.LARGEST), "MB is the most"),
    ],
)
def test_a_fault_of_a_page_is_found(tmp_path, text, said):
    (tmp_path / "page.html").write_text(text)
    (tmp_path / "a.png").write_bytes(b"")
    found = proof.faults(tmp_path)
    assert (said in found[0] and len(found) == 1) if said else not found


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("[x](../docs/b.md#c)", "[x](../b.md#c)"),
        ("![x](../docs/p.png)", "![x](../p.png)"),
        ("`k[b, t](../x)` and [x](https://a.b/c)", "`k[b, t](../x)` and [x](https://a.b/c)"),
        ("```\n[x](../docs/b.md)\n```", "```\n[x](../docs/b.md)\n```"),
        ("[the source](../src/m.py)", "the source (`src/m.py`)"),
        ("[`kernel[1](x)`](../docs/b.md)", "[`kernel[1](x)`](../b.md)"),
    ],
)
def test_links_are_turned_to_where_the_pages_will_be(tmp_path, monkeypatch, text, there):
    monkeypatch.delenv(stage.ADDRESS, raising=False)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "m.py").touch()
    where = {"docs/b.md": "b.md", "docs/p.png": "p.png", "notebooks/n.md": "notebooks/n.md"}
    assert stage.relink(text, "notebooks/n.md", tmp_path, where) == there


def test_a_link_out_of_the_site_goes_to_the_public_address_where_there_is_one(tmp_path, monkeypatch):
    monkeypatch.setenv(stage.ADDRESS, "https://example.org/hundredfold/")
    (tmp_path / "lab.py").touch()
    assert (
        stage.relink("[x](../lab.py)", "docs/a.md", tmp_path, {})
        == "[x](https://example.org/hundredfold/blob/main/lab.py)"
    )
    with pytest.raises(FileNotFoundError, match=r"docs/a\.md links to \.\./gone\.py"):
        stage.relink("[x](../gone.py)", "docs/a.md", tmp_path, {})
