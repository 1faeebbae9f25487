"""The page of a lecture's slides: nbconvert's export, with reveal.js from a package and formulas as MathML.

reveal.js is what the package sphinx-revealjs carries; it is copied to where the pages are, and nothing comes from elsewhere.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path
from typing import Any

from . import slides, stage

#: The folder of the site that has them, and the names of the lectures' folder.
FOLDER, LECTURES = "slides", "notebooks"

_HERE = Path(__file__).parent
_INLINE_HTML = re.compile(r'((?:href|src)="(?![a-z][a-z0-9+.-]*:|#|/)[^"#]+)\.(?:ipynb|md)((?:#[^"]*)?")')


def write(root: Path, site: Path, where: dict[str, str]) -> list[Path]:
    """Write the slides of each lecture of the checkout `root` into the built `site`, and return their pages.

    Parameters
    ----------
    where : each file of the checkout that is in the site, and its place there (`layout.pages`).
    """
    static = site / "_static"
    (static / "reveal").mkdir(parents=True, exist_ok=True)
    for name in ("dist/reveal.js", "dist/reveal.css", "LICENSE"):
        shutil.copy(reveal() / name, static / "reveal")
    (static / "slides.js").write_text((_HERE / "slides.js").read_text(encoding="utf-8"), encoding="utf-8")
    (static / "slides.css").write_text(
        (_HERE / "slides.css").read_text(encoding="utf-8") + _colours(), encoding="utf-8"
    )
    shutil.rmtree(site / FOLDER, ignore_errors=True)
    (site / FOLDER).mkdir()
    export, pages = _exporter(), []
    for file in sorted((root / LECTURES).glob("[0-9]*.ipynb")):
        notebook = json.loads(file.read_text(encoding="utf-8"))
        page = site / FOLDER / f"{file.stem}.html"
        page.write_text(_page(export, notebook, f"{LECTURES}/{file.name}", root, where), encoding="utf-8")
        pages.append(page)
    return pages


def reveal() -> Path:
    """The folder of reveal.js in the package that carries it, which is not imported.

    Raises
    ------
    FileNotFoundError
        If the package is not installed.
    """
    found = importlib.util.find_spec("sphinx_revealjs")
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError(
            "The slides need reveal.js, which the package sphinx-revealjs carries: `make site` installs it."
        )
    return Path(found.submodule_search_locations[0]) / "_static" / "revealjs"


def _page(export: Any, notebook: dict[str, Any], file: str, root: Path, where: dict[str, str]) -> str:
    import nbformat
    from nbconvert.exporters import TemplateExporter

    place = where | {file: f"{FOLDER}/{Path(file).stem}.html"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = stage.relink("".join(cell["source"]), file, root, place)
    notebook["metadata"].pop("widgets", None)
    cells = slides.cut(notebook)
    for number, cell in enumerate(cells["cells"]):
        cell["id"] = f"s{number}"
    title = re.search(r"^# (?:\d\d · )?(.+)$", "".join(notebook["cells"][0]["source"]), re.MULTILINE)
    node = nbformat.from_dict({**cells, "nbformat": 4, "nbformat_minor": 5})
    number = int(Path(file).stem[:2])
    words = {"title": f"{number:02d} {title[1] if title else file}"}
    # Not `HTMLExporter`'s own, which reads the whole page again to add what these pages have: words for pictures, the keyboard's focus.
    text, _ = TemplateExporter.from_notebook_node(export, node, resources={"slides": words})
    # Sphinx puts the drawings of all pages into one folder.
    text = text.replace('src="../notebooks/drawings/', 'src="../_images/')
    return _INLINE_HTML.sub(r"\1.html\2", text)


def _exporter() -> Any:
    """nbconvert's, with this project's page and Markdown as the rest of the site reads it."""
    from nbconvert.exporters import SlidesExporter
    from nbconvert.filters import Highlight2HTML

    markdown = _markdown()
    exporter = SlidesExporter(optimistic_validation=True)  # once, not after each step
    exporter.raw_template = (_HERE / "slides_template.html").read_text(encoding="utf-8")
    exporter.register_filter("highlight_code", Highlight2HTML(pygments_lexer="python", parent=exporter))
    exporter.register_filter("slide_markdown", markdown.render)
    exporter.register_filter("slide_inline", markdown.renderInline)
    return exporter


def _markdown() -> Any:
    from latex2mathml import converter
    from markdown_it import MarkdownIt
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    def formula(content: str, options: dict[str, Any]) -> str:
        return str(converter.convert(content, display="block" if options["display_mode"] else "inline"))

    def code(content: str, language: str, _: str) -> str:
        try:
            lexer = get_lexer_by_name(language or "text")
        except ClassNotFound:
            lexer = get_lexer_by_name("text")
        return str(highlight(content, lexer, HtmlFormatter()))

    parser = MarkdownIt("commonmark", {"highlight": code}).enable("table")
    return parser.use(deflist_plugin).use(dollarmath_plugin, renderer=formula)


def _colours() -> str:
    """Pygments' styles, as the rest of the site has them: one for the light, one for the dark."""
    from pygments.formatters import HtmlFormatter

    light = HtmlFormatter(style="a11y-high-contrast-light").get_style_defs(".highlight")
    dark = HtmlFormatter(style="a11y-high-contrast-dark").get_style_defs(".highlight")
    keep = re.compile(r"^\.highlight .*$", re.MULTILINE)
    return "\n".join(["", *keep.findall(light), "@media (prefers-color-scheme: dark) {", *keep.findall(dark), "}", ""])
