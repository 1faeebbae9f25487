"""A lecture as slides: what stands on which of them, read off the notebook's own structure.

A heading begins a slide, and what does not fit goes on to the next one below it. A prediction and what is measured stand on
two slides, and so do a measurement and its explanation; what a cell printed is uncovered with one more key. A picture has a
slide of its own. Code is set smaller until it fits; where it would be too small to be read from the last row, it scrolls, and
says so. Where only a few lines are before a picture, they stay with it.

Nobody writes any of this down: `cut` makes a copy of a committed notebook, whose cells are smaller and carry the metadata that
nbconvert's slides are made of (``slideshow.slide_type``). `slides_page` makes the page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt

#: The stage in CSS pixels, and what a slide has for its content, which the page's style agrees with.
WIDTH, HEIGHT = 1280, 720
ROOM = 640
#: The least height of a picture that shares its slide.
SMALLEST = 400
#: Sizes of letters in px: of prose, and those that code may have, largest first.
PROSE, CODE = 25, (21, 19, 17, 16)
_LINE, _CODE_LINE, _BETWEEN = 1.38, 1.35, 14
#: Letters of prose in a line, and the width of a letter of code in em.
_LETTERS, _EM = 86, 0.605

_OPENINGS = re.compile(r"\*\*(Predict|Measure|Explain)\b")
_GUESS = re.compile(r"^my_\w+(, my_\w+)* = .*\Z", re.MULTILINE)
_FURTHER = {"image/png": 0, "text/html": 1, "text/plain": 2}


@dataclass
class _Piece:
    """Something that stays together: a paragraph, some code, a picture. `height` in px; `alone` has a slide of its own;
    `breaks` begins one; `uncovered` appears when the speaker asks; a `picture` can be drawn smaller."""

    cell: dict[str, Any]
    height: float
    level: int = 0
    alone: bool = False
    breaks: bool = False
    uncovered: bool = False
    picture: bool = False


@dataclass
class _Cutter:
    """Puts pieces on slides, one after the other."""

    cells: list[dict[str, Any]] = field(default_factory=list)
    used: float = math.inf
    titles: dict[int, str] = field(default_factory=dict)
    bare: bool = False
    full: bool = False

    def heading(self, piece: _Piece, title: str) -> None:
        kind = "slide" if piece.level <= 2 or not self.cells else "subslide"
        if piece.level > 2 and self.bare:
            kind = "-"  # a heading right below its section's heading stays with it
        self.titles = {level: words for level, words in self.titles.items() if level < piece.level}
        self.titles[piece.level] = title
        self._put(piece, kind)
        self.used = piece.height + (self.used if kind == "-" else 0)
        self.bare, self.full = True, False

    def piece(self, piece: _Piece) -> None:
        left = ROOM - self.used
        if piece.alone and piece.picture and not (self.full or piece.breaks) and left >= SMALLEST:
            piece.cell["metadata"].setdefault("hundredfold", {})["room"] = int(left) - _BETWEEN
            self._put(piece, "-")
            self.bare, self.full = False, True
            return
        crowded = self.used + piece.height > ROOM
        if self.full or ((crowded or piece.alone or piece.breaks) and not (self.bare and not crowded)):
            self._again()
        self._put(piece, "fragment" if piece.uncovered and not self.bare else "-")
        self.used += piece.height
        self.bare, self.full = False, piece.alone

    def _again(self) -> None:
        """The next slide of the same section, with a line that says which it is."""
        words = " · ".join(self.titles[level] for level in sorted(self.titles) if level > 1 or len(self.titles) == 1)
        self._put(_Piece(_markdown(words, running=True), 0), "subslide")
        self.used, self.bare, self.full = 38.0, True, False

    def _put(self, piece: _Piece, kind: str) -> None:
        piece.cell["metadata"]["slideshow"] = {"slide_type": kind}
        self.cells.append(piece.cell)


def cut(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook as one of slides; the argument is left as it is.

    Parameters
    ----------
    notebook : a notebook of format 4, executed.

    Returns
    -------
    dict
        A notebook whose cells have ``metadata.slideshow.slide_type``; those of code either their source or outputs, and in
        ``metadata.hundredfold`` the ``size`` of letters in px, ``scrolls``, the number of lines of what scrolls, and ``room``, the height
        in px that a picture has which shares its slide.
    """
    cutter, predicted = _Cutter(), False
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            for piece, title in _prose(source):
                opening = _OPENINGS.match("".join(piece.cell["source"]))
                if opening:
                    piece.breaks = opening[1] == "Explain" or predicted
                    predicted = opening[1] == "Predict"
                if piece.level:
                    cutter.heading(piece, title)
                else:
                    cutter.piece(piece)
        elif cell["cell_type"] == "code":
            guess = _GUESS.search(source.rstrip()) is not None
            for number, piece in enumerate(_code(cell, source)):
                piece.breaks = number == 0 and predicted and not guess
                cutter.piece(piece)
            predicted = predicted and guess
    return {**notebook, "cells": cutter.cells, "metadata": {**notebook["metadata"]}}


