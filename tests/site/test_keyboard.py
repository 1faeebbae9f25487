"""Without a mouse, and without motion: every control is reached by Tab, seen when it is, and left again."""

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
  return { at: window.controls.indexOf(it), editor: it.matches(".cm-content"), what: it.outerHTML.slice(0, 120) };
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
    desk.wait_for_function("window.Reveal && Reveal.isReady()")
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
