"""What a page needs to be read on a phone: places where code may be broken, printed columns in groups that have room, tables whose cells
stand below each other, the narrow pictures of figures.

It is HTML in, HTML out; how it looks is in ``docs/_static/hundredfold.css``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from hundredfold.publish.build import figures

#: So many characters of code are side by side on a narrow phone.
LINE = 34
#: Code of so few characters stays whole, and so does a name, which may be broken between its words if it is longer.
_SHORT, _NAME = 16, 24
#: So many characters of what was printed are side by side there, in letters of 11 pixels.
PRINTED = 47
#: Pixels: a phone's page without its margins, a cell's padding, a letter in a table, the frame of code in it.
_PAGE, _PADDING, _LETTER, _FRAME = 343, 7, 8, 10
#: A cell with more lines is tall; so are, side by side, three cells with more letters in the mean.
_TALL, _MANY = 4, 55
#: More columns than that do not stand below each other: a row would be a page.
_FLOWS = 5

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
_RICH = re.compile(r'(<div class="output text_html"><pre\b[^>]*>)(.*?)(</pre>)', re.DOTALL)
_GAP = re.compile(r"\S(?: {2,}|\t)(?=\S)|[│┆]")
#: What follows a date is no column of its own.
_CLOCK = re.compile(r"\d\d:\d\d")
_FAR = " " * 16
_SPACES = re.compile(" {3,}")
_NUMBER = re.compile(r"[−-]?\d.{,11}$")
_TABLE = re.compile(r"<table\b([^>]*)>(.*?)</table>", re.DOTALL)
_CLASS = re.compile(r' class="([^"]*)"')
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<(t[dh])\b([^>]*)>(.*?)</\1>", re.DOTALL)
_PICTURE = re.compile(r'(<a class="[^"]*\bimage-reference\b[^"]*"[^>]*>)(<img [^>]*>)\s*</a>')
_FILE = re.compile(r' src="([^"]*?)_images/([0-9a-f]{64})\.png"')
#: Below this width a page shows what is made for a phone: as in the style sheet.
_PHONE = "(max-width: 600px)"

#: The name of a phone's picture, and its CSS pixels across and down, by the name of the picture in whose place it is.
Pictures = Mapping[str, tuple[str, int, int]]


def fitted(page: str, pictures: Pictures) -> str:
    """A page's HTML with all of this done to it; `pictures` are those for a phone."""
    page = _LITERAL.sub(lambda literal: literal[1] + broken(literal[2]) + literal[3], page)
    page = _BLOCK.sub(lambda block: block[1] + (printed if "output" in block[2] else code)(block[3]) + block[4], page)
    page = _RICH.sub(lambda block: block[1] + printed(block[2]) + block[3], page)
    return beside(_TABLE.sub(lambda table: stacked(table[0]), page), pictures)