def _prose(source: str) -> Iterator[tuple[_Piece, str]]:
    """The blocks of a text; of a list that is long, its items."""
    lines = source.splitlines()
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(source)
    for number, token in enumerate(tokens):
        if token.level or not token.map or token.nesting < 0:
            continue
        first, last = token.map
        text = "\n".join(lines[first:last]).rstrip()
        if token.type == "heading_open":
            title, level = tokens[number + 1].content, int(token.tag[1])
            height = {1: 90, 2: 72}.get(level, 58) * math.ceil(len(title) / 52)
            yield _Piece(_markdown(text), height, level), title
        elif token.type.endswith("list_open") and _height(token.type, text) > 0.6 * ROOM:
            ordered = token.type.startswith("ordered")
            items = [each.map for each in tokens[number:] if each.type == "list_item_open" and each.level == 1]
            items = [span for span in items if span and first <= span[0] < last]
            for at, (a, b) in enumerate(items, int(token.attrGet("start") or 1)):
                item = "\n".join(lines[a:b]).rstrip()
                item = re.sub(r"^\d+", str(at), item) if ordered else item
                yield _Piece(_markdown(item), _height(token.type, item)), ""
        elif text.startswith("!["):
            yield _Piece(_markdown(text), ROOM - 50, alone=True, picture=True), ""
        else:
            yield _Piece(_markdown(text), _height(token.type, text)), ""


def _height(kind: str, text: str) -> float:
    """About how high a block will be, in px; rather too high than too low."""
    plain = re.sub(r"\]\([^)\s]*\)|[*`\[]", "", text)
    line = PROSE * _LINE
    if kind == "fence" or kind == "code_block":
        return _lines(text.splitlines()[1:-1], CODE[1]) * CODE[1] * _CODE_LINE + 34
    if kind == "table_open":
        rows = [row.strip().strip("|").split("|") for row in plain.splitlines() if not re.fullmatch(r"[\s|:-]+", row)]
        widths = [max(len(row[at].strip()) for row in rows if at < len(row)) for at in range(len(rows[0]))]
        total = max(sum(widths) + 3 * len(widths), 1)
        share = [max(width * min(1.0, (_LETTERS + 12) / total), 1.0) for width in widths]
        high = [
            max(math.ceil(len(cell.strip()) / wide) for cell, wide in zip(row, share, strict=False)) for row in rows
        ]
        return sum(0.88 * line * each + 11 for each in high) + _BETWEEN
    if plain.lstrip().startswith("$$"):
        return 3 * line + _BETWEEN
    if kind.endswith("list_open"):
        items = re.split(r"\n(?=\s*(?:[-+]|\d+[.)]) )", plain)
        return sum(math.ceil(len(" ".join(item.split())) / (_LETTERS - 4)) * line + 7 for item in items) + _BETWEEN
    return math.ceil(len(" ".join(plain.split())) / _LETTERS) * line + _BETWEEN


def _code(cell: dict[str, Any], source: str) -> Iterator[_Piece]:
    """A cell's source, what it printed, and each of its pictures."""
    if source.strip():
        yield _set(source.rstrip().splitlines(), {**_empty_code(), "source": source.rstrip()})
    told = [output for output in cell.get("outputs", ()) if output.get("name") != "stderr"]
    for output in told:
        if output["output_type"] == "stream":
            text = "".join(output["text"])
            output = {**output, "text": text}
        elif output["output_type"] == "error":
            text = f"{output['ename']}: {output['evalue']}"
            output = {"output_type": "stream", "name": "stdout", "text": text}
        else:
            kind = min(output["data"], key=lambda each: _FURTHER.get(each, 9), default="")
            if kind not in _FURTHER:
                continue
            text = "".join(output["data"][kind])
            output = {**output, "data": {kind: text}}
            if kind == "image/png":
                yield _Piece({**_empty_code(), "outputs": [output]}, ROOM - 50, alone=True, picture=True)
                continue
            if kind == "text/html":
                yield _table(text, {**_empty_code(), "outputs": [output]})
                continue
        if text.strip():
            piece = _set(text.rstrip().splitlines(), {**_empty_code(), "outputs": [output]})
            piece.uncovered = True
            yield piece


def _table(text: str, cell: dict[str, Any]) -> _Piece:
    """A table in HTML; where it is as high as a slide, it scrolls."""
    text = re.sub(r"<(style|svg)\b.*?</\1>", "", text, flags=re.DOTALL)
    rows = [[len(re.sub(r"<[^>]+>", "", each)) for each in re.split(r"</t[dh]>", row)] for row in text.split("</tr>")]
    height = 40.0 + sum(13 + 27 * max(math.ceil(letters * len(row) / 110) for letters in row) for row in rows)
    if height > ROOM - 80:
        cell["metadata"]["hundredfold"] = {"scrolls": len(rows) - 1}
        return _Piece(cell, ROOM - 80, alone=True)
    return _Piece(cell, height, uncovered=True)


def _set(lines: list[str], cell: dict[str, Any]) -> _Piece:
    """Code or output in the largest letters in which it fits a slide, or else scrolling."""
    room = ROOM - 80
    for size in CODE:
        height = _lines(lines, size) * size * _CODE_LINE + 34
        if height <= room * (1 if size == CODE[-1] else 0.8) and not (
            size > 17 and max(map(len, lines)) > _columns(size)
        ):
            cell["metadata"]["hundredfold"] = {"size": size}
            return _Piece(cell, height)
    if height > room:
        cell["metadata"]["hundredfold"] = {"size": size, "scrolls": len(lines)}
        return _Piece(cell, room, alone=True)
    cell["metadata"]["hundredfold"] = {"size": size}
    return _Piece(cell, height)


def _columns(size: float) -> int:
    return int((WIDTH - 150) / (_EM * size))


def _lines(lines: list[str], size: float) -> int:
    """Lines as they are shown: long ones are wrapped."""
    columns = _columns(size)
    return sum(max(1, math.ceil(len(line) / columns)) for line in lines)


def _markdown(source: str, *, running: bool = False) -> dict[str, Any]:
    metadata = {"hundredfold": {"running": True}} if running else {}
    return {"cell_type": "markdown", "metadata": metadata, "source": source}


def _empty_code() -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "source": "", "outputs": [], "execution_count": None}
