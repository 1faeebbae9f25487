"""Wrong answers as edits of a right one: what is wrong with them is all that is written down.

>>> edit(_tiled, ("range(0, n, 16)", "range(0, n - 15, 16)"), reason="remainder")  # the text to the left becomes that to the right
>>> edit(_tiled, drop_last="cuda.syncthreads()", reason="race")  # a line is left out

A function is edited in its source. What comes out has a source of its own, which `inspect.getsource` and tracebacks find.
"""

from __future__ import annotations

import inspect
import linecache
import textwrap
from dataclasses import dataclass
from typing import Any

from hundredfold.learning.problems.reasons import known

Change = tuple[str, str]
"""What stands in the source, and what is to stand there."""


@dataclass(frozen=True)
class Wrong:
    """An answer known to be wrong, as learners give it.

    Parameters
    ----------
    answer : object
        The answer itself: a function, a value, or for a problem of several answers a tuple of them.
    reason : str
        The reason for which it must be refused.
    """

    answer: Any
    reason: str

    def __post_init__(self) -> None:
        known(self.reason)


class EditError(ValueError):
    """An edit does not fit the answer it is made of; the message says why."""


def edit(
    right: Any,
    *changes: Change,
    reason: str,
    every: Change | None = None,
    drop: str = "",
    drop_first: str = "",
    drop_last: str = "",
    under: Change | None = None,
) -> Wrong:
    """Return a known wrong answer that differs from a right one.

    Parameters
    ----------
    right : function or kernel
        A right answer.
    *changes : (str, str)
        Text that stands once in the function's source, and what stands there instead. They are made in order.
    reason : str
        As in `Wrong`.
    every : (str, str)
        As a change, of text that stands there several times.
    drop, drop_first, drop_last : str
        A line to leave out: the only one of this text, or the first or last of several.
    under : (str, str)
        The text with which one statement begins, and the line under which it is put, with its block: ``"if i < n:"``.

    Raises
    ------
    EditError
        The text is not there, or not once, or what comes out is no Python.
    """
    drops = {"drop": drop, "drop_first": drop_first, "drop_last": drop_last}

    if not (changes or every or under or any(drops.values())):
        raise EditError(f"an edit of {_name(right)} takes text to change.")
    source = _source(right)
    for change in changes:
        source = _replaced(source, *change)
    if every is not None:
        source = _replaced(source, *every, once=False)
    for which, text in drops.items():
        source = _without(source, text, which) if text else source
    if under is not None:
        source = _put_under(source, *under)
    return Wrong(_compiled(right, source), reason)


def _name(right: Any) -> str:
    return getattr(right, "__name__", repr(right))


def _source(right: Any) -> str:
    """The source of a function, decorators included, from the first column."""
    function = getattr(right, "py_func", right)
    if getattr(function, "__closure__", None):
        raise EditError(f"{_name(right)} uses names of the function around it; an edit is of a function of a module.")
    if _name(right) == "<lambda>":
        raise EditError("a lambda cannot be edited: write it as a function.")
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise EditError(f"{_name(right)} has no source to edit.") from None


def _replaced(source: str, old: str, new: str, *, once: bool = True) -> str:
    found = source.count(old)
    if not found or not old:
        raise EditError(f"the source does not have the text {old!r}:\n{source}")
    if once and found > 1:
        raise EditError(f"the source has the text {old!r} {found} times; say more of it, or use every=:\n{source}")
    return source.replace(old, new)


def _without(source: str, text: str, which: str) -> str:
    lines = source.splitlines(keepends=True)
    places = [place for place, line in enumerate(lines) if line.strip() == text]
    if not places:
        raise EditError(f"the source has no line {text!r}:\n{source}")
    if which == "drop" and len(places) > 1:
        raise EditError(
            f"the source has the line {text!r} {len(places)} times; use drop_first= or drop_last=:\n{source}"
        )
    del lines[places[-1] if which == "drop_last" else places[0]]
    return "".join(lines)


def _put_under(source: str, start: str, line: str) -> str:
    lines = source.splitlines(keepends=True)
    places = [place for place, each in enumerate(lines) if each.strip().startswith(start)]
    if len(places) != 1:
        raise EditError(f"{len(places)} lines of the source begin with {start!r}; it takes one:\n{source}")
    begin, width = places[0], _indent(lines[places[0]])
    after = (place for place in range(begin + 1, len(lines)) if lines[place].strip() and _indent(lines[place]) <= width)
    end = next(after, len(lines))
    block = textwrap.indent("".join(lines[begin:end]), "    ")
    return "".join([*lines[:begin], f"{' ' * width}{line}\n", block, *lines[end:]])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _compiled(right: Any, source: str) -> Any:
    """What the source defines, in the module of the answer that was edited; its decorators are applied again."""
    name, function = _name(right), getattr(right, "py_func", right)
    numbers = (number for number in range(1, 10_000) if f"<edit {number} of {name}>" not in linecache.cache)
    file = f"<edit {next(numbers)} of {name}>"
    try:
        code = compile(source, file, "exec")
    except SyntaxError as error:
        raise EditError(
            f"after the edit of {name} this is no Python ({error.msg}, line {error.lineno}):\n{source}"
        ) from None
    made: dict[str, Any] = {}
    # No modification time: linecache then takes it for a text that is no file, and keeps it.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(code, function.__globals__, made)
    return made[name]
