"""Without a mouse, without motion, and with wide text: every control is reached by Tab, seen when it is, and left again."""

from __future__ import annotations

import pytest

PAGES = ("", "notebooks/05_kernels.html", "results.html", "browser.html", "instructors/index.html", "search.html")

#: What Tab should reach: all that is shown and can be operated. Of radio buttons of one name, one is; the others are reached by arrows.
CONTROLS = """() => {
  const all = document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"], [contenteditable="true"]');
  const names = new Set();
  window.controls = [...all].filter(it => {
    if (it.disabled || it.tabIndex < 0 || it.closest("[inert], dialog:not([open])") || !it.checkVisibility({ visibilityProperty: true })) return false;
    if (it.closest("details:not([open])") && it.tagName !== "SUMMARY") return false;
    if (it.type === "radio") { if (names.has(it.name)) return false; names.add(it.name); }
    return it.getClientRects().length > 0;
  });
  return window.controls.length;
}"""

#: Where the focus is: its place among the controls, and what it is. How it and what is around it look is kept for `UNSEEN`.
FOCUS = """async () => {
  await new Promise(done => setTimeout(done, 30));  // the editor takes a moment to show it
  const it = document.activeElement;
  if (!it || it === document.body) return null;
  // A link that fills a card, an editor and a menu's toggle have their ring on what surrounds them, or is in them. A spot of a drawing shows what it tells.
  const shown = [it, ...["closest", "querySelector"].map(how => it[how](".sd-card, .cm-editor, .bd-search, .toctree-toggle")).filter(each => each?.getClientRects().length)];
  if (it.contentDocument) shown.push(it.contentDocument.activeElement.querySelector(".told"));
  window.look = each => { const style = getComputedStyle(each); return [style.outline, style.boxShadow, style.borderColor, style.visibility].join(); };
  (window.stops ??= []).push([it, shown, shown.map(window.look)]);
  // Nothing of it is on top: at nine points of what of it is in the window there is something else, such as the header that stays.
  const seen = ({ left, right, top, bottom }) => [0.1, 0.5, 0.9].some(across => [0.1, 0.5, 0.9].some(down => {
    const [x0, x1, y0, y1] = [Math.max(left, 0), Math.min(right, innerWidth), Math.max(top, 0), Math.min(bottom, innerHeight)];
    const found = x0 < x1 && y0 < y1 && document.elementFromPoint(x0 + across * (x1 - x0), y0 + down * (y1 - y0));
    return found && shown.some(each => each.contains(found) || found.contains(each));
  }));
  const covered = !shown.some(each => [...each.getClientRects()].some(seen));
  return { at: window.controls.indexOf(it), editor: it.matches(".cm-content"), covered, what: it.outerHTML.slice(0, 120) };
}"""

#: The controls that look the same with the focus and without it.
UNSEEN = """() => {
  document.activeElement.blur();
  return window.stops.filter(([it, shown, looked]) => shown.map(window.look).join() === looked.join()).map(([it]) => it.outerHTML.slice(0, 120));
}"""


