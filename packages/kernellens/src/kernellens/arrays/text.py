"""An account as plain text, for a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from kernellens.plot import quantities

from . import sentences
from .rows import Row, rows

if TYPE_CHECKING:
    from .account import Account

WIDTH = 110
SOURCE = 46
"""Characters of a source line that are shown."""


def text(account: Account) -> str:
    """The account: its table, its totals, its times, what fusing would save."""
    lines = [sentences.head(account), *_table(account)]
    for heading, sentence in sentences.parts(account):
        lines += _wrapped(f"{heading}: {sentence}")
    for sentence, code in sentences.fusing(account):
        lines += _wrapped(f"Fusing: {sentence}")
        lines += [f"    {line}".rstrip() for line in code.splitlines()]
    assumed = sentences.left(account)
    for note in (*([assumed] if assumed else ()), *account.notes):
        lines += _wrapped(f"Note: {note}")
    return "\n".join(lines)


def _table(account: Account) -> list[str]:
    shown, left = rows(account)
    if not shown:
        return []
    name = max(len(_name(row)) for row in shown)
    head = f"  {'no.':>4}  {'line':>4}  {'launch':<{name}}  {'reads':>8}  {'writes':>8}  {'bound':>8}  {'estimate':>8}"
    lines = [head]
    last = None
    for row in shown:
        source = account.source.get(row.line or 0, "") if row.line != last else ""
        source = source if len(source) <= SOURCE else source[: SOURCE - 1] + "…"
        lines.append(
            (
                f"  {row.first:>4}  {row.line if row.line is not None else '':>4}  {_name(row):<{name}}  {size(row.read):>8}  {size(row.written):>8}  "
                f"{quantities.seconds(row.least):>8}  {quantities.seconds(row.about, 2):>8}  {source}"
            ).rstrip()
        )
        last = row.line
    if left:
        lines.append(f"        … and {sentences.many(left, 'launch', 'launches')} that move less")
    return lines


def _name(row: Row) -> str:
    return row.name if row.times == 1 else f"{row.name} × {quantities.count(row.times)}"


def size(nbytes: int) -> str:
    """Bytes in a table: nothing where there are none."""
    return quantities.size(nbytes) if nbytes else "–"


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