def pictures(root: Path) -> Pictures:
    """The pictures for a phone of a checkout."""
    found = {}
    for wide, name in figures.of_phones(root).items():
        width, height = figures.size((root / figures.PHONE / name).read_bytes())
        found[wide] = (name, width // figures.SCALE, height // figures.SCALE)
    return found


def beside(page: str, pictures: Pictures) -> str:
    """A page's HTML in which each figure of a cell has the picture that a phone shows of it."""

    def given(found: re.Match[str]) -> str:
        file = _FILE.search(found[2])
        if file is None or file[2] not in pictures:
            return found[0]
        name, width, height = pictures[file[2]]
        size = f'width="{width}" height="{height}"'
        source = f'<source media="{_PHONE}" srcset="{file[1]}_static/phone/{name}" {size}>'
        return f"{found[1]}<picture>{source}{found[2]}</picture></a>"

    return _PICTURE.sub(given, page)


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
    """What a cell printed: lines with columns keep them, on a phone in groups of columns; the rest may be broken like prose."""
    lines = markup.splitlines(keepends=True)
    words = [text(line).rstrip() for line in lines]
    gaps = [len(_GAP.findall(each)) for each in words]
    made, at = [], 0
    while at < len(lines):
        # From a line with columns to the last of them; between them a name is short, and what goes on below is set in far.
        end = last = at
        while end < len(lines) and (
            gaps[end] or last > at and (0 < len(words[end]) <= LINE or words[end].startswith(_FAR))
        ):
            end += 1
            last = end if gaps[end - 1] or words[end - 1].startswith(_FAR) else last
        wide = max(map(len, words[at:last]), default=0)
        if last - at > 1 and wide > LINE and _table(gaps[at:last], wide) and all(map(_whole, lines[at:last])):
            made.append(_columns("".join(lines[at:last]), words[at:last], wide))
            at = last
        else:
            made.append(lines[at])
            at += 1
    return "".join(made)


def _columns(markup: str, words: list[str], wide: int) -> str:
    """Lines with columns, in letters for which there is room; where these would be too small, a phone has another arrangement of them."""
    kept = _side_by_side(markup, wide)
    if wide <= PRINTED:
        return kept
    if grouped := in_groups(words):
        other = _side_by_side(html.escape("\n".join(grouped), quote=False) + "\n", max(map(len, grouped)), "hf-phone ")
    else:
        lines = (html.escape(_SPACES.sub("  ", line.strip()), quote=False) for line in words)
        other = f'<span class="hf-phone hf-hanging">{"".join(f"<span>{line}</span>" for line in lines)}</span>'
    return f'<span class="hf-wide">{kept}</span>{other}'


def _side_by_side(markup: str, wide: int, cls: str = "") -> str:
    return f'<span class="{cls}hf-columns" style="--columns:{wide}">{markup}</span>'


def in_groups(lines: list[str], room: int = PRINTED) -> list[str]:
    """A printed table as pandas wraps it: below each other as many columns as there is room for, each time beside the first column.

    Empty where the lines have no columns in common, or one of them is too wide.
    """
    wide = max(map(len, lines))
    padded = [line.ljust(wide) for line in lines]
    empty = [all(line[at] == " " for line in padded) for at in range(wide)]
    begin = next(at for at in range(wide) if not empty[at])
    clock = [any(_CLOCK.match(line, at) for line in padded) for at in range(wide)]
    places = [at for at in range(begin + 2, wide) if empty[at - 1] and not empty[at] and not clock[at]]
    # A single space may lie between words: a column begins where each line has two, or the line of the names.
    for spaces in (empty, [letter == " " and not re.search(r"\d", padded[0]) for letter in padded[0]]):
        starts = [at for at in places if spaces[at - 1] and (spaces[at - 2] or spaces[at])]
        if groups := _fitting(padded, starts, room):
            made = [[(line[: starts[0]] + line[start:end]).rstrip() for line in padded] for start, end in groups]
            return "\n\n".join("\n".join(group) for group in made).split("\n")
    return []


def _fitting(lines: list[str], starts: list[int], room: int) -> list[tuple[int, int]]:
    """Where groups of columns begin and end that have room beside the first; empty where one column has none."""
    groups: list[tuple[int, int]] = []
    for start, end in pairwise([*starts, len(lines[0])]):
        if groups and starts[0] + _used(lines, groups[-1][0], end) <= room:
            groups[-1] = (groups[-1][0], end)
        else:
            groups.append((start, end))
    return groups if all(starts[0] + _used(lines, *group) <= room for group in groups) else []


def _used(lines: list[str], start: int, end: int) -> int:
    """How wide the lines are between two places."""
    return max(len(line[start:end].rstrip()) for line in lines)


def _table(gaps: list[int], wide: int) -> bool:
    """Whether lines are a table's: a long line with a single gap is a name and a sentence."""
    return wide <= 50 or sum(gaps) >= 1.5 * len(gaps)


def _whole(line: str) -> bool:
    """Whether a line of HTML closes what it opens."""
    return line.count("<span") == line.count("</span")


def stacked(table: str) -> str:
    """A table that a phone has no room for: each row's numbers below its name, or the name of its column in each cell, for cells that
    stand below each other or go on like prose."""
    found = _TABLE.search(table)
    rows = [[(cell[1], cell[3]) for cell in _CELL.finditer(row)] for row in _ROW.findall(table)]
    if found is None or len(rows) < 2 or len({len(row) for row in rows}) != 1:
        return table
    above = max(1, len(_ROW.findall(found[2].partition("</thead>")[0]))) if "</thead>" in found[2] else 1
    heads = [
        " ".join(filter(None, (text(cell).strip() for _, cell in each))) for each in zip(*rows[:above], strict=True)
    ]
    known = _CLASS.search(found[1])
    code = [any("<code" in cell for _, cell in column) for column in zip(*rows, strict=True)]
    texts = [heads, *([text(cell).strip() for _, cell in row] for row in rows[above:])]
    how, widths = _way(texts, code, whole="dataframe" in found[1])
    if not how:
        return table
    about = _CLASS.sub("", found[1]) + f' class="{" ".join(filter(None, (known and known[1], how)))}"'
    if how == "hf-named":
        about += f' style="--widths:{widths}"'
    at = iter(range(len(rows)))

    def named(row: re.Match[str]) -> str:
        names = iter(heads)
        body = next(at) >= above

        def cell(found: re.Match[str]) -> str:
            name = html.escape(next(names))
            head = f' data-head="{name}"' if name and body else ""
            return f"<{found[1]}{found[2]}{head}>{found[3]}</{found[1]}>"

        return _CELL.sub(cell, row[0])

    return f"<table{about}>{found[2] if how == 'hf-named' else _ROW.sub(named, found[2])}</table>"


def _way(rows: list[list[str]], code: list[bool], whole: bool) -> tuple[str, str]:
    """The class of a table, and for one the widths of its columns: no class where it has room as it is.

    `code` says which columns have code, `whole` that no cell is broken.

    Numbers stay side by side below the name of their row, since they are compared down a column; where there are too many columns,
    cells follow each other like prose. Other cells stand below each other where the longest pieces of the columns have no room, or
    where a column would be narrow and tall.
    """
    columns = list(zip(*rows, strict=True))
    parts = (lambda cell: [cell]) if whole else _pieces
    pieces = [max(len(piece) for cell in column for piece in parts(cell)) for column in columns]
    pixels = [_LETTER * piece + _PADDING + _FRAME * framed for piece, framed in zip(pieces, code, strict=True)]
    cells = [cell for row in rows[1:] for cell in row]
    wide = sum(pixels)
    if 2 * sum(bool(_NUMBER.match(cell)) for cell in cells) > len(cells):
        if wide <= _PAGE:
            return "", ""
        if wide - pixels[0] <= _PAGE:
            return "hf-named", " ".join(f"minmax(0,{each}fr)" for each in pixels[1:])
        return "hf-flow", ""
    if len(columns) > _FLOWS and wide > _PAGE:
        return "hf-flow", ""
    if len(columns) > 2 and sum(map(len, cells)) > _MANY * len(rows[1:]):
        return "hf-stacked", ""
    for column, pixel in zip(columns, pixels, strict=True):
        left = _PAGE - wide + pixel
        if wide > _PAGE or max(map(len, column)) * _LETTER > _TALL * left:
            return "hf-stacked", ""
    return "", ""


def _pieces(cell: str) -> list[str]:
    """What of a cell stays on one line."""
    return [
        word[start:end]
        for word in cell.split(" ")
        for start, end in pairwise([0, *(sorted(places(word) - {0}) if len(word) > _SHORT else []), len(word)])
    ]
