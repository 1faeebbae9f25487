"""Functions of one string, applied to a column of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Below this length a dictionary costs more than it saves.
SMALL = 256

ESCAPABLE = set(".-+*\\?^$|{}()[]<>\"~'`_@=;:!#%&,/ ")


def each(array: pa.Array, function: Callable[[str], Any], type: pa.DataType | None = None) -> pa.Array:
    """Apply a function of one string to every value that is not null; what it returns as None is null.

    The function is called once for each distinct string: it must depend on nothing else.
    """
    type = pa.string() if type is None else type
    if len(array) <= SMALL:
        return pa.array([None if value is None else function(value) for value in array.to_pylist()], type)
    coded = array.dictionary_encode()
    return pa.array([function(value) for value in coded.dictionary.to_pylist()], type).take(coded.indices)


def is_ascii(array: pa.Array) -> bool:
    """Whether all that a column's memory holds of strings is ASCII."""
    memory = array.buffers()[2]
    return memory is None or not memory.size or np.frombuffer(memory, np.uint8).max() < 128


def each_with(array: pa.Array, other: pa.Array, function: Callable[[str, Any], Any], type: pa.DataType) -> pa.Array:
    """Apply a function of a string and another value, row by row; null where the string is."""
    return pa.array(
        [
            None if value is None else function(value, more)
            for value, more in zip(array.to_pylist(), other.to_pylist(), strict=True)
        ],
        type,
    )


def filled(array: pa.Array, value: Any) -> pa.Array:
    """Put a value where there is none."""
    return pc.fill_null(array, value) if array.null_count else array


def explode(array: pa.Array) -> tuple[pa.Array, np.ndarray]:
    """Return the items of a list array, and for each the row it came from."""
    rows = pc.list_parent_indices(array)
    return pc.list_flatten(array), np.asarray(rows)


def _fail(line: int, words: str) -> RuntimeError:
    return RuntimeError(f"CUDF failure at: /cpp/src/strings/regex/regcomp.cpp:{line}: {words}")


def compiled(pattern: str, flags: int = 0) -> re.Pattern:
    r"""Return a pattern of libcudf's regular expressions as one of Python's.

    libcudf has no look-around, no inline flags, no named groups and no back references (``\1`` in a pattern is an octal
    escape there), and refuses quantifiers with nothing before them.

    Raises
    ------
    RuntimeError
        In libcudf's words.
    """
    out, position, depth, last = [], 0, 0, None
    inside = False  # of a character class
    starts: list[bool] = []  # of each open group: whether it holds something a quantifier may follow
    while position < len(pattern):
        char = pattern[position]
        position += 1
        if char == "\\":
            if position == len(pattern):
                raise _fail(542, f"invalid regex pattern: bad escape character at position {position - 1}")
            code = pattern[position]
            position += 1
            if code in "01234567":
                digits = code
                while position < len(pattern) and pattern[position] in "01234567" and len(digits) < 3:
                    digits += pattern[position]
                    position += 1
                out.append(re.escape(chr(int(digits, 8))) if not inside else f"\\x{int(digits, 8):02x}")
            elif code.isalpha() and code not in "wWsSdDbBAZntraftx" or not code.isalpha() and code not in ESCAPABLE:
                if not inside:
                    raise _fail(542, f"invalid regex pattern: bad escape character at position {position - 1}")
                out.append(re.escape(code))
            else:
                out.append("\\" + code)
            last = "anchor" if code in "bBAZ" and not inside else "item"
        elif inside:
            if char == "]" and out[-1] not in ("[", "[^"):
                inside, last = False, "item"
                out.append("]")
            else:
                out.append("\\[" if char == "[" else "\\" + char if char in "&~|" else char)
        elif char == "[":
            inside = True
            if pattern[position : position + 1] == "^":
                position += 1
                out.append("[^")
            else:
                out.append("[")
        elif char == "(":
            depth += 1
            starts.append(False)
            if pattern.startswith("?:", position):
                position += 2
                out.append("(?:")
            else:
                out.append("(")
            last = "open"
        elif char == ")":
            depth -= 1
            out.append(")")
            last = "item" if (starts.pop() if starts else False) else "open"
        elif char in "*?+{|":
            if last is None:
                raise _fail(603, "invalid regex pattern: nothing to repeat at position 0")
            counted = re.compile(r"\{\d{1,3}(,\d{0,3})?\}").match(pattern, position - 1) if char == "{" else None
            if char == "|":
                last = "or"
                out.append("|")
                continue
            if char == "{" and counted is None:
                if re.compile(r"\{\d{4,}").match(pattern, position - 1):
                    raise _fail(693, f"unsupported repeat value at {position - 1}")
                out.append("\\{")
                last = "item"
                continue
            if last != "item":
                raise _fail(637, f"invalid regex pattern: nothing to repeat at position {position - 1}")
            text = char if counted is None else counted.group()
            position += len(text) - 1
            if pattern[position : position + 1] == "?":
                position += 1
                text += "?"
            out.append(text)
            last = "quantified"
        else:
            out.append("\\}" if char == "}" else char)
            last = "anchor" if char in "^$" else "item"
        if last == "item" and starts:
            starts = [True] * len(starts)
    if depth > 0:
        raise _fail(1059, "unmatched left parenthesis")
    try:
        return re.compile("".join(out), flags)
    except re.error as error:
        raise _fail(637, f"invalid regex pattern: {error}") from None


def without_names(pattern: str) -> str:
    """Return a pattern whose named groups are plain ones."""
    names = "|".join(re.compile(pattern).groupindex)
    return re.sub(rf"\(\?P<(?:{names})>", "(", pattern) if names else pattern


def supported_flags(flags: int) -> bool:
    """Whether libcudf has these flags of Python's."""
    known = re.MULTILINE | re.DOTALL | re.IGNORECASE
    return flags == 0 or (flags & known != 0 and flags & ~known == 0)


# What libcudf strips and splits at without being told: control characters and the blank, nothing else of Unicode.
BLANKS = "".join(map(chr, range(33)))
AT_BLANKS = re.compile(f"[{re.escape(BLANKS)}]+")


def substituted(pattern: re.Pattern, repl: Callable[[re.Match], str], text: str, most: int = -1) -> str:
    """Replace as libcudf does: an empty match right behind another match is none."""
    out, last, count = [], 0, 0
    ended = -1
    for found in pattern.finditer(text):
        if most >= 0 and count >= most:
            break
        if found.start() == found.end() == ended:
            continue
        out.append(text[last : found.start()] + repl(found))
        last = ended = found.end()
        count += 1
    return "".join(out) + text[last:]
