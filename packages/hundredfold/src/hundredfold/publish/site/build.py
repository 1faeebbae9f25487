"""Build the site: ``python -m hundredfold.publish.site.build [--proof]``; warnings are errors, and nothing is executed."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

from hundredfold import paths

from . import browser_page, layout, narrow, run_here, slides_page
from . import stage as staging

SITE = Path("_build") / "site"


def build(root: Path, fresh: bool = False) -> Path:
    """Build the site of a checkout and return the folder of its pages.

    Raises
    ------
    RuntimeError
        If Sphinx warned; what it warned of has been printed.
    """
    from sphinx.cmd.build import main as sphinx

    source, pages = root / SITE / "source", root / SITE / "html"
    staged = staging.stage(root, source)
    print(f"Building {len(staged)} pages. The first time this takes about a minute.", flush=True)
    options = ["-b", "html", "-W", "--keep-going", "-q", "-j", "2", "-d", str(root / SITE / "doctrees")]
    status = sphinx([*options, *(["-E", "-a"] if fresh else []), str(source), str(pages)])
    if status:
        raise RuntimeError("Sphinx warned (see above): each warning is fixed before the site is shown.")
    _finish(pages, narrow.pictures(root))
    print("The pages are there. Making the slides.", flush=True)
    slides_page.write(root, pages, layout.pages(root))
    browser_page.write(pages, root / SITE, run_here.entries(root))
    return pages


#: A page's entry in the menu, and what unfolds the pages below it.
_TOGGLE = re.compile(r"(<a [^>]*>([^<]*)</a><details[^>]*>)<summary>")
#: What searches, with the index of all words. The theme has it on each page, for results while one types, which are off.
_SEARCH = re.compile(
    r'\s*<script src="[./]*(?:_static/searchtools\.js|_static/language_data\.js|searchindex\.js)"></script>'
)

#: A name of Font Awesome's, and the theme's rule that gives it its letter.
_ICON = re.compile(r"\bfa-[a-z0-9-]+")
_ICON_RULE = re.compile(r"(?<=\})([^{}]+)\{--fa:[^{}]*\}")


def _finish(pages: Path, pictures: narrow.Pictures) -> None:
    """Change what the theme makes of each page.

    The menu's toggles get names for those who do not see them: the theme draws an arrow and says nothing. What searches is left
    on the page that searches: a quarter of a megabyte less for each of the others. The theme's style names 2 000 icons, of
    which the pages and its scripts use some twenty; the others are left out, a sixth of the style, which is loaded before anything shows.
    Code, printed columns, tables and figures are made ready for a phone (`narrow`), `pictures` being those for a phone.
    """
    used = set()
    for file in pages.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        made = narrow.fitted(_TOGGLE.sub(r'\1<summary aria-label="Below \2">', text), pictures)
        if file.name != "search.html":
            made = _SEARCH.sub("", made)
        if made != text:
            file.write_text(made, encoding="utf-8")
        used |= set(_ICON.findall(made))
    for file in pages.rglob("_static/**/*.js"):
        used |= set(_ICON.findall(file.read_text(encoding="utf-8", errors="replace")))
    style = pages / "_static" / "styles" / "pydata-sphinx-theme.css"
    rules = style.read_text(encoding="utf-8")
    style.write_text(
        _ICON_RULE.sub(lambda rule: rule[0] if used & set(_ICON.findall(rule[1])) else "", rules), encoding="utf-8"
    )


def main(arguments: list[str]) -> int:
    root = paths.repository()
    if root is None:
        print("The site is built in a checkout of the course; this is an installed package.", file=sys.stderr)
        return 2
    began = time.perf_counter()
    try:
        pages = build(root, fresh="--fresh" in arguments)
    except (RuntimeError, FileNotFoundError) as error:
        print(f"Hundredfold: {error}", file=sys.stderr)
        return 1
    print(f"The site is built in {time.perf_counter() - began:.0f} s: {pages / 'index.html'}")
    from . import proof

    faults = proof.faults(pages)
    for fault in faults:
        print(f"  {fault}", file=sys.stderr)
    if faults:
        return 1
    if "--serve" in arguments:
        from .serve import serve

        serve(pages)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
