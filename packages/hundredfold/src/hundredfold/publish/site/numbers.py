"""A number stays on one line, with its groups of digits and its unit: "10 000" is not 10. An extension of Sphinx."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

_INSIDE = re.compile(r"(?<=\d) (?=\d{3}(?!\d)|(?:[nµm]?s|min|h|[kMGT]i?B|B|[kMGT]B/s|GHz|%)(?!\w))")


def kept(text: str) -> str:
    """The text with a no-break space wherever a space is part of a number."""
    return _INSIDE.sub("\N{NO-BREAK SPACE}", text)


def _keep(_app: Sphinx, doctree: nodes.document, _name: str) -> None:
    from docutils import nodes  # the tests of `kept` have no Sphinx

    for text in list(doctree.findall(nodes.Text)):
        if isinstance(text.parent, nodes.literal | nodes.FixedTextElement | nodes.raw | nodes.math):
            continue  # what is copied and run stays as it is written
        if (after := kept(text)) != text:
            text.parent.replace(text, nodes.Text(after))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the spaces."""
    app.connect("doctree-resolved", _keep)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
