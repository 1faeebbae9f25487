"""Look at what was built, without a browser: every link and anchor leads somewhere, nobody else is asked, no page is too large."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

#: The most that a page may weigh with its pictures, its scripts and its styles (bytes).
LARGEST = 1_500_000

_LOADS = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("video", "src")}
_NO_LOAD = {"canonical", "next", "prev", "index", "search", "genindex", "author", "help", "copyright"}


class _Page(HTMLParser):
    """What a page links to, loads, names, and the pictures that say nothing."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.names: set[str] = set()
        self.mute: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.names.update(filter(None, (found.get("id"), found.get("name") if tag == "a" else None)))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"] or "")
        if tag == "img" and not (found.get("alt") or "").strip():
            self.mute.append(found.get("src") or "?")
        rel = set((found.get("rel") or "").split())
        for name, value in found.items():
            if (tag, name) in _LOADS and value and not (tag == "link" and rel & _NO_LOAD):
                self.loads.append(value)


@cache
def _read(page: Path) -> _Page:
    return _Page(page.read_text(encoding="utf-8"))


def faults(site: Path) -> list[str]:
    """What is wrong with a built site, a sentence each; empty if nothing is."""
    _read.cache_clear()
    return [fault for page in sorted(site.rglob("*.html")) if "_static" not in page.parts for fault in _of(page, site)]


def _of(page: Path, site: Path) -> Iterator[str]:
    name, content = page.relative_to(site).as_posix(), _read(page)
    for link in content.links:
        path, anchor = urldefrag(link)
        parts = urlsplit(path)
        if parts.scheme or parts.netloc:
            continue
        there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not there.is_file():
            yield f"{name}: the link {link} leads nowhere."
        elif anchor and there.suffix == ".html" and unquote(anchor) not in _read(there).names:
            yield f"{name}: the link {link} names a place that its page does not have."
    loaded = {page}
    for load in content.loads:
        parts = urlsplit(load)
        if parts.scheme == "data":
            continue
        if parts.scheme or parts.netloc:
            yield f"{name} loads {load} from elsewhere."
            continue
        file = (page.parent / unquote(parts.path)).resolve()
        if not file.is_file():
            yield f"{name} loads {load}, which is not there."
        else:
            loaded.add(file)  # once, although it may be announced before it is used
    for picture in content.mute:
        yield f"{name}: the picture {picture} has no words (alt)."
    size = sum(file.stat().st_size for file in loaded)
    if size > LARGEST:
        yield f"{name} weighs {size / 1e6:.1f} MB with what it loads; {LARGEST / 1e6:.1f} MB is the most."
