"""Regular expressions: which patterns libcudf can compile."""

from __future__ import annotations

import re
from typing import Any

#: After a backslash: classes, anchors, control characters, octal and hexadecimal numbers; every sign that is not a letter.
_ESCAPES = frozenset("dDwWsSbBAZtnrafv0123456789xu")
_REPEATS = re.compile(r"\{(\d+)(,(\d*))?\}")


class RegexProgram:
    """A compiled pattern; made by `create`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise ValueError("Do not instantiate RegexProgram directly, use create")

    @staticmethod
    def create(pattern: str, flags: int = 0, capture: Any = None) -> RegexProgram:
        """Compile a pattern.

        Raises
        ------
        RuntimeError
            For what libcudf does not have: flags, names and looking around in a pattern, Unicode's classes, repeats above 999.
        """
        _check(pattern)
        out = object.__new__(RegexProgram)
        out._pattern, out._flags = pattern, flags
        return out

    def pattern(self) -> str:
        """Return the pattern."""
        return self._pattern


def _refuse(why: str) -> RuntimeError:
    return RuntimeError(f"CUDF failure at: regcomp.cpp: {why}")


def _check(pattern: str) -> None:
    at, depth, repeatable = 0, 0, False
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            after = pattern[at + 1 : at + 2]
            if after.isalnum() and after not in _ESCAPES:
                raise _refuse(f"invalid regex pattern: bad escape character at position {at + 1}")
            at, repeatable = at + 2, True
            continue
        if sign == "[":
            at, repeatable = _class_ends(pattern, at), True
            continue
        if sign == "(":
            depth += 1
            at += 3 if pattern.startswith("(?:", at) else 1
            repeatable = False
            continue
        if sign == ")":
            depth -= 1
            repeatable = True
        elif sign in "*+?":
            if not repeatable:
                raise _refuse(f"invalid regex pattern: nothing to repeat at position {at}")
            at += 1 if pattern.startswith("?", at + 1) else 0
            repeatable = False
        elif sign == "{" and (found := _REPEATS.match(pattern, at)) and repeatable:
            if max(int(found[1]), int(found[3] or 0)) > 999:
                raise _refuse(f"unsupported repeat value at {at}")
            at = found.end() - 1
            at += 1 if pattern.startswith("?", at + 1) else 0
            repeatable = False
        else:
            repeatable = sign not in "|^"
        at += 1
    if depth:
        raise _refuse("unmatched left parenthesis")


def _class_ends(pattern: str, at: int) -> int:
    end = at + 1
    end += 1 if pattern.startswith("^", end) else 0
    end += 1 if pattern.startswith("]", end) else 0
    while end < len(pattern) and pattern[end] != "]":
        if pattern.startswith("[:", end) and (close := pattern.find(":]", end)) > 0:
            end = close + 1
        end += 2 if pattern[end] == "\\" else 1
    if end >= len(pattern):
        raise _refuse(f"invalid regex pattern: bad escape character at position {len(pattern)}")
    return end + 1
