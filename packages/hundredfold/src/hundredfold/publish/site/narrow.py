"""What a page needs to be read on a phone: places where code may be broken, printed columns that stay side by side, tables whose cells
stand below each other.

All of it is HTML in, HTML out; how it looks is in ``docs/_static/hundredfold.css``.
"""

from __future__ import annotations

import html
import re
from itertools import pairwise

#: So many characters of code are side by side on a narrow phone.
LINE = 34
#: Code of so few characters stays whole, and so does a name, which may be broken between its words if it is longer.
_SHORT, _NAME = 16, 24
#: Pixels: a phone's page without its margins, a cell's padding, a letter in a table.
_PAGE, _PADDING, _LETTER = 343, 8, 7
#: A cell with more lines is tall; so are, side by side, three cells with more letters in the mean.
_TALL, _MANY = 4, 55

_TOKEN = re.compile(r"<[^>]*>|&[^;]+;|.", re.DOTALL)
#: Before the dot of an attribute; after the brackets of a call or an index, a comma, an equals sign, a slash. Not within a number.
_PLACE = re.compile(
    r"""(?<=[\w()\]}'"]{3})(?=\.[A-Za-z_])|(?<=[a-z]{3})(?=\.\d)|(?:(?<=[\w)\]])[(\[{]+|(?<=\D),|[=/])(?=[^\s.,=)\]}/(\[{])"""
)
#: Within a name: after its underscores, and before the capital of a word.
_WORDS = re.compile(r"(?<=[^\W_]_)(?=[^\W_])|(?<=[^\W_]__)(?=[^\W_])|(?<=[^\W_])(?=[A-Z][a-z])")
_OPTION = re.compile(r"(?<![^\s>])(--?[A-Za-z][\w-]*)(?![^<>]*>)")
_LITERAL = re.compile(r'(<span class="pre">)([^<]+)(</span>)')
_BLOCK = re.compile(r'(<div class="([^"]*\bhighlight-[^"]*)"><div class="highlight"><pre>)(.*?)(</pre>)', re.DOTALL)
_GAP = re.compile(r"\S(?: {2,}|\t)(?=\S)|[│┆]")
_NUMBER = re.compile(r"[−-]?\d.{,11}$")
_TABLE = re.compile(r'<table(?: class="(table\b[^"]*)")?>(.*?)</table>', re.DOTALL)
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<(t[dh])\b([^>]*)>(.*?)</\1>", re.DOTALL)


def fitted(page: str) -> str:
    """A page's HTML with all of this done to it."""
    page = _LITERAL.sub(lambda literal: literal[1] + broken(literal[2]) + literal[3], page)
    page = _BLOCK.sub(lambda block: block[1] + (printed if "output" in block[2] else code)(block[3]) + block[4], page)
    return _TABLE.sub(lambda table: stacked(table[0]), page)


def text(markup: str) -> str:
    """What is read of a piece of HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def places(line: str) -> set[int]:
    """Where a line of code may be broken, as the numbers of the characters before which it may."""
    found = {at for place in _PLACE.finditer(line) if line[at := place.end()] != "." or line.count('"', 0, at) % 2 == 0}
    for name in re.finditer(rf"\w{{{_NAME + 1},}}", line):
        found |= {name.start() + place.start() for place in _WORDS.finditer(name[0])}
    return found


def broken(markup: str) -> str:
    """A line of code, as HTML, with ``<wbr>`` where it may be broken; an option's hyphens are not such places."""
    words = text(markup)
    where, made, at = places(words) if len(words) > _SHORT else set(), [], 0
    for token in _TOKEN.findall(markup):
        if not token.startswith("<"):
            if at in where:
                made.append("<wbr>")
            at += 1
        made.append(token)
    return _OPTION.sub(r'<span class="hf-option">\1</span>', "".join(made))


def code(markup: str) -> str:
    """A block of code: what of a long line goes on below is set in further than the line, and begins where code may be broken."""
    made = []
    for line in markup.splitlines(keepends=True):
        words = text(line).rstrip("\n")
        if len(words) > LINE and _whole(line):
            indented = len(words) - len(words.lstrip())
            line = f'<span class="hf-long" style="--indented:{indented}ch">{broken(line)}</span>'
        made.append(line)
    return "".join(made)


