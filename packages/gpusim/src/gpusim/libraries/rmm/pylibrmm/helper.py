"""Sizes as text."""

from __future__ import annotations

import re

_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgtp", start=1):
    _UNITS |= {f"{_letter}b": 1000**_power, f"{_letter}ib": 1024**_power}
_PATTERN = re.compile(r"^([0-9]+(?:\.[0-9]*)?)[\t ]*((?i:(?:[kmgtp]i?)?b))?$")


def parse_bytes(s: int | str) -> int:
    """Bytes from a number or a text such as ``"2GiB"``; ValueError for a text that is none."""
    if isinstance(s, int):
        return s
    match = _PATTERN.match(s)
    if match is None:
        raise ValueError(f"Could not parse {s} as a byte specification")
    try:
        return int(float(match[1]) * _UNITS[(match[2] or "").lower()])
    except OverflowError:
        raise ValueError(f"Could not parse {s} as a byte specification") from None


def format_bytes(size: int) -> str:
    """A size as RMM's own messages give it: ``"1.500000 GiB"``."""
    value, unit = float(size), 0
    while value >= 1024 and unit < 4:
        value, unit = value / 1024, unit + 1
    return f"{value:f} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[unit]}"
