"""`lens.show` in a page: what the script draws, says and answers is what the trace holds."""

import numba
import numpy as np
import pytest

import kernellens
from kernellens.pictures import panels
from kernellens.pictures.blocks import HALO, READS, UPDATES, WRITES, look
from kernellens.pictures.steps import steps

pytestmark = pytest.mark.browser
cuda = None  # set by conftest.py

READ, WRITTEN, BOTH, RIM, NONE = (panels.COLOURS[k] for k in ("read", "written", "both", "halo", "none"))

# What a test asks of the figure: its models by name, as the script has them.
FIND = """() => {
  const models = [...Bokeh.documents[Bokeh.documents.length - 1]._all_models.values()];
  const script = models.find((m) => m.type === "CustomJS" && m.args && ("panels" in m.args || (m.args.has && m.args.has("panels"))));
  window.it = script.args instanceof Map ? Object.fromEntries(script.args) : script.args;
  const plain = (v) => v instanceof Map ? Object.fromEntries([...v].map(([k, w]) => [k, plain(w)])) : Array.isArray(v) ? v.map(plain) : v;
  for (const k of ["threads", "panels", "sectors", "banks"]) window.it[k + "_"] = plain(window.it[k]);
}"""
IDLE = """async () => {
  const idle = () => Bokeh.documents.every((d) => d.is_idle);
  for (let i = 0; i < 600 && !idle(); i++) await new Promise((next) => requestAnimationFrame(next));
  for (let i = 0; i < 3; i++) await new Promise((next) => requestAnimationFrame(next));
}"""


@pytest.fixture(scope="module")
def page():
    from pathlib import Path

    import bokeh
    from playwright.sync_api import sync_playwright

    pytest.importorskip("hundredfold", reason="the course's own part in it")
    from hundredfold.publish.build.figures import chromium

    folder = Path(bokeh.__file__).parent / "server" / "static" / "js"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 760, "height": 1000})
        page.set_default_timeout(120_000)
        page.route("**/*", lambda route: route.abort())
        page.set_content("<!doctype html><div id=figure></div>")
        for name in ("bokeh.min.js", "bokeh-widgets.min.js"):
            page.add_script_tag(path=str(folder / name))
        page.said = []
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("console", lambda message: page.said.append(message.text) if message.type == "error" else None)
        yield page
        browser.close()


def shown(page, trace, **options):
    """Draw a picture; returns its steps."""
    page.evaluate("() => { for (const d of [...Bokeh.documents]) d.clear(); Bokeh.documents.length = 0; }")
    page.evaluate("() => document.getElementById('figure').replaceChildren()")
    page.evaluate(  # without the views that it returns: Playwright would copy all that can be reached from them
        "async (item) => { await Bokeh.embed.embed_item({...item, target_id: 'figure'}, 'figure'); }",
        kernellens.show(trace, **options).data()["item"],
    )
    page.evaluate(IDLE)
    page.evaluate(FIND)
    assert page.said == []
    return steps(trace.log)


def cells(page, which):
    """Colour of each cell of a panel, by column and row."""
    data = page.evaluate(f"() => {{ const d = it.{which}.cells.data; return [[...d.x], [...d.y], [...d.colour]]; }}")
    return {(x, y): colour for x, y, colour in zip(*data, strict=True)}


def colour(bits):
    """What an element is painted, by what is done to it."""
    if bits & UPDATES or bits & READS and bits & WRITES:
        return BOTH
    if bits & WRITES:
        return WRITTEN
    return RIM if bits & HALO else READ if bits & READS else None


def blur(x, out):
    j, i = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        out[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1]


