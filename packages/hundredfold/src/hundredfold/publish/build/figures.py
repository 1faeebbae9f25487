"""The course's figures as small static pictures.

Run for a build, a `kernellens.plot.Figure` shows itself as data (`MIME`): the item BokehJS embeds, its size and a text
alternative, and the same once more for a phone.  Here headless Chromium draws that item with the BokehJS of the installed bokeh, from disk, without
network, and the picture takes the data's place.  The same data gives the same bytes on one machine; fonts differ
between machines, so a picture is only made anew where its figure says something new.
"""

import base64
import hashlib
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

from kernellens.plot.figure import MIME, NARROW

from .errors import BuildError

PHONE = Path("docs", "_static", "phone")
SCALE = 2  # device pixels per CSS pixel: sharp on most screens
FOOT = 24  # pixels that stay below the last thing drawn
COLOURS = 64  # a chart has few; a palette makes the file a third of its size
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SCRIPTS = ("bokeh.min.js", "bokeh-widgets.min.js")  # the words around a plot are a widget
_TIMEOUT = 30_000  # ms for one figure

FRAME = 4  # pixels around a figure
_PAGE = f"""<!doctype html><meta charset="utf-8"><title>figure</title>
<style>html, body {{ margin: 0; background: #ffffff }} #figure {{ display: inline-block; padding: {FRAME}px }}</style>
<div id="figure"></div>"""

# Resolves once BokehJS has laid out and painted everything, fonts included.
_DRAW = """async (item) => {
  document.getElementById("figure").replaceChildren()
  for (const old of [...Bokeh.documents]) { old.clear(); Bokeh.documents.splice(Bokeh.documents.indexOf(old), 1) }
  await document.fonts.ready
  const plain = {  // a picture has nothing to click: no tabs, and what is chosen is a line of text
    Tabs: ".bk-header { display: none }",
    Select: ".bk-input { border: 0; padding: 0; background: none !important; appearance: none !important; font-weight: bold }",
    Slider: ".bk-input-group > :not(.bk-slider-title, label) { display: none }",
  }
  const still = (value) => {
    if (value === null || typeof value !== "object") return
    Object.values(value).forEach(still)
    if (!value.attributes) return
    if (value.name === "Figure") value.attributes.toolbar_location = null
    if (plain[value.name]) value.attributes.stylesheets = [...(value.attributes.stylesheets ?? []), plain[value.name]]
  }
  still(item)
  await Bokeh.embed.embed_item({...item, target_id: "figure"}, "figure")
  const idle = () => Bokeh.documents.length > 0 && Bokeh.documents.every((d) => d.is_idle)
  for (let i = 0; i < 600 && !idle(); i++) await new Promise((next) => requestAnimationFrame(next))
  if (!idle()) throw new Error("the figure never became idle")
  for (let i = 0; i < 2; i++) await new Promise((next) => requestAnimationFrame(next))
}"""


def replace(cells: dict[int, list], root: Path) -> int:
    """Put a picture in place of each figure's data in the outputs of `cells`; return how many there were.

    The picture for a phone is a file in `PHONE`, below `root`, and the metadata has its name: a lab needs the other alone.
    """
    found = [output for outputs in cells.values() for output in outputs if MIME in output.get("data", {})]
    if not found:
        return 0
    wide = [output.data[MIME] for output in found]
    phones = {
        id(figure): figure | {"item": figure["narrow"], "width": NARROW} for figure in wide if figure.get("narrow")
    }
    made = iter(render([*wide, *phones.values()]))
    pictures = [next(made) for _ in wide]
    narrow = dict(zip(phones, made, strict=True))
    for output, png in zip(found, pictures, strict=True):
        figure = output.data.pop(MIME)
        width, height = size(png)
        output.data["image/png"] = base64.b64encode(png).decode("ascii") + "\n"
        output.data["text/plain"] = output.data.get("text/plain") or figure["alt"]
        output.data.pop("text/html", None)
        # JupyterLab takes the size from here, nbconvert and the site also the text alternative.
        output.metadata = {
            "image/png": {"alt": figure["alt"], "width": round(width / SCALE), "height": round(height / SCALE)}
        }
        if id(figure) in narrow:
            output.metadata["image/png"]["narrow"] = _written(narrow[id(figure)], root)
        if figure.get("chart", True):
            # Jupyter's word for inks on white; a dark lab, the site and slides turn such a picture.
            output.metadata["needs_background"] = "light"
    return len(found)


def _written(png: bytes, root: Path) -> str:
    name = f"{hashlib.sha256(png).hexdigest()[:16]}.png"
    (root / PHONE).mkdir(parents=True, exist_ok=True)
    (root / PHONE / name).write_bytes(png)
    return name


