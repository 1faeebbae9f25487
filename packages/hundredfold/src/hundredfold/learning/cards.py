"""What a check or a question says: a coloured card in a notebook, plain text in a terminal and for nbval.

The same sentences stand in both. The card needs no script and no style sheet, so that it looks the same in JupyterLab, in Colab and on the site;
its background is translucent, for light and dark pages.
"""

from __future__ import annotations

import html
import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from .messages import translated

RIGHT, WRONG, OPEN = "✔", "✘", "○"
_COLOURS = {RIGHT: "46, 125, 50", WRONG: "198, 40, 40", OPEN: "117, 117, 117"}  # red, green, blue
_LABELS = {RIGHT: "Right", WRONG: "Wrong", OPEN: "Open"}  # what a screen reader says in place of the mark
_WIDTH = 96


@dataclass(frozen=True)
class Line:
    """A line below the first.

    Parameters
    ----------
    text : str
    kind : {"sentence", "measured", "code"}
        A sentence is filled to the width. What is measured stays on one line: its length would move the breaks. Code may have several.
    """

    text: str
    kind: str = "sentence"

    @property
    def said(self) -> str:
        """The text in the learner's language; code has none."""
        return self.text if self.kind == "code" else translated(self.text)


@dataclass(frozen=True)
class Card:
    """A verdict or a reply.

    Parameters
    ----------
    mark : str
        `RIGHT`, `WRONG` or `OPEN`.
    said : str
        The first sentence.
    name : str
        The problem's name, in front of the sentence.
    lines : sequence of Line
        What stands below it.
    hints : sequence of str
        Those that were not shown yet. The card folds them one inside the other; plain text has `more` in their place.
    total : int
        How many hints the problem has.
    more : str
        How to ask for the next hint.
    """

    mark: str
    said: str
    name: str = ""
    lines: Sequence[Line] = ()
    hints: Sequence[str] = ()
    total: int = 0
    more: str = ""

    @property
    def first(self) -> str:
        said = translated(self.said)
        return f"{self.name}: {said}" if self.name else said

    def text(self) -> str:
        """As plain text, filled to 96 columns."""
        below = [_TEXT[line.kind](line.said) for line in self.lines]
        return "\n".join(
            [wrap(f"{self.mark} {self.first}", indent=""), *below, *([f"  {self.more}"] if self.hints else [])]
        )

    def html(self) -> str:
        """As HTML of one element, for a notebook's output."""
        colour = _COLOURS[self.mark]
        name = f"{html.escape(self.name)}: " if self.name else ""
        mark = f'<span role="img" aria-label="{_LABELS[self.mark]}">{self.mark}</span>'
        parts = [f"<div><strong>{mark} {name}</strong>{_marked(translated(self.said))}</div>"]
        parts += [_HTML[line.kind](line.said) for line in self.lines]
        return (
            f'<div style="border-left: 4px solid rgb({colour}); background: rgba({colour}, 0.08); '
            f'padding: 0.5em 0.9em; margin: 0.4em 0; max-width: 50em">{"".join(parts)}{self._folded()}</div>'
        )

    def _folded(self) -> str:
        folded = ""
        for number, hint in reversed(list(enumerate(self.hints, start=self.total - len(self.hints) + 1))):
            summary = translated(f"Show hint {number} of {self.total}")
            summary = f'<summary style="cursor: pointer">{html.escape(summary)}</summary>'
            folded = (
                f'<details style="margin-top: 0.4em">{summary}<div>{_marked(translated(hint))}</div>{folded}</details>'
            )
        return folded


def show(card: Card) -> None:
    """Display a card in a notebook; elsewhere print its text."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if getattr(shell, "kernel", None) is None:
        print(card.text())
        return
    from IPython.display import display

    display({"text/plain": card.text(), "text/html": card.html()}, raw=True)


def wrap(text: str, indent: str = "  ") -> str:
    """Fill to a fixed width (never the terminal's: verdicts are compared), without breaking `code`, "12 GB/s" or "1 009"."""
    text = re.sub(
        r"`[^`]*`|(?<=\d) (?=[a-zA-Zµ×%]|\d{3}(?!\d))",
        lambda glued: glued.group().replace(" ", "\N{NO-BREAK SPACE}"),
        text,
    )
    lines = textwrap.wrap(text, _WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return "\n".join(indent + line if n == 0 else "  " + line for n, line in enumerate(lines)).replace("\xa0", " ")


def _marked(text: str) -> str:
    """A sentence as HTML, what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


_TEXT = {
    "sentence": wrap,
    "measured": lambda text: f"  {text}",
    "code": lambda text: textwrap.indent(text, "    "),
}
_HTML = {
    "sentence": lambda text: f"<div>{_marked(text)}</div>",
    "measured": lambda text: f"<div>{_marked(text)}</div>",
    "code": lambda text: (
        f'<pre style="margin: 0.4em 0; overflow-x: auto; background: none; font-family: monospace">{html.escape(text, quote=False)}</pre>'
    ),
}