def printed(markup: str) -> str:
    """What a cell printed: lines with columns keep them, whatever the width; the rest may be broken like prose."""
    lines = markup.splitlines(keepends=True)
    words = [text(line).rstrip() for line in lines]
    gaps = [len(_GAP.findall(each)) for each in words]
    made, at = [], 0
    while at < len(lines):
        # From a line with columns to the last of them; a name between them is short.
        end = last = at
        while end < len(lines) and (gaps[end] or last > at and 0 < len(words[end]) <= LINE):
            end += 1
            last = end if gaps[end - 1] else last
        wide = max(map(len, words[at:last]), default=0)
        if last - at > 1 and wide > LINE and _table(gaps[at:last], wide) and all(map(_whole, lines[at:last])):
            made.append(f'<span class="hf-columns" style="--columns:{wide}">{"".join(lines[at:last])}</span>')
            at = last
        else:
            made.append(lines[at])
            at += 1
    return "".join(made)


def _table(gaps: list[int], wide: int) -> bool:
    """Whether lines are a table's: a long line with a single gap is a name and a sentence."""
    return wide <= 50 or sum(gaps) >= 1.5 * len(gaps)


def _whole(line: str) -> bool:
    """Whether a line of HTML closes what it opens."""
    return line.count("<span") == line.count("</span")


def stacked(table: str) -> str:
    """A table that a phone has no room for: in smaller letters, or with the name of its column in each cell, for cells that stand below each other."""
    rows = [[(cell[1], cell[3]) for cell in _CELL.finditer(row)] for row in _ROW.findall(table)]
    if len(rows) < 2 or len({len(row) for row in rows}) != 1:
        return table
    how = _way([[text(cell).strip() for _, cell in row] for row in rows])
    table = _TABLE.sub(
        lambda found: f'<table class="{" ".join(filter(None, (found[1], how)))}">{found[2]}</table>', table
    )
    if how != "hf-stacked":
        return table
    heads = [html.escape(text(cell).strip()) for _, cell in rows[0]]

    def named(row: re.Match[str]) -> str:
        names = iter(heads)

        def cell(found: re.Match[str]) -> str:
            name = next(names)
            head = f' data-head="{name}"' if name and found[1] == "td" else ""
            return f"<{found[1]}{found[2]}{head}>{found[3]}</{found[1]}>"

        return _CELL.sub(cell, row[0])

    return _ROW.sub(named, table)


def _way(rows: list[list[str]]) -> str:
    """The class of a table: none where it has room as it is.

    Numbers stay side by side, since they are compared down a column. Other cells stand below each other where the longest pieces of the
    columns have no room, or where a column would be narrow and tall.
    """
    columns = list(zip(*rows, strict=True))
    pieces = [max(len(piece) for cell in column for piece in _pieces(cell)) for column in columns]
    cells = [cell for row in rows[1:] for cell in row]
    if 2 * sum(bool(_NUMBER.match(cell)) for cell in cells) > len(cells):
        return "hf-compact" if _wide(pieces) > _PAGE else ""
    if len(columns) > 2 and sum(map(len, cells)) > _MANY * len(rows[1:]):
        return "hf-stacked"
    for column, piece in zip(columns, pieces, strict=True):
        left = _PAGE - _wide(pieces) + _LETTER * piece
        if left < _LETTER * piece or max(map(len, column)) * _LETTER > _TALL * left:
            return "hf-stacked"
    return ""


def _wide(pieces: list[int]) -> int:
    """How many pixels such pieces need side by side."""
    return sum(_LETTER * piece + _PADDING for piece in pieces)


def _pieces(cell: str) -> list[str]:
    """What of a cell stays on one line."""
    return [
        word[start:end]
        for word in cell.split(" ")
        for start, end in pairwise([0, *sorted(places(word) - {0}), len(word)])
    ]