def of_phones(root: Path) -> dict[str, str]:
    """The pictures for a phone: their names by the SHA-256 of the picture in whose place they are."""
    found = {}
    for notebook in root.glob("*/[0-9][0-9]_*.ipynb"):
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                if name := output.get("metadata", {}).get("image/png", {}).get("narrow"):
                    wide = base64.b64decode("".join(output["data"]["image/png"]))
                    found[hashlib.sha256(wide).hexdigest()] = name
    return found


def prune(root: Path) -> None:
    """Remove the pictures for a phone that no notebook names any more."""
    kept = {*of_phones(root).values()}
    for file in (root / PHONE).glob("*.png"):
        if file.name not in kept:
            file.unlink()


def render(figures: list[dict]) -> list[bytes]:
    """Draw figures as PNG.

    Parameters
    ----------
    figures : list of dict
        What `plot.Figure` gives under `MIME`: ``item`` (as `bokeh.embed.json_item` makes it), ``alt``, and optionally
        ``width`` in CSS pixels. One of at most `NARROW` has exactly that width.

    Raises
    ------
    BuildError
        If there is no Chromium or no Playwright, or a figure cannot be drawn.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise BuildError("drawing figures needs Playwright: run `make setup`, which installs it") from None

    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=chromium(),
                # No sandbox: in containers there is none, and the only page shown is ours. The rest make two runs alike.
                args=["--no-sandbox", "--disable-gpu", "--font-render-hinting=none", "--disable-lcd-text"],
            )
        except Error as error:
            raise BuildError(f"{chromium()} did not start: {_first(error)}") from None
        try:
            page = _page(browser)
            pictures = [_shrink(_draw(page, figure)) for figure in figures]
        except Error as error:
            raise BuildError(f"Chromium failed while it drew figures: {_first(error)}") from None
        finally:
            browser.close()
    return pictures


def _page(browser):
    """A page with BokehJS in it, and no way to the network."""
    page = browser.new_page(
        device_scale_factor=SCALE, color_scheme="light", reduced_motion="reduce", locale="en-GB", timezone_id="UTC"
    )
    page.set_default_timeout(_TIMEOUT)
    page.route("**/*", lambda route: route.abort())
    page.set_content(_PAGE)
    for script in _SCRIPTS:
        page.add_script_tag(content=_bokehjs(script))
    return page


def _draw(page, figure: dict) -> bytes:
    from playwright.sync_api import Error

    said: list[str] = []

    def hear(message):
        if message.type == "error":
            said.append(message.text)

    page.on("console", hear)
    width = int(figure.get("width") or 800)
    page.set_viewport_size({"width": width + 40, "height": 600})
    try:
        page.evaluate("width => { figure.style.width = width }", f"{width}px" if width <= NARROW else "")
        page.evaluate(_DRAW, figure["item"])
    except Error as error:
        said.insert(0, _first(error))
    page.remove_listener("console", hear)
    if said:
        raise BuildError(f"the figure {figure['alt'][:60]!r} could not be drawn: {_first(said[0])}")
    return page.locator("#figure").screenshot(animations="disabled")


def _first(error) -> str:
    return str(error).splitlines()[0] if str(error) else "it did not say why"


def chromium() -> str:
    """The browser's path: the environment variable CHROMIUM, else the first found by its usual names.

    Raises
    ------
    BuildError
        If there is none.
    """
    named = os.environ.get("CHROMIUM")
    if named:
        if not shutil.which(named):
            raise BuildError(f"CHROMIUM={named} is no program; unset it or name a Chromium")
        return str(shutil.which(named))
    for name in _BROWSERS:
        if path := shutil.which(name):
            return path
    raise BuildError("drawing figures needs Chromium: install it, or name one in the environment variable CHROMIUM")


def size(png: bytes) -> tuple[int, int]:
    """Width and height of a PNG in pixels."""
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def _bokehjs(script: str) -> str:
    from bokeh.util.paths import bokehjs_path

    return Path(bokehjs_path(), "js", script).read_text(encoding="utf-8")


def _shrink(png: bytes) -> bytes:
    """The picture with a palette of `COLOURS`, without metadata, and without what is empty at its foot.

    (A figure with tabs is as high as the highest, whichever is open.)
    """
    from PIL import Image, ImageChops

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    drawn = ImageChops.difference(picture, Image.new("RGB", picture.size, "#ffffff")).getbbox()
    if drawn is not None:
        picture = picture.crop((0, 0, picture.width, min(picture.height, drawn[3] + FOOT)))
        png = _png(picture)
    # By coverage, not by how many pixels have a colour: a thin bar, and its place in the legend, would get a neighbour's.
    picture = picture.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    return min(_png(picture), png, key=len)


def _png(picture: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()
