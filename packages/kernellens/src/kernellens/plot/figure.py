"""A figure as a notebook shows it: a BokehJS plot where scripts run, data for the build, and always words."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping
from typing import Any

from .palette import DARK

_PARTS = ("bokeh", "bokeh-widgets")  # the words around a plot are one of Bokeh's widgets

MIME = "application/vnd.hundredfold.figure+json"

NARROW = 335
"""Pixels: what a phone 375 pixels wide has for a figure, besides the margins of a page and of a picture."""


class Figure:
    """A Bokeh plot with a text alternative.

    Parameters
    ----------
    layout : bokeh.models.UIElement, or a function that returns one
        What is drawn, of a fixed size. A function is called when the figure is first shown, so that figures which nobody looks
        at cost no import of Bokeh.
    alt : str
        One paragraph that says what the picture says, its numbers included.
    text : str, optional
        The same as plain text, such as a small table; `alt` where there is none.
    width, height : int
        Size in CSS pixels.
    plain : dict, optional
        What is drawn, as data, for whoever draws it without BokehJS (a page that may ask for nothing): `kind` and the arguments of
        the function of that name.
    chart : bool
        Whether its colours are inks on white paper, so that a dark page may turn a stored picture of it. False where they are data,
        such as the greys of a photograph.
    narrow : bokeh.models.UIElement, a function that returns one, or True, optional
        The same figure, `NARROW` pixels wide, for a phone's page; True where `layout` itself takes the width that there is.
    """

    def __init__(
        self,
        layout: Any,
        alt: str,
        text: str | None = None,
        width: int = 700,
        height: int = 400,
        plain: dict[str, Any] | None = None,
        chart: bool = True,
        narrow: Any = None,
    ) -> None:
        self._layout = layout
        self.alt = alt
        self.text = text or alt
        self.width, self.height = width, height
        self.plain = plain
        self.chart = chart
        self._narrow = narrow

    @property
    def layout(self) -> Any:
        """The Bokeh object."""
        if callable(self._layout):
            self._layout = self._layout()
        return self._layout

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if os.environ.get("KERNELLENS_FIGURES") == "json":
            return {"text/plain": self.text, MIME: self.data()}
        return {"text/plain": self.text, "text/html": self.html()}

    def data(self) -> dict[str, Any]:
        """Return the figure as JSON-able data: `item` and `narrow` (for BokehJS; the latter may be None), `alt`, `text`, `width`, `height`, `chart`."""
        said = {"alt": self.alt, "text": self.text, "width": self.width, "height": self.height, "chart": self.chart}
        item = _item(self.layout)
        narrow = self._narrow() if callable(self._narrow) else self._narrow
        return {"item": item, "narrow": item if narrow is True else narrow and _item(narrow), **said}

    def html(self) -> str:
        """Return HTML that draws the figure, loading BokehJS from the lab's own server, once for a page."""
        import html

        from bokeh import __version__ as version

        key = f"hundredfold-{uuid.uuid4().hex}"
        facts = {
            "key": key,
            "item": _item(self.layout),
            "urls": sources(),
            "major": version.partition(".")[0],
            "dark": DARK,
        }
        # "<" cannot end the script element early once it is written as an escape.
        facts_json = json.dumps(facts).replace("<", "\\u003c")
        alt, text = html.escape(self.alt, quote=True), html.escape(self.text)
        return (
            f'<div id="{key}" role="img" aria-label="{alt}" style="width:{self.width}px;min-height:{self.height}px;'
            f'max-width:100%;overflow-x:auto"></div><pre id="{key}-text" hidden>{text}</pre>'
            f"<noscript><pre>{text}</pre></noscript><script>({_SCRIPT})({facts_json})</script>"
        )


def _item(layout: Any) -> Mapping[str, Any]:
    """A Bokeh object as BokehJS embeds it."""
    from bokeh.embed import json_item
    from bokeh.settings import settings

    checks = type(settings).perform_document_validation
    # A fifth of the time that a picture of many parts takes; packages/kernellens/tests/plot and packages/kernellens/tests/test_show.py make the checks.
    checks.set_value(False)
    try:
        return json_item(layout)
    finally:
        checks.unset_value()


def sources() -> list[list[str]]:
    """Return addresses of BokehJS (its core, then its widgets) in the order to try: the lab's server, the hub's, the public one."""
    from bokeh.resources import CDN

    bases = [os.environ.get("KERNELLENS_BASE_URL"), os.environ.get("JUPYTERHUB_SERVICE_PREFIX")]
    folders = [f"{base.rstrip('/')}/hundredfold/bokehjs/js" for base in dict.fromkeys(filter(None, bases))]
    own = [[f"{folder}/{name}.min.js" for name in _PARTS] for folder in folders]
    public = [url for part in _PARTS for url in CDN.js_files if url.rpartition("/")[2].startswith(f"{part}-3")]
    return [*own, public]


# Runs in the page. BokehJS is fetched once for all figures of a page; a page with a dark background gets other inks;
# where no BokehJS can be had, the words stand in for the picture.
_SCRIPT = """async function (figure) {
  const bokeh = () => window.Bokeh && String(window.Bokeh.version).split(".")[0] === figure.major ? window.Bokeh : null;
  const load = (url) => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url; script.onload = resolve; script.onerror = reject;
    document.head.appendChild(script);
  });
  const fetch_once = async () => {
    for (const urls of figure.urls) {
      try { for (const url of urls) await load(url); } catch (error) { continue; }
      if (bokeh()) break;
    }
    if (!bokeh()) { delete window.hundredfold_bokeh; throw new Error("no BokehJS"); }
    return bokeh();
  };
  const dark = () => {
    const lab = document.body.dataset.jpThemeLight, site = document.documentElement.dataset.theme;
    if (lab) return lab === "false";
    if (site === "dark" || site === "light") return site === "dark";
    return Boolean(document.body.dataset.vscodeThemeKind) && document.body.dataset.vscodeThemeKind.includes("dark");
  };
  try {
    const Bokeh = await (window.hundredfold_bokeh = window.hundredfold_bokeh || fetch_once());
    let item = JSON.stringify(figure.item);
    if (dark()) for (const [light, other] of Object.entries(figure.dark)) item = item.replaceAll(light, other);
    await Bokeh.embed.embed_item(JSON.parse(item), figure.key);
    document.getElementById(figure.key).style.minHeight = "0"; // the room that was kept is as high as it can become
  } catch (error) {
    const place = document.getElementById(figure.key), words = document.getElementById(figure.key + "-text");
    if (place) { place.style.minHeight = "0"; }
    if (words) words.hidden = false;
  }
}"""
