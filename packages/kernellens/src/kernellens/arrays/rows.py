"""The rows of an account's table: launches that repeat are one row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernellens.times import bound_of, estimate_of

from .events import Event

if TYPE_CHECKING:
    from .account import Account

MOST = 40
"""Rows that are shown; with more, launches of one kernel from one line become one row, and then the largest are shown."""


@dataclass
class Row:
    """Launches or transfers of one name from one line.

    Attributes
    ----------
    first : int
        Its place in the order, from 1.
    times : int
    name, kind : str
    line : int or None
    read, written : int
        Bytes of all of them.
    least, about : float
        Seconds of all of them: the bounds and the estimates, added up.
    """

    first: int
    times: int
    name: str
    kind: str
    line: int | None
    read: int
    written: int
    least: float
    about: float


def rows(account: Account) -> tuple[list[Row], int]:
    """The rows to show, and how many launches are in none of them."""
    made: list[Row] = []
    times: dict[tuple, tuple[float, float]] = {}
    before: tuple | None = None
    for event, work in zip(account.events, account.works, strict=True):
        key = (*_key(event), work.dram)
        if key not in times:
            times[key] = bound_of(work, account.gpu).seconds, estimate_of(work, account.gpu).seconds
        if key[:-1] == before:
            _add(made[-1], event, *times[key])
        else:
            made.append(Row(event.index + 1, 0, event.name, event.kind, event.line, 0, 0, 0.0, 0.0))
            _add(made[-1], event, *times[key])
        before = key[:-1]
    if len(made) > MOST:
        made = _by_line(made)
    if len(made) <= MOST:
        return made, 0
    largest = sorted(made, key=lambda row: -(row.read + row.written))[:MOST]
    left = sum(row.times for row in made) - sum(row.times for row in largest)
    return sorted(largest, key=lambda row: row.first), left


def _key(event: Event) -> tuple:
    return (
        event.name,
        event.kind,
        event.line,
        event.read,
        event.written,
        event.launch.get("threads", 0),
        tuple(event.operations.items()),
    )


def _add(row: Row, event: Event, least: float, about: float) -> None:
    row.times += 1
    row.read += event.read
    row.written += event.written
    row.least += least
    row.about += about


def _by_line(made: list[Row]) -> list[Row]:
    joined: dict[tuple, Row] = {}
    for row in made:
        there = joined.setdefault((row.line, row.name, row.kind), row)
        if there is not row:
            for name in ("times", "read", "written", "least", "about"):
                setattr(there, name, getattr(there, name) + getattr(row, name))
    return list(joined.values())