@pytest.fixture
def desk(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_tab_reaches_each_control_shows_where_it_is_and_leaves(desk, address, name):
    desk.goto(f"{address}{name}")
    desk.wait_for_load_state("networkidle")
    count, reached, stops = desk.evaluate(CONTROLS), set(), []
    assert count > 5
    spots = sum(frame.locator(".spot").count() for frame in desk.frames[1:])  # of drawings, each a page of its own
    for _ in range(count + spots + 20):
        desk.keyboard.press("Tab")
        focus = desk.evaluate(FOCUS)
        if focus is None:
            break  # the browser's own controls come next: the page is no trap
        if focus["editor"]:
            desk.keyboard.press("Escape")  # an editor says that Escape and Tab leave it
        reached.add(focus["at"])
        stops.append(focus)
    else:
        pytest.fail(f"Tab does not leave the page: {stops[-3:]}")
    assert not desk.evaluate(UNSEEN), "the focus is seen"
    assert not [stop["what"] for stop in stops if stop["covered"]]
    missed = set(range(count)) - reached
    assert not missed, desk.evaluate("at => at.map(k => window.controls[k].outerHTML.slice(0, 120))", sorted(missed))


def test_a_control_without_a_ring_is_found(desk, address):
    desk.goto(f"{address}glossary.html")
    desk.add_style_tag(
        content="* { outline: none !important; box-shadow: none !important; border-color: red !important; }"
    )
    desk.evaluate(CONTROLS)
    desk.keyboard.press("Tab")
    desk.evaluate(FOCUS)
    assert desk.evaluate(UNSEEN)


def back(desk, count: int) -> list[dict]:
    """Where Shift and Tab lead from the end of the page."""
    desk.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    desk.evaluate("window.controls.at(-1).focus()")
    stops = []
    for _ in range(count):
        stops.append(desk.evaluate(FOCUS))
        if stops[-1] is None:
            return stops[:-1]
        if stops[-1]["editor"]:
            desk.keyboard.press("Escape")
        desk.keyboard.press("Shift+Tab")
    return stops


@pytest.mark.parametrize("name", PAGES)
def test_on_the_way_back_the_header_covers_nothing_that_has_the_focus(desk, address, name):
    desk.goto(f"{address}{name}")
    desk.wait_for_load_state("networkidle")
    stops = back(desk, desk.evaluate(CONTROLS))
    assert len(stops) > 5
    assert not [stop["what"] for stop in stops if stop["covered"]]


def test_a_control_below_the_header_is_found(desk, address):
    desk.goto(f"{address}glossary.html")
    desk.add_style_tag(content="* { scroll-padding: 0 !important; scroll-margin: 0 !important; }")
    assert any(stop["covered"] for stop in back(desk, desk.evaluate(CONTROLS)))


#: What WCAG 1.4.12 lets a reader set.
SPACED = """
* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
p { margin-bottom: 2em !important; }
"""

#: Texts that are cut off, or lie on one another.
CROWDED = """() => {
  const found = new Set(), boxes = [];
  const words = it => it.textContent.trim().slice(0, 60);
  for (const it of document.body.querySelectorAll("*")) {
    if (!it.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || !it.textContent.trim()) continue;
    const { overflowX, overflowY } = getComputedStyle(it), cuts = how => how === "hidden" || how === "clip";
    if (it.clientWidth > 1 && (cuts(overflowX) && it.scrollWidth > it.clientWidth + 1 || cuts(overflowY) && it.scrollHeight > it.clientHeight + 1)) found.add(`cut: ${words(it)}`);
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (texts.nextNode()) {
    const node = texts.currentNode, it = node.parentElement;
    if (!node.data.trim() || !it.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || it.closest("option, .visually-hidden, mjx-assistive-mml")) continue;
    range.selectNodeContents(node);
    for (const whole of range.getClientRects()) {
      let { left, right, top, bottom } = whole;  // what a box that scrolls lets through
      for (let box = it; box !== document.body; box = box.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(box), edge = box.getBoundingClientRect();
        if (overflowX !== "visible") [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
        if (overflowY !== "visible") [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
      }
      if (right - left > 1 && bottom - top > 1) boxes.push([new DOMRect(left, top, right - left, bottom - top), node]);
    }
  }
  boxes.sort(([a], [b]) => a.top - b.top);
  boxes.forEach(([a, one], at) => {
    for (let next = at + 1; next < boxes.length && boxes[next][0].top < a.bottom - 1; next++) {
      const [b, other] = boxes[next];
      // Boxes of lines have room above and below the letters: a quarter of it may be shared.
      const deep = Math.min(a.bottom, b.bottom) - b.top, wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      if (one !== other && wide > 2 && deep > Math.min(a.height, b.height) / 4) found.add(`${words(one)} | ${words(other)}`);
    }
  });
  if (document.documentElement.scrollWidth > innerWidth) found.add("scrolls sideways");
  return [...found];
}"""


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("name", PAGES)
def test_with_the_text_set_wider_nothing_is_cut_and_nothing_overlaps(desk, address, name, width):
    desk.set_viewport_size({"width": width, "height": 900})
    desk.goto(f"{address}{name}")
    desk.wait_for_load_state("networkidle")
    before = set(desk.evaluate(CROWDED))
    desk.add_style_tag(content=SPACED)
    desk.wait_for_timeout(200)  # the editor measures its letters anew
    assert not set(desk.evaluate(CROWDED)) - before


def test_text_that_is_cut_or_overlaps_is_found(desk, address):
    desk.goto(f"{address}glossary.html")
    box = "position: fixed; top: 300px; width: 4em"
    desk.evaluate(
        f"""() => document.body.insertAdjacentHTML("beforeend",
          "<div style='{box}; left: 500px; overflow: hidden; white-space: nowrap'>cut off here</div><p style='{box}; left: 700px'>one</p><p style='{box}; left: 700px'>other</p>")"""
    )
    found = desk.evaluate(CROWDED)
    assert "cut: cut off here" in found and "one | other" in found


@pytest.mark.parametrize("name", [*PAGES, "slides/05_kernels.html"])
def test_nothing_moves_for_those_who_ask_for_less_motion(desk, address, name):
    desk.goto(f"{address}{name}")
    desk.wait_for_load_state("networkidle")
    moving = desk.evaluate(
        """() => [...document.querySelectorAll("*")].filter(it => {
          const style = getComputedStyle(it), long = value => value.split(",").some(each => parseFloat(each) > 0);
          return long(style.transitionDuration) && style.transitionProperty !== "none" || long(style.animationDuration) && style.animationName !== "none" || style.scrollBehavior === "smooth";
        }).map(it => it.outerHTML.slice(0, 100))"""
    )
    assert not moving


def test_slides_are_led_by_keys_alone_and_scrolling_code_is_reached(desk, address):
    desk.goto(f"{address}slides/06_fast-kernels.html")
    desk.locator(".reveal.ready").wait_for()
    seen = set()
    for _ in range(40):
        seen.add(desk.evaluate("JSON.stringify(Reveal.getIndices())"))
        desk.keyboard.press("Space")
    assert len(seen) > 35, "each press goes on"
    desk.keyboard.press("Escape")
    assert desk.evaluate("Reveal.isOverview()")
    desk.keyboard.press("Escape")
    desk.keyboard.press("Home")
    assert desk.evaluate("Reveal.getIndices().h") == 0
    boxes = desk.locator(".slide-scroll")
    assert boxes.count() and all(
        box.get_attribute("tabindex") == "0" and box.get_attribute("aria-label") for box in boxes.all()
    )
