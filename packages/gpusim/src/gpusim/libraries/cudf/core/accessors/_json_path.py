"""JSON paths over text: parts of a document, as they are written in it."""

from __future__ import annotations

import re
from typing import Any

SPACE = re.compile(r"\s*")
SCALAR = re.compile(r"[^\s,\]}:]+")
MISSING = object()


def steps_of(path: str) -> list[Any]:
    """Return the steps of a path: names, positions, ``"*"`` as None.

    Raises
    ------
    ValueError
        For what is no path.
    """
    path = path.strip()
    if path and not re.fullmatch(r"\$(\.[^.\[\]]+|\[\d+\]|\[\*\]|\['[^']*'\])*", path):
        raise ValueError("Encountered invalid JSONPath input string")
    found = re.findall(r"\.([^.\[\]]+)|\[(\d+)\]|\[(\*)\]|\['([^']*)'\]", path)
    return [
        int(number) if number else None if star or name == "*" else name or quoted
        for name, number, star, quoted in found
    ]


def skip(text: str, at: int) -> int:
    """Return where the next character that is no blank is."""
    return SPACE.match(text, at).end()


def string_end(text: str, at: int, quotes: str) -> int:
    """Return where a string ends that begins at a quote."""
    if text[at] not in quotes:
        raise ValueError("no string")
    mark, at = text[at], at + 1
    while text[at] != mark:
        at += 2 if text[at] == "\\" else 1
    return at + 1


def items(text: str, at: int, quotes: str) -> tuple[list[tuple[str | None, int, int]], int]:
    """Return the (name, start, end) of the values in an object or an array, and where it ends."""
    close, out = {"{": "}", "[": "]"}[text[at]], []
    named = text[at] == "{"
    at = skip(text, at + 1)
    while text[at] != close:
        name = None
        if named:
            end = string_end(text, at, quotes)
            name, at = text[at + 1 : end - 1], skip(text, end)
            if text[at] != ":":
                raise ValueError("no colon")
            at = skip(text, at + 1)
        end = value_end(text, at, quotes)
        out.append((name, at, end))
        at = skip(text, end)
        if text[at] == ",":
            at = skip(text, at + 1)
        elif text[at] != close:
            raise ValueError("no comma")
    return out, at + 1


def value_end(text: str, at: int, quotes: str) -> int:
    """Return where the value ends that begins here."""
    if text[at] in quotes:
        return string_end(text, at, quotes)
    if text[at] in "{[":
        return items(text, at, quotes)[1]
    found = SCALAR.match(text, at)
    if found is None:
        raise ValueError("no value")
    return found.end()


def parts(text: str, start: int, end: int, steps: list[Any], quotes: str) -> list[Any]:
    """Return the texts that a path leads to; `MISSING` for each name that is not there."""
    if not steps:
        return [text[start:end]]
    step, rest = steps[0], steps[1:]
    if (
        text[start] not in "{["
        or (isinstance(step, str) and text[start] != "{")
        or (isinstance(step, int) and text[start] != "[")
    ):
        return []
    inside = items(text, start, quotes)[0]
    if step is None:
        return [found for _, begin, stop in inside for found in parts(text, begin, stop, rest, quotes)]
    if isinstance(step, int):
        return parts(text, *inside[step][1:], rest, quotes) if step < len(inside) else []
    for name, begin, stop in inside:
        if name == step:
            return parts(text, begin, stop, rest, quotes)
    return [MISSING]


def find(text: str, steps: list[Any], single: bool, strip: bool, nulls: bool) -> str | None:
    """Return the part of a document that a path leads to, several as an array; None if there is none.

    Parameters
    ----------
    single : bool
        Whether strings may stand in single quotes.
    strip : bool
        Whether a single string loses its quotes.
    nulls : bool
        Whether a name that is not there counts as null.
    """
    quotes = "\"'" if single else '"'
    try:
        start = skip(text, 0)
        found = parts(text, start, value_end(text, start, quotes), steps, quotes)
    except (ValueError, IndexError):
        return None
    found = ["null" if one is MISSING else one for one in found if nulls or one is not MISSING]
    if not found:
        return None
    if len(found) > 1:
        return f"[{','.join(found)}]"
    one = found[0]
    if one == "null" and not nulls:
        return None
    return one[1:-1] if strip and one[0] in quotes else one