def reduction(x, out):
    tile = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    tile[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    s = 32
    while s > 0:
        if t < s:
            tile[t] += tile[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


def transpose(x, out):
    tile = cuda.shared.array((32, 32), numba.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    tile[ty, tx] = x[ty, tx]
    cuda.syncthreads()
    out[tx, ty] = tile[tx, ty]


def beyond(x, out):
    i = cuda.grid(1)
    out[i] = x[i + 1]


@pytest.mark.large
def test_each_element_is_painted_as_the_block_uses_it(page):
    x, out = np.zeros((64, 64), np.float32), np.zeros((64, 64), np.float32)
    made = shown(page, kernellens.trace(blur, (4, 4), (16, 16), x, out))
    for name in ("block (2, 2)", "block (0, 3)"):
        page.evaluate("(name) => { it.chooser.value = name; }", name)
        page.evaluate(IDLE)
        block = int(name[7]) + 4 * int(name[10])
        seen = look(made, block)
        for number in (0, 1):
            painted = {(c, r): v for (c, r), v in cells(page, f"panels_[{number}]").items() if v != NONE}
            elements, bits = seen.elements[number]
            assert painted == {
                (e % 64, e // 64): colour(b) for e, b in zip(elements.tolist(), bits.tolist(), strict=True)
            }


@pytest.mark.large
def test_the_slider_replays_the_intervals_of_a_reduction(page):
    made = shown(page, kernellens.trace(reduction, 3, 64, np.ones(192, np.float32), np.zeros(3, np.float32)))
    assert page.evaluate("() => [it.slider.visible, it.slider.end]") == [True, 8]
    for interval in (0, 1, 3, 7):
        page.evaluate("(k) => { it.slider.value = k; }", interval + 1)
        page.evaluate(IDLE)
        active = sum(c != NONE for c in cells(page, "threads_").values())
        assert active == np.count_nonzero(look(made, 1, interval).threads) == [64, 32, 16, 8, 4, 2, 1, 1][interval]
        said = page.evaluate("() => it.status.text")
        assert said.startswith(f"Barrier interval {interval + 1} of 8: {active} of 64 threads touch memory")


@pytest.mark.large
def test_the_pointer_over_a_thread_and_over_an_element(page):
    x, out = np.zeros((64, 64), np.float32), np.zeros((64, 64), np.float32)
    shown(page, kernellens.trace(blur, (4, 4), (16, 16), x, out))

    def over(panel, column, row):
        # As Bokeh says it when the pointer moves over a plot.
        page.evaluate(
            """([panel, x, y]) => {
              const plot = panel === null ? it.threads_.plot : it.panels_[panel].plot;
              const Event = {event_name: "mousemove", x, y, origin: plot};
              const callbacks = plot.js_event_callbacks instanceof Map ? plot.js_event_callbacks.get("mousemove") : plot.js_event_callbacks.mousemove;
              for (const callback of callbacks) callback.execute(Event);
            }""",
            [panel, column, row],
        )
        page.evaluate(IDLE)
        outlined = page.evaluate(
            "() => it.panels_.map((p) => [p.read, p.written].map((s) => [...s.data.x].map((x, i) => [x, s.data.y[i]])))"
        )
        return page.evaluate("() => it.details.text"), outlined

    said, outlined = over(None, 3, 5)  # thread (3, 5) of block (2, 2): j = 35, i = 37
    assert "Thread (3, 5)" in said and "lane 19 of warp 2 of block (2, 2)" in said
    assert "line 4 reads x[36, 35]" in said and "line 4 writes out[37, 35]" in said
    assert sorted(map(tuple, outlined[0][0])) == [(34, 37), (35, 36), (35, 38), (36, 37)]
    assert outlined[1] == [[], [[35, 37]]]
    said, _ = over(0, 40, 40)  # an element: read by its four neighbours
    assert "x[40, 40]" in said
    threads = [said.count(f"({j - 32}, {i - 32})") for i, j in ((39, 40), (41, 40), (40, 39), (40, 41))]
    assert threads == [1, 1, 1, 1] and "read by thread" in said
    page.evaluate(
        """() => { const callbacks = it.threads_.plot.js_event_callbacks;
        for (const c of callbacks instanceof Map ? callbacks.get("mouseleave") : callbacks.mouseleave)
          c.execute({event_name: "mouseleave", origin: it.threads_.plot}); }"""
    )
    assert "Thread (8, 8)" in page.evaluate("() => it.details.text")  # the pinned one again


def test_what_is_wrong_is_crossed(page):
    trace = kernellens.trace(beyond, 2, 32, np.zeros(64, np.float32), np.zeros(64, np.float32))
    shown(page, trace)
    assert page.evaluate("() => it.chooser.value") == "block (1)"
    crosses = page.evaluate("() => [it.threads_.wrong, it.panels_[0].wrong].map((s) => [[...s.data.x], [...s.data.y]])")
    # Thread 31 of the block reads x[64]: in rows of 32, the first place of the third.
    assert crosses == [[[31], [0]], [[0], [2]]]


def rows(a, b, c, d, z, out):
    i = cuda.grid(1)
    out[i] = a[i] + b[i] + c[i + 1] + d[i] + z[i + 1].real


@pytest.mark.large
def test_a_row_of_a_warp_moves_the_sectors_it_lies_in(page):
    kinds = {"a": "f4", "b": "f8", "c": "f4", "d": "i2", "z": "c16"}
    arrays = [np.zeros(33, dtype) for dtype in kinds.values()]
    shown(page, kernellens.trace(rows, 1, 32, *arrays, np.zeros(32)))
    # 32 items from a boundary on; of c from the second item on, in a fifth sector; of z from the middle of a sector on.
    for name, (nbytes, sectors) in {"a": (128, 4), "b": (256, 8), "c": (128, 5), "d": (64, 2), "z": (512, 17)}.items():
        page.evaluate(
            "(w) => { it.liner.value = it.liner.options.find(([, n]) => n.includes(w))[0]; }", f"reads {name}"
        )
        page.evaluate(IDLE)
        said = page.evaluate("() => it.request.text")
        assert f"32 lanes ask for {nbytes} bytes, and {sectors} sectors of 32 bytes move: {32 * sectors} bytes" in said


@pytest.mark.large
def test_the_bars_of_what_moves_have_room(page):
    """They were as narrow as their words: Bokeh lays a text out as wide as it is, whatever it holds."""
    x, out = np.zeros((64, 64), np.float32), np.zeros((64, 64), np.float32)
    trace = kernellens.trace(blur, (4, 4), (16, 16), x, out)
    shown(page, trace, tab="warp")
    words = page.get_by_text("line 4 writes out", exact=True)
    assert words.is_visible()
    bar = words.evaluate("(e) => e.nextElementSibling.getBoundingClientRect().width")
    assert bar > 300
    # Four reads stand in that line, and are one bar.
    moved = sum(t.sectors for t in trace.traffic if t.kind == "read")
    assert page.get_by_text("line 4 reads x", exact=True).count() == 1
    assert page.get_by_text(f"{moved * 32 / 1000:.3g} kB").is_visible()


@pytest.mark.large
def test_a_column_of_a_warp_moves_a_sector_a_lane_and_a_tile_asks_one_bank(page):
    x, out = np.zeros((32, 32), np.float32), np.zeros((32, 32), np.float32)
    shown(page, kernellens.trace(transpose, 1, (32, 32), x, out))

    def chosen(words):
        page.evaluate("(w) => { it.liner.value = it.liner.options.find(([, name]) => name.includes(w))[0]; }", words)
        page.evaluate(IDLE)
        return page.evaluate("() => it.request.text"), page.evaluate(
            "() => [it.sectors_.plot.visible, it.banks_.plot.visible]"
        )

    said, visible = chosen("writes out")
    assert "32 lanes ask for 128 bytes, and 32 sectors of 32 bytes move: 1024 bytes, 13 % of them useful" in said
    assert visible == [True, False]
    said, visible = chosen("reads tile")
    assert "32 lanes want 32 words of 1 of the 32 banks: a 32-way conflict, 32 cycles instead of 1" in said
    assert visible == [False, True]
    said, _ = chosen("writes tile")
    assert "32 words of 32 of the 32 banks: no conflict" in said
