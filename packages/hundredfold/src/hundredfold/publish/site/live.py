"""Drawings that can be touched: a page embeds them where it shows the others as pictures. An extension of Sphinx.

On paper, and where a browser does not embed the file, it is the picture that it was.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hundredfold.publish import drawings

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_PICTURE = re.compile(r'<img [^>]*?src="(?P<file>[^"]*?/?_images/(?P<name>[\w-]+)\.svg)"[^>]*>')


def embedded(html: str) -> str:
    """The text of a page in which each picture of a drawing that can be touched is the drawing itself, with a sentence that says so."""
    known = {name: touch for name in drawings.names() if (touch := drawings.find(name).touch)}

    def embed(picture: re.Match[str]) -> str:
        if picture["name"] not in known:
            return picture.group()
        alt = re.search(r'alt="[^"]*"', picture.group())
        words = f" aria-{alt.group().replace('alt=', 'label=')}" if alt else ""
        return (
            f'<object class="hf-live" type="image/svg+xml" data="{picture["file"]}"{words}>{picture.group()}</object>'
            f'<span class="hf-touch">{known[picture["name"]]}</span>'
        )

    return _PICTURE.sub(embed, html)


def _embed(app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    if app.builder.format == "html" and "body" in context:
        context["body"] = embedded(context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the drawings."""
    app.connect("html-page-context", _embed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
