"""A term's definition as the tooltip of each link to it. An extension of Sphinx."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from hundredfold.publish.site import layout

_ENTRY = re.compile(r"(?m)^(\S.*)\n  (\S.*)$")


@functools.cache
def _definitions(glossary: Path) -> dict[str, str]:
    """The first sentence of each definition, by the term's anchor."""
    found = {}
    for term, text in _ENTRY.findall(glossary.read_text(encoding="utf-8")):
        plain = re.sub(r"\{term\}`([^`<]+?)(?: <[^>]*>)?`", r"\1", text)
        first = re.match(r".*?[.:](?= |$)", re.sub(r"[*`]", "", plain))
        found[layout.anchor(term)] = (first.group() if first else plain).rstrip(":")
    return found


def _explain(app: Sphinx, doctree: nodes.document, _name: str) -> None:
    known = _definitions(Path(app.srcdir) / "glossary.md")
    for link in doctree.findall(nodes.reference):
        anchor = link.get("refid") or link.get("refuri", "").partition("#")[2]
        if anchor in known:
            link["reftitle"] = known[anchor]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the tooltips."""
    app.connect("doctree-resolved", _explain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
