"""A notebook that was handed in, as nbgrader reads it: a learner's file, which costs that learner's points and no other's.

`nbgrader autograde` ends with the first notebook whose metadata name another version of its format, and grades nobody after it. It reads links as
the files that they lead to, another's notebook say, and whatever is there into memory.
"""

from __future__ import annotations

import html
import stat
from pathlib import Path
from typing import Any

import bleach
from jinja2 import pass_context
from nbconvert.exporters import NotebookExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from traitlets import Integer


class NotGraded(RuntimeError):
    """A notebook that cannot be graded; the message says which, and why."""


class Submitted(NotebookExporter):
    """nbgrader's exporter for what was handed in (``c.Autograde.exporter_class``). NotGraded ends the grading of one notebook."""

    largest = Integer(16 << 20, config=True, help="A larger notebook is not read (bytes, with its outputs).")
    longest = Integer(1 << 20, config=True, help="A notebook with more in its cells is not graded (letters).")

    def from_filename(self, filename: str, *more: Any, **named: Any) -> Any:
        """As nbconvert's."""
        file = Path(filename)
        found = file.lstat()
        if not stat.S_ISREG(found.st_mode) or file.parent.is_symlink():
            raise NotGraded(f"{file} is a link, or no file: it is not graded.")
        if found.st_size > self.largest:
            raise NotGraded(f"{file} has {found.st_size >> 20} MiB: it is not graded (c.Submitted.largest).")
        try:
            return super().from_filename(filename, *more, **named)
        except Exception as error:
            # nbgrader would end here, for all. It is not imported, since the lab has to do without it.
            if type(error).__name__ in ("SchemaTooOldError", "SchemaTooNewError"):
                raise NotGraded(f"{file}: {error}") from error
            raise

    def from_notebook_node(self, nb: Any, *more: Any, **named: Any) -> Any:
        """As nbconvert's."""
        if (length := sum(len(cell.source) for cell in nb.cells)) > self.longest:
            raise NotGraded(f"A notebook of {length} letters is not graded (c.Submitted.longest).")
        return super().from_notebook_node(nb, *more, **named)


#: More of a cell is not shown (letters): there is Markdown that takes the square of its length to read.
SHOWN = 20_000
#: What Markdown makes of text; of HTML that somebody wrote into it, no more is shown as such.
TAGS = {
    "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "div", "span", "pre", "code", "blockquote", "ul", "ol", "li", "em", "strong", "b", "i",
    "del", "sub", "sup", "a", "table", "thead", "tbody", "tr", "th", "td", "details", "summary",
}  # fmt: skip


@pass_context
def markdown(context: Any, source: str) -> str:
    """Markdown as HTML without scripts, in place of nbconvert's filter ``markdown2html``.

    nbgrader's pages of answers show Markdown cells as they are, in the page in which the instructor is logged in.
    """
    text = source if len(source) <= SHOWN else f"{source[:SHOWN]} …"
    renderer = IPythonRenderer(escape=False, attachments=context.get("cell", {}).get("attachments", {}))
    try:
        made = MarkdownWithMath(renderer=renderer).render(text)
    except Exception:  # a picture that is not there, lists in lists without end
        made = f"<pre>{html.escape(text)}</pre>"
    return bleach.clean(
        made, tags=TAGS, attributes={"*": ["class", "id"], "a": ["href"], "td": ["align"], "th": ["align"]}
    )
